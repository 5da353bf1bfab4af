//! Interns strings by their bytes: repeated ones cost one lookup and no decoding.

use super::{JsonError, RawString};
use foldhash::fast::RandomState;
use indexmap::IndexSet;
use std::collections::HashMap;

#[derive(Default)]
pub struct RawTexts {
    rows: IndexSet<Box<[u8]>, RandomState>,
    /// with escapes, by the raw bytes between the quotes
    escaped: HashMap<Box<[u8]>, u32, RandomState>,
}

impl RawTexts {
    #[inline]
    pub fn number(&mut self, raw: &RawString<'_>) -> Result<u32, JsonError> {
        let known = match raw.has_escapes {
            false => self.rows.get_index_of(raw.bytes()).map(|row| row as u32),
            true => self.escaped.get(raw.bytes()).copied(),
        };
        known.map_or_else(|| self.add(raw), Ok)
    }

    #[inline(never)]
    fn add(&mut self, raw: &RawString<'_>) -> Result<u32, JsonError> {
        let number = self.number_of(&raw.decode()?);
        if raw.has_escapes {
            self.escaped.insert(raw.bytes().into(), number);
        }
        Ok(number)
    }

    pub fn number_of(&mut self, text: &str) -> u32 {
        match self.rows.get_index_of(text.as_bytes()) {
            Some(known) => known as u32,
            None => self.rows.insert_full(text.as_bytes().into()).0 as u32,
        }
    }

    pub fn text(&self, number: u32) -> &str {
        let bytes = self.rows.get_index(number as usize);
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        text.unwrap_or_default()
    }
}
