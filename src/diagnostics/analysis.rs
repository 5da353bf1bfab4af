//! Cautions: cases in which the numbers of a profile are misleading although they were read correctly.

use super::define::diagnostics;
use crate::diagnostics::severity::Severity;
use crate::object::object;
use crate::units::{Scale, Unit, counted, percent};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// How to include waiting: the explorer's key, unless it is bound otherwise, and the flag of commands.
pub const WAITING_KEY_OR_FLAG: &str = "W or --waiting";

/// A part of a metric's total.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Share {
    pub metric: String,
    pub unit: Unit,
    /// The part, in stored steps.
    pub part: u64,
    /// The whole, in stored steps.
    pub whole: u64,
}

impl Share {
    pub fn percent(&self) -> f64 {
        percent(self.part, self.whole)
    }

    fn words(&self) -> String {
        Scale::for_values(self.unit, self.whole).with_unit(self.part)
    }

    fn time(&self) -> String {
        match self.metric.as_str() {
            "time" => "time".into(),
            metric => format!("{metric} time"),
        }
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object! {
            metric: &self.metric,
            unit: self.unit.name(),
            part: self.unit.to_unit(self.part),
            whole: self.unit.to_unit(self.whole),
        }
        .serialize(serializer)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum StoredDifference {
    Missing {},
    Value {
        what: Cow<'static, str>,
        stored: f64,
        computed: f64,
    },
}

diagnostics! {
    pub enum AnalysisDiagnostic {
        /// Much CPU time is in polls for the garbage collector.
        GcPolls {
            #[serde(flatten)]
            share: Share,
        } = "gc-polls",
            "{:.1} % of the CPU time ({}) is in Thread.PollGC and its PollGCWorker. A thread can only be sampled where it polls for a \
             garbage collection, so time in short methods is charged to the next poll: they look cheaper than they \
             are, and the callers of PollGC more expensive.",
            share.percent(), share.words();
        /// Much CPU time, or dotTrace's time, is in methods that wait.
        WaitsOnCpu {
            #[serde(flatten)]
            share: Share,
            method: String,
        } = "waits-on-cpu", "{}", waits_on_cpu(share, method);
        /// Most of the time belongs to threads that only wait.
        ThreadsWait {
            waiting: usize,
            threads: usize,
            #[serde(flatten)]
            share: Share,
            has_cpu: bool,
        } = "threads-wait",
            "{waiting} of {} with {:.1} % of the {} ({}) {}. Percentages of {} exclude waiting; {WAITING_KEY_OR_FLAG} includes it.",
            counted(*threads as u64, "thread"), share.percent(), share.time(), share.words(),
            if *waiting == 1 { "hardly does anything but wait" } else { "hardly do anything but wait" }, share.metric;
        /// Much time is a message loop's own.
        MessageLoop {
            #[serde(flatten)]
            share: Share,
            method: String,
        } = "message-loop",
            "{:.1} % of the {} ({}) is {method}'s own, a message loop in native code: it waits for events or handles them \
             there, which the recording can't tell. It counts as waiting.",
            share.percent(), share.time(), share.words();
        /// The program was built for debugging.
        DebugBuild {} = "debug-build", "This is a Debug build: measure a Release build before you optimize.";
        /// Allocated bytes are estimates.
        AllocationsEstimated {} = "allocations-estimated",
            "Allocated bytes are estimates: the runtime reports one object for about every 100 kB, and its stack and type stand \
             for everything allocated since the last one. Where a program allocates in a rhythm, a method may get 2 or 3 times \
             its bytes or miss most of them; small numbers are guesses.";
        /// The runtime counts managed code as external.
        CpuIncomplete {} = "cpu-incomplete",
            "CPU time is incomplete: .NET Core before 5 marks many samples of managed code as external, mostly in methods that \
             allocate, so a method may lack most of its CPU time. Wall time has all samples.";
        /// Sums stored in the file are not those of the tree.
        StoredHotspotsDiffer {
            differing: usize,
            stored_hotspots: usize,
            method: String,
            #[serde(flatten)]
            difference: StoredDifference,
        } = "stored-hotspots-differ",
            "{differing} of the {stored_hotspots} hotspots stored in the file differ from the tree: {method} {}",
            difference.words();
    }
}

impl StoredDifference {
    fn words(&self) -> String {
        match self {
            StoredDifference::Missing {} => "is not in the tree".into(),
            StoredDifference::Value {
                what,
                stored,
                computed,
            } => format!("has {what} {stored} in the file and {computed} in the tree"),
        }
    }
}

fn waits_on_cpu(share: &Share, method: &str) -> String {
    let rest = match share.metric.as_str() {
        "CPU" => {
            "Threads that spin while looking for work count as running; the program's own work"
        }
        _ => "The program's own work",
    };
    format!(
        "{:.1} % of the {} ({}) is in waits and spins, above all in calls of {method}. {rest} is in the rest.",
        share.percent(),
        share.time(),
        share.words()
    )
}

impl AnalysisDiagnostic {
    pub(super) fn severity(&self) -> Severity {
        match self {
            AnalysisDiagnostic::StoredHotspotsDiffer { .. } => Severity::Warning,
            _ => Severity::Caution,
        }
    }

    /// The only metric that it concerns; `None` if it concerns all.
    pub(super) fn metric(&self) -> Option<&str> {
        match self {
            AnalysisDiagnostic::GcPolls { share }
            | AnalysisDiagnostic::WaitsOnCpu { share, .. }
            | AnalysisDiagnostic::MessageLoop { share, .. }
            | AnalysisDiagnostic::ThreadsWait { share, .. } => Some(&share.metric),
            AnalysisDiagnostic::AllocationsEstimated {} => Some("allocated"),
            AnalysisDiagnostic::CpuIncomplete {} => Some("CPU"),
            AnalysisDiagnostic::DebugBuild {} | AnalysisDiagnostic::StoredHotspotsDiffer { .. } => {
                None
            }
        }
    }
}
