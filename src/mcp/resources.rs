//! Resources: the schemas of dotspot's JSON documents, and the formats that are read.

use crate::importers::FORMATS;
use crate::mcp::messages;
use rmcp::model::{Resource, ResourceContents};

/// The files of these names, with their names.
macro_rules! schemas {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../assets/schema/", $name, ".json")))),*]
    };
}

/// The schemas by the names of their files.
const SCHEMAS: &[(&str, &str)] = schemas![
    "cache-1",
    "call-tree-1",
    "callees-1",
    "callers-1",
    "common-1",
    "compare-1",
    "compare-tree-1",
    "diagnostics-1",
    "doctor-1",
    "error-1",
    "hotspots-1",
    "info-1",
    "method-notes-1",
    "methods-1",
    "notes-1",
    "processes-1",
    "report-1",
    "tree-1",
    "truncation-1",
];

const FORMATS_URI: &str = "dotspot:formats";

fn uri_of(schema: &str) -> String {
    format!("dotspot:schema/{schema}")
}

pub(super) fn list() -> Vec<Resource> {
    let formats = Resource::new(FORMATS_URI, "formats")
        .with_description(messages::ABOUT_FORMATS)
        .with_mime_type("text/plain");
    let schema = |&(name, text): &(&str, &str)| {
        Resource::new(uri_of(name), name)
            .with_description(messages::ABOUT_SCHEMA)
            .with_mime_type("application/schema+json")
            .with_size(text.len() as u64)
    };
    std::iter::once(formats)
        .chain(SCHEMAS.iter().map(schema))
        .collect()
}

/// The resource with this URI; `None` if there is none.
pub(super) fn read(uri: &str) -> Option<ResourceContents> {
    if uri == FORMATS_URI {
        return Some(ResourceContents::text(formats(), uri));
    }
    let (_, text) = SCHEMAS.iter().find(|(name, _)| uri_of(name) == uri)?;
    Some(ResourceContents::text(*text, uri).with_mime_type("application/schema+json"))
}

fn formats() -> String {
    let row = |format: &crate::importers::Format| {
        format!(
            "{}: {} ({}); {}\n",
            format.name,
            format.title,
            format.extensions.join(" "),
            format.metrics
        )
    };
    FORMATS.iter().map(row).collect()
}
