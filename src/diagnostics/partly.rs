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
    EVENTS_LATE = "event", "out of order: read as simultaneous";
    EVENTS_INCOMPLETE = "event", "without a known type, a time or a frame: left out";
    EVENTS_TOO_SHORT = "event", "too short to be complete: left out";
    EVENTS_OUTSIDE_SAMPLES = "event", "in a file of samples: left out";
    NODES_WITHOUT_FRAME = "node", "without a frame in the file's table: shown as [No name]";
    SAMPLES_WITHOUT_WEIGHT = "sample", "without a weight: read as 1";
    WEIGHTS_WITHOUT_SAMPLE = "weight", "without a sample: left out";
    PROFILES_OF_UNKNOWN_TYPE = "profile", "of an unknown type: only events and samples of known types are read";
    SAMPLES_OF_UNKNOWN_NODES = "sample", "of nodes that are not in the file: left out";
    SAMPLES_REORDERED = "sample", "out of order: sorted by time";
    SAMPLES_WITHOUT_TIME = "sample", "without a time: read as taken with the last one";
    ELEMENTS_WITHOUT_NUMBER = "element", "without its number: left out";
    NUMBERS_GIVEN_TWICE = "frame or stack id", "used twice: the last one wins";
    SAMPLES_OF_UNKNOWN_STACKS = "sample", "of a stack that is not in the file: counted without a stack";
    STACKS_OF_UNKNOWN_CALLERS = "stack", "whose caller is not in the file: read as an outermost frame";
    STACK_CYCLES = "cycle", "of stacks that call each other: cut at the point of entry";
    STACKS_OF_UNKNOWN_FRAMES = "stack", "whose frame is not in the file: shown as [No name]";
    EVENTS_UNDESCRIBED = "event", "of a kind that the file does not describe: left out";
    FUNCTIONS_WITHOUT_NUMBER = "function", "without an id for code locations: matched by position";
    INSTANCES_WITHOUT_STACK = "Instance", "without CallStack: left out";
    COUNTS_OF_OTHER_KIND = "count", "of another kind (Calls or Samples) than the first one: left out";
    ELEMENTS_DAMAGED = "element", "with damaged attributes: the rest of the element is left out";
    MAPPINGS_TOO_MANY = "mapping", "of memory beyond the limit: code there has no name";
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
