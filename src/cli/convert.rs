//! Writes a profile, or a part of it, in any format in the table of exporters.

use super::args::{Convert, ExportArgs};
use super::files::{self, Destination};
use super::options::{OutputArgs, RowOptions, SourceArgs, refuse_if};
use super::print::print_notice;
use super::read::{changed, print_warnings, read_watched};
use super::signals::Watch;
use crate::analysis::occurrences_within;
use crate::cli::messages;
use crate::exporters::{
    self, EXPORTERS, Exporter, Part, exporter_for, extension, longest_extension,
};
use crate::importers::FORMATS;
use crate::model::{NodeId, View};
use crate::query::{
    AllOccurrences, Extent, QueryError, all_occurrences, heaviest_occurrence, inverted_cut,
    merges_threads, metric_named, node_named, occurrences_of,
};
use crate::units::{counted, size, thousands};
use anyhow::{Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

const TRACES: [&str; 2] = ["speedscope", "trace-event"];

pub(super) fn export(out: &mut dyn Write, args: &ExportArgs) -> Result<()> {
    let has_subject = args.node.is_some() || args.method.is_some();
    let lacks_subject = args.all_occurrences && !has_subject;
    refuse_if(lacks_subject, messages::ALL_OCCURRENCES_NEEDS_METHOD)?;
    let (view, to) = read_to_write(&args.source, &args.row_options, &args.out)?;
    let metric = metric_named(&view, args.metric.as_deref())?;
    let (merged, root) = match (&args.node, &args.method) {
        (Some(label), _) => subtree_of_node(&view, label, args.all_occurrences)?,
        (None, Some(method)) if args.heaviest_occurrence => {
            let (node, remark) =
                heaviest_occurrence(&view, "--method", method, NodeId::ROOT, metric)?;
            if let Some(remark) = remark {
                print_notice(&messages::or_all_occurrences(&remark));
            }
            (None, node)
        }
        (None, Some(method)) => {
            let all = all_occurrences(&view, "--method", method, NodeId::ROOT)?;
            announce_occurrences(&view, all)
        }
        (None, None) => (None, NodeId::ROOT),
    };
    let view = merged.as_ref().unwrap_or(&view);
    if args.inverted || args.row_options.is_inverted() {
        let extent = Extent {
            depth: Some(args.depth),
            min_percent: args.min_percent,
        };
        let inverted = inverted_cut(view, root, metric, extent)?;
        return to.write(out, &Part::whole(&inverted, metric));
    }
    to.write(out, &Part::new(view, root, metric))
}

fn read_to_write<'a>(
    source: &'a SourceArgs,
    row_options: &RowOptions,
    args: &'a OutputArgs,
) -> Result<(View, Output<'a>)> {
    let (output_format, steps) = (output_format_of(args)?, row_options.requests()?);
    let (view, watch) = read_watched(source, false)?;
    print_warnings(&view);
    let to = Output {
        output_format,
        args,
        input: &source.file,
        watch,
    };
    Ok((changed(view, &steps)?, to))
}

/// The root of a subtree, in the view that was built for it if there is one.
type Subtree = (Option<View>, NodeId);

fn subtree_of_node(view: &View, label: &str, all_occurrences: bool) -> Result<Subtree> {
    let node = node_named(view, "--node", label)?;
    let frame = view.tree.frame(node);
    if all_occurrences && let Some(all) = occurrences_of(view, &[frame], NodeId::ROOT)? {
        return Ok(announce_occurrences(view, all));
    }
    let count = occurrences_within(view, NodeId::ROOT, frame).len();
    if count > 1 {
        let (name, count) = (view.display_name(node), counted(count as u64, "occurrence"));
        print_notice(&messages::one_of_occurrences(&count, &name));
    }
    if merges_threads(view, node) {
        print_notice(&messages::node_is_merged(&label));
    }
    Ok((None, node))
}

fn announce_occurrences(view: &View, all: AllOccurrences) -> Subtree {
    let count = thousands(all.count as u64);
    print_notice(&match all.count > 1 {
        true => messages::takes_all_occurrences(&count, &all.name),
        false => messages::only_occurrence(&all.name, &view.node_label(all.root)),
    });
    (all.merged, all.root)
}

pub(super) fn convert(out: &mut dyn Write, args: &Convert) -> Result<()> {
    let is_inverted = args.row_options.is_inverted();
    refuse_if(is_inverted, messages::EXPORT_INVERTED_INSTEAD)?;
    let (view, mut to) = read_to_write(&args.source, &args.row_options, &args.out)?;
    let part = match args.repair {
        true => {
            let (exporter, part) = repaired_trace(&view, args, to.output_format.exporter)?;
            to.output_format.exporter = exporter;
            part
        }
        false => Part::whole(&view, metric_named(&view, args.metric.as_deref())?),
    };
    to.write(out, &part)
}

/// What `--repair` writes: the format of the trace, and thread time. Fails if `requested` is another format, and not
/// just the default.
fn repaired_trace<'a>(
    view: &'a View,
    args: &Convert,
    requested: &'static Exporter,
) -> Result<(&'static Exporter, Part<'a>), QueryError> {
    let format = view.recording.source.format.as_ref();
    let metric = |name| view.recording.metric_named(name);
    let is_trace = |exporter: &&Exporter| exporter.name == format && TRACES.contains(&format);
    let exporter = EXPORTERS.iter().find(is_trace);
    let (Some(exporter), Some(wall), cpu_leaves @ Some(_)) =
        (exporter, metric("wall"), metric("CPU"))
    else {
        let file = args.source.file.display();
        let refused = messages::repair_needs_converted_trace(&file, &format);
        return Err(QueryError::usage(refused));
    };
    let is_default = args.out.to.is_none() && requested.name == EXPORTERS[0].name;
    if !is_default && requested.name != exporter.name {
        let refused = messages::repair_keeps_format(&exporter.name, &requested.name);
        return Err(QueryError::usage(refused));
    }
    let part = Part {
        cpu_leaves,
        ..Part::whole(view, wall)
    };
    Ok((exporter, part))
}

#[derive(Clone, Copy)]
pub(super) struct OutputFormat {
    pub exporter: &'static Exporter,
    packs: bool,
}

impl OutputFormat {
    pub(super) fn of(path: &Path, to: Option<&'static Exporter>) -> OutputFormat {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let exporter = to.or_else(|| exporter_for(&name)).unwrap_or(&EXPORTERS[0]);
        let is_gzip = name.to_lowercase().ends_with(".gz");
        let packs = exporter.output != exporters::Output::Packed && is_gzip;
        OutputFormat { exporter, packs }
    }

    pub(super) fn write(self, part: &Part, out: &mut dyn Write) -> io::Result<()> {
        if !self.packs {
            return (self.exporter.write)(part, out);
        }
        let mut packed = GzEncoder::new(out, Compression::default());
        (self.exporter.write)(part, &mut packed)?;
        packed.finish().map(drop)
    }
}

fn output_format_of(out: &OutputArgs) -> Result<OutputFormat> {
    let path = out.path().filter(|_| out.to.is_none());
    if let Some(sentence) = path.and_then(why_unwritable) {
        return Err(QueryError::usage(messages::or_what_to_says(&sentence)).into());
    }
    let output_format = OutputFormat::of(out.path().unwrap_or(Path::new("")), out.to);
    let is_binary = output_format.exporter.output == exporters::Output::Packed;
    if out.path().is_none() && is_binary && io::stdout().is_terminal() {
        let sentence = messages::binary_on_terminal(&output_format.exporter.name);
        return Err(QueryError::usage(sentence).into());
    }
    Ok(output_format)
}

pub(super) fn why_unwritable(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    // the longest counts: `.perfView.json` is not a `.json`
    let longest = |extensions| longest_extension(&name, extensions).unwrap_or_default();
    let written = EXPORTERS.iter();
    let written = written.map(|exporter| longest(exporter.extensions));
    let written = written.map(str::len).max();
    let read = FORMATS.iter().map(|format| longest(format.extensions));
    let only_read = read.max_by_key(|extension| extension.len());
    let only_read = only_read.filter(|extension| Some(extension.len()) > written);
    if only_read.is_none() && exporter_for(&name).is_some() {
        return None;
    }
    let extensions =
        |exporter: &Exporter| format!("{} ({})", exporter.extensions.join(" "), exporter.name);
    let known: Vec<String> = EXPORTERS.iter().map(extensions).collect();
    let (path, known) = (path.display(), known.join(", "));
    let extension = only_read.unwrap_or(extension(&name));
    Some(messages::unknown_extension(&path, &extension, &known))
}

struct Output<'a> {
    output_format: OutputFormat,
    args: &'a OutputArgs,
    input: &'a Path,
    watch: Option<Watch>,
}

impl Output<'_> {
    fn write(self, out: &mut dyn Write, part: &Part) -> Result<()> {
        let (output_format, exporter) = (self.output_format, self.output_format.exporter);
        if let Some(reason) = (exporter.refusal)(part) {
            bail!("--to {}: {reason}", exporter.name);
        }
        let written = match self.args.path() {
            None => {
                (exporter.write)(part, out)?;
                if exporter.output == exporters::Output::Json {
                    writeln!(out)?;
                }
                out.flush()?;
                None
            }
            Some(path) => {
                let to = Destination {
                    input: Some(self.input),
                    only_file: false,
                    ..Destination::new(path, self.args.force)
                };
                let write = |out: &mut dyn Write| output_format.write(part, out);
                Some((path, files::write_new(to, self.watch, write)?))
            }
        };
        let (name, limitations) = (exporter.name, exporter.limitations(Some(part)));
        if !limitations.is_empty() {
            print_notice(&format!("{name} can't hold: {}", limitations.join("; ")));
        }
        if let Some((path, bytes)) = written {
            let nodes = counted(part.view.subtree_node_count(part.root) as u64, "node");
            let (path, bytes) = (path.display(), size(bytes));
            print_notice(&format!("wrote {path} ({name}): {nodes}, {bytes}"));
        }
        Ok(())
    }
}
