//! Counts what a file has that is not read as written.

use crate::diagnostics::partly::Partly;
use crate::diagnostics::{Anomaly, Diagnostic};
use crate::model::Closed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnomalyKind {
    Anomaly(Anomaly),
    Partly(Partly),
}

impl From<Anomaly> for AnomalyKind {
    fn from(anomaly: Anomaly) -> AnomalyKind {
        AnomalyKind::Anomaly(anomaly)
    }
}

impl From<Partly> for AnomalyKind {
    fn from(partly: Partly) -> AnomalyKind {
        AnomalyKind::Partly(partly)
    }
}

/// In the order in which they first occurred.
#[derive(Clone, Debug, Default)]
pub(super) struct Anomalies(Vec<(AnomalyKind, u64)>);

impl Anomalies {
    #[inline]
    pub(super) fn add(&mut self, kind: impl Into<AnomalyKind>, count: u64) {
        if count > 0 {
            self.add_some(kind.into(), count);
        }
    }

    #[inline]
    pub(super) fn note(&mut self, kind: impl Into<AnomalyKind>, occurs: bool) {
        self.add(kind, u64::from(occurs));
    }

    #[cold]
    fn add_some(&mut self, kind: AnomalyKind, count: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => *sum += count,
            None => self.0.push((kind, count)),
        }
    }

    pub(super) fn count_end(&mut self, closed: Closed) {
        match closed {
            Closed::Innermost => {}
            Closed::Outer(_) => self.add(Anomaly::FramesCrossed, 1),
            Closed::NotOpen => self.add(Anomaly::EndsNotOpen, 1),
        }
    }

    pub(super) fn append(&mut self, later: Anomalies) {
        for (kind, count) in later.0 {
            self.add(kind, count);
        }
    }

    pub(super) fn diagnostics(self) -> impl Iterator<Item = Diagnostic> {
        self.0.into_iter().filter_map(|(kind, count)| match kind {
            AnomalyKind::Anomaly(anomaly) => anomaly.times(count),
            AnomalyKind::Partly(partly) => partly.times(count),
        })
    }
}
