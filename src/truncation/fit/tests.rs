use super::*;

fn frames(text: &str) -> Vec<FrameId> {
    text.bytes().map(|byte| FrameId(byte.into())).collect()
}

#[track_caller]
fn check(pattern: &str, text: &str) {
    let (pattern, text) = (frames(pattern), frames(text));
    let (mut joined, mut matches) = (Vec::new(), Vec::new());
    let found = overlaps(&pattern, &text, &mut joined, &mut matches);
    let same = |at: usize| {
        text[at..]
            .iter()
            .zip(&pattern)
            .take_while(|(a, b)| a == b)
            .count() as u32
    };
    assert_eq!(found, (0..text.len()).map(same).collect::<Vec<_>>());
}

#[test]
fn overlaps_match_their_definition() {
    check("abc", "");
    check("abc", "xxabcxabab");
    check("aaaa", "aaaaaabaaa");
    check("abab", "abababab");
    check("a", "aaa");
    check("abcabcabd", "abcabcabcabdabc");
    check("aabaab", "aabaabaabaabaac");
}
