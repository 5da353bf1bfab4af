//! Pseudorandom numbers, mutations of files, and checks that mutated files are handled.

use super::profiles::{check_tree, read_bytes};
use dotspot::testing::text::is_hostile;

/// Reads a file that may be damaged. The result must be a valid tree, or an error that is a sentence about the file.
pub fn survive(name: &str, bytes: Vec<u8>) -> bool {
    match read_bytes(name, bytes) {
        Ok(profile) => {
            check_tree(&profile);
            true
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(
                sentence.starts_with(name) && !sentence.chars().any(is_hostile),
                "{sentence}"
            );
            false
        }
    }
}

/// A small pseudorandom number generator with a fixed sequence (splitmix64).
pub struct Random(pub u64);

/// How many of `rounds` mutated versions of a text can be read. The others must be rejected with a sentence. `tokens`
/// are its significant bytes.
pub fn read_of_changed(name: &str, text: &[u8], tokens: &[u8], rounds: usize) -> usize {
    let mut random = Random(42);
    let changed = |_: &usize| {
        let mut bytes = text.to_vec();
        random.change_text(&mut bytes, tokens);
        survive(name, bytes)
    };
    (0..rounds).filter(changed).count()
}

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    /// Makes one to three changes to a text: to a byte or a bit, or by inserting, removing or duplicating bytes.
    /// `tokens` are its significant bytes.
    pub fn change_text(&mut self, bytes: &mut Vec<u8>, tokens: &[u8]) {
        for _ in 0..1 + self.below(3) {
            let at = self.below(bytes.len());
            match self.below(5) {
                0 => bytes[at] = tokens[self.below(tokens.len())],
                1 => bytes[at] ^= 1 << self.below(8),
                2 => bytes.insert(at, tokens[self.below(tokens.len())]),
                3 => drop(bytes.drain(at..(at + self.below(40)).min(bytes.len()))),
                _ => {
                    let end = (at + self.below(200)).min(bytes.len());
                    let again = bytes[at..end].to_vec();
                    bytes.splice(end..end, again);
                }
            }
        }
    }

    /// Changes a binary file in one to five places: bits, bytes, runs of them; or removes some.
    pub fn change_bytes(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            let end = (at + 1 + self.below(8)).min(bytes.len());
            match self.below(4) {
                0 => bytes[at] ^= 1 << self.below(8),
                1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][self.below(5)],
                2 => bytes[at..end].fill(0xff),
                _ => drop(bytes.drain(at..end)),
            }
        }
    }
}
