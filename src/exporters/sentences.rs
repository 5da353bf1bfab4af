//! Warnings and notes as sentences. Cautions are not written: a reader recomputes them from the tree.

use crate::diagnostics::{Diagnostic, Severity};
use crate::model::View;

/// Warnings, and the time range, unless it is everything.
pub(super) fn warnings(view: &View) -> impl Iterator<Item = String> {
    let range = view.range().map(|range| range.sentence());
    view.diagnostics_of(Severity::Warning)
        .map(Diagnostic::written)
        .chain(range)
}

pub(super) fn notes(view: &View) -> impl Iterator<Item = String> {
    view.diagnostics_of(Severity::Note).map(Diagnostic::written)
}
