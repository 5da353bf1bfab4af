//! Reads warnings and notes that dotspot wrote as sentences.

use crate::diagnostics::Diagnostic;
use crate::input::json::{JsonError, JsonReader};
use std::io::Read;

/// How the exporter starts in files written by dotspot.
pub(super) const OWN_EXPORTER: &str = concat!(env!("CARGO_PKG_NAME"), " ");

#[derive(Debug, Default)]
pub(super) struct EmbeddedNotes {
    pub warnings: Vec<String>,
    pub notes: Vec<String>,
}

impl EmbeddedNotes {
    pub(super) fn take_comment(&mut self, comment: &str) -> bool {
        if let Some(warning) = comment.strip_prefix("warning: ") {
            self.warnings.push(warning.into());
        } else if let Some(note) = comment.strip_prefix("note: ") {
            self.notes.push(note.into());
        } else {
            return false;
        }
        true
    }

    pub(super) fn diagnostics(self) -> impl Iterator<Item = Diagnostic> {
        let warnings = self.warnings.into_iter().map(Diagnostic::kept);
        warnings.chain(self.notes.into_iter().map(Diagnostic::kept_note))
    }
}

fn read_sentences<R: Read>(
    reader: &mut JsonReader<R>,
    sentences: &mut Vec<String>,
) -> Result<(), JsonError> {
    if reader.take_null()? {
        return Ok(());
    }
    reader.each(|reader| {
        sentences.push(reader.string()?.to_string());
        Ok(())
    })
}

#[derive(Default)]
pub(super) struct DocumentOrigin {
    exporter: String,
    title: String,
    pub sentences: EmbeddedNotes,
}

impl DocumentOrigin {
    pub(super) fn is_own(&self) -> bool {
        self.exporter.starts_with(OWN_EXPORTER)
    }

    pub(super) fn read<R: Read>(
        &mut self,
        key: &str,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        match key {
            "exporter" => self.exporter = reader.text()?,
            "name" => self.title = reader.text()?,
            // other writers may use these names for something else
            "warnings" if self.is_own() => read_sentences(reader, &mut self.sentences.warnings)?,
            "notes" if self.is_own() => read_sentences(reader, &mut self.sentences.notes)?,
            _ => reader.skip()?,
        }
        Ok(())
    }

    pub(super) fn facts(&self) -> Vec<(&'static str, String)> {
        vec![
            ("written by", self.exporter.clone()),
            ("title", self.title.clone()),
        ]
    }
}
