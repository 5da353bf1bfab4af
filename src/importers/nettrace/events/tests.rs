use super::*;

/// Headers one at a time, skipping payloads.
#[track_caller]
fn check_compressed(bytes: &[u8], expect: &[EventHeader]) {
    let (mut cursor, mut header) = (Cursor::new(bytes), EventHeader::default());
    for (index, expected) in expect.iter().enumerate() {
        compressed(&mut cursor, &mut header, EventContent::Events)
            .unwrap_or_else(|| panic!("header {index} ends early"));
        assert_eq!(&header, expected, "header {index}");
        cursor.skip(header.payload_bytes as usize).expect("payload");
    }
    assert!(cursor.is_at_end());
}

#[test]
fn compressed_headers_contain_only_differences() {
    let first = EventHeader {
        metadata_id: 3,
        sequence: 1,
        capture_thread: 9,
        thread: 300,
        stack: 7,
        timestamp: 1000,
        payload_bytes: 2,
    };
    let second = EventHeader {
        sequence: 2,
        timestamp: 1005,
        ..first
    };
    // another capture thread, with fewer events and an earlier time
    let third = EventHeader {
        sequence: 1,
        capture_thread: 8,
        timestamp: 1004,
        ..first
    };
    #[rustfmt::skip]
        let bytes = [
            0x8f, 3, 0, 9, 0, 0xac, 2, 7, 0xe8, 7, 2, 0xaa, 0xaa,
            0x00, 5, 0xbb, 0xbb,
            // 2 + 4,294,967,294 + 1 wraps to 1; 1005 - 1 from ten groups of ones, the last with a single bit
            0x02, 0xfe, 0xff, 0xff, 0xff, 0x0f, 8, 0,
            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0xcc, 0xcc,
        ];
    check_compressed(&bytes, &[first, second, third]);
}

#[test]
fn metadata_is_not_counted_and_activities_are_skipped() {
    let header = EventHeader {
        timestamp: 1,
        payload_bytes: 0,
        ..EventHeader::default()
    };
    let mut bytes = vec![0xb0, 1];
    bytes.extend([0xee; 32]);
    bytes.push(0);
    check_compressed(&bytes, &[header]);
}

/// As at the start of every real metadata block: the sequence is 0 - 1 + 1.
#[test]
fn metadata_with_a_thread_has_the_sequence_0() {
    let header = EventHeader {
        capture_thread: 9,
        timestamp: 1,
        ..EventHeader::default()
    };
    check_compressed(&[0x02, 0xff, 0xff, 0xff, 0xff, 0x0f, 9, 0, 1], &[header]);
}

#[test]
fn uncompressed_headers() {
    let mut bytes = Vec::new();
    bytes.extend(80u32.to_le_bytes());
    bytes.extend(0x8000_0005u32.to_le_bytes());
    bytes.extend(6u32.to_le_bytes());
    bytes.extend(7u64.to_le_bytes());
    bytes.extend(8u64.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(9u32.to_le_bytes());
    bytes.extend(10u64.to_le_bytes());
    bytes.extend([0; 32]);
    bytes.extend(4u32.to_le_bytes());
    let (mut cursor, mut header) = (Cursor::new(&bytes), EventHeader::default());
    full(&mut cursor, &mut header, EventContent::Events).unwrap();
    let expect = EventHeader {
        metadata_id: 5,
        sequence: 6,
        capture_thread: 8,
        thread: 7,
        stack: 9,
        timestamp: 10,
        payload_bytes: 4,
    };
    assert_eq!(header, expect);
    assert!(cursor.is_at_end());
}
