//! Days as dates.

/// Year, month and day of a number of days since 1601-01-01, by the rules of the Gregorian calendar. Years are counted
/// from March, so that the leap day is a year's last.
pub fn date(days: u64) -> (u64, u64, u64) {
    // 1601-01-01 is 306 days after 1600-03-01, where a cycle of 400 years begins
    let days = days + 306;
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (1600 + 400 * cycle + year + carry, month, day)
}
