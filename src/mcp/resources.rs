//! Resources: the schemas of dotspot's JSON documents, and the formats that are read.

use crate::importers::FORMATS;
use crate::mcp::messages;
use rmcp::model::{Resource, ResourceContents};

/// The schemas by the names of their files.
const SCHEMAS: &[(&str, &str)] = &[
    ("cache-1", include_str!("../../assets/schema/cache-1.json")),
    (
        "call-tree-1",
        include_str!("../../assets/schema/call-tree-1.json"),
    ),
    (
        "callees-1",
        include_str!("../../assets/schema/callees-1.json"),
    ),
    (
        "callers-1",
        include_str!("../../assets/schema/callers-1.json"),
    ),
    (
        "common-1",
        include_str!("../../assets/schema/common-1.json"),
    ),
    (
        "compare-1",
        include_str!("../../assets/schema/compare-1.json"),
    ),
    (
        "compare-tree-1",
        include_str!("../../assets/schema/compare-tree-1.json"),
    ),
    (
        "diagnostics-1",
        include_str!("../../assets/schema/diagnostics-1.json"),
    ),
    (
        "doctor-1",
        include_str!("../../assets/schema/doctor-1.json"),
    ),
    ("error-1", include_str!("../../assets/schema/error-1.json")),
    (
        "hotspots-1",
        include_str!("../../assets/schema/hotspots-1.json"),
    ),
    ("info-1", include_str!("../../assets/schema/info-1.json")),
    (
        "method-notes-1",
        include_str!("../../assets/schema/method-notes-1.json"),
    ),
    (
        "methods-1",
        include_str!("../../assets/schema/methods-1.json"),
    ),
    ("notes-1", include_str!("../../assets/schema/notes-1.json")),
    (
        "processes-1",
        include_str!("../../assets/schema/processes-1.json"),
    ),
    (
        "report-1",
        include_str!("../../assets/schema/report-1.json"),
    ),
    ("tree-1", include_str!("../../assets/schema/tree-1.json")),
    (
        "truncation-1",
        include_str!("../../assets/schema/truncation-1.json"),
    ),
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
