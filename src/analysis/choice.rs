//! Selects the rows of a tree that explain most within a size limit.

/// A row of a tree that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The index after its last descendant: rows are in preorder.
    pub end: usize,
    /// What showing it explains, such as its own time.
    pub worth: u64,
    /// The room it takes.
    pub cost: usize,
}

/// The best choice of rows for every room up to a limit: those that are worth most of all that fit, where a row is chosen only with
/// the rows above it.
///
/// A knapsack over a tree: either the next row is taken, and the choice continues below it, or the whole
/// subtree is skipped. Takes rows · room bits, and as many words while it is built.
#[derive(Clone, Debug)]
pub struct Choice {
    /// By row and room: whether the best choice of the rows from there on takes the first of them.
    is_taken: Vec<u64>,
    rows: Vec<Candidate>,
    rooms: usize,
}

impl Choice {
    /// Compares all choices of these rows, in preorder, for each room up to `most_room`. O(rows · room).
    pub fn new(mut rows: Vec<Candidate>, most_room: usize) -> Choice {
        // sums of 32 bits suffice to compare: rows worth less than a billionth count as nothing
        let sum = rows
            .iter()
            .fold(0u128, |sum, row| sum + u128::from(row.worth))
            .max(1);
        for row in &mut rows {
            row.worth = (u128::from(row.worth) * 1_000_000_000 / sum) as u64;
        }
        let rooms = most_room + 1;
        let mut choice = Choice {
            is_taken: vec![0; (rows.len() * rooms).div_ceil(64)],
            rows,
            rooms,
        };
        // by row and room: what the best choice of the rows from there on is worth; no rows are worth nothing
        let mut worth = vec![0u32; (choice.rows.len() + 1) * rooms];
        for place in (0..choice.rows.len()).rev() {
            let row = choice.rows[place];
            let (before, after) = worth.split_at_mut((place + 1) * rooms);
            let here = &mut before[place * rooms..];
            let skipped = &after[(row.end - place - 1) * rooms..][..rooms];
            here.copy_from_slice(skipped);
            for room in row.cost..rooms {
                let taken = after[room - row.cost].saturating_add(row.worth as u32);
                if taken >= here[room] {
                    here[room] = taken;
                    let bit = place * rooms + room;
                    choice.is_taken[bit / 64] |= 1 << (bit % 64);
                }
            }
        }
        choice
    }

    /// The rows of the best choice for a room, ascending; ties go to the choice with the first rows. O(rows).
    pub fn chosen(&self, room: usize) -> Vec<usize> {
        let mut room = room.min(self.rooms - 1);
        let mut chosen = Vec::new();
        let mut place = 0;
        while let Some(row) = self.rows.get(place) {
            let bit = place * self.rooms + room;
            if self.is_taken[bit / 64] >> (bit % 64) & 1 == 1 {
                chosen.push(place);
                room -= row.cost;
                place += 1;
            } else {
                place = row.end;
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests;
