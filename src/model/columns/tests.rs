use super::*;

/// The bytes are those that borsh specifies for vectors except for the length, which has 32 bits there.
#[test]
fn columns_round_trip() {
    let mut bytes = Vec::new();
    write(&[1u64, 0x0102_0304_0506_0708], &mut bytes).unwrap();
    assert_eq!(
        bytes,
        [
            2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1
        ]
    );
    assert_eq!(
        read::<u64, 8>(&mut &bytes[..]).unwrap(),
        [1, 0x0102_0304_0506_0708]
    );
    assert!(read::<u64, 8>(&mut &bytes[..23]).is_err());
    for len in [0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE] {
        let column: Vec<FrameId> = (0..len).map(|index| FrameId::at(index * 77_777)).collect();
        let mut bytes = Vec::new();
        write(&column, &mut bytes).unwrap();
        assert_eq!(bytes.len(), 8 + 4 * len);
        assert_eq!(read::<FrameId, 4>(&mut &bytes[..]).unwrap(), column);
    }
}

#[test]
fn a_column_too_large_for_memory_is_an_error() {
    let error = read::<u64, 8>(&mut &[0xff; 8][..]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
}
