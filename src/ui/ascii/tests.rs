use super::*;

fn replacement(symbol: char) -> &'static str {
    similar(symbol.encode_utf8(&mut [0; 4]))
}

#[test]
fn two_cell_replacements_get_two_cells() {
    for (text, expect) in [
        (" ▾incl ms", "v incl ms"),
        ("▾ Main", "v Main"),
        ("wall ±38 %", "wall+-38 %"),
        ("Dictionary…", "Dictionar.."),
        ("v … 18 frames", "v ..18 frames"),
        (" …+37", " .+37"),
    ] {
        let mut buffer = Buffer::with_lines([text]);
        replace(&mut buffer);
        assert_eq!(buffer, Buffer::with_lines([expect]));
    }
    assert_eq!(in_ascii("a… ±3 ▂"), "a.. +-3 :");
}

/// Sorted by the amount of ink in a cell of a common font.
#[test]
fn levels_get_heavier_and_are_not_dots() {
    for (levels, order) in [("▁▂▃▄▅▆▇█", ".:=+*#"), ("▏▎▍▌▋▊▉█", "|:=+*#")]
    {
        let weights: Vec<usize> = levels
            .chars()
            .map(|level| order.find(replacement(level)).unwrap())
            .collect();
        assert!(weights.is_sorted(), "{levels}: {weights:?}");
        assert_eq!((weights[0], weights[7]), (0, 5));
        for other in "·•░●".chars() {
            assert!(!order.contains(replacement(other)), "{other}");
        }
    }
}
