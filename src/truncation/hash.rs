//! Rolling hashes of consecutive frames: frames at the outer end can be removed again.

use crate::model::FrameId;

/// Anchors with the same hash are compared frame by frame.
pub(super) const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

fn scramble(frame: FrameId) -> u64 {
    let x = u64::from(frame.0)
        .wrapping_add(1)
        .wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^ (x >> 29)
}

pub(super) fn hash_of(frames: &[FrameId]) -> u64 {
    frames.iter().fold(0, |hash, &frame| extended(hash, frame))
}

pub(super) fn extended(hash: u64, frame: FrameId) -> u64 {
    hash.wrapping_mul(FACTOR).wrapping_add(scramble(frame))
}
