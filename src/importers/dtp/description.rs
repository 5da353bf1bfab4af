//! The description of the recording, section 0x0000.

use super::bytes::{SectionBytes, SectionReader, SectionResult};
use super::warnings::Warnings;
use crate::diagnostics::Diagnostic;
use crate::importers::filetime::iso;
use crate::importers::messages;
use crate::model::ProfileKind;
use memchr::memmem;
use std::borrow::Cow;

#[derive(Debug, Default)]
pub(super) struct Description {
    pub kind: Option<ProfileKind>,
    pub facts: Vec<(&'static str, String)>,
}

impl Description {
    /// An unreadable description or one of an unknown version may still reveal the kind of profile.
    pub(super) fn read(section: Option<SectionBytes>, warnings: &mut Warnings) -> Description {
        let Some(section) = section else {
            warnings.add(Diagnostic::NoDescription {});
            return Description::default();
        };
        let problem = match section.version {
            8 | 9 => match section.read(|reader| parse(reader, section.version == 9, warnings)) {
                Ok(description) => return description,
                Err(failure) => failure.problem,
            },
            other => messages::pdb_version_unknown(&other),
        };
        let configuration = configuration(section.bytes);
        let has_settings = configuration.is_some();
        warnings.add(Diagnostic::DescriptionUnexpected {
            problem,
            has_settings,
        });
        let kind = configuration.and_then(|xml| kind(&String::from_utf8_lossy(xml), warnings));
        Description {
            kind,
            facts: Vec::new(),
        }
    }
}

fn configuration(bytes: &[u8]) -> Option<&[u8]> {
    let from = &bytes[memmem::find(bytes, b"<?xml")?..];
    Some(&from[..memmem::find(from, b"</Configuration>")?])
}

/// Settings without a measure type mean tracing.
fn kind(xml: &str, warnings: &mut Warnings) -> Option<ProfileKind> {
    if !xml.contains("<Configuration") {
        warnings.add(Diagnostic::NoSettings {});
        return None;
    }
    match element(xml, "MeasureType").as_deref() {
        None | Some("Tracing") => Some(ProfileKind::Tracing),
        Some("Sampling") => Some(ProfileKind::Sampling),
        Some("LineByLine") => {
            warnings.add(Diagnostic::NoStatementTimes {});
            Some(ProfileKind::LineByLine)
        }
        Some(other) => {
            let measure_type = other.chars().take(40).collect();
            warnings.add(Diagnostic::MeasureTypeUnknown { measure_type });
            None
        }
    }
}

/// The first element with this name. Text by users is escaped, so it contains no `<`.
fn element(xml: &str, name: &str) -> Option<String> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once('<')?;
    Some(text.trim().to_string())
}

fn parse(
    reader: &mut SectionReader,
    is_9: bool,
    warnings: &mut Warnings,
) -> SectionResult<Description> {
    let mut facts: Vec<(&'static str, String)> = Vec::new();
    let mut fact = |what: &'static str, text: Cow<str>| facts.push((what, text.into_owned()));
    let branch = reader.u32()?;
    let version = format!("20{:02}.{}", branch / 10, branch % 10);
    fact("dotTrace", version.into());
    // the build time of dotTrace, the system, and 9 in all known snapshots
    reader.take(12 + 1 + 2)?;
    let processors = reader.u32()?;
    fact("operating system", reader.text()?);
    fact("processors", processors.to_string().into());
    fact("machine", reader.text()?);
    if is_9 {
        let id = reader.u32()?.to_string();
        fact("process id", id.into());
    }
    fact("executable", reader.text()?);
    fact("command line", reader.text()?);
    if is_9 {
        fact("working folder", reader.text()?);
    }
    // 9 in all known snapshots, and a GUID
    reader.take(2 + 16)?;
    fact("user", reader.text()?);
    // a GUID, and 2 in all known snapshots
    reader.take(16 + 1)?;
    fact("runtime", reader.text()?);
    let xml = reader.text()?;
    let kind = kind(&xml, warnings);
    let clock = element(&xml, "MeterKind").unwrap_or_default();
    fact("clock", clock.into());
    // a GUID, 0 in all known snapshots, and another GUID
    reader.take(16 + 4 + 16)?;
    let started = iso(reader.u64()?).unwrap_or_default();
    fact("started", started.into());
    Ok(Description { kind, facts })
}

/// When the snapshot was taken, section 0x0001.
pub(super) fn time_taken(section: SectionBytes) -> SectionResult<Option<String>> {
    section.read(SectionReader::u64).map(iso)
}
