use crate::diagnostics::Diagnostic;

/// A damaged file with thousands of threads must not fill the screen.
const MAX_DIAGNOSTICS: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Warnings {
    kept: Vec<Diagnostic>,
    left_out: usize,
}

impl Warnings {
    pub(super) fn add(&mut self, diagnostic: Diagnostic) {
        self.extend([diagnostic]);
    }

    pub(super) fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            if self.kept.contains(&diagnostic) {
                continue;
            }
            if self.kept.len() < MAX_DIAGNOSTICS {
                self.kept.push(diagnostic);
            } else {
                self.left_out += 1;
            }
        }
    }

    pub(super) fn into_vec(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let left_out = self.left_out;
            let more = Diagnostic::MoreDiagnostics { left_out };
            self.kept.push(more);
        }
        self.kept
    }
}
