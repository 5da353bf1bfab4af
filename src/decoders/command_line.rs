//! Paths as users type them.

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
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_need_be() {
        #[track_caller]
        fn check(path: &str, system: System, expect: &str) {
            assert_eq!(quoted(Path::new(path), system), expect);
        }
        check("a/b-1.dtp", System::Linux, "a/b-1.dtp");
        check("my snap.dtp", System::Linux, "'my snap.dtp'");
        check("it's.dtp", System::MacOs, r"'it'\''s.dtp'");
        check(r"C:\a\b.dtp", System::Windows, r"C:\a\b.dtp");
        check(
            r"C:\my snaps\b.dtp",
            System::Windows,
            r#""C:\my snaps\b.dtp""#,
        );
        check(r"a\b", System::Linux, r"'a\b'");
        check("", System::Linux, "''");
        check("-x.dtp", System::Linux, "./-x.dtp");
        check("- x.dtp", System::MacOs, "'./- x.dtp'");
        check("-x.dtp", System::Windows, r".\-x.dtp");
    }
}
