//! Diagnostics about event traces.

use crate::units::{counted, percent, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::fmt;

/// Why frames have no names, as far as the recording tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamelessCause {
    /// A system-wide recording without symbols for them.
    NoSymbols,
    /// They lie in native code, or the list of methods is not complete.
    NativeCode,
    /// The file lacks the list of methods.
    NoRundown,
    /// perf knows the maps of the process, which lack them.
    NotInPerfMap,
    /// There is no map of code that was compiled at run time.
    NoPerfMap,
    /// Windows keeps the names of native code in files beside it.
    NoPdbs,
}

/// What is wrong with a recording of events.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum TraceDiagnostic {
    /// Blocks could not be read in full.
    BlocksDamaged {
        /// How many.
        blocks: u64,
        /// The name of the first.
        first_block: String,
        /// From which byte on it could not be read.
        first_offset_bytes: u64,
    },
    /// There are no samples.
    NoSamples {
        /// The providers with most events, with the number of theirs.
        providers: Vec<(String, u64)>,
        /// How many providers there are besides.
        more_providers: usize,
    },
    /// A trace of the whole machine has no samples of the processor.
    NoProcessorSamples {
        /// The providers with most events, with the number of theirs.
        providers: Vec<(String, u64)>,
        /// How many providers there are besides.
        more_providers: usize,
    },
    /// Many frames have no names.
    NamelessFrames {
        /// How many of a thousand.
        permille: u64,
        /// Why.
        cause: NamelessCause,
        /// How many, where they are told.
        #[serde(skip_serializing_if = "Option::is_none")]
        nameless: Option<u64>,
        /// Of how many, where they are told.
        #[serde(skip_serializing_if = "Option::is_none")]
        frames: Option<u64>,
    },
    /// Stacks were cut, and none of their frames has a name, so that nothing marks them in the tree.
    NamelessStacksTruncated {
        /// How many samples have such stacks.
        truncated: u64,
        /// Of how many.
        samples: u64,
        limit_frames: u32,
    },
    /// CPU time rests on hardly any sample.
    ThinCpu {
        /// How many samples were of threads that ran managed code.
        samples: u64,
        /// Of how many.
        all_samples: u64,
    },
    /// There are more kinds of events than are read.
    EventsLeftOut {
        /// How many samples are left out.
        samples: u64,
        /// How many kinds of events are read.
        most_events: usize,
    },
    /// Samples of an event lack the period that others have.
    PeriodsMissing { samples: u64, event: String },
}

impl TraceDiagnostic {
    pub(super) fn code(&self) -> &'static str {
        match self {
            TraceDiagnostic::BlocksDamaged { .. } => "blocks-damaged",
            TraceDiagnostic::NoSamples { .. } | TraceDiagnostic::NoProcessorSamples { .. } => {
                "no-samples"
            }
            TraceDiagnostic::NamelessFrames { .. } => "nameless-frames",
            TraceDiagnostic::NamelessStacksTruncated { .. } => "nameless-stacks-truncated",
            TraceDiagnostic::ThinCpu { .. } => "thin-cpu",
            TraceDiagnostic::EventsLeftOut { .. } => "events-left-out",
            TraceDiagnostic::PeriodsMissing { .. } => "periods-missing",
        }
    }
}

impl fmt::Display for TraceDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceDiagnostic::BlocksDamaged {
                blocks,
                first_block,
                first_offset_bytes,
            } => {
                let (blocks, at) = (counted(*blocks, "block"), thousands(*first_offset_bytes));
                write!(
                    f,
                    "{blocks} could not be read in full, the first ({first_block}) from byte {at} on; what could be read is kept."
                )
            }
            TraceDiagnostic::NoSamples {
                providers,
                more_providers,
            } => {
                write_no_samples(f, providers, *more_providers)?;
                f.write_str(
                    "use the profile dotnet-sampled-thread-time of dotnet-trace collect (cpu-sampling in versions before 2025).",
                )
            }
            TraceDiagnostic::NoProcessorSamples {
                providers,
                more_providers,
            } => {
                write_no_samples(f, providers, *more_providers)?;
                f.write_str("use `PerfView collect` or `wpr -start CPU`.")
            }
            TraceDiagnostic::NamelessFrames {
                permille,
                cause,
                nameless,
                frames,
            } => write_nameless(f, *permille, *cause, nameless.zip(*frames)),
            other => other.write_rest(f),
        }
    }
}

impl TraceDiagnostic {
    /// Sentences about single samples.
    fn write_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceDiagnostic::NamelessStacksTruncated {
                truncated,
                samples,
                limit_frames,
            } => write!(
                f,
                "{} of {} samples ({:.1} %) truncated at {} frames, none of which has a name: their outermost callers are \
                 missing, which can't be seen in the tree.",
                thousands(*truncated),
                thousands(*samples),
                percent(*truncated, *samples),
                thousands(u64::from(*limit_frames))
            ),
            TraceDiagnostic::ThinCpu {
                samples,
                all_samples,
            } => write!(
                f,
                "Only {} of {} found a thread in managed code, so CPU time says little; wall time, which is shown first, says more.",
                thousands(*samples),
                counted(*all_samples, "sample")
            ),
            TraceDiagnostic::EventsLeftOut {
                samples,
                most_events,
            } => {
                let samples = counted(*samples, "sample");
                write!(
                    f,
                    "{samples} had to be left out: only the first {most_events} kinds of events are read"
                )
            }
            TraceDiagnostic::PeriodsMissing { samples, event } => {
                write!(
                    f,
                    "{} of {event} have no period and count as 1",
                    counted(*samples, "sample")
                )
            }
            _ => Ok(()),
        }
    }
}

fn write_no_samples(
    f: &mut fmt::Formatter<'_>,
    providers: &[(String, u64)],
    more: usize,
) -> fmt::Result {
    let mut held: Vec<String> = providers
        .iter()
        .map(|(name, events)| format!("{} of {name}", thousands(*events)))
        .collect();
    if providers.is_empty() {
        held.push("no events at all".into());
    } else if more > 0 {
        held.push(format!("others of {more} more providers"));
    }
    write!(
        f,
        "The file has no samples, so the tree is empty; its events: {}. To record samples, ",
        held.join(", ")
    )
}

fn write_nameless(
    f: &mut fmt::Formatter<'_>,
    permille: u64,
    cause: NamelessCause,
    numbers: Option<(u64, u64)>,
) -> fmt::Result {
    let numbers =
        numbers.map(|(part, whole)| format!(" ({} of {})", thousands(part), thousands(whole)));
    let share = format!(
        "{}.{} % of the frames in samples have no name",
        permille / 10,
        permille % 10
    );
    let share = share + &numbers.unwrap_or_default();
    match cause {
        NamelessCause::NoSymbols => write!(
            f,
            "{share} (?!? or module!?), because the file has no symbols for them; code that .NET compiles at run time has \
             names if the program was started with DOTNET_PerfMapEnabled=1."
        ),
        NamelessCause::NativeCode => {
            write!(
                f,
                "{share} (?!?): they lie in native code, or the list of methods in the file is not complete."
            )
        }
        NamelessCause::NoRundown => write!(
            f,
            "The file has no rundown, the list of methods that the runtime writes when a recording is stopped properly, \
             so {share} (?!?)."
        ),
        NamelessCause::NoPdbs => write!(
            f,
            "{share} (module!? or ?!?): native code, whose names Windows keeps in files of symbols (.pdb) that are not read."
        ),
        NamelessCause::NoPerfMap => write!(
            f,
            "{share}; code that was compiled at run time is named by perf-PID.map, which .NET writes to /tmp with \
             DOTNET_PerfMapEnabled=1: put it beside the file"
        ),
        NamelessCause::NotInPerfMap => write!(
            f,
            "{share}, such as precompiled code of .NET: with DOTNET_ReadyToRun=0 it is compiled at run time and has names"
        ),
    }
}
