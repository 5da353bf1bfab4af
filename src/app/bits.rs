//! A set of small numbers with fast ranges and neighbors, one bit each.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BitSet {
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    pub(super) fn new(len: usize) -> BitSet {
        BitSet {
            words: vec![0; len.div_ceil(64)],
            len,
        }
    }

    pub(super) fn contains(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    pub(super) fn set(&mut self, index: usize, value: bool) {
        let bit = 1u64 << (index % 64);
        if value {
            self.words[index / 64] |= bit;
        } else {
            self.words[index / 64] &= !bit;
        }
    }

    pub(super) fn set_range(&mut self, from: usize, to: usize, value: bool) {
        for (word, mask) in masks(from, to) {
            if value {
                self.words[word] |= mask;
            } else {
                self.words[word] &= !mask;
            }
        }
    }

    /// How many of `from..to` are in the set. O(length / 64).
    pub(super) fn count(&self, from: usize, to: usize) -> usize {
        masks(from, to)
            .map(|(word, mask)| (self.words[word] & mask).count_ones() as usize)
            .sum()
    }

    pub(super) fn is_full(&self, from: usize, to: usize) -> bool {
        masks(from, to).all(|(word, mask)| self.words[word] & mask == mask)
    }

    pub(super) fn next(&self, from: usize) -> Option<usize> {
        if from >= self.len {
            return None;
        }
        let mut word = from / 64;
        let mut bits = self.words[word] & (!0 << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.words.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    pub(super) fn previous(&self, before: usize) -> Option<usize> {
        let last = before.min(self.len).checked_sub(1)?;
        let mut word = last / 64;
        let mut bits = self.words[word] & (!0 >> (63 - last % 64));
        while bits == 0 {
            word = word.checked_sub(1)?;
            bits = self.words[word];
        }
        Some(word * 64 + 63 - bits.leading_zeros() as usize)
    }

    /// The numbers in exactly one of two sets of the same length, ascending. O(length / 64).
    pub(super) fn differences(&self, other: &BitSet) -> impl Iterator<Item = usize> {
        let words = self.words.iter().zip(&other.words).enumerate();
        words.flat_map(|(word, (a, b))| {
            let mut bits = a ^ b;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                Some(word * 64 + bit)
            })
        })
    }

    /// Whether `index`, a multiple of 64, and the next 63 are all in the set.
    pub(super) fn is_full_word(&self, index: usize) -> bool {
        index.is_multiple_of(64) && self.words[index / 64] == !0
    }
}

fn masks(from: usize, to: usize) -> impl Iterator<Item = (usize, u64)> {
    let words = if from < to {
        from / 64..to.div_ceil(64)
    } else {
        0..0
    };
    words.map(move |word| {
        let (low, high) = (from.saturating_sub(word * 64), (to - word * 64).min(64));
        (word, (!0u64 >> (64 - (high - low))) << low)
    })
}

#[cfg(test)]
mod tests;
