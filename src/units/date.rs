/// Year, month and day of a number of days since 1601-01-01 in the Gregorian calendar. Years are counted from March,
/// so that the leap day is the last day of a year.
pub fn date(days: u64) -> (u64, u64, u64) {
    // 1601-01-01 is 306 days after 1600-03-01, where a 400-year cycle starts
    let days = days + 306;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = match month {
        0..10 => (month + 3, 0),
        _ => (month - 9, 1),
    };
    (1600 + 400 * cycle + year + carry, month, day)
}

/// The inverse of [`unix_ms`].
pub fn unix_time(ms: u64) -> String {
    // 1970-01-01 is 134,774 days after 1601-01-01
    let (year, month, day) = date(ms / 86_400_000 + 134_774);
    let [hour, minute, second] = [3_600_000, 60_000, 1000].map(|unit| ms / unit);
    let (hour, minute, second, ms) = (hour % 24, minute % 60, second % 60, ms % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Milliseconds since 1970 of a time such as `2024-05-06T07:08:09.012Z`; `None` if it is earlier or not a time.
pub fn unix_ms(text: &str) -> Option<u64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (time, ms) = time.split_once('.').unwrap_or((time, "000"));
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let is_valid = (1970..10_000).contains(&year) && (1..=12).contains(&month) && day > 0;
    // years start in March, as above
    let (year, month) = match month {
        _ if !is_valid => return None,
        1 | 2 => (year - 1, month + 9),
        _ => (year, month - 3),
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    // 1970-01-01 is 719,468 days after 0000-03-01
    let seconds = ((days - 719_468) * 24 + hour) * 3600 + minute * 60 + second;
    Some(seconds * 1000 + ms.get(..3)?.parse::<u64>().ok()?)
}

fn numbers(text: &str, between: char) -> Option<[u64; 3]> {
    let numbers = text.split(between).map(|number| number.parse::<u16>().ok());
    let numbers: Option<Vec<u64>> = numbers.map(|number| number.map(u64::from)).collect();
    numbers?.try_into().ok()
}

#[cfg(test)]
mod tests;
