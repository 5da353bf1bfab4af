use crate::units::hexadecimal;
use sha2::{Digest, Sha256};
use std::path::Path;

/// Of a profile's name in the name of its index.
const NAME_CHARS: usize = 40;

/// Safe for file names on every system.
pub(crate) fn plain_char(c: char) -> char {
    if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') {
        c
    } else {
        '_'
    }
}

pub(crate) fn plain_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.chars().take(NAME_CHARS).map(plain_char).collect()
}

/// The first half of SHA-256 over each text preceded by its length, as 32 hexadecimal digits.
pub(crate) fn fingerprint<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hexadecimal(&hasher.finalize()[..16])
}

#[cfg(test)]
mod tests;
