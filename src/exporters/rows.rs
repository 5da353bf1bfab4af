//! The frames of formats that identify them by name, or by name and parameters, with a source location.

use super::part::{CPU_TIME, Part, UNMANAGED_CODE_TIME};
use super::timeline::TrackFrame;
use super::tracks::{ExportTrack, NAMELESS};
use crate::model::FrameId;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameTableEntry<'a> {
    pub name: &'a str,
    /// Parameters and result; always empty for [`FrameIdentity::Name`].
    pub signature: &'a str,
    pub file: &'a str,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameIdentity {
    /// By name; a thread has a frame for its own values.
    Name,
    /// By name and a signature that starts with the parenthesis of the parameters.
    NameAndSignature,
}

/// Frames that the format can't tell apart share a row, with the first source location.
pub(super) struct Rows<'a> {
    pub rows: Vec<FrameTableEntry<'a>>,
    by_frame: Vec<u32>,
}

const UNUSED: u32 = u32::MAX;

impl<'a> Rows<'a> {
    /// O(nodes + frames).
    pub(super) fn new(
        part: &Part<'a>,
        tracks: &[ExportTrack],
        identity: FrameIdentity,
    ) -> Rows<'a> {
        let (tree, frames) = (&part.view.tree, &part.view.frames);
        let mut by_frame = vec![UNUSED; frames.len()];
        for track in tracks {
            let has_frames = identity == FrameIdentity::Name || track.thread.is_none();
            let exclusive_nodes = track.exclusive_nodes.iter().copied().filter(|_| has_frames);
            let thread = track.thread.filter(|_| part.cpu_leaves.is_some());
            let thread = thread.map(|(node, _)| node);
            for node in exclusive_nodes.chain(track.below(tree)).chain(thread) {
                by_frame[tree.frame(node).index()] = 0;
            }
        }
        let (mut rows, mut by_name) = (Vec::<FrameTableEntry>::new(), HashMap::new());
        for (id, _) in frames.iter() {
            if by_frame[id.index()] == UNUSED {
                continue;
            }
            let name = match frames.name(id) {
                "" => NAMELESS,
                name => name,
            };
            let identifies =
                |text: &&str| identity == FrameIdentity::NameAndSignature && text.starts_with('(');
            let signature = Some(frames.signature(id)).filter(identifies).unwrap_or("");
            let row = *by_name.entry((name, signature)).or_insert_with(|| {
                rows.push(FrameTableEntry {
                    name,
                    signature,
                    ..Default::default()
                });
                rows.len() - 1
            });
            if rows[row].file.is_empty() {
                (rows[row].file, rows[row].line) = place(frames.location(id));
            }
            by_frame[id.index()] = row as u32;
        }
        if part.cpu_leaves.is_some() {
            let leaf = |name| FrameTableEntry {
                name,
                ..Default::default()
            };
            rows.extend([UNMANAGED_CODE_TIME, CPU_TIME].map(leaf));
        }
        Rows { rows, by_frame }
    }

    #[inline]
    pub(super) fn row_of(&self, part: &Part, frame: TrackFrame) -> u32 {
        match frame {
            TrackFrame::Node(node) => self.row_of_frame(part.view.tree.frame(node)),
            TrackFrame::Leaf { is_running } => self.rows.len() as u32 - 2 + u32::from(is_running),
        }
    }

    #[inline]
    pub(super) fn row_of_frame(&self, frame: FrameId) -> u32 {
        self.by_frame[frame.index()]
    }
}

/// The file and line of a [`crate::model::Frames::location`]; line 0 if it has none.
fn place(location: &str) -> (&str, u32) {
    if let Some((file, digits)) = location.rsplit_once(':')
        && let Ok(line) = digits.parse::<u32>()
        && line > 0
        && line.to_string() == digits
        && !file.is_empty()
    {
        return (file, line);
    }
    (location, 0)
}

#[cfg(test)]
mod tests;
