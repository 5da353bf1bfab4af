use crate::model::{RawNode, TreeBuilder};

pub(super) const NO_TRACK: u32 = u32::MAX;

/// The track of each node, its depth in frames below the track, and the outermost of these. Takes 12 bytes per node.
pub(super) struct TrackShape {
    rows: Vec<ShapeRow>,
    pub track_count: usize,
}

#[derive(Clone, Copy)]
struct ShapeRow {
    track: u32,
    depth: u32,
    top: RawNode,
}

impl TrackShape {
    /// A track may be below another one. O(nodes).
    pub(super) fn new(raw: &TreeBuilder, tracks: &[RawNode]) -> TrackShape {
        let above = ShapeRow {
            track: NO_TRACK,
            depth: 0,
            top: TreeBuilder::ROOT,
        };
        let mut rows = vec![above; raw.len()];
        for (track, node) in tracks.iter().enumerate() {
            rows[node.0 as usize].track = track as u32;
        }
        for (node, caller, _) in raw.nodes() {
            let above = rows[caller.0 as usize];
            let row = &mut rows[node.0 as usize];
            if row.track == NO_TRACK && above.track != NO_TRACK {
                let top = if above.depth == 0 { node } else { above.top };
                *row = ShapeRow {
                    track: above.track,
                    depth: above.depth + 1,
                    top,
                };
            }
        }
        TrackShape {
            rows,
            track_count: tracks.len(),
        }
    }

    pub(super) fn track(&self, node: RawNode) -> u32 {
        self.rows[node.0 as usize].track
    }

    pub(super) fn depth(&self, node: RawNode) -> u32 {
        self.rows[node.0 as usize].depth
    }

    /// The outermost frame above a node whose depth is at least 1.
    pub(super) fn top(&self, node: RawNode) -> RawNode {
        self.rows[node.0 as usize].top
    }
}
