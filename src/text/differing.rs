/// The parts in which two file paths differ, cut at folders and extensions: `old` and `new-1` for `runs/old.nettrace`
/// and `runs/new-1.nettrace`. Equal names are returned whole.
pub fn differing<'a>(first: &'a str, second: &'a str) -> [&'a str; 2] {
    let same = |(a, b): &(char, char)| a == b;
    let width = |(c, _): (char, char)| c.len_utf8();
    let alike = first.chars().zip(second.chars()).take_while(same);
    let alike: usize = alike.map(width).sum();
    let folder = first[..alike].rfind(['/', '\\']).filter(|&at| at > 0);
    let start = folder.map_or(0, |at| at + 1);
    let [a, b] = [&first[start..], &second[start..]];
    let alike = a.chars().rev().zip(b.chars().rev()).take_while(same);
    let alike: usize = alike.map(width).sum();
    let end = &a[a.len() - alike..];
    let end = end.find(['/', '\\', '.']).map_or(0, |at| end.len() - at);
    match [a, b].map(|name| &name[..name.len() - end]) {
        [a, b] if a.is_empty() || b.is_empty() || a == b => [first, second],
        cut => cut,
    }
}

#[cfg(test)]
mod tests;
