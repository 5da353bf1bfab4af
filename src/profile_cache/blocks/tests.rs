use super::*;

fn written(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = BlockWriter::new(&mut out, &|| true);
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap();
    out
}

fn read(bytes: &[u8], len: usize) -> Result<Vec<u8>> {
    let mut reader = BlockReader::new(bytes, &|| true);
    let mut found = vec![0; len];
    reader.read_exact(&mut found)?;
    reader.finish().map(|()| found)
}

/// The CRC-32 is the example in its standard (ITU-T V.42, for the digits 1 to 9).
#[test]
fn blocks_start_with_length_and_checksum() {
    let expect = [
        &[9, 0, 0, 0, 0x26, 0x39, 0xf4, 0xcb][..],
        b"123456789",
        &[0; 8],
    ]
    .concat();
    assert_eq!(written(b"123456789"), expect);
    assert_eq!(written(b""), [0; 8]);
}

#[test]
fn blocks_round_trip() {
    for len in [
        0,
        1,
        BLOCK_BYTES - 1,
        BLOCK_BYTES,
        BLOCK_BYTES + 1,
        3 * BLOCK_BYTES,
    ] {
        let bytes: Vec<u8> = (0..len).map(|index| (index * 31 % 251) as u8).collect();
        let file = written(&bytes);
        assert_eq!(read(&file, len).unwrap(), bytes);
        if len > 0 {
            assert!(
                read(&file, len - 1).is_err(),
                "{len}: what was not asked for"
            );
        }
        assert!(read(&file, len + 1).is_err(), "{len}: more than there is");
    }
}

/// A flipped bit anywhere, and truncation anywhere.
#[test]
fn damage_is_detected() {
    let file = written(b"Every bit of this counts.");
    for bit in 0..file.len() * 8 {
        let mut damaged = file.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&damaged, 25).is_err(), "bit {bit}");
    }
    for end in 0..file.len() {
        assert!(read(&file[..end], 25).is_err(), "end {end}");
    }
}
