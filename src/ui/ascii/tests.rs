use super::*;

fn sign(symbol: char) -> &'static str {
    like(symbol.encode_utf8(&mut [0; 4]))
}

#[test]
fn signs_that_need_two_cells_get_them() {
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

/// The order is that of the ink in a cell of a usual font.
#[test]
fn levels_grow_heavier_and_are_no_dots() {
    for (levels, order) in [("▁▂▃▄▅▆▇█", ".:=+*#"), ("▏▎▍▌▋▊▉█", "|:=+*#")]
    {
        let weights: Vec<usize> = levels
            .chars()
            .map(|level| order.find(sign(level)).unwrap())
            .collect();
        assert!(weights.is_sorted(), "{levels}: {weights:?}");
        assert_eq!((weights[0], weights[7]), (0, 5));
        for other in "·•░●".chars() {
            assert!(!order.contains(sign(other)), "{other}");
        }
    }
}
