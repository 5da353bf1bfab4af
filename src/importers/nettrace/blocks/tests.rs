use super::*;

/// An empty header, two blocks, and the end.
fn recording() -> Vec<u8> {
    let mut bytes = START.to_vec();
    bytes.extend([5, 5, 1, 4, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0]);
    bytes.extend(b"Trace\x06");
    bytes.extend([7; TRACE_BYTES]);
    bytes.push(6);
    push_block(&mut bytes, 0, "EventBlock", &[1, 2, 3]);
    push_block(&mut bytes, 0, "SPBlock", &[]);
    bytes.push(1);
    bytes
}

fn blocks_of(pieces: &[&[u8]]) -> (Blocks, Vec<(String, usize)>) {
    let (mut blocks, mut found) = (Blocks::default(), Vec::new());
    for piece in pieces {
        blocks.push(piece, |name, content| {
            found.push((String::from_utf8_lossy(name).into_owned(), content.len()));
        });
    }
    (blocks, found)
}

#[test]
fn pieces_of_any_length_yield_the_same_blocks() {
    let bytes = recording();
    let all = [
        ("Trace".to_string(), 48),
        ("EventBlock".to_string(), 3),
        ("SPBlock".to_string(), 0),
    ];
    for cut in 0..=bytes.len() {
        let (blocks, found) = blocks_of(&[&bytes[..cut], &bytes[cut..]]);
        assert!(blocks.is_whole && !blocks.is_damaged, "cut at {cut}");
        assert_eq!(found, all, "cut at {cut}");
        assert_eq!(blocks.complete_bytes, bytes.len() as u64);
        // a cut there leaves the complete blocks
        let (blocks, found) = blocks_of(&[&bytes[..cut]]);
        assert_eq!(blocks.is_whole, cut == bytes.len());
        assert!(!blocks.is_damaged && found.len() <= 3 && blocks.complete_bytes <= cut as u64);
    }
}

#[test]
fn nonsense_is_not_a_recording() {
    for at in [0, 43, recording().len() - 1] {
        let mut bytes = recording();
        bytes[at] = 9;
        // byte 43 is the length of the first name; its object then has no end
        let (blocks, _) = blocks_of(&[&bytes]);
        assert!(!blocks.is_whole, "byte {at}");
    }
    assert!(blocks_of(&[b"HTTP/1.1 400"]).0.is_damaged);
}
