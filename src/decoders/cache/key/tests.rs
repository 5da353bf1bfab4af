use super::*;

/// The values are from `sha256sum` over the lengths and the texts.
#[test]
fn hashes_distinguish_text_boundaries() {
    for (parts, expect) in [
        (&[][..], "e3b0c44298fc1c149afbf4c8996fb924"),
        (&["ab", "c"], "43ee655579de01ca739b3f95c1c2d3f4"),
        (&["a", "bc"], "9a8acca1b6c6c0befd3fbc756aed625d"),
        (&["abc"], "ce91dc5eec0139adf091900d225971d6"),
    ] {
        assert_eq!(
            fingerprint(parts.iter().map(|part| part.as_bytes())),
            expect,
            "{parts:?}"
        );
    }
}
