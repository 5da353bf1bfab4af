//! Strings, functions, locations, mappings. Samples refer to them, and may come first.

use super::wire::{Fields, WireValue, numbers};
use crate::text::start_of;
use std::cell::Cell;
use std::collections::HashMap;

/// Text looked up per byte of a file, plus [`MIN_TEXT_BYTES`], before long strings are cut: a crafted file may repeat
/// its longest.
const TEXT_BYTES_PER_BYTE: u64 = 64;
const MIN_TEXT_BYTES: u64 = 64 << 20;
const CUT_TEXT_BYTES: usize = 1024;
/// Of long names together: this, plus some per byte of the strings.
const MIN_KEPT_BYTES: u64 = 8 << 20;
const KEPT_BYTES_PER_BYTE: u64 = 2;
/// Shorter names are never cut.
const SHORT_NAME_BYTES: usize = 256;

type ById<T> = HashMap<u64, T, foldhash::fast::RandomState>;

/// Names are string indices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Function {
    pub name: u64,
    pub system_name: u64,
    pub file: u64,
    pub start_line: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Location {
    pub mapping: u64,
    pub address: u64,
    /// The inlined ones and the one that contains the code, innermost first.
    pub functions: Vec<u64>,
}

/// What is measured, and its unit, as string indices.
pub(super) type ValueType = [u64; 2];

#[derive(Debug, Default)]
pub(super) struct Tables<'a> {
    pub sample_types: Vec<ValueType>,
    strings: Vec<&'a [u8]>,
    remaining_text_bytes: Cell<u64>,
    remaining_kept_bytes: Cell<u64>,
    pub functions: ById<Function>,
    pub locations: ById<Location>,
    pub mappings: ById<u64>,
    pub duration_ns: u64,
    pub period: u64,
    pub period_type: ValueType,
    pub default_type: u64,
    pub comments: Vec<u64>,
    pub samples: u64,
    /// How many got ids here, because none had one.
    pub functions_without_id: u64,
    pub broken_at: Option<usize>,
}

/// Of `Profile` in `profile.proto`.
pub(super) mod field {
    pub(crate) const SAMPLE_TYPE: u64 = 1;
    pub(crate) const SAMPLE: u64 = 2;
    pub(crate) const MAPPING: u64 = 3;
    pub(crate) const LOCATION: u64 = 4;
    pub(crate) const FUNCTION: u64 = 5;
    pub(crate) const STRING: u64 = 6;
    pub(crate) const DURATION: u64 = 10;
    pub(crate) const PERIOD_TYPE: u64 = 11;
    pub(crate) const PERIOD: u64 = 12;
    pub(crate) const COMMENT: u64 = 13;
    pub(crate) const DEFAULT_TYPE: u64 = 14;
    /// The last one as of 2024.
    pub(crate) const DOC_URL: u64 = 15;
}

impl<'a> Tables<'a> {
    pub(super) fn read(profile: &'a [u8]) -> Tables<'a> {
        let text_bytes = (profile.len() as u64).saturating_mul(TEXT_BYTES_PER_BYTE);
        let mut tables = Tables {
            remaining_text_bytes: text_bytes.saturating_add(MIN_TEXT_BYTES).into(),
            ..Tables::default()
        };
        let mut fields = Fields::new(profile);
        let mut without_id = Vec::new();
        for (number, value) in &mut fields {
            tables.read_field(number, value, &mut without_id);
        }
        tables.broken_at = fields.broken_at;
        let string_bytes: u64 = tables.strings.iter().map(|text| text.len() as u64).sum();
        let kept_bytes = string_bytes.saturating_mul(KEPT_BYTES_PER_BYTE);
        tables.remaining_kept_bytes = kept_bytes.saturating_add(MIN_KEPT_BYTES).into();
        if tables.functions.is_empty() {
            tables.assign_ids(without_id, profile);
        } else if let Some(&last) = without_id.last() {
            tables.functions.insert(0, last);
        }
        tables
    }

    /// Assigns ids to functions if none has one, as in .NET profiles from an older Pyroscope profiler. Its locations
    /// have one line each, in the order of their functions; else, an id is a 1-based index. Source:
    /// `FixFunctionIDForBrokenDotnet` in grafana/pyroscope.
    fn assign_ids(&mut self, functions: Vec<Function>, profile: &[u8]) {
        let mut ids = self.locations.values().flat_map(|place| &place.functions);
        if functions.len() == 1 && ids.all(|&id| id == 0) {
            self.functions.insert(0, functions[0]);
            return;
        }
        let is_location = |(number, value): (u64, WireValue)| match value {
            WireValue::Bytes(bytes) if number == field::LOCATION => Some(numbers_of(bytes, [1])[0]),
            _ => None,
        };
        let places: Vec<u64> = Fields::new(profile).filter_map(is_location).collect();
        let mut locations = self.locations.values();
        let has_one_line = locations.all(|place| place.functions.len() == 1);
        if places.len() == functions.len() && places.len() == self.locations.len() && has_one_line {
            for (id, place) in (1..).zip(&places) {
                if let Some(location) = self.locations.get_mut(place) {
                    location.functions = vec![id];
                }
            }
        }
        self.functions_without_id = functions.len() as u64;
        self.functions.extend((1..).zip(functions));
    }

    fn read_field(&mut self, number: u64, value: WireValue<'a>, without_id: &mut Vec<Function>) {
        match (number, value) {
            (field::SAMPLE, _) => self.samples += 1,
            (field::SAMPLE_TYPE, WireValue::Bytes(bytes)) => {
                self.sample_types.push(numbers_of(bytes, [1, 2]))
            }
            (field::PERIOD_TYPE, WireValue::Bytes(bytes)) => {
                self.period_type = numbers_of(bytes, [1, 2])
            }
            (field::MAPPING, WireValue::Bytes(bytes)) => {
                let [id, file] = numbers_of(bytes, [1, 5]);
                self.mappings.insert(id, file);
            }
            (field::LOCATION, WireValue::Bytes(bytes)) => self.location(bytes),
            (field::FUNCTION, WireValue::Bytes(bytes)) => {
                let [id, name, system_name, file, start_line] = numbers_of(bytes, [1, 2, 3, 4, 5]);
                let function = Function {
                    name,
                    system_name,
                    file,
                    start_line,
                };
                if id == 0 {
                    without_id.push(function);
                } else {
                    self.functions.insert(id, function);
                }
            }
            (field::STRING, WireValue::Bytes(bytes)) => self.strings.push(bytes),
            (field::COMMENT, value) => self.comments.extend(numbers(value)),
            (field::DURATION, value) => self.duration_ns = value.number(),
            (field::PERIOD, value) => self.period = value.number(),
            (field::DEFAULT_TYPE, value) => self.default_type = value.number(),
            _ => {}
        }
    }

    fn location(&mut self, bytes: &[u8]) {
        let [id, mapping, address] = numbers_of(bytes, [1, 2, 3]);
        let lines = Fields::new(bytes).filter_map(|field| match field {
            (4, WireValue::Bytes(line)) => Some(numbers_of(line, [1])[0]),
            _ => None,
        });
        let location = Location {
            mapping,
            address,
            functions: lines.collect(),
        };
        self.locations.insert(id, location);
    }

    /// Empty if there is none. Long strings are cut once too much text has been looked up.
    pub(super) fn text(&self, number: u64) -> std::borrow::Cow<'a, str> {
        let row = usize::try_from(number).unwrap_or(usize::MAX);
        let mut bytes = self.strings.get(row).copied().unwrap_or_default();
        if !spend(&self.remaining_text_bytes, bytes.len()) {
            bytes = &bytes[..bytes.len().min(CUT_TEXT_BYTES)];
        }
        String::from_utf8_lossy(bytes)
    }

    /// Cuts a long name once there are too many.
    pub(super) fn shorten(&self, mut name: String) -> String {
        if name.len() > SHORT_NAME_BYTES && !spend(&self.remaining_kept_bytes, name.len()) {
            name = start_of(&name, SHORT_NAME_BYTES).to_string();
        }
        name
    }

    pub(super) fn strings_like(&self, is_wanted: impl Fn(&[u8]) -> bool) -> Vec<u64> {
        let wanted = (0..).zip(&self.strings).filter(|(_, text)| is_wanted(text));
        wanted.map(|(number, _)| number).collect()
    }
}

/// `false` if too little of the budget is left.
fn spend(remaining: &Cell<u64>, bytes: usize) -> bool {
    let left = remaining.get().checked_sub(bytes as u64);
    left.inspect(|&left| remaining.set(left)).is_some()
}

/// 0 if a field is missing, the last one if it is repeated.
pub(super) fn numbers_of<const N: usize>(message: &[u8], fields: [u64; N]) -> [u64; N] {
    let mut found = [0; N];
    for (number, value) in Fields::new(message) {
        if let WireValue::Number(value) = value
            && let Some(at) = fields.iter().position(|&field| field == number)
        {
            found[at] = value;
        }
    }
    found
}
