//! Numbers and texts used as ids in a trace.

use crate::input::json::{JsonError, JsonKind, JsonReader, RawTexts};
use std::io::Read;

/// Of a process, a thread or a stack frame. `7` and `"7"` are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Id {
    Number(i64),
    Text(u32),
}

pub(super) type ThreadKey = (Id, Id);

impl Default for Id {
    fn default() -> Id {
        Id::Number(0)
    }
}

impl Id {
    pub(super) fn of_text(text: &str, texts: &mut RawTexts) -> Id {
        match text.parse::<i64>() {
            Ok(number) => Id::Number(number),
            Err(_) => Id::Text(texts.number_of(text)),
        }
    }

    pub(super) fn read<R: Read>(
        reader: &mut JsonReader<R>,
        texts: &mut RawTexts,
    ) -> Result<Option<Id>, JsonError> {
        match reader.peek()? {
            JsonKind::Number => {
                let number = reader.number()?;
                let whole = number.to_u64().and_then(|whole| whole.try_into().ok());
                let id = whole.map(Id::Number);
                Ok(id.or_else(|| Some(Id::of_text(number.text(), texts))))
            }
            JsonKind::String => Ok(Some(Id::of_text(reader.string()?, texts))),
            _ => reader.skip().map(|()| None),
        }
    }

    pub(super) fn text(self, texts: &RawTexts) -> String {
        match self {
            Id::Number(number) => number.to_string(),
            Id::Text(text) => texts.text(text).to_string(),
        }
    }
}

/// The index of the next value's text; skips anything else.
#[inline]
pub(super) fn text<R: Read>(
    reader: &mut JsonReader<R>,
    texts: &mut RawTexts,
) -> Result<Option<u32>, JsonError> {
    match reader.peek()? {
        JsonKind::String => texts.number(&reader.raw_string()?).map(Some),
        _ => reader.skip().map(|()| None),
    }
}
