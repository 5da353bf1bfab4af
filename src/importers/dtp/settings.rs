//! The settings that dotTrace's viewer stores next to a snapshot: `NAME.dtp.DotSettings`, in XML. The useful entries
//! are dotTrace's sums of the functions that implement a virtual function, `<s:String
//! x:Key="/Default/HotspotsPrecomputing/VirtualFunctionsList/=NAME/@EntryIndexedValue">`. NAME encodes some
//! characters as `_XXXX`; the text is escaped XML with elements such as `<Implementation FuId="0x005000FE"
//! OwnTime="2124512" SysTime="18020651" TotalTime="649312546"/>`, in ticks over all nodes of the function. The total
//! time counts recursion each time. `SysTime` is not read: its composition is unknown for a few functions.

use super::family::{SnapshotFolder, sibling};
use super::warnings::Warnings;
use crate::diagnostics::Diagnostic;
use crate::importers::messages;
use crate::input::plain;
use crate::text::file_name;
use crate::units::size;
use quick_xml::XmlVersion;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

/// The maximum number of bytes read. Real files have a few hundred bytes for each of a hundred functions.
const MAX_BYTES: u64 = 16 << 20;

const SUMS: &str = "/HotspotsPrecomputing/VirtualFunctionsList/";

#[derive(Debug, Default)]
pub(super) struct StoredSums {
    pub sums: Vec<SettingsSum>,
    broken_sums: u64,
}

/// dotTrace's sum of a function over all of its nodes, in ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SettingsSum {
    pub function: u32,
    /// The virtual function that it implements, without module: its own name, or that of a base type or interface.
    pub declaration: Arc<str>,
    pub own: u64,
    /// Includes callees; recursion is counted each time.
    pub total: u64,
}

impl StoredSums {
    /// Problems become warnings.
    pub(super) fn next_to(index: &Path, warnings: &mut Warnings) -> StoredSums {
        let path = SnapshotFolder::of(index).found_ignoring_case(sibling(index, "DotSettings"));
        let mut settings = StoredSums::default();
        if !path.exists() {
            return settings;
        }
        let name = path.display().to_string();
        let name = file_name(&name);
        if let Err(problem) = read(&path).and_then(|text| settings.parse(&text)) {
            warnings.add(Diagnostic::SettingsUnreadable {
                file: name.to_string(),
                problem,
            });
        }
        if settings.broken_sums > 0 {
            warnings.add(Diagnostic::SumsUnreadable {
                file: name.to_string(),
                sums: settings.broken_sums,
            });
        }
        settings
    }

    fn parse(&mut self, text: &str) -> Result<(), String> {
        let mut reader = Reader::from_str(text);
        loop {
            match reader
                .read_event()
                .map_err(|error| broken(reader.error_position(), &error))?
            {
                Event::Start(start) if start.local_name().as_ref() == "String" => {
                    let value = reader.read_text(start.name());
                    let value = value.map_err(|error| broken(reader.buffer_position(), &error))?;
                    let key = attribute(&start, "Key").filter(|key| key.contains(SUMS));
                    if let Some(key) = key {
                        self.add_sums(&subject(&key), &value);
                    }
                }
                Event::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    fn add_sums(&mut self, declaration: &str, value: &str) {
        let declaration: Arc<str> = declaration.into();
        let Ok(value) = unescape(value) else {
            self.broken_sums += 1;
            return;
        };
        let mut reader = Reader::from_str(&value);
        loop {
            match reader.read_event() {
                Ok(Event::Start(start) | Event::Empty(start))
                    if start.name().as_ref() == "Implementation" =>
                {
                    match sum(&start, &declaration) {
                        Some(sum) => self.sums.push(sum),
                        None => self.broken_sums += 1,
                    }
                }
                Ok(Event::Eof) => return,
                Ok(_) => {}
                Err(_) => {
                    self.broken_sums += 1;
                    return;
                }
            }
        }
    }
}

fn read(path: &Path) -> Result<String, String> {
    let fail = |error: std::io::Error| messages::cant_read(&plain(&error));
    // reading a pipe of this name might block forever
    if !std::fs::metadata(path).map_err(fail)?.is_file() {
        return Err("is no file".into());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .map_err(fail)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(fail)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(messages::more_than(&size(MAX_BYTES)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("UTF-8 was expected, and at byte {at} ({at:#x}) there is something else")
    })
}

fn broken(at: u64, error: &quick_xml::Error) -> String {
    format!("its XML breaks off at byte {at} ({at:#x}): {error}")
}

fn attribute(start: &BytesStart, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    let attribute = attributes
        .with_checks(false)
        .flatten()
        .find(|a| a.key.local_name().as_ref() == name)?;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}

fn sum(start: &BytesStart, declaration: &Arc<str>) -> Option<SettingsSum> {
    let function = attribute(start, "FuId")?;
    Some(SettingsSum {
        function: u32::from_str_radix(function.strip_prefix("0x")?, 16).ok()?,
        declaration: Arc::clone(declaration),
        own: attribute(start, "OwnTime")?.parse().ok()?,
        total: attribute(start, "TotalTime")?.parse().ok()?,
    })
}

fn subject(key: &str) -> String {
    let names: Vec<String> = key
        .split('/')
        .filter_map(|part| part.strip_prefix('='))
        .map(unescaped)
        .collect();
    names.join(", ")
}

/// Decodes `_XXXX`, a character by its four-digit hexadecimal code. Other underscores are kept.
fn unescaped(name: &str) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some(character) = rest.chars().next() {
        let code = rest.strip_prefix('_').and_then(|rest| rest.get(..4));
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        // characters beyond 0xFFFF are encoded as UTF-16 surrogates
        if let Some(unit) = code.and_then(|code| u16::from_str_radix(code, 16).ok()) {
            units.push(unit);
            rest = &rest[5..];
        } else {
            units.extend(character.encode_utf16(&mut [0; 2]).iter());
            rest = &rest[character.len_utf8()..];
        }
    }
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests;
