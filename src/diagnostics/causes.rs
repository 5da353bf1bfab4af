//! Data of diagnostics that are choices, with their words.

use super::define::rows;
use crate::units::{counted, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

rows! {
    pub enum LineFault: &'static str {
        Unreadable = "could not be read and";
        NoStackAndWeight = "without a stack and a weight";
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownUnit {
    /// speedscope: the values are plain numbers.
    ShownAsNumbers,
    /// Call-tree JSON: the values are times.
    ReadAsMilliseconds,
}

impl UnknownUnit {
    pub(super) fn sentence(self, unit: &str) -> String {
        match self {
            UnknownUnit::ShownAsNumbers => format!(
                "The unit {unit:?} is not one that the format knows, so its values are shown as plain numbers."
            ),
            UnknownUnit::ReadAsMilliseconds => format!(
                "the file states times in the unknown unit `{unit}`: they are read as milliseconds"
            ),
        }
    }
}

rows! {
    pub enum ContainerStop: &'static str {
        EndsEarly = "ends unexpectedly";
        IsDamaged = "is damaged";
    }
}

rows! {
    pub enum MissingReason: &'static str {
        Unread = "are in a part of the report that can't be read";
        Pattern = "are left out by the pattern of the report";
    }
}

rows! {
    /// Why frames have no names, judging by the recording, with a sentence that has `{}` for their share.
    pub enum NamelessCause: &'static str {
        NoSymbols = "{} (?!? or module!?), because the file has no symbols for them; code that .NET compiles at run time has \
            names if the program was started with DOTNET_PerfMapEnabled=1.";
        NativeCode = "{} (?!?): they are in native code, or the list of methods in the file is not complete.";
        NoRundown = "The file has no rundown, the list of methods that the runtime writes when a recording is stopped properly, \
            so {} (?!?).";
        NotInPerfMap = "{}, such as precompiled code of .NET: with DOTNET_ReadyToRun=0 it is compiled at run time and has names";
        NoPerfMap = "{}; code that was compiled at run time is named by perf-PID.map, which .NET writes to /tmp with \
            DOTNET_PerfMapEnabled=1: put it next to the file";
        NoPdbs = "{} (module!? or ?!?): native code, and dotspot doesn't read symbol files (.pdb).";
        NotSymbolicated = "{} (module!? or ?!?): the file has their addresses only; the Firefox Profiler looks names up when it \
            opens the file (`samply load`), and saves them with it";
    }
}

pub(super) fn more_files(modules: usize) -> String {
    match modules {
        0 => String::new(),
        _ => format!(" and {}", counted(modules as u64, "more file")),
    }
}

pub(super) fn no_samples(providers: &[(String, u64)], more: usize) -> String {
    let events = providers.iter();
    let events = events.map(|(name, count)| format!("{} of {name}", thousands(*count)));
    let mut events: Vec<String> = events.collect();
    if providers.is_empty() {
        events.push("no events at all".into());
    } else if more > 0 {
        events.push(format!(
            "others of {}",
            counted(more as u64, "more provider")
        ));
    }
    format!(
        "The file has no samples, so the tree is empty; its events: {}. To record samples,",
        events.join(", ")
    )
}

impl NamelessCause {
    pub(super) fn sentence(self, permille: u64, numbers: Option<(u64, u64)>) -> String {
        let numbers =
            numbers.map(|(part, whole)| format!(" ({} of {})", thousands(part), thousands(whole)));
        let share = format!(
            "{}.{} % of the frames in samples have no name{}",
            permille / 10,
            permille % 10,
            numbers.unwrap_or_default()
        );
        self.row().replacen("{}", &share, 1)
    }
}
