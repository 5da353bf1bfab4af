//! The callers that are open where the second half begins.

/// A caller that ends in the second half.
pub(super) struct Outer {
    /// Where the next byte behind it stands.
    pub offset: u64,
    /// The sum of the inclusive values of its callees in the second half.
    pub callees: u64,
    /// How many nodes there were when it ended.
    pub nodes: usize,
    pub frames: usize,
    pub threads: usize,
}
