//! `dotspot cache`: lists and clears the cache.

use super::args::CacheArgs as Args;
use super::print::Printer;
use crate::cli::messages;
use crate::decoders::Environment;
use crate::decoders::cache::{
    CacheContents, CacheEntry, ClearedCache, MAX_INDEX_BYTES, clear, contents, folder,
    why_not_writable,
};
use crate::input::{name_of, plain};
use crate::object::object;
use crate::units::{counted, rounded_duration, size};
use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Times in the future count as now.
fn age(entry: &CacheEntry) -> Duration {
    let age = SystemTime::now().duration_since(entry.last_used);
    age.unwrap_or_default()
}

pub(super) fn cache(to: &mut Printer, args: &Args) -> Result<()> {
    let folder = folder(&Environment::here());
    let folder = folder.map_err(|missing| anyhow!(messages::no_cache_folder(&missing)))?;
    let cleared = match args.clear {
        true => clear(&folder).map_err(anyhow::Error::msg)?,
        false => ClearedCache::default(),
    };
    let failure = |error| anyhow!(messages::cant_examine(&folder.display(), &plain(&error)));
    let found = contents(&folder).map_err(failure)?;
    match (args.json, args.clear) {
        (true, _) => to.json(&document(&folder, &found, &cleared))?,
        (false, true) => print_cleared(to, &folder, &cleared)?,
        (false, false) => list(to, &folder, &found)?,
    }
    if !cleared.failed.is_empty() {
        to.out.flush()?;
        bail!(cleared.failed.join("; "));
    }
    Ok(())
}

fn document(folder: &Path, found: &CacheContents, cleared: &ClearedCache) -> impl Serialize {
    let row = |entry: &CacheEntry| {
        object! {
            kind: entry.kind.name(),
            name: name_of(&entry.path),
            size_bytes: entry.size_bytes,
            age_s: age(entry).as_secs(),
        }
    };
    let unknown = found
        .foreign_files
        .iter()
        .map(|path| path.display().to_string());
    object! {
        schema: "dotspot.cache/1",
        folder: folder.display().to_string(),
        problem: why_not_writable(folder),
        entries: found.entries.iter().map(row).collect::<Vec<_>>(),
        size_bytes: found.size_bytes(),
        max_tree_bytes: MAX_INDEX_BYTES,
        removed: cleared.removed.iter().map(row).collect::<Vec<_>>(),
        freed_bytes: sum(&cleared.removed),
        unknown: unknown.collect::<Vec<_>>(),
    }
}

fn sum(entries: &[CacheEntry]) -> u64 {
    entries.iter().map(|entry| entry.size_bytes).sum()
}

fn list(to: &mut Printer, folder: &Path, found: &CacheContents) -> Result<()> {
    to.line(&format!("folder   {}", folder.display()))?;
    if let Some(problem) = why_not_writable(folder) {
        to.line(&format!("problem  {problem}"))?;
    }
    for entry in &found.entries {
        let (kind, name, age) = (entry.kind.name(), name_of(&entry.path), ago(age(entry)));
        let size = size(entry.size_bytes);
        to.line(&format!("{kind:<8} {name}  {size}  {age}"))?;
    }
    print_foreign_files(to, &found.foreign_files)?;
    let (all, limit) = (size(found.size_bytes()), size(MAX_INDEX_BYTES));
    to.line(&messages::cache_limits(&all, &limit))
}

fn print_cleared(to: &mut Printer, folder: &Path, cleared: &ClearedCache) -> Result<()> {
    let count = counted(cleared.removed.len() as u64, "item");
    let freed = size(sum(&cleared.removed));
    to.line(&messages::cache_cleared(&folder.display(), &count, &freed))?;
    print_foreign_files(to, &cleared.foreign_files)
}

fn print_foreign_files(to: &mut Printer, paths: &[PathBuf]) -> Result<()> {
    let line = |path: &PathBuf| to.line(&messages::left_alone(&path.display()));
    paths.iter().try_for_each(line)
}

fn ago(age: Duration) -> String {
    match age.as_secs() {
        0..60 => "just now".into(),
        seconds => format!("{} ago", rounded_duration(seconds)),
    }
}

#[cfg(test)]
mod tests;
