//! Parts of files that are skipped or read as well as possible. All have the code `partly-read`.

use crate::diagnostics::Diagnostic;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partly(&'static str, &'static str);

macro_rules! partly {
    ($($name:ident = $noun:literal, $problem:literal;)*) => {
        $(pub const $name: Partly = Partly($noun, $problem);)*
        pub const ALL: &[Partly] = &[$($name),*];
    };
}

partly! {
    EVENTS_LATE = "event", "earlier than the one before: read as if at the same time";
    EVENTS_INCOMPLETE = "event", "without a known type, a time or a frame: left out";
    EVENTS_TOO_SHORT = "event", "shorter than an event of its kind: left out";
    EVENTS_OUTSIDE_SAMPLES = "event", "in a file of samples: left out";
    NODES_WITHOUT_FRAME = "node", "without a frame in the file's table: shown as [No name]";
    SAMPLES_WITHOUT_WEIGHT = "sample", "without a weight: read as 1";
    WEIGHTS_WITHOUT_SAMPLE = "weight", "without a sample: left out";
    PROFILES_OF_UNKNOWN_TYPE = "profile", "of an unknown type: only events and samples of known types are read";
    SAMPLES_OF_UNKNOWN_NODES = "sample", "of nodes that are not in the file: left out";
    SAMPLES_REORDERED = "sample", "earlier than the one before: put in order of time";
    SAMPLES_WITHOUT_TIME = "sample", "without a time: read as taken with the last one";
    ELEMENTS_WITHOUT_NUMBER = "element", "without its number: left out";
    NUMBERS_GIVEN_TWICE = "number", "of frames or stacks given twice: the last one counts";
    SAMPLES_OF_UNKNOWN_STACKS = "sample", "of a stack that is not in the file: counted without a stack";
    STACKS_OF_UNKNOWN_CALLERS = "stack", "of a caller that is not in the file: read as an outermost frame";
    STACK_CYCLES = "circle", "of stacks that call each other: cut where it was entered";
    STACKS_OF_UNKNOWN_FRAMES = "stack", "of a frame that is not in the file: shown as [No name]";
    EVENTS_UNDESCRIBED = "event", "of a kind that the file does not describe: left out";
    FUNCTIONS_WITHOUT_NUMBER = "function", "without a number for code locations to refer to: identified by order";
    INSTANCES_WITHOUT_STACK = "Instance", "without CallStack: left out";
    COUNTS_OF_OTHER_KIND = "count", "of another kind (Calls or Samples) than the first one: left out";
    ELEMENTS_DAMAGED = "element", "with damaged attributes: the rest of the element is left out";
    MAPPINGS_TOO_MANY = "mapping", "of memory beyond those that are remembered: code there has no name";
}

impl Partly {
    pub fn times(self, count: u64) -> Option<Diagnostic> {
        (count > 0).then_some(Diagnostic::PartlyRead {
            noun: self.0.into(),
            count,
            problem: self.1.into(),
        })
    }
}
