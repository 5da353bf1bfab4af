//! Writers of profile formats, one file per format.

pub mod call_tree_json;
mod json_text;
