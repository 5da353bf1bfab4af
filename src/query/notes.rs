//! A person's notes on methods.

use super::QueryError;
use super::methods::frames_named;
use super::selection::measure_named;
use super::values::{DocumentHead, Value};
use crate::analysis::hotspots;
use crate::model::{FrameId, Measure, MethodKey, View};
use serde::Serialize;
use std::collections::HashMap;

pub struct NotesRequest<'a> {
    /// The method, all if it is missing.
    pub method: Option<&'a str>,
    /// The metric; the profile's default one if it is missing.
    pub metric: Option<&'a str>,
    /// Whether waiting counts, if that was said.
    pub waiting: Option<bool>,
}

/// Notes with what their methods have cost, most first; those on methods that are not in the profile last.
pub struct NotedMethods<'a> {
    /// The metric, and whether waiting in it counts.
    pub measure: Measure,
    pub rows: Vec<NotedMethod<'a>>,
}

pub struct NotedMethod<'a> {
    pub key: &'a MethodKey,
    /// Its frame, if the profile has it.
    pub frame: Option<FrameId>,
    /// What it has with callees, recursion counted once.
    pub inclusive: u64,
    /// What it has without callees.
    pub exclusive: u64,
    pub note: &'a str,
    /// Whether the note came with the profile: its author's words, not the user's.
    pub is_in_file: bool,
}

/// Lists the notes on methods. O(nodes).
///
/// # Errors
/// There is no such metric or method.
pub fn method_notes<'a>(
    view: &'a View,
    request: &NotesRequest,
) -> Result<NotedMethods<'a>, QueryError> {
    let measure = measure_named(view, view.root, request.metric, request.waiting)?;
    let wanted = request
        .method
        .map(|method| frames_named(view, "METHOD", method))
        .transpose()?;
    let sums: HashMap<FrameId, (u64, u64)> = hotspots(view, &[view.root], measure)
        .into_iter()
        .map(|hotspot| (hotspot.frame, (hotspot.inclusive, hotspot.exclusive)))
        .collect();
    let notes = view.recording.method_notes.iter().map(|(key, note)| {
        let frame = view.frames.with_key(key);
        let (inclusive, exclusive) = frame
            .and_then(|frame| sums.get(&frame).copied())
            .unwrap_or_default();
        NotedMethod {
            key,
            frame,
            inclusive,
            exclusive,
            note,
            is_in_file: view.recording.own_notes.get(key) == Some(note),
        }
    });
    let is_wanted = |row: &NotedMethod| {
        wanted
            .as_ref()
            .is_none_or(|wanted| row.frame.is_some_and(|frame| wanted.contains(&frame)))
    };
    let mut rows: Vec<NotedMethod> = notes.filter(is_wanted).collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.frame.is_some(), row.inclusive)));
    Ok(NotedMethods { measure, rows })
}

/// The document `dotspot.method-notes/1`.
#[derive(Debug, Serialize)]
pub struct NotesDocument<'a> {
    #[serde(flatten)]
    head: DocumentHead<'a>,
    rows: Vec<NoteRow<'a>>,
}

#[derive(Debug, Serialize)]
struct NoteRow<'a> {
    name: &'a str,
    signature: &'a str,
    /// whether the profile has the method
    occurs: bool,
    inclusive: Value,
    exclusive: Value,
    note: &'a str,
    #[serde(rename = "in_file", skip_serializing_if = "std::ops::Not::not")]
    is_in_file: bool,
}

impl NotedMethods<'_> {
    /// The document. O(notes).
    pub fn document<'a>(&'a self, view: &'a View) -> NotesDocument<'a> {
        let (metric, tree) = (self.measure.metric, &view.tree);
        let unit = view.recording.metric(metric).unit;
        let rows = self.rows.iter().map(|row| NoteRow {
            name: &row.key.name,
            signature: &row.key.signature,
            occurs: row.frame.is_some(),
            inclusive: Value::new(unit, row.inclusive),
            exclusive: Value::new(unit, row.exclusive),
            note: row.note,
            is_in_file: row.is_in_file,
        });
        let of = (
            tree.inclusive(metric, view.root),
            view.waiting(metric).within(tree, view.root),
        );
        NotesDocument {
            head: DocumentHead::new("dotspot.method-notes/1", view, self.measure, of),
            rows: rows.collect(),
        }
    }
}
