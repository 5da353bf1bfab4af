//! The kinds of containers.

/// The magic number of gzip files: RFC 1952, section 2.3.1.
const GZIP_MAGIC: &[u8] = b"\x1f\x8b";
/// The magic numbers of zip archives: a member, the end of an empty archive, or the first of several parts.
const ZIP_MAGICS: [&[u8]; 3] = [b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContainerKind {
    Gzip,
    Zip,
}

impl ContainerKind {
    /// Detects the kind of a file from its first bytes.
    pub(super) fn of(head: &[u8]) -> Option<ContainerKind> {
        if head.starts_with(GZIP_MAGIC) {
            Some(ContainerKind::Gzip)
        } else {
            ZIP_MAGICS
                .iter()
                .any(|magic| head.starts_with(magic))
                .then_some(ContainerKind::Zip)
        }
    }
}
