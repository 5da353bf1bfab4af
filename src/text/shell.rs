/// Quotes a word for a shell if necessary. Removes control characters.
pub fn quoted(word: &str) -> String {
    let word: String = word.chars().filter(|c| !c.is_control()).collect();
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:,=@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Quotes untrusted text so that it can't end the quotes.
pub fn quoted_text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests;
