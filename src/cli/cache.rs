//! `dotspot cache`: lists and clears the cache.

use super::args::CacheArgs as Args;
use super::print::{write_json, write_line};
use crate::cli::messages;
use crate::decoders::Environment;
use crate::decoders::cache::{
    CacheContents, CacheEntry, Cleared, MAX_KEPT_BYTES, clear, contents, folder, why_not_writable,
};
use crate::input::{name_of, plain};
use crate::units::{counted, size};
use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The document `dotspot.cache/1`.
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    folder: String,
    /// why nothing can be kept there
    problem: Option<String>,
    /// what is there now
    entries: Vec<CacheRow>,
    size_bytes: u64,
    /// how many bytes of trees and indexes are kept at most
    max_tree_bytes: u64,
    /// what was removed just now
    removed: Vec<CacheRow>,
    freed_bytes: u64,
    /// what lies in the folder and was not made by dotspot
    unknown: Vec<String>,
}

#[derive(Debug, Serialize)]
struct CacheRow {
    kind: &'static str,
    name: String,
    size_bytes: u64,
    /// seconds since it was made or, for a tree or an index, last used
    age_s: u64,
}

impl CacheRow {
    fn new(entry: &CacheEntry) -> CacheRow {
        let (size_bytes, age_s) = (entry.size_bytes, age(entry).as_secs());
        CacheRow {
            kind: entry.kind.name(),
            name: name_of(&entry.path),
            size_bytes,
            age_s,
        }
    }
}

/// How long ago it was used; a time in the future counts as now.
fn age(entry: &CacheEntry) -> Duration {
    SystemTime::now()
        .duration_since(entry.used)
        .unwrap_or_default()
}

/// Prints what the cache holds, or clears it and prints what that freed.
pub(super) fn cache(out: &mut dyn Write, args: &Args) -> Result<()> {
    let folder = folder(&Environment::here())
        .map_err(|missing| anyhow!(messages::no_cache_folder(&missing)))?;
    let cleared = if args.clear {
        clear(&folder).map_err(anyhow::Error::msg)?
    } else {
        Cleared::default()
    };
    let found = contents(&folder)
        .map_err(|error| anyhow!(messages::cant_examine(&folder.display(), &plain(&error))))?;
    match (args.json, args.clear) {
        (true, _) => write_json(out, &document(&folder, &found, &cleared))?,
        (false, true) => tell_cleared(out, &folder, &cleared)?,
        (false, false) => list(out, &folder, &found)?,
    }
    if !cleared.failed.is_empty() {
        out.flush()?;
        bail!(cleared.failed.join("; "));
    }
    Ok(())
}

fn document(folder: &Path, found: &CacheContents, cleared: &Cleared) -> Document {
    Document {
        schema: "dotspot.cache/1",
        folder: folder.display().to_string(),
        problem: why_not_writable(folder),
        entries: found.entries.iter().map(CacheRow::new).collect(),
        size_bytes: found.size_bytes(),
        max_tree_bytes: MAX_KEPT_BYTES,
        removed: cleared.removed.iter().map(CacheRow::new).collect(),
        freed_bytes: sum(&cleared.removed),
        unknown: found
            .strangers
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
    }
}

fn sum(entries: &[CacheEntry]) -> u64 {
    entries.iter().map(|entry| entry.size_bytes).sum()
}

fn list(out: &mut dyn Write, folder: &Path, found: &CacheContents) -> Result<()> {
    write_line(out, &format!("folder   {}", folder.display()))?;
    if let Some(problem) = why_not_writable(folder) {
        write_line(out, &format!("problem  {problem}"))?;
    }
    for entry in &found.entries {
        let (kind, name, age) = (entry.kind.name(), name_of(&entry.path), ago(age(entry)));
        write_line(
            out,
            &format!("{kind:<8} {name}  {}  {age}", size(entry.size_bytes)),
        )?;
    }
    tell_strangers(out, &found.strangers)?;
    let (all, most) = (size(found.size_bytes()), size(MAX_KEPT_BYTES));
    write_line(out, &messages::cache_limits(&all, &most))
}

fn tell_cleared(out: &mut dyn Write, folder: &Path, cleared: &Cleared) -> Result<()> {
    let (count, freed) = (
        counted(cleared.removed.len() as u64, "item"),
        size(sum(&cleared.removed)),
    );
    write_line(
        out,
        &messages::cache_cleared(&folder.display(), &count, &freed),
    )?;
    tell_strangers(out, &cleared.strangers)
}

fn tell_strangers(out: &mut dyn Write, strangers: &[PathBuf]) -> Result<()> {
    for path in strangers {
        write_line(out, &messages::left_alone(&path.display()))?;
    }
    Ok(())
}

/// A length of time for people: `3 hours ago`.
fn ago(age: Duration) -> String {
    let seconds = age.as_secs();
    let (count, unit) = match seconds {
        0..60 => return "just now".into(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{} ago", counted(count, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_a_fitting_unit() {
        let table = [
            (0, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (7199, "1 hour ago"),
            (86_400, "1 day ago"),
            (400 * 86_400, "400 days ago"),
        ];
        for (seconds, expect) in table {
            assert_eq!(ago(Duration::from_secs(seconds)), expect);
        }
    }
}
