//! How one term is looked for in one name: cheap checks that decide, before the matcher of fuzzy-matcher gives scores.

/// A character without its case. A letter whose lower case is not one character of the same length in UTF-8 stays as it is
/// (`ẞ`, `İ`, the kelvin sign), so that offsets into a text hold for the folded text too.
pub(super) fn fold(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) if only.len_utf8() == c.len_utf8() => only,
        _ => c,
    }
}

/// The characters of a folded text as a set of 64: a name without one of a term's characters cannot hold the term.
pub(super) fn mask(folded: &str) -> u64 {
    folded.chars().fold(0, |mask, c| {
        mask | 1
            << match c {
                'a'..='z' => c as u32 - 'a' as u32,
                '0'..='9' => 26 + (c as u32 - '0' as u32),
                '.' => 36,
                '_' => 37,
                '<' | '>' => 38,
                // the rest shares what is left
                _ => 39 + c as u32 % 25,
            }
    })
}

/// Whether all characters of `needle` occur in `hay` in this order. O(length of `hay`).
pub(super) fn is_subsequence(hay: &str, needle: &str) -> bool {
    if needle.is_ascii() {
        // the bytes of ASCII characters do not occur within others
        let mut wanted = needle.bytes();
        let mut next = wanted.next();
        for byte in hay.bytes() {
            match next {
                Some(want) if want == byte => next = wanted.next(),
                Some(_) => {}
                None => break,
            }
        }
        return next.is_none();
    }
    let mut rest = hay.chars();
    needle.chars().all(|want| rest.any(|c| c == want))
}

/// Whether a word starts at a byte offset of a name: after a character that is neither letter nor digit, and at
/// an uppercase letter after another kind.
pub(super) fn is_word_start(name: &str, at: usize) -> bool {
    let bytes = name.as_bytes();
    if let (Some(before), Some(c)) = (bytes[..at].last(), bytes.get(at))
        && before.is_ascii()
        && c.is_ascii()
    {
        return !before.is_ascii_alphanumeric()
            || c.is_ascii_uppercase() && !before.is_ascii_uppercase();
    }
    match (name[..at].chars().next_back(), name[at..].chars().next()) {
        (None, _) => true,
        (Some(before), Some(c)) => {
            !before.is_alphanumeric() || c.is_uppercase() && !before.is_uppercase()
        }
        (_, None) => false,
    }
}

/// Where `needle`, which is not empty, occurs in `hay`: at the start of a word of `name` if it does so anywhere, else the first
/// place. `hay` is `name` or the same folded.
pub(super) fn occurrence(name: &str, hay: &str, needle: &str) -> Option<usize> {
    let (bytes, wanted) = (hay.as_bytes(), needle.as_bytes());
    let mut found = None;
    for (at, piece) in bytes.windows(wanted.len().max(1)).enumerate() {
        // equal bytes from the first byte of a character on are equal characters; most pieces differ in their first byte, so
        // this is faster than a comparison of slices
        if piece.iter().zip(wanted).all(|(a, b)| a == b) {
            if is_word_start(name, at) {
                return Some(at);
            }
            found = found.or(Some(at));
        }
    }
    found
}

/// Whether `needle` can be read off the words of a name, a piece from the start of each: `prev` of `PriceRules.Evaluate`.
/// A cheap guess that takes the first word that fits. `folded` is the name without case, and so is `needle`.
pub(super) fn is_by_words(name: &str, folded: &str, needle: &str) -> bool {
    if needle.is_ascii() {
        // the bytes of ASCII characters do not occur within others
        is_by_words_of(name, folded.bytes().enumerate(), needle.bytes())
    } else {
        is_by_words_of(name, folded.char_indices(), needle.chars())
    }
}

fn is_by_words_of<T: PartialEq>(
    name: &str,
    folded: impl Iterator<Item = (usize, T)>,
    mut wanted: impl Iterator<Item = T>,
) -> bool {
    let Some(mut next) = wanted.next() else {
        return true;
    };
    let mut within_piece = false;
    for (at, c) in folded {
        within_piece = c == next && (within_piece || is_word_start(name, at));
        if within_piece {
            match wanted.next() {
                Some(c) => next = c,
                None => return true,
            }
        }
    }
    false
}

/// Where the method's own name starts: behind the last dot outside of brackets.
pub(super) fn own_name_start(name: &str) -> usize {
    let mut depth = 0i32;
    for (at, byte) in name.bytes().enumerate().rev() {
        match byte {
            b'>' | b')' => depth += 1,
            b'<' | b'(' => depth -= 1,
            b'.' if depth <= 0 => return at + 1,
            _ => {}
        }
    }
    0
}

/// A term prepared for typing errors: one character too many, too few, wrong, or swapped with its neighbour.
#[derive(Clone, Debug)]
pub(super) struct Typos {
    term: Vec<char>,
    is_ascii: bool,
    /// for each character of the term the places where it stands, a bit each; sorted by character
    places: Vec<(char, u64)>,
    /// the same for ASCII, to be looked up at once
    ascii_places: Box<[u64; 128]>,
    /// The term with two neighbours swapped.
    pub swapped: Vec<String>,
    /// The term with a character left out.
    pub shortened: Vec<String>,
}

impl Typos {
    /// Shorter terms with an error in them would find nearly everything.
    const SHORTEST: usize = 4;
    /// Bits must do.
    const LONGEST: usize = 64;

    /// `None` for a term that is too short or too long.
    pub(super) fn of(folded: &str) -> Option<Typos> {
        let term: Vec<char> = folded.chars().collect();
        if !(Self::SHORTEST..=Self::LONGEST).contains(&term.len()) {
            return None;
        }
        let mut places: Vec<(char, u64)> = Vec::new();
        let mut ascii_places = Box::new([0; 128]);
        for (index, &c) in term.iter().enumerate() {
            if let Some(bits) = ascii_places.get_mut(c as usize) {
                *bits |= 1 << index;
            } else if let Some((_, bits)) = places.iter_mut().find(|(known, _)| *known == c) {
                *bits |= 1 << index;
            } else {
                places.push((c, 1 << index));
            }
        }
        let swapped = (1..term.len()).map(|index| {
            let mut swapped = term.clone();
            swapped.swap(index - 1, index);
            swapped.into_iter().collect()
        });
        let mut shortened: Vec<String> = (0..term.len())
            .map(|index| {
                term.iter()
                    .enumerate()
                    .filter(|(at, _)| *at != index)
                    .map(|(_, c)| c)
                    .collect()
            })
            .collect();
        // leaving out either of two equal neighbours comes to the same
        shortened.dedup();
        let swapped = swapped.collect();
        Some(Typos {
            is_ascii: folded.is_ascii(),
            term,
            places,
            ascii_places,
            swapped,
            shortened,
        })
    }

    fn places(&self, c: char) -> u64 {
        match self.ascii_places.get(c as usize) {
            Some(&bits) => bits,
            None => self
                .places
                .iter()
                .find(|(known, _)| *known == c)
                .map_or(0, |(_, bits)| *bits),
        }
    }

    /// Whether `hay` holds the term's characters in order, but for at most one. O(length of `hay`).
    pub(super) fn is_subsequence_but_one(&self, hay: &str) -> bool {
        if self.is_ascii {
            // the bytes of ASCII characters do not occur within others
            let term = |index: usize| self.term[index] as u8;
            is_subsequence_but_one(
                self.term.len(),
                term,
                hay.bytes().enumerate(),
                hay.bytes().enumerate().rev(),
            )
        } else {
            let term = |index: usize| self.term[index];
            is_subsequence_but_one(
                self.term.len(),
                term,
                hay.char_indices(),
                hay.char_indices().rev(),
            )
        }
    }

    /// Whether a piece of `hay` becomes the term by one change: a character added, left out, replaced, or swapped with its neighbour.
    ///
    /// The bit-parallel search of Wu and Manber: bit i of `exact` says that the term's first i+1 characters end here, the same bit
    /// of `changed` that they do so with one change. O(length of `hay`).
    pub(super) fn is_close(&self, hay: &str) -> bool {
        if hay.is_ascii() {
            self.is_close_to(hay.bytes().map(char::from))
        } else {
            self.is_close_to(hay.chars())
        }
    }

    fn is_close_to(&self, hay: impl Iterator<Item = char>) -> bool {
        let whole = 1u64 << (self.term.len() - 1);
        // the first character can be left out before anything was read
        let (mut exact, mut changed) = (0u64, 1u64);
        // the state before the last character, and where that character stands in the term
        let (mut exact_before, mut places_before) = (0u64, 0u64);
        for c in hay {
            let places = self.places(c);
            let next = (exact << 1 | 1) & places;
            let swapped = (exact_before << 2 | 0b10) & places_before & (places << 1);
            // in turn: no change here, `c` is too many, `c` stands for another, a character is left out
            changed =
                (changed << 1 | 1) & places | exact | (exact << 1 | 1) | (next << 1 | 1) | swapped;
            (exact_before, places_before, exact) = (exact, places, next);
            if changed & whole != 0 {
                return true;
            }
        }
        false
    }
}

/// See [`Typos::is_subsequence_but_one`]. `forward` and `backward` give the text's characters with their places, from either end.
fn is_subsequence_but_one<T: PartialEq>(
    len: usize,
    term: impl Fn(usize) -> T,
    forward: impl Iterator<Item = (usize, T)>,
    mut backward: impl Iterator<Item = (usize, T)>,
) -> bool {
    // starts[i]: one past where the i-th character stands at the earliest, if those before it do; `starts[0]` is before all
    let mut starts = [0usize; Typos::LONGEST + 1];
    let mut from_start = 0;
    for (at, c) in forward {
        if c == term(from_start) {
            from_start += 1;
            starts[from_start] = at + 1;
            if from_start + 1 == len {
                return true;
            }
        }
    }
    // the same from the end: as many characters as it takes to leave out the first one that was not found, or one before it
    let mut behind = len;
    let mut start = usize::MAX;
    loop {
        // all but the character before `behind`
        if behind <= from_start + 1 && starts[behind - 1] <= start {
            return true;
        }
        behind -= 1;
        if behind == 0 {
            return false;
        }
        match backward.find(|(_, c)| *c == term(behind)) {
            Some((at, _)) => start = at,
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_keeps_lengths() {
        assert_eq!(
            "Größe ÄÖ ΣΩ İẞ\u{212a}"
                .chars()
                .map(fold)
                .collect::<String>(),
            "größe äö σω İẞ\u{212a}"
        );
    }

    #[test]
    fn subsequences() {
        for (hay, needle, expect) in [
            ("pricerules.evaluate", "prev", true),
            ("pricerules.evaluate", "verp", false),
            ("abc", "abc", true),
            ("abc", "abcc", false),
            ("größe", "gß", true),
            ("größe", "ßö", false),
            ("", "a", false),
            // the second bytes of `ã` and of `£` are the same
            ("ã", "£", false),
        ] {
            assert_eq!(is_subsequence(hay, needle), expect, "{needle} in {hay}");
        }
    }

    #[test]
    fn words() {
        let starts = |name: &str| -> String {
            name.char_indices()
                .filter(|(at, _)| is_word_start(name, *at))
                .map(|(_, c)| c)
                .collect()
        };
        assert_eq!(starts("PriceRules.get_Item"), "PRgI");
        assert_eq!(starts("HTTPClient2.X (async)"), "HX(a");
        assert_eq!(starts("größeÄndern"), "gÄ");
        let by_words = |name: &str, needle| is_by_words(name, &name.to_lowercase(), needle);
        assert!(by_words("PriceRules.Evaluate", "prev"));
        assert!(by_words("PriceRules.Evaluate", "pricee"));
        assert!(!by_words("PriceRules.Evaluate", "ulev"));
        assert!(!by_words("PriceRules.Evaluate", "prva"));
        assert!(by_words("GrößeÄndern", "gröän"));
        assert!(!by_words("GrößeÄndern", "gröd"));
    }

    #[test]
    fn occurrences_prefer_the_start_of_a_word() {
        let find = |name: &str, needle: &str| occurrence(name, &name.to_lowercase(), needle);
        assert_eq!(find("Reread.Read", "read"), Some(7));
        assert_eq!(find("Reread.Spread", "read"), Some(2));
        assert_eq!(find("Reread", "readx"), None);
        assert_eq!(find("Reread", "rereadx"), None);
        assert_eq!(occurrence("Größe.Öl", "größe.öl", "öl"), Some(8));
    }

    #[test]
    fn own_names() {
        for (name, own) in [
            ("PriceRules.Evaluate", "Evaluate"),
            ("Evaluate", "Evaluate"),
            ("OrderBook..ctor", "ctor"),
            ("Box<Program.Main>.MoveNext", "MoveNext"),
            ("Book.Find<A.B>", "Find<A.B>"),
            ("Program.Main.lambda 2 (async)", "lambda 2 (async)"),
        ] {
            assert_eq!(&name[own_name_start(name)..], own);
        }
    }

    #[track_caller]
    fn check_typo(term: &str, hay: &str, but_one: bool, close: bool) {
        let typos = Typos::of(term).unwrap();
        assert_eq!(
            typos.is_subsequence_but_one(hay),
            but_one,
            "{term} in {hay}, all but one"
        );
        assert_eq!(typos.is_close(hay), close, "{term} in {hay}, close");
    }

    #[test]
    fn typing_errors() {
        check_typo("discuont", "pricerules.discount", true, true);
        check_typo("discoumt", "pricerules.discount", true, true);
        check_typo("disccount", "pricerules.discount", true, true);
        check_typo("dicount", "pricerules.discount", true, true);
        check_typo("xiscount", "pricerules.discount", true, true);
        check_typo("discounx", "pricerules.discount", true, true);
        check_typo("evalaute", "evaluate", true, true);
        check_typo("prulez", "pricerules", true, false);
        check_typo("zpricrul", "pricerules", true, false);
        check_typo("dxscuynt", "discount", false, false);
        check_typo("abcd", "dcba", false, false);
        check_typo("größre", "größer", true, true);
        check_typo("abcd", "", false, false);
    }

    #[test]
    fn only_terms_of_some_length_may_have_errors() {
        assert!(Typos::of("abc").is_none());
        assert!(
            Typos::of(&"a".repeat(64))
                .unwrap()
                .is_close(&"a".repeat(63))
        );
        assert!(Typos::of(&"a".repeat(65)).is_none());
        let typos = Typos::of("abbc").unwrap();
        assert_eq!(typos.swapped, ["babc", "abbc", "abcb"]);
        assert_eq!(typos.shortened, ["bbc", "abc", "abb"]);
    }
}
