/// A bar of at most `cells` cells on either side of a middle line, the `largest` of full length: faster to the left,
/// slower to the right. Any value but 0 has at least half a cell.
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
