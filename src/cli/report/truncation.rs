//! `dotspot info --truncation`.

use super::{MetricName, Table, Value, write_json, write_line, write_wrapped};
use crate::analysis::{InclusiveChange, inclusive_changes, left_by_its_writer};
use crate::model::format::{Scale, counted, percent, thousands};
use crate::model::{Amount, MetricId, NodeId, Profile, ThreadTruncation, Truncation};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

/// So many methods are listed whose inclusive value has changed.
const METHODS: usize = 10;

/// What columns mean.
const UNCERTAIN: &str = "uncertain: mended within recursion, so that callers are right, but not how many there are";
const AMBIGUOUS: &str = "ambiguous: left, for different callers fit equally well";

/// The document `dotspot.truncation/1`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    /// At how many frames stacks were cut; null if none was.
    limit: Option<u32>,
    /// What the values are.
    metric: MetricName<'a>,
    total: Option<Row<'a>>,
    /// What hangs below marks that the file was written with, of a profile in which no truncated stacks were found.
    marked: Option<Value>,
    threads: Vec<Row<'a>>,
    methods: Vec<Method<'a>>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    all: Part,
    truncated: Part,
    mended: Part,
    depth_uncertain: Part,
    ambiguous: Part,
    left: Part,
}

#[derive(Debug, Serialize)]
struct Part {
    /// Null where the source does not tell numbers of samples.
    samples: Option<u64>,
    value: Value,
}

#[derive(Debug, Serialize)]
struct Method<'a> {
    name: &'a str,
    display: &'a str,
    before: Value,
    after: Value,
}

/// What is said of a profile of which no truncated stacks are known.
fn nothing_found(profile: &Profile, metric: MetricId) -> String {
    let Some(left) = left_by_its_writer(profile, metric) else {
        return "No truncated stacks were found that can be mended.".into();
    };
    let all = profile.tree.inclusive(metric, NodeId::ROOT);
    let scale = Scale::for_values(profile.metric(metric).unit, all);
    format!(
        "{} of {} {} ({:.1} %) hang below marks of truncated stacks that the file was written with; what is missing there can \
         be found only in the recording of which it was made.",
        scale.number(left),
        scale.with_unit(all),
        profile.metric(metric).name,
        percent(left, all)
    )
}

/// Prints how much of a profile was truncated and what became of it.
pub fn truncation(out: &mut dyn Write, profile: &Profile, file: &str, json: bool, width: Option<usize>) -> Result<()> {
    let found = profile.truncation.as_ref();
    let metric = found.map_or(profile.default_metric, |truncation| truncation.metric);
    let mut changes = inclusive_changes(profile, metric);
    let more = changes.len().saturating_sub(METHODS);
    changes.truncate(METHODS);
    if json {
        return write_json(out, &document(profile, file, &changes));
    }
    let mut say = |text: &str| write_wrapped(out, text, width);
    let Some(truncation) = found else {
        say(&nothing_found(profile, metric))?;
        // such as of stacks without names
        let mut told = profile.diagnostics.iter().filter(|diagnostic| diagnostic.is_about_truncation());
        return told.try_for_each(|diagnostic| say(&diagnostic.to_string()));
    };
    let Some(found) = truncation.diagnostic(&profile.metrics, true) else {
        return say(&format!("No stack of these threads is truncated; the limit is {} frames.", truncation.limit));
    };
    say(&format!("{}.", found.findings()))?;
    write_line(out, "")?;
    threads(out, profile, truncation, width)?;
    if !changes.is_empty() {
        let scale = Scale::for_values(profile.metric(metric).unit, truncation.total().all.value);
        let heads = ["before", "after", "change"].map(|what| super::value_head(what, scale));
        write_line(out, "")?;
        write_line(out, &format!("Inclusive {} that mending changed most:", profile.metric(metric).name))?;
        let mut table = Table::new(&[&heads[0], &heads[1], &heads[2], "method"]);
        for InclusiveChange { frame, before, after } in changes {
            let sign = if after < before { '-' } else { '+' };
            let change = format!("{sign}{}", scale.number(after.abs_diff(before)));
            let name = profile.frames.shown(frame).to_string();
            table.push(vec![scale.number(before), scale.number(after), change, name]);
        }
        table.write(out, width)?;
        if more > 0 {
            write_line(out, &format!("… and {} more", counted(more as u64, "method")))?;
        }
    }
    Ok(())
}

fn document<'a>(profile: &'a Profile, file: &'a str, changes: &[InclusiveChange]) -> Document<'a> {
    let found = profile.truncation.as_ref();
    let metric = found.map_or(profile.default_metric, |truncation| truncation.metric);
    let unit = profile.metric(metric).unit;
    let threads = |truncation: &Truncation| {
        let rows = profile.threads.iter().zip(&truncation.threads);
        let rows = rows.map(|(thread, row)| Row {
            id: Some(&thread.id),
            name: Some(&thread.name),
            ..row_of(profile, truncation, row)
        });
        rows.collect()
    };
    let methods = changes.iter().map(|change| Method {
        name: profile.frames.name(change.frame),
        display: profile.frames.shown(change.frame),
        before: Value::new(unit, change.before),
        after: Value::new(unit, change.after),
    });
    Document {
        schema: "dotspot.truncation/1",
        file,
        limit: found.map(|truncation| truncation.limit),
        metric: MetricName::new(profile, metric),
        total: found.map(|truncation| row_of(profile, truncation, &truncation.total())),
        marked: left_by_its_writer(profile, metric).map(|left| Value::new(unit, left)),
        threads: found.map(threads).unwrap_or_default(),
        methods: methods.collect(),
    }
}

fn row_of<'a>(profile: &Profile, truncation: &Truncation, row: &ThreadTruncation) -> Row<'a> {
    let part = |amount: Amount| Part {
        samples: truncation.has_samples.then_some(amount.samples),
        value: Value::new(profile.metric(truncation.metric).unit, amount.value),
    };
    Row {
        id: None,
        name: None,
        all: part(row.all),
        truncated: part(row.truncated),
        mended: part(row.mended),
        depth_uncertain: part(row.depth_uncertain),
        ambiguous: part(row.ambiguous),
        left: part(row.left()),
    }
}

fn threads(out: &mut dyn Write, profile: &Profile, truncation: &Truncation, width: Option<usize>) -> Result<()> {
    let scale = Scale::for_values(profile.metric(truncation.metric).unit, truncation.total().all.value);
    let counted = |amount: Amount| if truncation.has_samples { amount.samples } else { amount.value };
    let number = |amount: Amount| match truncation.has_samples {
        true => thousands(amount.samples),
        false => scale.number(amount.value),
    };
    let all = match truncation.has_samples {
        true => "samples".to_string(),
        false => super::value_head(&profile.metric(truncation.metric).name, scale),
    };
    let heads = [&all, "truncated", "%", "mended", "uncertain", "left", "ambiguous", "thread"];
    let mut table = Table::new(&heads);
    let mut push = |row: &ThreadTruncation, name: &str| {
        let share = format!("{:.1}", percent(counted(row.truncated), counted(row.all)));
        let parts = [row.mended, row.depth_uncertain, row.left(), row.ambiguous].map(number);
        let cells = [number(row.all), number(row.truncated), share].into_iter().chain(parts);
        table.push(cells.chain([name.to_string()]).collect());
    };
    for (thread, row) in profile.threads.iter().zip(&truncation.threads) {
        push(row, profile.name(thread.node));
    }
    if profile.threads.len() != 1 {
        push(&truncation.total(), "all threads");
    }
    table.write(out, width)?;
    let total = truncation.total();
    for (amount, about) in [(total.depth_uncertain, UNCERTAIN), (total.ambiguous, AMBIGUOUS)] {
        if counted(amount) > 0 {
            write_wrapped(out, about, width)?;
        }
    }
    Ok(())
}
