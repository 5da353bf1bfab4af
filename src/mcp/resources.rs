//! Resources: the schemas of dotspot's JSON documents, and the formats that are read.

use crate::importers::FORMATS;
use crate::mcp::messages;
use include_dir::{Dir, include_dir};
use rmcp::model::{Resource, ResourceContents};

static SCHEMAS: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/schema");

const FORMATS_URI: &str = "dotspot:formats";

/// The schemas by the names of their files.
fn schemas() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCHEMAS
        .files()
        .filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)))
}

fn uri_of(schema: &str) -> String {
    format!("dotspot:schema/{schema}")
}

pub(super) fn list() -> Vec<Resource> {
    let formats = Resource::new(FORMATS_URI, "formats")
        .with_description(messages::ABOUT_FORMATS)
        .with_mime_type("text/plain");
    let schema = |(name, text): (&str, &str)| {
        Resource::new(uri_of(name), name)
            .with_description(messages::ABOUT_SCHEMA)
            .with_mime_type("application/schema+json")
            .with_size(text.len() as u64)
    };
    std::iter::once(formats)
        .chain(schemas().map(schema))
        .collect()
}

/// The resource with this URI; `None` if there is none.
pub(super) fn read(uri: &str) -> Option<ResourceContents> {
    if uri == FORMATS_URI {
        return Some(ResourceContents::text(formats(), uri));
    }
    let (_, text) = schemas().find(|(name, _)| uri_of(name) == uri)?;
    Some(ResourceContents::text(text, uri).with_mime_type("application/schema+json"))
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
