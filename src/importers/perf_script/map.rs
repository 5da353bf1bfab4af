//! `start size name`, with hexadecimal numbers.

use super::FORMAT;
use crate::input::lines::Lines;
use crate::input::{ImportError, Input};

pub(in crate::importers) struct PerfMap {
    pub file: String,
    rows: Vec<(u64, u64, Box<str>)>,
}

impl PerfMap {
    pub(super) fn read(file: String, input: Input) -> Result<PerfMap, ImportError> {
        let mut lines = Lines::new(input, FORMAT.title);
        let mut rows: Vec<(u64, u64, Box<str>)> = Vec::new();
        while let Some(line) = lines.next(0)? {
            rows.extend(row(&String::from_utf8_lossy(line)));
        }
        Ok(PerfMap::of(file, rows))
    }

    pub(in crate::importers) fn of(file: String, mut rows: Vec<(u64, u64, Box<str>)>) -> PerfMap {
        // of two rows with the same start, the later one is valid: code is replaced
        rows.sort_by_key(|row| row.0);
        PerfMap { file, rows }
    }

    pub(in crate::importers) fn name(&self, address: u64) -> Option<&str> {
        let after = self.rows.partition_point(|row| row.0 <= address);
        let (_, end, name) = self.rows[..after].last()?;
        (address < *end).then_some(name)
    }
}

fn row(line: &str) -> Option<(u64, u64, Box<str>)> {
    let mut parts = line.splitn(3, ' ');
    let mut number = || u64::from_str_radix(parts.next()?.trim_start_matches("0x"), 16).ok();
    let (start, size) = (number()?, number()?);
    let name = parts.next()?.trim().into();
    Some((start, start.saturating_add(size), name))
}

/// Of the only file `{start}PID.map`, given the names of all files.
pub(super) fn only_pid<'a>(names: impl Iterator<Item = &'a String>, start: &str) -> Option<u32> {
    let pid = |name: &String| {
        let number = name.strip_prefix(start)?.strip_suffix(".map")?;
        number.parse().ok()
    };
    let mut pids = names.filter_map(pid);
    pids.next().filter(|_| pids.next().is_none())
}

#[cfg(test)]
mod tests;
