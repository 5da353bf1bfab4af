//! The engine of all steps that map a tree to a tree: steps decide the fate of each node, callers first, and values
//! follow.

mod drop;
mod filter;
mod recursion;
mod runs;
mod shape;

pub(super) use drop::{drop_methods, drop_nodes};
pub use filter::Pattern;
pub(super) use filter::filter;
pub(super) use recursion::collapse_recursion;
pub(super) use runs::{Runs, collapse_runs};
pub use runs::{grouped, nodes_to_open};

#[cfg(test)]
mod tests;
