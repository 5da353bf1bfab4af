//! Parts of files that are left out or read as well as possible. All have the code `partly-read`.

use crate::diagnostics::Diagnostic;

/// What was read in part: what is counted, and what is wrong with it.
#[derive(Clone, Copy, Debug)]
pub struct Partly(&'static str, &'static str);

pub const EVENTS_LATE: Partly = Partly(
    "event",
    "earlier than the one before: read as if at the same time",
);
pub const EVENTS_INCOMPLETE: Partly =
    Partly("event", "without a known type, a time or a frame: left out");
pub const EVENTS_TOO_SHORT: Partly = Partly("event", "shorter than an event of its kind: left out");
pub const EVENTS_BESIDE_SAMPLES: Partly = Partly("event", "in a file of samples: left out");
pub const NODES_WITHOUT_FRAME: Partly = Partly(
    "node",
    "without a frame in the file's table: shown as [No name]",
);
pub const SAMPLES_WITHOUT_WEIGHT: Partly = Partly("sample", "without a weight: read as 1");
pub const WEIGHTS_WITHOUT_SAMPLE: Partly = Partly("weight", "without a sample: left out");
pub const PROFILES_OF_UNKNOWN_TYPE: Partly = Partly(
    "profile",
    "of an unknown type: only events and samples of known types are read",
);
pub const SAMPLES_OF_UNKNOWN_NODES: Partly =
    Partly("sample", "of nodes that are not in the file: left out");
pub const SAMPLES_REORDERED: Partly = Partly(
    "sample",
    "earlier than the one before: put in order of time",
);
pub const SAMPLES_WITHOUT_TIME: Partly =
    Partly("sample", "without a time: read as taken with the last one");
pub const ELEMENTS_WITHOUT_NUMBER: Partly = Partly("element", "without its number: left out");
pub const NUMBERS_GIVEN_TWICE: Partly = Partly(
    "number",
    "of frames or stacks given twice: the last one counts",
);
pub const SAMPLES_OF_UNKNOWN_STACKS: Partly = Partly(
    "sample",
    "of a stack that is not in the file: counted without a stack",
);
pub const STACKS_OF_UNKNOWN_CALLERS: Partly = Partly(
    "stack",
    "of a caller that is not in the file: read as an outermost frame",
);
pub const STACK_CIRCLES: Partly = Partly(
    "circle",
    "of stacks that call each other: cut where it was entered",
);
pub const STACKS_OF_UNKNOWN_FRAMES: Partly = Partly(
    "stack",
    "of a frame that is not in the file: shown as [No name]",
);
pub const EVENTS_UNDESCRIBED: Partly = Partly(
    "event",
    "of a kind that the file does not describe: left out",
);
pub const FUNCTIONS_WITHOUT_NUMBER: Partly = Partly(
    "function",
    "without a number for code locations to refer to: identified by order",
);
pub const INSTANCES_WITHOUT_STACK: Partly = Partly("Instance", "without CallStack: left out");
pub const FUNCTIONS_WITH_OTHER_TIMES: Partly = Partly(
    "Function",
    "with times other than TotalTime and OwnTime: these are left out",
);
pub const ELEMENTS_DAMAGED: Partly = Partly(
    "element",
    "with damaged attributes: the rest of the element is left out",
);
pub const ENTITIES_UNKNOWN: Partly = Partly("reference", "to unknown entities: shown as written");
impl Partly {
    /// The diagnostic that `count` of these were met; none if it is 0.
    pub fn times(self, count: u64) -> Option<Diagnostic> {
        (count > 0).then_some(Diagnostic::PartlyRead {
            noun: self.0.into(),
            count,
            problem: self.1.into(),
        })
    }
}
