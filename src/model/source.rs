use super::{CountKind, columns};
use crate::model::messages;
use crate::words::words;
use borsh::{BorshDeserialize, BorshSerialize};
use std::borrow::Cow;

words! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
    pub enum ProfileKind {
        Sampling = "sampling",
        Tracing = "tracing",
        LineByLine = "line-by-line",
        Timeline = "timeline",
        #[default]
        Unknown = "unknown",
    }
}

impl ProfileKind {
    /// For a line of facts, where `unknown` alone would be unclear.
    pub fn title(self) -> &'static str {
        match self {
            ProfileKind::Unknown => "unknown kind",
            known => known.name(),
        }
    }

    pub fn counts(self) -> CountKind {
        match self {
            ProfileKind::Sampling => CountKind::Samples,
            ProfileKind::Tracing | ProfileKind::LineByLine => CountKind::Calls,
            ProfileKind::Timeline | ProfileKind::Unknown => CountKind::Unknown,
        }
    }

    /// What inflated the times, worded to follow a time; empty if nothing or unknown.
    pub fn inflation(self) -> &'static str {
        match self {
            ProfileKind::Tracing => "inflated by tracing",
            ProfileKind::LineByLine => "inflated by line-by-line",
            _ => "",
        }
    }

    /// What it is and what dotspot can do with it: a sentence without capital letter or full stop.
    pub fn about(self) -> &'static str {
        match self {
            ProfileKind::Sampling => messages::ABOUT_SAMPLING,
            ProfileKind::Tracing => messages::ABOUT_TRACING,
            ProfileKind::LineByLine => messages::ABOUT_LINE_BY_LINE,
            ProfileKind::Timeline => messages::ABOUT_TIMELINE,
            ProfileKind::Unknown => messages::ABOUT_UNKNOWN_KIND,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Source {
    /// The file as the user named it, or the source that it names.
    pub name: String,
    pub format: Cow<'static, str>,
    pub kind: ProfileKind,
    /// The program that read it or, for call-tree JSON, wrote it.
    pub decoder: String,
    pub decoder_version: String,
    /// Name and text, in the order of display. May contain private data; only [`Source::public_facts`] are exported.
    pub facts: Vec<(Cow<'static, str>, String)>,
}

impl Source {
    /// They reveal nothing about the user, the machine's name or the command line.
    const PUBLIC_FACTS: [&str; 16] = [
        "recorded",
        "started",
        "duration",
        "process",
        "processes",
        "runtime",
        "operating system",
        "architecture",
        "pointer size",
        "processors",
        "processor",
        "sampling",
        "sampling interval",
        "idle samples",
        "clock",
        "dotTrace",
    ];

    pub const DTP: &'static str = "dtp";

    pub const ETL: &'static str = "etl";

    pub const COMPARISON: &str = "comparison";

    /// dotspot's own decoder of dotTrace snapshots.
    pub const NATIVE: &str = "native";

    /// For dotspot's own readers. Empty facts are dropped.
    pub fn read_here(
        name: String,
        format: &'static str,
        kind: ProfileKind,
        facts: Vec<(&'static str, String)>,
    ) -> Source {
        let facts = facts.into_iter().filter(|(_, text)| !text.is_empty());
        let facts = facts.map(|(what, text)| (what.into(), text));
        Source {
            name,
            format: format.into(),
            kind,
            decoder: env!("CARGO_PKG_NAME").into(),
            decoder_version: env!("CARGO_PKG_VERSION").into(),
            facts: facts.collect(),
        }
    }

    /// Whether threads have own time only while they wait, as in dotTrace snapshots, reports and their exports.
    pub fn thread_self_time_is_wait(&self) -> bool {
        self.format == Self::DTP || self.decoder == Self::NATIVE
    }

    pub fn fact(&self, name: &str) -> Option<&str> {
        let fact = self.facts.iter().find(|(known, _)| known == name);
        fact.map(|(_, text)| text.as_str())
    }

    pub fn public_facts(&self) -> impl Iterator<Item = (&str, &str)> {
        let facts = self.facts.iter();
        let facts = facts.map(|(what, text)| (&**what, text.as_str()));
        facts.filter(|(what, _)| Source::is_public(what))
    }

    pub fn is_public(what: &str) -> bool {
        Source::PUBLIC_FACTS.contains(&what)
    }

    pub fn facts(&self) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
        let is_ours = [Self::NATIVE, env!("CARGO_PKG_NAME"), ""].contains(&self.decoder.as_str());
        let decoder = format!("{} {}", self.decoder, self.decoder_version);
        let decoder = (!is_ours).then(|| ("decoder", Cow::Owned(decoder.trim_end().to_string())));
        let facts = self.facts.iter();
        let facts = facts.map(|(what, text)| (&**what, Cow::Borrowed(text.as_str())));
        facts.chain(decoder)
    }
}

/// How recorded nodes are labeled in output and on the command line. A view's node has the label of the recorded node
/// it comes from.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum NodeIds {
    /// `n` and the preorder index.
    Preorder,
    /// `t<thread>:0x<offset>`, with each node's offset in its thread's section, as in dotTrace snapshots; the root is
    /// `root`.
    ThreadOffsets(
        #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")] Vec<u64>,
    ),
    /// `0x<offset>`, with each node's offset in its source. All differ; a root with [`NodeIds::NO_OFFSET`] is `root`.
    Offsets(
        #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")] Vec<u64>,
    ),
}

impl NodeIds {
    pub const NO_OFFSET: u64 = u64::MAX;
}

#[cfg(test)]
mod tests;
