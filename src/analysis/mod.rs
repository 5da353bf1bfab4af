//! Functions from a profile to rows.
pub mod search;
