use super::error::{Failure, ImportError};
use super::limits;
use crate::diagnostics::Diagnostic;
use crate::model::Recording;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The containers around a profile, and what is wrong with them. Clones share later findings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packaging {
    /// Outermost first.
    layers: Vec<String>,
    bytes_read: Arc<AtomicU64>,
    findings: Arc<Mutex<ContainerFindings>>,
}

#[derive(Debug, Default)]
struct ContainerFindings {
    diagnostics: Vec<Diagnostic>,
    /// Why reading stopped early.
    refusal: Option<Failure>,
}

impl Packaging {
    pub(crate) fn within(&self, layer: String) -> Packaging {
        let layers = self.layers.iter().cloned().chain([layer]).collect();
        Packaging {
            layers,
            ..self.clone()
        }
    }

    /// With separate diagnostics, for examining something that may not be used.
    pub(crate) fn detached(&self) -> Packaging {
        Packaging {
            layers: self.layers.clone(),
            ..Packaging::default()
        }
    }

    pub(crate) fn add_read(&self, count: u64) {
        self.bytes_read.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn is_packed(&self) -> bool {
        !self.layers.is_empty()
    }

    pub(crate) fn note(&self, diagnostic: Diagnostic) {
        let mut findings = self.findings.lock();
        if !findings.diagnostics.contains(&diagnostic) {
            findings.diagnostics.push(diagnostic);
        }
    }

    pub(crate) fn check(&self, file: &str, packed: u64, unpacked: u64) -> io::Result<()> {
        limits::check(file, self.packed_bytes(packed), unpacked).map_err(|failure| {
            let error = io::Error::other(failure.problem.clone());
            self.findings.lock().refusal.get_or_insert(*failure);
            error
        })
    }

    /// Like [`Packaging::check`], for a reader that unpacks parts of a profile itself.
    pub(crate) fn limit(&self, file: &str, packed: u64, unpacked: u64) -> Result<(), Box<Failure>> {
        limits::check_ratio(file, limits::HELD, self.packed_bytes(packed), unpacked)
    }

    /// At most what was read from disk: a nested container may look small compared to the one around it.
    fn packed_bytes(&self, packed: u64) -> u64 {
        packed.min(self.bytes_read.load(Ordering::Relaxed))
    }

    /// Adds the containers and their problems to a result. `outer` and `inner` name the file and the profile in it.
    pub(crate) fn settle(
        &self,
        outer: &str,
        inner: &str,
        result: Result<Recording, ImportError>,
    ) -> Result<Recording, ImportError> {
        if !self.is_packed() {
            return result;
        }
        let findings = self.findings.lock();
        match (result, &findings.refusal) {
            (Err(ImportError::Cancelled), _) => Err(ImportError::Cancelled),
            (_, Some(refusal)) => Err(refusal.clone().into()),
            (Ok(mut profile), None) => {
                let inside = ("inside".into(), self.layers.join(", "));
                profile.source.facts.push(inside);
                let diagnostics = findings.diagnostics.iter().cloned();
                profile.diagnostics.extend(diagnostics);
                if profile.source.name == inner {
                    profile.source.name = outer.to_string();
                }
                Ok(profile)
            }
            (Err(ImportError::Failed(mut failure)), None) => {
                for diagnostic in &findings.diagnostics {
                    failure.problem.push_str(&format!("; {diagnostic}"));
                }
                Err(failure.into())
            }
        }
    }
}
