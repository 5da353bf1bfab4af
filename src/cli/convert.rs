//! Writing a profile, or a part of it, in any format of the table of exporters.

use super::args::{Convert, Export, Out};
use super::{Usage, files, read_and_warn, report, say};
use crate::exporters::{EXPORTERS, Exporter, Output, Part, exporter_for};
use crate::model::NodeId;
use crate::model::format::{counted, size};
use anyhow::{Result, anyhow, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// Writes a subtree.
///
/// # Errors
/// Those of the importers; there is no such node or method; the format can't hold it; the file can't be written.
pub(super) fn export(out: &mut dyn Write, args: &Export) -> Result<()> {
    let format = format_of(&args.out)?;
    let profile = read_and_warn(&args.source)?;
    let metric = report::metric_of(&profile, args.metric.as_deref())?;
    let root = match (&args.node, &args.method) {
        (Some(label), _) => profile.node_labelled(label).ok_or_else(|| {
            anyhow!("--node {label}: this profile has no such node; `dotspot tree --json` lists them")
        })?,
        (None, Some(method)) => report::heaviest_place(&profile, "--method", method, NodeId::ROOT, metric)?,
        (None, None) => NodeId::ROOT,
    };
    write(out, &Part { profile: &profile, root, metric }, format, &args.out)
}

/// Writes a whole profile.
///
/// # Errors
/// As [`export`].
pub(super) fn convert(out: &mut dyn Write, args: &Convert) -> Result<()> {
    if args.repair {
        return super::repair::repair(out, args);
    }
    let format = format_of(&args.out)?;
    let profile = read_and_warn(&args.source)?;
    let metric = report::metric_of(&profile, args.metric.as_deref())?;
    write(out, &Part::whole(&profile, metric), format, &args.out)
}

/// The file to write, unless it is standard output.
pub(super) fn path_of(out: &Out) -> Option<&Path> {
    out.output.as_deref().filter(|path| path.as_os_str() != "-")
}

/// The format to write, and whether to compress it.
///
/// # Errors
/// Bytes that are no text would go to a terminal.
fn format_of(out: &Out) -> Result<(&'static Exporter, bool)> {
    let name = path_of(out).and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let exporter = out.to.unwrap_or_else(|| exporter_for(&name));
    let is_packed = exporter.output == Output::Packed;
    if path_of(out).is_none() && is_packed && io::stdout().is_terminal() {
        let sentence = format!("{} is no text, and standard output is a terminal; name a file with -o", exporter.name);
        return Err(Usage(sentence).into());
    }
    Ok((exporter, !is_packed && name.to_lowercase().ends_with(".gz")))
}

/// Writes a part, and says what the format can't hold of it.
fn write(out: &mut dyn Write, part: &Part, (exporter, packs): (&Exporter, bool), to: &Out) -> Result<()> {
    if let Some(reason) = (exporter.refusal)(part) {
        bail!("--to {}: {reason}", exporter.name);
    }
    let Some(path) = path_of(to) else {
        (exporter.write)(part, out)?;
        if exporter.output == Output::Json {
            writeln!(out)?;
        }
        out.flush()?;
        say_losses(exporter, part);
        return Ok(());
    };
    let written = files::write_whole(path, to.force, |out| {
        if !packs {
            return (exporter.write)(part, out);
        }
        let mut packed = GzEncoder::new(out, Compression::default());
        (exporter.write)(part, &mut packed)?;
        packed.finish().map(drop)
    });
    match written {
        Ok(bytes) => {
            say_losses(exporter, part);
            let nodes = counted(part.profile.subtree_node_count(part.root) as u64, "node");
            let format =
                if exporter.name == EXPORTERS[0].name { String::new() } else { format!(" ({})", exporter.name) };
            say(&format!("wrote {}{format}: {nodes}, {}", path.display(), size(bytes)));
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            bail!("{} exists already; --force overwrites it", path.display())
        }
        Err(error) => bail!(files::why_not_written(path, &error)),
    }
}

fn say_losses(exporter: &Exporter, part: &Part) {
    exporter.losses(part).iter().for_each(|(_, sentence)| say(&format!("lost: {sentence}")));
}
