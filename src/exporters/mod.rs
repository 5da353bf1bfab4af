//! Writers of profile formats, one file per format, and the table of them.

pub mod call_tree_json;
mod collapsed;
mod json_text;
mod lost;
mod pprof;
mod protobuf;
mod rows;
mod speedscope;
mod stack_sums;
mod trace_event;
mod tracks;

pub use lost::Lost;

use crate::model::{FrameKind, MetricId, NodeId, Profile};
use std::io::{self, Write};

/// What is written: a subtree of a profile, in one of its metrics.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The root of the subtree.
    pub root: NodeId,
    /// The metric of formats that hold one, and the first of those that hold several.
    pub metric: MetricId,
}

impl<'a> Part<'a> {
    /// All of a profile.
    pub fn whole(profile: &'a Profile, metric: MetricId) -> Part<'a> {
        Part { profile, root: NodeId::ROOT, metric }
    }

    /// The nodes of the subtree in preorder.
    fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        self.profile.tree.range(self.root).map(NodeId::at)
    }

    /// All metrics of the profile.
    fn metrics(&self) -> Vec<MetricId> {
        (0..self.profile.metrics.len()).map(MetricId::at).collect()
    }

    /// What the frame at a node stands for.
    fn kind(&self, node: NodeId) -> FrameKind {
        self.profile.frames.get(self.profile.tree.frame(node)).kind
    }

    /// The file name of the source, without folders, which tell who the user is.
    fn source_name(&self) -> &'a str {
        self.profile.source.name.rsplit(['/', '\\']).next().unwrap_or_default()
    }
}

/// What a writer makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A JSON document without the end of its line.
    Json,
    /// Lines of text.
    Lines,
    /// Bytes that are compressed already, and not for terminals.
    Packed,
}

/// A format that dotspot writes.
pub struct Exporter {
    /// Its name on the command line: that of the same format in the table of importers.
    pub name: &'static str,
    /// File extensions, with the dot, in small letters; the usual one first.
    pub extensions: &'static [&'static str],
    /// What comes out.
    pub output: Output,
    /// Whether it holds all metrics, and not only the chosen one.
    pub holds_all_metrics: bool,
    /// What of a profile it can't hold.
    pub lost: &'static [Lost],
    /// Why this part can't be written, a sentence with what to do instead; `None` if it can.
    pub refusal: fn(&Part) -> Option<String>,
    /// Writes it, in pieces. O(nodes + what is written), without recursion.
    pub write: fn(&Part, &mut dyn Write) -> io::Result<()>,
}

impl Exporter {
    /// What is really lost of this part, with a sentence each.
    pub fn losses(&self, part: &Part) -> Vec<(Lost, String)> {
        let metrics = if self.holds_all_metrics { part.metrics() } else { vec![part.metric] };
        self.lost.iter().filter_map(|&lost| Some((lost, lost.of(part, &metrics)?))).collect()
    }

    /// What it can't hold of any profile, in one line.
    pub fn lost_in_short(&self) -> String {
        let clauses: Vec<&str> = self.lost.iter().map(|lost| lost.clause()).collect();
        clauses.join("; ")
    }
}

/// All formats that are written. The first is the usual one.
pub const EXPORTERS: &[Exporter] =
    &[call_tree_json::EXPORTER, speedscope::EXPORTER, trace_event::EXPORTER, collapsed::EXPORTER, pprof::EXPORTER];

/// The format of a file of this name by its longest extension that is known, in front of `.gz`, too; the first format for a
/// name that says nothing.
pub fn exporter_for(file_name: &str) -> &'static Exporter {
    let length = |exporter: &&Exporter| longest_extension(file_name, exporter.extensions).map(str::len);
    let best = EXPORTERS.iter().filter(|exporter| length(exporter).is_some()).max_by_key(length);
    best.unwrap_or(&EXPORTERS[0])
}

/// The longest of these extensions with which a file's name ends, in front of `.gz`, too, in small letters or not.
pub fn longest_extension(file_name: &str, extensions: &[&'static str]) -> Option<&'static str> {
    let lower = file_name.to_lowercase();
    let names = [lower.as_str(), lower.strip_suffix(".gz").unwrap_or_default()];
    let is_end = |extension: &&&str| names.iter().any(|name| name.ends_with(&extension.to_lowercase()));
    extensions.iter().filter(is_end).max_by_key(|extension| extension.len()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_tell_the_format() {
        for (name, format) in [
            ("a.json", "calltree"),
            ("a.JSON.gz", "calltree"),
            ("a.speedscope.json", "speedscope"),
            ("A.Speedscope.Json.gz", "speedscope"),
            ("a.chromium.json", "trace-event"),
            ("a.folded", "collapsed"),
            ("a.collapsed.gz", "collapsed"),
            ("a.pb", "pprof"),
            ("a.pb.gz", "pprof"),
            ("a.pprof", "pprof"),
            ("a.txt", "calltree"),
            ("speedscope", "calltree"),
            ("", "calltree"),
        ] {
            assert_eq!(exporter_for(name).name, format, "{name}");
        }
    }
}
