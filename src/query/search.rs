use super::QueryError;
use super::selection::PartRequest;
use super::values::PartTotal;
use crate::analysis::search::SearchIndex;
use crate::analysis::{Hotspot, hotspots};
use crate::model::{FrameId, View};
use crate::query::messages;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug)]
pub struct SearchRequest<'a> {
    pub part: PartRequest<'a>,
    pub text: &'a str,
    pub max_rows: usize,
}

pub struct SearchResults {
    pub part: PartTotal,
    pub rows: Vec<Hotspot>,
    pub left_out: usize,
    pub is_approximate: bool,
}

pub fn search(view: &View, request: &SearchRequest) -> Result<SearchResults, QueryError> {
    if request.text.trim().is_empty() {
        return Err(QueryError::usage(messages::PART_OF_NAME_EXPECTED));
    }
    let part = PartTotal::of(view, request.part.measure(view)?, request.part.within);
    let sums = hotspots(view, &[request.part.within], part.measure).into_iter();
    let sums: HashMap<FrameId, Hotspot> = sums.map(|row| (row.frame, row)).collect();
    let index = SearchIndex::of(&view.frames, |frame| sums.contains_key(&frame));
    let weight = |frame| sums.get(&frame).map_or(0, |row| row.inclusive);
    let found = index.search(request.text, weight, request.max_rows);
    if found.rows.is_empty() {
        return Err(QueryError::usage(messages::no_match(
            &"text",
            &request.text,
        )));
    }
    let rows = found.rows.iter();
    let rows: Vec<_> = rows
        .filter_map(|row| sums.get(&row.frame).copied())
        .collect();
    Ok(SearchResults {
        part,
        left_out: found.total_matches - rows.len(),
        is_approximate: found.is_approximate,
        rows,
    })
}

#[cfg(test)]
mod tests;
