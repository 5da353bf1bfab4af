//! `dotspot report`: a report on a part of a profile, sized for a prompt.

use super::args::ReportArgs;
use super::files::{self, Destination};
use super::options::{Reading, SourceArgs};
use super::print::print_notice;
use super::read::{changed, read, read_watched};
use crate::cli::messages;
use crate::model::{NodeId, View};
use crate::query::{
    self, ComparedFile, ComparisonRequest, PartRequest, QueryError, ReportForm, ReportRequest,
    ReportSubject, StepRequest,
};
use crate::text::{fit_rows, tokens};
use crate::units::{size, thousands};
use anyhow::Result;
use std::io::Write;
use std::path::Path;

pub(super) fn report(out: &mut dyn Write, args: &ReportArgs) -> Result<()> {
    let is_inverted = |step: &StepRequest| step.word == query::INVERTED;
    args.row_options
        .refuse(is_inverted, messages::TREE_PRINTS_INVERTED)?;
    let steps = args.row_options.requests()?;
    let (view, watch) = read_watched(&args.source, true)?;
    let view = changed(view, &steps)?;
    let file = args.source.file.display().to_string();
    let before = args.against.as_ref();
    let changes = before.map(|before| changes_since(before, &view, args));
    let changes = changes.transpose()?;
    let spent = changes.as_deref().map_or(0, tokens);
    let request = ReportRequest {
        file: &file,
        part: PartRequest {
            within: NodeId::ROOT,
            ..args.metric_options.part(&view, &args.source)
        },
        about: ReportSubject::named(args.method.as_deref(), args.node.as_deref()),
        budget: args.tokens(),
        spent,
        form: args.form(),
        question: args.question.as_deref(),
        has_raw_names: args.raw_names,
    };
    let mut report = query::report(&view, &request)?;
    if let Some(changes) = changes {
        let head_bytes = report.text.find("\n## ").unwrap_or(report.text.len());
        report.text.insert_str(head_bytes, &changes);
        report.tokens += spent;
    }
    let Some(path) = args.path() else {
        return Ok(out.write_all(report.text.as_bytes())?);
    };
    let destination = Destination {
        input: Some(&args.source.file),
        only_file: false,
        ..Destination::new(path, args.force)
    };
    let write = |out: &mut dyn Write| out.write_all(report.text.as_bytes());
    let bytes = size(files::write_new(destination, watch, write)?);
    let (path, tokens) = (path.display(), thousands(report.tokens as u64));
    print_notice(&format!("wrote {path}: at most {tokens} tokens, {bytes}"));
    Ok(())
}

/// The changes since another profile get one third of the budget, up to half of it for the first rows, or what a row
/// needs.
const CHANGES_PART: usize = 3;
const FIRST_CHANGES: usize = 5;

fn changes_since(before: &Path, view: &View, args: &ReportArgs) -> Result<String> {
    if args.form() == ReportForm::Json {
        let usage = QueryError::usage(messages::AGAINST_NEEDS_MARKDOWN);
        return Err(usage.advice(messages::COMPARE_WRITES_JSON).into());
    }
    let source = SourceArgs {
        file: before.to_path_buf(),
        reading: Reading {
            preferred_metric: None,
            ..args.source.reading.clone()
        },
    };
    let before_view = changed(read(&source, true)?, &args.row_options.requests()?)?;
    let compared = |file: &Path, view| ComparedFile {
        file: file.display().to_string(),
        view,
    };
    let after = [compared(&args.source.file, view.clone())];
    let before = [compared(before, before_view)];
    let measure = args.metric_options.part(view, &args.source).measure(view)?;
    let request = ComparisonRequest {
        metric: args.metric_options.metric.as_deref(),
        leaves_out_waiting: measure.left_out(view).is_some(),
        preferred_metric: args.source.reading.preferred_metric.as_deref(),
        before: &before,
        after: &after,
        ..ComparisonRequest::default()
    };
    let found = query::comparison(&request)?;
    let text = |rows| {
        let changes = found.first(rows).markdown(&request, None);
        format!("\n## Since {}\n\n{changes}", before[0].file)
    };
    let [one, first] = [1, FIRST_CHANGES].map(|rows| tokens(&text(rows.min(found.rows.len()))));
    let budget = first.clamp(args.tokens() / CHANGES_PART, args.tokens() / 2);
    let budget = budget.max(one);
    Ok(fit_rows(budget, found.rows.len(), text))
}
