//! Limits on the unpacked size of containers: enough for every profile, too little for a zip bomb. The actual output
//! is counted, whatever a container claims.

use super::error::Failure;
use crate::input::messages;
use crate::units::size;

pub(crate) const MAX_LEVELS: usize = 4;

/// Always allowed: less than a second of work, and larger than most profiles.
pub(crate) const FREE_BYTES: u64 = 250_000_000;

/// Above [`FREE_BYTES`]. `perf script` of a deep recursion shrank 101 times; zip bombs reach deflate's limit of 1,032.
pub(crate) const MAX_RATIO: u64 = 400;

pub(crate) const MAX_BYTES: u64 = 64_000_000_000;

/// For zip archives on standard input or in another container.
pub(crate) const MAX_ARCHIVE_IN_MEMORY: u64 = 1_000_000_000;

/// How many members are examined to find the profile.
pub(crate) const MAX_MEMBERS_SNIFFED: usize = 1000;

/// [`FREE_BYTES`] and [`MAX_RATIO`] for data in memory: `perf record -z` compresses records 10 to 40 times.
pub(crate) const HELD: (u64, u64) = (16_000_000, 100);

/// Checks the unpacked size; `packed` is at most the file's size on disk.
pub(crate) fn check(file: &str, packed: u64, unpacked: u64) -> Result<(), Box<Failure>> {
    if unpacked > MAX_BYTES {
        let problem = messages::unpacks_to_too_much(&size(MAX_BYTES));
        return Err(refusal(file, problem));
    }
    check_ratio(file, (FREE_BYTES, MAX_RATIO), packed, unpacked)
}

pub(crate) fn check_ratio(
    file: &str,
    (free_bytes, max_ratio): (u64, u64),
    packed: u64,
    unpacked: u64,
) -> Result<(), Box<Failure>> {
    if unpacked > free_bytes && unpacked / max_ratio > packed {
        let [free, packed, unpacked] = [free_bytes, packed, unpacked].map(size);
        let problem = messages::unpacks_suspiciously(&free, &max_ratio, &packed, &unpacked);
        return Err(refusal(file, problem));
    }
    Ok(())
}

fn refusal(file: &str, problem: String) -> Box<Failure> {
    let failure = Failure::new(file, "", problem);
    failure.advice(messages::IF_REALLY_A_PROFILE).into()
}

pub(crate) fn too_deep(file: &str) -> Failure {
    let problem = messages::nested_too_deeply(&MAX_LEVELS);
    Failure::new(file, "", problem).advice(messages::UNPACK_AND_OPEN)
}
