//! Writes a profile, or a part of it, in any format in the table of exporters.

use super::args::{Convert, ExportArgs};
use super::files::{self, Destination};
use super::options::OutputArgs;
use super::print::print_notice;
use super::read::{changed, print_warnings, read_watched};
use super::signals::Watch;
use crate::analysis::occurrences_within;
use crate::cli::messages;
use crate::exporters::{
    self, EXPORTERS, Exporter, Part, exporter_for, extension, longest_extension,
};
use crate::importers::{FORMATS, Format};
use crate::model::{NodeId, View};
use crate::names::FrameKind;
use crate::query::{
    AllOccurrences, Extent, QueryError, all_occurrences, heaviest_occurrence, inverted_cut,
    merges_threads, metric_named, node_named, occurrences_of,
};
use crate::units::{counted, size};
use anyhow::{Result, bail};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// What `dotnet-trace convert` writes.
const TRACES: [&str; 2] = ["speedscope", "trace-event"];

pub(super) fn export(out: &mut dyn Write, args: &ExportArgs) -> Result<()> {
    let output_format = output_format_of(&args.out)?;
    if args.all_occurrences && args.node.is_none() && args.method.is_none() {
        return Err(QueryError::usage(messages::ALL_OCCURRENCES_NEEDS_METHOD).into());
    }
    let steps = args.row_options.requests()?;
    let (view, watch) = read_watched(&args.source, false)?;
    print_warnings(&view);
    let view = changed(view, &steps)?;
    let to = Output {
        output_format,
        args: &args.out,
        input: &args.source.file,
        watch,
    };
    let metric = metric_named(&view, args.metric.as_deref())?;
    let (merged, root) = match (&args.node, &args.method) {
        (Some(label), _) => subtree_of_node(&view, label, args.all_occurrences)?,
        (None, Some(method)) if args.heaviest_occurrence => {
            let heaviest = heaviest_occurrence(&view, "--method", method, NodeId::ROOT, metric)?;
            if let Some(remark) = &heaviest.remark {
                print_notice(&messages::or_all_occurrences(&remark));
            }
            (None, heaviest.node)
        }
        (None, Some(method)) => {
            let all = all_occurrences(&view, "--method", method, NodeId::ROOT)?;
            taken(&view, method, all)
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

/// The root of a subtree, in the view that was built for it if there is one.
type Subtree = (Option<View>, NodeId);

fn subtree_of_node(view: &View, label: &str, takes_all: bool) -> Result<Subtree> {
    let node = node_named(view, "--node", label)?;
    let frame = view.tree.frame(node);
    if takes_all && let Some(all) = occurrences_of(view, &[frame], NodeId::ROOT)? {
        return Ok(taken(view, view.display_name(node), all));
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

fn taken(view: &View, name: &str, all: AllOccurrences) -> Subtree {
    let shown = all.merged.as_ref().unwrap_or(view);
    // several methods with the same name have a root above them
    let name = match shown.frames.get(shown.tree.frame(all.root)).kind {
        FrameKind::Root => name,
        _ => shown.display_name(all.root),
    };
    let occurrences = counted(all.count as u64, "occurrence");
    print_notice(&match &all.merged {
        Some(_) => messages::takes_all_occurrences(&occurrences, &name),
        None if all.count > 1 => messages::takes_outermost(&occurrences, &name),
        None => messages::only_occurrence(&name),
    });
    (all.merged, all.root)
}

pub(super) fn convert(out: &mut dyn Write, args: &Convert) -> Result<()> {
    if args.row_options.is_inverted() {
        return Err(QueryError::usage(messages::EXPORT_INVERTED_INSTEAD).into());
    }
    let mut output_format = output_format_of(&args.out)?;
    let (view, watch) = read_watched(&args.source, false)?;
    print_warnings(&view);
    let view = changed(view, &args.row_options.requests()?)?;
    let part = match args.repair {
        true => {
            output_format.exporter = trace_exporter(&view, args, output_format.exporter)?;
            thread_time(&view, args)?
        }
        false => Part::whole(&view, metric_named(&view, args.metric.as_deref())?),
    };
    let to = Output {
        output_format,
        args: &args.out,
        input: &args.source.file,
        watch,
    };
    to.write(out, &part)
}

fn thread_time<'a>(view: &'a View, args: &Convert) -> Result<Part<'a>> {
    let metric = |name| view.recording.metric_named(name);
    let (Some(wall), cpu_leaves @ Some(_)) = (metric("wall"), metric("CPU")) else {
        return Err(not_for_repair(view, args).into());
    };
    Ok(Part {
        cpu_leaves,
        ..Part::whole(view, wall)
    })
}

/// The format of the trace that `--repair` reads and writes: `wanted`, unless it is only the default.
fn trace_exporter(
    view: &View,
    args: &Convert,
    wanted: &'static Exporter,
) -> Result<&'static Exporter> {
    let format = view.recording.source.format.as_ref();
    let own = EXPORTERS.iter().find(|exporter| exporter.name == format);
    let Some(own) = own.filter(|own| TRACES.contains(&own.name)) else {
        return Err(not_for_repair(view, args).into());
    };
    let is_free = args.out.to.is_none() && wanted.name == EXPORTERS[0].name;
    if is_free || wanted.name == own.name {
        return Ok(own);
    }
    Err(QueryError::usage(messages::repair_keeps_format(&own.name, &wanted.name)).into())
}

fn not_for_repair(view: &View, args: &Convert) -> QueryError {
    let (file, format) = (args.source.file.display(), &view.recording.source.format);
    QueryError::usage(messages::repair_needs_converted_trace(&file, format))
}

#[derive(Clone, Copy)]
pub(super) struct OutputFormat {
    pub exporter: &'static Exporter,
    packs: bool,
}

impl OutputFormat {
    pub(super) fn of(path: &Path, to: Option<&'static Exporter>) -> OutputFormat {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // the caller handles a rejected name before
        let exporter = to.or_else(|| exporter_for(&name)).unwrap_or(&EXPORTERS[0]);
        let packs = exporter.output != exporters::Output::Packed && files::is_gzip(path);
        OutputFormat { exporter, packs }
    }

    pub(super) fn write(self, part: &Part, out: &mut dyn Write) -> io::Result<()> {
        files::write_packed(out, self.packs, |out| (self.exporter.write)(part, out))
    }
}

fn output_format_of(out: &OutputArgs) -> Result<OutputFormat> {
    let named = out.path().filter(|_| out.to.is_none());
    if let Some(sentence) = named.and_then(why_not_named) {
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

/// Why a file can't have this name: its extension belongs to a format that is only read, or to none.
pub(super) fn why_not_named(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let problem = match only_read(&name) {
        Some(extension) => messages::read_only_format(&extension),
        None if exporter_for(&name).is_some() => return None,
        None => messages::unknown_extension(&extension(&name)),
    };
    let shown =
        |exporter: &Exporter| format!("{} ({})", exporter.extensions.join(" "), exporter.name);
    let known = EXPORTERS.iter().map(shown).collect::<Vec<_>>().join(", ");
    let path = path.display();
    Some(format!("{path}: {problem}; dotspot writes {known}"))
}

/// The longest extension counts: `.perfView.json` is not a `.json`.
fn only_read(name: &str) -> Option<&'static str> {
    let longest = |extensions| longest_extension(name, extensions);
    let written = EXPORTERS
        .iter()
        .filter_map(|exporter| longest(exporter.extensions));
    let written = written.map(str::len).max().unwrap_or(0);
    let is_read_only = |format: &&Format| {
        EXPORTERS
            .iter()
            .all(|exporter| exporter.name != format.name)
    };
    let read = FORMATS.iter().filter(is_read_only);
    let read = read.filter_map(|format| longest(format.extensions));
    read.max_by_key(|extension| extension.len())
        .filter(|extension| extension.len() > written)
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
                    path,
                    input: Some(self.input),
                    overwrite: self.args.force,
                    only_file: false,
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
