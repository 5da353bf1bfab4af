//! Hashes of frames in a row, which roll: what leaves at the outer end can be taken out again.

use crate::model::FrameId;

/// An odd factor for hashes of frames in order. Anchors and whole stacks with the same hash are compared frame by frame, cores are
/// not: a file that was made for it can have two cores taken for one, and gets wrong callers.
pub(super) const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// A frame as a number to be hashed.
fn scattered(frame: FrameId) -> u64 {
    let x = u64::from(frame.0)
        .wrapping_add(1)
        .wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^ (x >> 29)
}

/// The hash of frames in order.
pub(super) fn hash_of(frames: &[FrameId]) -> u64 {
    frames.iter().fold(0, |hash, &frame| extended(hash, frame))
}

/// The hash of frames that are followed by another.
pub(super) fn extended(hash: u64, frame: FrameId) -> u64 {
    hash.wrapping_mul(FACTOR).wrapping_add(scattered(frame))
}
