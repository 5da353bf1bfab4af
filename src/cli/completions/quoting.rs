//! Words as typed in a shell, and quoted for it.

use crate::text::visible;
use clap_complete::engine::CompletionCandidate;

/// A word being typed; all shells but PowerShell pass it unparsed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TypedWord {
    pub word: String,
    /// The quote in which it ends.
    pub quote: Option<char>,
}

impl TypedWord {
    pub(super) fn new(typed: &str, shell: &str) -> TypedWord {
        let (mut word, mut quote) = (String::new(), None);
        if shell == "powershell" {
            word.push_str(typed);
            return TypedWord { word, quote };
        }
        let mut chars = typed.chars().peekable();
        while let Some(char) = chars.next() {
            // where this is false, a backslash is literal
            let is_escape = |next: Option<&char>| match quote {
                None => true,
                Some('"') => next.is_some_and(|next| r#""\$`"#.contains(*next)),
                Some(_) => shell == "fish" && next.is_some_and(|next| r"'\".contains(*next)),
            };
            match char {
                '\\' if is_escape(chars.peek()) => word.extend(chars.next()),
                '"' | '\'' if quote.is_none() => quote = Some(char),
                _ if quote == Some(char) => quote = None,
                _ => word.push(char),
            }
        }
        TypedWord { word, quote }
    }
}

/// A candidate quoted for the shell: bash and PowerShell insert it as it is, so a name could run a program. `quote` is
/// the one that is open. `None` for names that no shell shows unchanged.
pub(super) fn for_shell(
    candidate: CompletionCandidate,
    shell: &str,
    quote: Option<char>,
) -> Option<CompletionCandidate> {
    let word = candidate.get_value().to_str()?;
    if word.chars().any(char::is_control) || visible(word) != word {
        return None;
    }
    let mut quoted = match (shell, quote) {
        ("bash", None) => escaped(word),
        // history is looked up after an exclamation mark, even an escaped one in quotes
        ("bash", Some('"')) => replaced(word, |char| match char {
            '!' => Some(r#""\!""#.into()),
            _ => r#""\$`"#.contains(char).then(|| format!("\\{char}")),
        }),
        ("bash", Some(_)) => replaced(word, |char| (char == '\'').then(|| r"'\''".into())),
        ("powershell", _) if !word.chars().all(|c| is_plain(c) || c == '\\') => {
            // PowerShell takes typographic quotes for quotes, too
            let is_quote = |char| "'\u{2018}\u{2019}\u{201a}\u{201b}".contains(char);
            let doubled = replaced(word, |char| is_quote(char).then(|| format!("{char}{char}")));
            format!("'{doubled}'")
        }
        _ => return Some(candidate),
    };
    // bash adds no closing quote to a word that ends in that quote, even if it is escaped
    if let ("bash", Some(quote)) = (shell, quote)
        && quoted.ends_with(quote)
    {
        quoted.push(quote);
    }
    let (help, is_hidden) = (candidate.get_help().cloned(), candidate.is_hide_set());
    Some(CompletionCandidate::new(quoted).help(help).hide(is_hidden))
}

fn is_plain(char: char) -> bool {
    char.is_alphanumeric() || "-_./:%+".contains(char)
}

fn escaped(word: &str) -> String {
    let home = if word.starts_with("~/") { "~" } else { "" };
    let path = replaced(&word[home.len()..], |char| {
        let is_special = !is_plain(char) && !",@=".contains(char);
        is_special.then(|| format!("\\{char}"))
    });
    format!("{home}{path}")
}

fn replaced(word: &str, with: impl Fn(char) -> Option<String>) -> String {
    let replaced = |char: char| with(char).unwrap_or_else(|| char.into());
    word.chars().map(replaced).collect()
}

#[cfg(test)]
mod tests;
