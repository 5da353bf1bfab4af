/// A bar of at most `cells` cells on either side of a middle line: faster to the left, slower to the right. `largest`
/// has full length. The smallest step is half a cell, which any value but 0 has.
pub fn middle_bar(delta: i128, largest: u128, cells: usize) -> [String; 2] {
    let halves = (delta.unsigned_abs() * 2 * cells as u128).div_ceil(largest.max(1)) as usize;
    let halves = halves.min(2 * cells);
    let (whole, half) = (halves / 2, halves % 2);
    let blank = " ".repeat(cells - whole - half);
    let (full, other) = ("█".repeat(whole), " ".repeat(cells));
    match delta < 0 {
        true => [format!("{blank}{}{full}", "▐".repeat(half)), other],
        false => [other, format!("{full}{}{blank}", "▌".repeat(half))],
    }
}
