//! Which rows of a tree explain most for the room that they take.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A row of a tree from which some are to be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The row above it, which comes before it; that of the first row is not looked at.
    pub above: usize,
    /// What showing it explains, such as its own time.
    pub worth: u64,
    /// The room that it takes, at least 1.
    pub cost: u32,
}

/// All rows in the order in which they are to be shown as long as there is room, each after the row above it.
///
/// Rows are taken in blocks that belong together: a row with what is worth most for its cost below it (Horn, "Single-machine job
/// sequencing with treelike precedence ordering", 1972). Where a block ends, no other rows of the same cost that include the rows
/// above them are worth more. O(n log² n).
pub fn by_worth(rows: &[Candidate]) -> Vec<usize> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut blocks: Vec<BinaryHeap<Block>> = (0..rows.len()).map(|_| BinaryHeap::new()).collect();
    let mut after = Rows { next: vec![NONE; rows.len()] };
    let mut first = Block::new(0, rows[0]);
    for (index, &row) in rows.iter().enumerate().rev() {
        let mut below = std::mem::take(&mut blocks[index]);
        let mut block = Block::new(index, row);
        while let Some(best) = below.peek().filter(|best| best.ratio(&block) != Ordering::Less) {
            block = after.joined(block, *best);
            below.pop();
        }
        if index == 0 {
            (first, blocks[0]) = (block, below);
            break;
        }
        below.push(block);
        let others = &mut blocks[row.above];
        if others.len() < below.len() {
            std::mem::swap(others, &mut below);
        }
        others.append(&mut below);
    }
    let below = std::mem::take(&mut blocks[0]).into_sorted_vec();
    std::iter::once(first).chain(below.into_iter().rev()).flat_map(|block| after.of(block)).collect()
}

const NONE: usize = usize::MAX;

/// Rows that are shown together.
#[derive(Clone, Copy, Debug)]
struct Block {
    worth: u128,
    cost: u128,
    first: usize,
    last: usize,
}

impl Block {
    fn new(index: usize, row: Candidate) -> Block {
        Block { worth: u128::from(row.worth), cost: u128::from(row.cost.max(1)), first: index, last: index }
    }

    /// Compares what rows are worth for their cost.
    fn ratio(&self, other: &Block) -> Ordering {
        (self.worth * other.cost).cmp(&(other.worth * self.cost))
    }
}

impl Ord for Block {
    /// What is worth more for its cost comes first; of equals the first row, which may be above the other.
    fn cmp(&self, other: &Block) -> Ordering {
        self.ratio(other).then(other.first.cmp(&self.first))
    }
}

impl PartialOrd for Block {
    fn partial_cmp(&self, other: &Block) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Block {
    fn eq(&self, other: &Block) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Block {}

/// The rows of blocks: for each the next one.
struct Rows {
    next: Vec<usize>,
}

impl Rows {
    /// A block with another one behind it.
    fn joined(&mut self, block: Block, other: Block) -> Block {
        self.next[block.last] = other.first;
        Block { worth: block.worth + other.worth, cost: block.cost + other.cost, first: block.first, last: other.last }
    }

    fn of(&self, block: Block) -> impl Iterator<Item = usize> + '_ {
        let next = move |&row: &usize| (row != block.last).then(|| self.next[row]);
        std::iter::successors(Some(block.first), next)
    }
}
