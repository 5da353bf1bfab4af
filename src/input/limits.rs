//! Limits on the unpacked size of containers: enough for every profile, too little for a zip bomb. The actual output is
//! counted, whatever a container claims.

use super::error::Failure;
use crate::input::messages;
use crate::units::size;

pub(crate) const MAX_LEVELS: usize = 4;

/// The unpacked size that is always allowed, whatever the ratio: less than a second of work, and larger than most
/// profiles.
pub(crate) const FREE_BYTES: u64 = 250_000_000;

/// The maximum compression ratio above [`FREE_BYTES`]. `perf script` of a deep recursion was 101 times larger than its
/// gzip file; common zip bombs reach deflate's limit of 1,032.
pub(crate) const MAX_RATIO: u64 = 400;

pub(crate) const MAX_BYTES: u64 = 64_000_000_000;

/// The maximum size of a zip archive on standard input or inside another container, which is read into memory.
pub(crate) const MAX_ARCHIVE_IN_MEMORY: u64 = 1_000_000_000;

/// The maximum number of members of a zip archive that are examined to find the profile.
pub(crate) const MAX_MEMBERS_SNIFFED: usize = 1000;

/// The same limits for data that a reader holds in memory: `perf record -z` compresses records 10 to 40 times.
const FREE_HELD_BYTES: u64 = 16_000_000;
const MAX_HELD_RATIO: u64 = 100;

/// Checks the unpacked size of a container. `packed` is the number of packed bytes so far, at most the file's size on
/// disk.
pub(crate) fn check(file: &str, packed: u64, unpacked: u64) -> Result<(), Box<Failure>> {
    if unpacked > MAX_BYTES {
        return Err(refused(
            file,
            messages::unpacks_to_too_much(&size(MAX_BYTES)),
        ));
    }
    check_ratio(file, (FREE_BYTES, MAX_RATIO), packed, unpacked)
}

pub(crate) fn check_held(file: &str, packed: u64, unpacked: u64) -> Result<(), Box<Failure>> {
    check_ratio(file, (FREE_HELD_BYTES, MAX_HELD_RATIO), packed, unpacked)
}

fn check_ratio(
    file: &str,
    (free_bytes, max_ratio): (u64, u64),
    packed: u64,
    unpacked: u64,
) -> Result<(), Box<Failure>> {
    if unpacked > free_bytes && unpacked / max_ratio > packed {
        let [free, packed, unpacked] = [free_bytes, packed, unpacked].map(size);
        let problem = messages::unpacks_suspiciously(&free, &max_ratio, &packed, &unpacked);
        return Err(refused(file, problem));
    }
    Ok(())
}

fn refused(file: &str, problem: String) -> Box<Failure> {
    let failure = Failure::new(file, "", problem);
    failure.advice(messages::IF_REALLY_A_PROFILE).into()
}

pub(crate) fn too_deep(file: &str) -> Failure {
    let problem = messages::nested_too_deeply(&MAX_LEVELS);
    Failure::new(file, "", problem).advice(messages::UNPACK_AND_OPEN)
}
