//! Resources: the formats that are read.

use crate::importers::FORMATS;
use crate::mcp::messages;
use rmcp::model::{Resource, ResourceContents};

const FORMATS_URI: &str = "dotspot:formats";

pub(super) fn list() -> Vec<Resource> {
    vec![
        Resource::new(FORMATS_URI, "formats")
            .with_description(messages::ABOUT_FORMATS)
            .with_mime_type("text/plain"),
    ]
}

/// The resource with this URI; `None` if there is none.
pub(super) fn read(uri: &str) -> Option<ResourceContents> {
    (uri == FORMATS_URI).then(|| ResourceContents::text(formats(), uri))
}

fn formats() -> String {
    let row = |format: &crate::importers::Format| {
        let (name, title, metrics) = (format.name, format.title, format.metrics);
        let extensions = format.extensions.join(" ");
        format!("{name}: {title} ({extensions}); {metrics}\n")
    };
    FORMATS.iter().map(row).collect()
}
