//! `dotspot compare`: profiles before a change against profiles after it.

use super::args::Compare;
use super::options::{Reading, Source};
use super::read::read_sampled;
use super::report;
use super::say::{Usage, say};
use crate::analysis::compared::Rename;
use crate::model::View;
use crate::query::{self, ComparedFile, ComparisonRequest, Per};
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;

/// The profiles of a side, each with its name.
struct Profiles(Vec<(String, View)>);

impl Profiles {
    /// Reads them.
    fn read(files: &[PathBuf], reading: &Reading) -> Result<Profiles> {
        let read = |file: &PathBuf| {
            let view = read_sampled(&Source { file: file.clone(), reading: reading.clone() })?;
            Ok((file.display().to_string(), view))
        };
        Ok(Profiles(files.iter().map(read).collect::<Result<_>>()?))
    }

    fn files(&self) -> Vec<ComparedFile<'_>> {
        self.0.iter().map(|(file, view)| ComparedFile { file, view }).collect()
    }
}

/// Prints what a change did; gives the exit code.
///
/// # Errors
/// Those of the importers; there is no such metric, method or step; nothing can be made equal.
pub(super) fn compare(out: &mut dyn Write, args: &Compare, width: Option<usize>) -> Result<u8> {
    let [before, after] = args.files()?;
    let renames = args.rename.iter().map(|text| rename(text)).collect::<Result<Vec<_>, Usage>>()?;
    let per = args.per.as_deref().map(Per::parse).transpose()?.unwrap_or_default();
    let steps = args.changing.requests()?;
    let before = Profiles::read(&before, &args.readings.before)?;
    let after = Profiles::read(&after, &args.readings.after)?;
    let request = ComparisonRequest {
        before: &before.files(),
        after: &after.files(),
        metric: args.metric.as_deref(),
        per: &per,
        renames: &renames,
        steps: &steps,
        order: args.by.into(),
        is_user_code: args.readings.before.lists_only_user_code(),
        most: args.fitting.most(args.top, 20),
    };
    let found = query::comparison(&request)?;
    if !args.json {
        found.warnings.iter().for_each(|warning| say(&format!("warning: {warning}")));
    }
    report::compare(out, &found, &request, args, width)?;
    Ok(super::exit::FINE)
}

/// Reads `--rename`.
fn rename(text: &str) -> Result<Rename, Usage> {
    let parts = text.split_once('=').filter(|(old, new)| !old.is_empty() && !new.is_empty());
    let (old, new) =
        parts.ok_or_else(|| Usage::new(format!("--rename {text}: OLD=NEW is expected, two parts of names")))?;
    Ok(Rename { old: old.into(), new: new.into() })
}
