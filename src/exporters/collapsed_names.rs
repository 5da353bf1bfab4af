use super::tracks::NAMELESS;
use crate::text::visible;

pub(super) fn written(name: &str) -> String {
    let name = visible(name).replace(';', ":");
    let name = name.trim();
    match name.strip_prefix('#') {
        // `#` starts a comment
        Some(rest) => format!("\\u{{23}}{rest}"),
        None if name.is_empty() => NAMELESS.into(),
        None => name.into(),
    }
}

#[cfg(test)]
mod tests;
