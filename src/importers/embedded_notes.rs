//! Reads the warnings and notes that dotspot writes to files as sentences.

use crate::diagnostics::Diagnostic;
use crate::input::json::{JsonError, JsonReader};
use std::io::Read;

/// How the exporter of files begins that dotspot wrote.
pub(super) const OWN_EXPORTER: &str = concat!(env!("CARGO_PKG_NAME"), " ");

/// The sentences of a file, by severity.
#[derive(Debug, Default)]
pub(super) struct EmbeddedNotes {
    warnings: Vec<String>,
    notes: Vec<String>,
}

impl EmbeddedNotes {
    /// Reads the array of warnings that is due next, or `null`.
    ///
    /// # Errors
    /// It is neither, or holds something else than strings.
    pub(super) fn read_warnings<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        read_sentences(reader, &mut self.warnings)
    }

    /// The same for notes.
    ///
    /// # Errors
    /// As [`EmbeddedNotes::read_warnings`].
    pub(super) fn read_notes<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        read_sentences(reader, &mut self.notes)
    }

    /// Takes a comment that says in front what it is, as pprof files have them. `false` if it is neither warning nor note.
    pub(super) fn take_comment(&mut self, comment: &str) -> bool {
        let kinds = [
            ("warning: ", &mut self.warnings),
            ("note: ", &mut self.notes),
        ];
        for (start, sentences) in kinds {
            if let Some(sentence) = comment.strip_prefix(start) {
                sentences.push(sentence.to_string());
                return true;
            }
        }
        false
    }

    /// The diagnostics parsed from the sentences.
    pub(super) fn diagnostics(self) -> impl Iterator<Item = Diagnostic> {
        self.warnings
            .into_iter()
            .map(Diagnostic::kept)
            .chain(self.notes.into_iter().map(Diagnostic::kept_note))
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
