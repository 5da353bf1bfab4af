//! Text cut to fit into cells.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The cells that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Where a text is cut to fit: it is `text[..head]`, an ellipsis, `text[tail..]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The number of bytes to keep at the start.
    pub head: usize,
    /// The byte where the kept end starts.
    pub tail: usize,
}

/// Where to cut a name so that it fits into `cells`; `None` if it fits as it is. What stands behind its last dot, which is the
/// method, stays whole if it can; else two thirds of the room go to the end. Characters of several cells or code points
/// are never torn.
pub fn cut_name(name: &str, cells: usize) -> Option<Cut> {
    if name.width() <= cells {
        return None;
    }
    let room = cells.saturating_sub(1);
    let method = method_from(name);
    let for_head = match name[method..].width() {
        whole if method > 0 && whole <= room => room - whole,
        _ => room / 3,
    };
    let (mut head, mut used) = (0, 0);
    for (at, grapheme) in name.grapheme_indices(true) {
        used += grapheme.width();
        if used > for_head {
            break;
        }
        head = at + grapheme.len();
    }
    let for_tail = room - name[..head].width();
    let mut tail = name.len();
    used = 0;
    for (at, grapheme) in name.grapheme_indices(true).rev() {
        used += grapheme.width();
        if used > for_tail || at < head {
            break;
        }
        tail = at;
    }
    Some(Cut { head, tail })
}

/// Where the method begins in a name: behind the last dot that stands in no brackets, or 0. Brackets of names that the compiler
/// makes up, such as `<Main>b__2`, are no type arguments, but hold no dots either.
fn method_from(name: &str) -> usize {
    let (mut depth, mut found) = (0i32, 0);
    for (at, c) in name.char_indices() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth -= 1,
            '.' if depth <= 0 => found = at + 1,
            _ => {}
        }
    }
    found
}

/// A name that takes at most `cells`. Arguments go first, as `(…)`, then the middle.
pub fn fit_name(name: &str, cells: usize) -> String {
    if name.width() <= cells {
        return name.to_string();
    }
    let short = name
        .find('(')
        .filter(|&at| at > 0 && !name[..at].ends_with(' '))
        .map(|at| format!("{}(…)", &name[..at]));
    let name = match &short {
        Some(short) if short.width() <= cells => return short.clone(),
        // without room for its name, nothing is said about arguments
        Some(short) => short.strip_suffix("(…)").unwrap_or(short),
        None => name,
    };
    match cut_name(name, cells) {
        _ if cells == 0 => String::new(),
        None => name.to_string(),
        Some(Cut { head, tail }) => format!("{}…{}", &name[..head], &name[tail..]),
    }
}

/// A text that takes at most `cells`, cut at its end.
pub fn fit_end(text: &str, cells: usize) -> String {
    if text.width() <= cells {
        return text.to_string();
    }
    let mut kept = String::new();
    for grapheme in text.graphemes(true) {
        if kept.width() + grapheme.width() + 1 > cells {
            break;
        }
        kept.push_str(grapheme);
    }
    if cells > 0 {
        kept.push('…');
    }
    kept
}

/// A text that takes at most `cells`, cut at its start.
pub fn fit_start(text: &str, cells: usize) -> String {
    if text.width() <= cells {
        return text.to_string();
    }
    let mut from = text.len();
    let mut used = 1;
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += grapheme.width();
        if used > cells {
            break;
        }
        from = at;
    }
    if cells == 0 {
        String::new()
    } else {
        format!("…{}", &text[from..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_method_survives_a_cut() {
        let long = "Acme.Orders.Consumer+<>c__DisplayClass12_0.<HandleAsync>b__1";
        for (name, cells, expect) in [
            (long, 60, long),
            (long, 40, "Acme.Orders.Consumer+<…<HandleAsync>b__1"),
            ("PriceRules.Discount", 15, "PriceR…Discount"),
            ("PriceRules.Discount", 6, "P…ount"),
            ("Cache<A.B,C.D>.Get", 10, "Cache<…Get"),
            (
                "Acme!Acme.Book.Match(class System.String,int32)",
                24,
                "Acme!Acme.Book.Match(…)",
            ),
            (
                "Acme!Acme.Book.Match(class System.String,int32)",
                14,
                "Acme!Acm…Match",
            ),
            ("Program.Main (async)", 16, "Pro…Main (async)"),
            (long, 2, "…1"),
            (long, 1, "…"),
            (long, 0, ""),
            ("値値値値", 5, "…値値"),
        ] {
            let fitted = fit_name(name, cells);
            assert!(width(&fitted) <= cells, "{fitted:?} in {cells}");
            assert_eq!(fitted, expect);
        }
        assert_eq!(fit_end("値値値値", 5), "値値…");
        assert_eq!(fit_start("値値値値", 4), "…値");
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_its_place(text in "\\PC{0,40}", cells in 0usize..50) {
            prop_assert!(width(&fit_name(&text, cells)) <= cells);
            prop_assert!(width(&fit_end(&text, cells)) <= cells);
            prop_assert!(width(&fit_start(&text, cells)) <= cells);
        }
    }
}
