use super::System;
use std::path::Path;

/// A path as a word on a command line, quoted if necessary. It never looks like an option.
pub fn quoted(path: &Path, system: System) -> String {
    let start = match path.as_os_str().as_encoded_bytes().first() {
        Some(b'-') if system == System::Windows => ".\\",
        Some(b'-') => "./",
        _ => "",
    };
    let path = format!("{start}{}", path.display());
    let is_plain = |c: char| {
        c.is_alphanumeric() || "/._-+,:@%".contains(c) || (c == '\\' && system == System::Windows)
    };
    match system {
        _ if !path.is_empty() && path.chars().all(is_plain) => path,
        System::Windows => format!("\"{path}\""),
        _ => format!("'{}'", path.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests;
