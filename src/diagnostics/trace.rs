use super::define::{diagnostics, rows};
use crate::units::{counted, percent, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

rows! {
    /// Why frames have no names, judging by the recording, with a sentence that has `{}` for their share.
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum NamelessCause: &'static str {
        NoSymbols = "{} (?!? or module!?), because the file has no symbols for them; code that .NET compiles at run time has \
            names if the program was started with DOTNET_PerfMapEnabled=1.";
        NativeCode = "{} (?!?): they lie in native code, or the list of methods in the file is not complete.";
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

diagnostics! {
    pub enum TraceDiagnostic {
        /// Blocks could not be read in full.
        BlocksDamaged {
            blocks: u64,
            first_block: String,
            first_offset_bytes: u64,
        } = "blocks-damaged",
            "{} could not be read in full, the first ({first_block}) from byte {} on; what could be read is kept.",
            counted(*blocks, "block"), thousands(*first_offset_bytes);
        /// There are no samples.
        NoSamples {
            providers: Vec<(String, u64)>,
            more_providers: usize,
        } = "no-samples",
            "{} use the profile dotnet-sampled-thread-time of dotnet-trace collect (cpu-sampling in versions before 2025).",
            no_samples(providers, *more_providers);
        /// A whole-machine trace has no processor samples.
        NoProcessorSamples {
            providers: Vec<(String, u64)>,
            more_providers: usize,
        } = "no-samples",
            "{} use `PerfView collect` or `wpr -start CPU`.", no_samples(providers, *more_providers);
        /// Many frames have no names.
        NamelessFrames {
            permille: u64,
            cause: NamelessCause,
            #[serde(skip_serializing_if = "Option::is_none")]
            nameless: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            frames: Option<u64>,
        } = "nameless-frames", "{}", cause.sentence(*permille, nameless.zip(*frames));
        /// Many frames have no names, most of them in files for which this machine has no symbols.
        NamelessModules {
            permille: u64,
            modules: Vec<String>,
            more_modules: usize,
        } = "nameless-frames",
            "{}.{} % of the frames in samples have no name: this machine has no symbols of {}{}, or not of the build that was \
             recorded. Open the file where it was recorded, put those files next to it, or open what \
             `perf script -i FILE > perf.txt` prints there.",
            permille / 10, permille % 10, modules.join(", "), more(*more_modules);
        /// Stacks were cut, and none of their frames has a name, so nothing marks them in the tree.
        NamelessStacksTruncated {
            truncated: u64,
            samples: u64,
            limit_frames: u32,
        } = "nameless-stacks-truncated",
            "{} of {} samples ({:.1} %) truncated at {} frames, none of which has a name: their outermost callers are \
             missing, which can't be seen in the tree.",
            thousands(*truncated), thousands(*samples), percent(*truncated, *samples),
            thousands(u64::from(*limit_frames));
        /// CPU time rests on very few samples.
        ThinCpu {
            samples: u64,
            all_samples: u64,
        } = "thin-cpu",
            "Only {} of {} found a thread in managed code, so CPU time is unreliable; use wall time, the default metric here.",
            thousands(*samples), counted(*all_samples, "sample");
        /// There are more kinds of events than are read.
        EventsLeftOut {
            samples: u64,
            most_events: usize,
        } = "events-left-out",
            "{} had to be left out: only the first {most_events} kinds of events are read",
            counted(*samples, "sample");
        /// Samples of an event lack the period that others have.
        PeriodsMissing { samples: u64, event: String } = "periods-missing",
            "{} of {event} have no period and count as 1", counted(*samples, "sample");
    }
}

fn more(modules: usize) -> String {
    match modules {
        0 => String::new(),
        _ => format!(" and {}", counted(modules as u64, "more file")),
    }
}

fn no_samples(providers: &[(String, u64)], more: usize) -> String {
    let held = providers.iter();
    let held = held.map(|(name, events)| format!("{} of {name}", thousands(*events)));
    let mut held: Vec<String> = held.collect();
    if providers.is_empty() {
        held.push("no events at all".into());
    } else if more > 0 {
        held.push(format!("others of {more} more providers"));
    }
    format!(
        "The file has no samples, so the tree is empty; its events: {}. To record samples,",
        held.join(", ")
    )
}

impl NamelessCause {
    fn sentence(self, permille: u64, numbers: Option<(u64, u64)>) -> String {
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
