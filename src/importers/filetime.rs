use crate::units::date;

/// A FILETIME (100 ns since 1601, UTC) as `2024-05-06T07:08:09Z`; `None` for 0, which means no time.
pub(super) fn iso(filetime: u64) -> Option<String> {
    if filetime == 0 {
        return None;
    }
    let seconds = filetime / 10_000_000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
    ))
}

#[cfg(test)]
mod tests;
