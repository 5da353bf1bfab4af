//! placeholder until the search lands
use crate::model::{FrameId, Profile};
pub struct SearchIndex {
    names: Vec<(FrameId, String)>,
}
pub struct Match {
    pub frame: FrameId,
    pub positions: Vec<usize>,
}
pub struct SearchResult {
    pub total_matches: usize,
    pub is_approximate: bool,
    pub rows: Vec<Match>,
}
impl SearchIndex {
    pub fn new(profile: &Profile) -> Self {
        Self {
            names: profile
                .frames
                .iter()
                .filter(|(_, f)| f.kind.is_hotspot())
                .map(|(id, _)| (id, profile.frames.shown(id).to_lowercase()))
                .collect(),
        }
    }
    pub fn search(&self, query: &str, _w: impl Fn(FrameId) -> u64, limit: usize) -> SearchResult {
        let rows: Vec<Match> = self
            .names
            .iter()
            .filter(|(_, n)| n.contains(&query.trim_start_matches('\'').to_lowercase()))
            .map(|(id, _)| Match { frame: *id, positions: vec![] })
            .collect();
        SearchResult { total_matches: rows.len(), is_approximate: false, rows: rows.into_iter().take(limit).collect() }
    }
}
