//! `--cross-check`: compares what several decoders read from one snapshot.

use super::machine::MachineInfo;
use crate::analysis::compared::{Agreement, Difference, What, agreement};
use crate::decoders::Decoder;
use crate::input::ImportError;
use crate::model::{TooLarge, View};
use crate::units::Unit;
use serde::Serialize;

/// What came of comparing what decoders read.
#[derive(Debug, Serialize)]
pub(super) struct CrossCheck {
    /// The decoder that the others are compared with: the first one that opened the snapshot.
    pub first: &'static str,
    pub compared: Vec<CrossChecked>,
    /// Decoders that are at hand and could not open it.
    pub failed: Vec<&'static str>,
    /// Decoders that are not at hand, and why.
    pub not_at_hand: Vec<NotAtHand>,
}

#[derive(Debug, Serialize)]
pub(super) struct NotAtHand {
    pub decoder: &'static str,
    pub why: String,
}

/// A decoder compared with the first one; numbers of nodes, times in milliseconds.
#[derive(Debug, Serialize)]
pub(super) struct CrossChecked {
    pub decoder: &'static str,
    pub agrees: bool,
    pub nodes_of_first: usize,
    pub nodes: usize,
    pub equal: usize,
    pub changed: usize,
    pub only_in_first: usize,
    pub only_in_other: usize,
    pub largest_difference: f64,
    pub tolerance_per_node: f64,
    pub counts_compared: bool,
    pub differences: Vec<DifferenceRow>,
}

#[derive(Debug, Serialize)]
pub(super) struct DifferenceRow {
    /// `only in first`, `only in other`, `inclusive`, `exclusive` or `count`.
    pub what: &'static str,
    /// Names for people, from the root; the name of a thread.
    pub path: Vec<String>,
    pub first: Option<f64>,
    pub other: Option<f64>,
}

pub(super) type Decoded = (Decoder, Result<View, ImportError>);

impl CrossCheck {
    /// Compares all decoders that opened the snapshot with the first of them; `None` if none did.
    ///
    /// # Errors
    /// Both trees together are too large.
    pub(super) fn new(
        decoded: &[Decoded],
        machine: &MachineInfo,
    ) -> Result<Option<CrossCheck>, TooLarge> {
        let mut opened = decoded
            .iter()
            .filter_map(|(decoder, result)| Some((decoder, result.as_ref().ok()?)));
        let Some((first, view)) = opened.next() else {
            return Ok(None);
        };
        let compared = opened.map(|(decoder, other)| {
            let found = agreement(view, other)?;
            Ok(CrossChecked::new(decoder.name(), &found, [view, other]))
        });
        let failed = decoded
            .iter()
            .filter(|(_, result)| result.is_err())
            .map(|(decoder, _)| decoder.name());
        let not_at_hand = Decoder::ALL.into_iter().filter_map(|decoder| {
            let (why, _) = machine.lacks(decoder)?;
            Some(NotAtHand {
                decoder: decoder.name(),
                why: why.to_string(),
            })
        });
        Ok(Some(CrossCheck {
            first: first.name(),
            compared: compared.collect::<Result<_, _>>()?,
            failed: failed.collect(),
            not_at_hand: not_at_hand.collect(),
        }))
    }

    /// Whether all decoders at hand read the same.
    pub(super) fn agrees(&self) -> bool {
        self.failed.is_empty() && !self.differs()
    }

    /// Whether any decoder has read another tree than the first.
    pub(super) fn differs(&self) -> bool {
        self.compared.iter().any(|compared| !compared.agrees)
    }
}

impl CrossChecked {
    fn new(decoder: &'static str, found: &Agreement, views: [&View; 2]) -> CrossChecked {
        let [nodes_of_first, nodes] = views.map(View::node_count);
        CrossChecked {
            decoder,
            agrees: found.is_equal(),
            nodes_of_first,
            nodes,
            equal: found.equal,
            changed: found.changed,
            only_in_first: found.only_in_first,
            only_in_other: found.only_in_second,
            largest_difference: Unit::Milliseconds.to_unit(found.largest_difference),
            tolerance_per_node: Unit::Milliseconds.to_unit(found.tolerance),
            counts_compared: found.counts_are_compared,
            differences: found.differences.iter().map(row).collect(),
        }
    }
}

fn row(difference: &Difference) -> DifferenceRow {
    let ms = |value| Some(Unit::Milliseconds.to_unit(value));
    let (what, first, other) = match difference.what {
        What::OnlyInFirst(a) => ("only in first", ms(a), None),
        What::OnlyInSecond(b) => ("only in other", None, ms(b)),
        What::Inclusive(a, b) => ("inclusive", ms(a), ms(b)),
        What::Exclusive(a, b) => ("exclusive", ms(a), ms(b)),
        What::Count(a, b) => ("count", Some(a as f64), Some(b as f64)),
    };
    DifferenceRow {
        what,
        path: difference.path.clone(),
        first,
        other,
    }
}
