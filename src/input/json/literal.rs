const WIDEST: usize = 16;

/// Up to 17 bytes of JSON text, starting with a quote, that are compared at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literal {
    /// what follows the quote, padded with zeros
    rest: u128,
    mask: u128,
    len: usize,
}

impl Literal {
    pub(crate) const fn key(name: &str) -> Literal {
        Literal::new(name, b"\":")
    }

    pub(crate) const fn string(text: &str) -> Literal {
        Literal::new(text, b"\"")
    }

    const fn new(text: &str, end: &[u8]) -> Literal {
        let (text, mut bytes) = (text.as_bytes(), [0; WIDEST]);
        let len = text.len() + end.len();
        assert!(len <= WIDEST, "too long for one comparison");
        let (start, rest) = bytes.split_at_mut(text.len());
        start.copy_from_slice(text);
        rest.split_at_mut(end.len()).0.copy_from_slice(end);
        Literal {
            rest: u128::from_le_bytes(bytes),
            mask: u128::MAX >> (8 * (WIDEST - len)),
            len: len + 1,
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Always `false` if fewer bytes are left than are compared.
    #[inline(always)]
    pub(crate) fn starts(&self, bytes: &[u8]) -> bool {
        match bytes {
            [b'"', rest @ ..] => rest
                .first_chunk()
                .is_some_and(|rest| u128::from_le_bytes(*rest) & self.mask == self.rest),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
