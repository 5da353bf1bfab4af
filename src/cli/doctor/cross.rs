//! `--cross-check`: compares what several decoders read from one snapshot.

use super::machine::MachineInfo;
use super::snapshot::Decoded;
use crate::analysis::compared::{Agreement, agreement};
use crate::decoders::Decoder;
use crate::model::{TooLarge, View};

pub(super) struct CrossCheck {
    pub first: Decoder,
    pub nodes_of_first: usize,
    pub compared: Vec<(Decoder, usize, Agreement)>,
    pub failed: Vec<Decoder>,
    pub not_at_hand: Vec<(Decoder, String)>,
}

impl CrossCheck {
    /// Compares all decoders that opened the snapshot with the first of them; `None` if none did.
    pub(super) fn new(
        decoded: &[Decoded],
        machine: &MachineInfo,
    ) -> Result<Option<CrossCheck>, TooLarge> {
        let decoded = decoded.iter();
        let opened = decoded.clone();
        let mut views =
            opened.filter_map(|(decoder, result)| Some((*decoder, result.as_ref().ok()?)));
        let Some((first, view)) = views.next() else {
            return Ok(None);
        };
        let compare = |(decoder, other): (Decoder, &View)| {
            Ok((decoder, other.node_count(), agreement(view, other)?))
        };
        let failed = decoded.filter(|(_, result)| result.is_err());
        let lacks = |decoder| Some((decoder, machine.lacks(decoder)?.problem.clone()));
        Ok(Some(CrossCheck {
            first,
            nodes_of_first: view.node_count(),
            compared: views.map(compare).collect::<Result<_, _>>()?,
            failed: failed.map(|(decoder, _)| *decoder).collect(),
            not_at_hand: Decoder::ALL.into_iter().filter_map(lacks).collect(),
        }))
    }

    pub(super) fn agrees(&self) -> bool {
        self.failed.is_empty() && !self.differs()
    }

    pub(super) fn differs(&self) -> bool {
        self.compared.iter().any(|(.., found)| !found.is_equal())
    }
}
