use super::{Counts, RawNode};

pub(super) trait RawNumber: Copy + Default + PartialOrd {
    fn plus(self, other: Self) -> Self;
}

impl RawNumber for u32 {
    fn plus(self, other: u32) -> u32 {
        self.saturating_add(other)
    }
}

impl RawNumber for u64 {
    fn plus(self, other: u64) -> u64 {
        self.saturating_add(other)
    }
}

/// Values by raw node. Those past the end are 0, so a metric without values takes no memory.
#[derive(Clone, Default)]
pub(super) struct RawColumn<T = u64>(Vec<T>);

impl<T: RawNumber> RawColumn<T> {
    #[inline]
    pub(super) fn get(&self, node: RawNode) -> T {
        self.0.get(node.0 as usize).copied().unwrap_or_default()
    }

    pub(super) fn values_mut(&mut self) -> &mut [T] {
        &mut self.0
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<T>()
    }

    pub(super) fn reserve(&mut self, nodes: usize) {
        self.0.reserve(nodes.saturating_sub(self.0.len()));
    }

    pub(super) fn has_values(&self) -> bool {
        self.0.iter().any(|&value| value > T::default())
    }

    /// `room` is the capacity in nodes; see [`RawColumn::push`].
    #[inline]
    pub(super) fn set(&mut self, node: RawNode, value: T, room: usize) {
        match self.0.get_mut(node.0 as usize) {
            Some(old) => *old = value,
            None => self.push(node, value, room),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, node: RawNode, value: T, room: usize) {
        match self.0.get_mut(node.0 as usize) {
            Some(sum) => *sum = sum.plus(value),
            None => self.push(node, value, room),
        }
    }

    /// Grows to the capacity of the nodes: doubling would take more memory than all the rest.
    #[inline]
    fn push(&mut self, node: RawNode, value: T, room: usize) {
        if value > T::default() {
            if node.0 as usize >= self.0.capacity() {
                self.0.reserve_exact(room - self.0.len());
            }
            self.0.resize(node.0 as usize, T::default());
            self.0.push(value);
        }
    }

    /// Appends another column without its first row, from row `first` on.
    pub(super) fn append(&mut self, first: usize, rest: RawColumn<T>) {
        if rest.0.len() > 1 {
            let rows = first + rest.0.len() - 1;
            self.0.reserve_exact(rows.saturating_sub(self.0.len()));
            self.0.resize(first, T::default());
            self.0.extend_from_slice(&rest.0[1..]);
        }
    }

    /// Callers precede callees, so one backward pass is enough.
    pub(super) fn add_to_parents(&mut self, parents: &[RawNode]) {
        for node in (1..self.0.len()).rev() {
            let (value, sum) = (self.0[node], &mut self.0[parents[node].0 as usize]);
            *sum = sum.plus(value);
        }
    }

    pub(super) fn raise_to(&mut self, minimum: &RawColumn<T>) {
        self.0
            .resize(self.0.len().max(minimum.0.len()), T::default());
        for (value, &minimum) in self.0.iter_mut().zip(&minimum.0) {
            if *value < minimum {
                *value = minimum;
            }
        }
    }

    /// Zeros are not written, so pages full of them take no memory.
    pub(super) fn placed(self, position: &[u32]) -> Vec<T> {
        let mut values = vec![T::default(); position.len()];
        for (&node, value) in position.iter().zip(self.0) {
            if value > T::default() {
                values[node as usize] = value;
            }
        }
        values
    }
}

#[derive(Clone)]
pub(super) enum RawCounts {
    Narrow(RawColumn<u32>),
    Wide(RawColumn<u64>),
}

impl Default for RawCounts {
    fn default() -> RawCounts {
        RawCounts::Narrow(RawColumn::default())
    }
}

impl RawCounts {
    #[inline]
    pub(super) fn get(&self, node: RawNode) -> u64 {
        match self {
            RawCounts::Narrow(counts) => counts.get(node).into(),
            RawCounts::Wide(counts) => counts.get(node),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            RawCounts::Narrow(counts) => counts.bytes(),
            RawCounts::Wide(counts) => counts.bytes(),
        }
    }

    pub(super) fn reserve(&mut self, nodes: usize) {
        match self {
            RawCounts::Narrow(counts) => counts.reserve(nodes),
            RawCounts::Wide(counts) => counts.reserve(nodes),
        }
    }

    #[cold]
    fn widened(&mut self) -> &mut RawColumn<u64> {
        if let RawCounts::Narrow(counts) = self {
            *self = RawCounts::Wide(RawColumn(
                counts.0.iter().map(|&count| count.into()).collect(),
            ));
        }
        match self {
            RawCounts::Wide(counts) => counts,
            RawCounts::Narrow(_) => unreachable!("it was just made wide"),
        }
    }

    #[inline]
    pub(super) fn set(&mut self, node: RawNode, count: u64, room: usize) {
        match (u32::try_from(count), self) {
            (Ok(count), RawCounts::Narrow(counts)) => counts.set(node, count, room),
            (_, RawCounts::Wide(counts)) => counts.set(node, count, room),
            (Err(_), counts) => counts.widened().set(node, count, room),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, node: RawNode, count: u64, room: usize) {
        let sum = self.get(node).saturating_add(count);
        self.set(node, sum, room);
    }

    pub(super) fn append(&mut self, first: usize, rest: RawCounts) {
        match (self, rest) {
            (RawCounts::Narrow(counts), RawCounts::Narrow(rest)) => counts.append(first, rest),
            (counts, mut rest) => counts
                .widened()
                .append(first, std::mem::take(rest.widened())),
        }
    }

    pub(super) fn add_to_parents(&mut self, parents: &[RawNode]) {
        match self {
            // no sum exceeds the sum of all
            RawCounts::Narrow(counts)
                if counts.0.iter().map(|&count| u64::from(count)).sum::<u64>()
                    <= u32::MAX.into() =>
            {
                counts.add_to_parents(parents);
            }
            counts => counts.widened().add_to_parents(parents),
        }
    }

    pub(super) fn placed(self, position: &[u32]) -> Counts {
        match self {
            RawCounts::Narrow(counts) => Counts::Narrow(counts.placed(position)),
            RawCounts::Wide(counts) => Counts::Wide(counts.placed(position)),
        }
    }
}

#[cfg(test)]
mod tests;
