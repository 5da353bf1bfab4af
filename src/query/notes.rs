use super::QueryError;
use super::methods::frames_named;
use super::selection::PartRequest;
use super::values::{PartTotal, Value};
use crate::analysis::{Hotspot, hotspots};
use crate::model::{FrameId, Measure, MethodKey, NodeId, View};
use crate::object::{All, if_any, object};
use serde::Serialize;
use std::collections::HashMap;

/// Largest first; notes on methods that are not in the profile come last.
pub struct NotedMethods<'a> {
    pub measure: Measure,
    pub rows: Vec<NotedMethod<'a>>,
}

pub struct NotedMethod<'a> {
    pub key: &'a MethodKey,
    pub frame: Option<FrameId>,
    pub sums: Hotspot,
    pub note: &'a str,
    /// From the profile's author rather than the user.
    pub is_in_file: bool,
}

pub fn method_notes<'a>(
    view: &'a View,
    part: &PartRequest,
    method: Option<&str>,
) -> Result<NotedMethods<'a>, QueryError> {
    let measure = part.measure(view)?;
    let requested = method.map(|method| frames_named(view, "METHOD", method));
    let requested = requested.transpose()?;
    let sums = hotspots(view, &[NodeId::ROOT], measure).into_iter();
    let sums: HashMap<FrameId, Hotspot> = sums.map(|sums| (sums.frame, sums)).collect();
    let notes = view.recording.method_notes.iter().map(|(key, note)| {
        let frame = view.frames.with_key(key);
        let sums = frame.and_then(|frame| sums.get(&frame).copied());
        NotedMethod {
            key,
            frame,
            sums: sums.unwrap_or_default(),
            note,
            is_in_file: view.recording.own_notes.get(key) == Some(note),
        }
    });
    let is_wanted = |row: &NotedMethod| match &requested {
        Some(frames) => row.frame.is_some_and(|frame| frames.contains(&frame)),
        None => true,
    };
    let mut rows: Vec<NotedMethod> = notes.filter(is_wanted).collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.frame.is_some(), row.sums.inclusive)));
    Ok(NotedMethods { measure, rows })
}

impl NotedMethods<'_> {
    pub fn document(&self, view: &View) -> impl Serialize {
        let unit = view.recording.metric(self.measure.metric).unit;
        let rows = self.rows.iter().map(|row| {
            object! {
                name: &row.key.name,
                signature: &row.key.signature,
                occurs: row.frame.is_some(),
                inclusive: Value::new(unit, row.sums.inclusive),
                exclusive: Value::new(unit, row.sums.exclusive),
                note: row.note,
                in_file: if_any(row.is_in_file),
            }
        });
        let part = PartTotal::of(view, self.measure, NodeId::ROOT);
        object! {
            head: All(part.head("dotspot.method-notes/1", view)),
            rows: rows.collect::<Vec<_>>(),
        }
    }
}
