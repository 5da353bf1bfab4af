use crate::diagnostics::Diagnostic;

/// A damaged file with thousands of threads must not fill the screen.
const MAX_DIAGNOSTICS: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Warnings {
    diagnostics: Vec<Diagnostic>,
    left_out: usize,
}

impl Warnings {
    pub(super) fn add(&mut self, diagnostic: Diagnostic) {
        self.extend([diagnostic]);
    }

    pub(super) fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            if self.diagnostics.contains(&diagnostic) {
                continue;
            }
            if self.diagnostics.len() < MAX_DIAGNOSTICS {
                self.diagnostics.push(diagnostic);
            } else {
                self.left_out += 1;
            }
        }
    }

    pub(super) fn into_vec(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let left_out = self.left_out;
            let more = Diagnostic::MoreDiagnostics { left_out };
            self.diagnostics.push(more);
        }
        self.diagnostics
    }
}
