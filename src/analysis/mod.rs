//! Functions from a profile to rows.
