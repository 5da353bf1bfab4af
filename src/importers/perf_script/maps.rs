//! `perf-PID.map`: the code that a program made at run time, a line each of `start size name`, the numbers in hexadecimal.
//! .NET writes it with `DOTNET_PerfMapEnabled=1`, and perfcollect puts it beside the samples.

use super::name::TITLE;
use crate::input::lines::Lines;
use crate::input::source::SiblingFiles;
use crate::input::{ImportError, Input};
use std::collections::HashMap;

/// The code of one process.
struct Map {
    file: String,
    /// start, one past the end, and name, by start
    rows: Vec<(u64, u64, Box<str>)>,
}

impl Map {
    fn read(file: String, input: Input) -> Result<Map, ImportError> {
        let mut lines = Lines::new(input, TITLE);
        let mut rows: Vec<(u64, u64, Box<str>)> = Vec::new();
        while let Some(line) = lines.next(0)? {
            rows.extend(row(&String::from_utf8_lossy(line)));
        }
        // of two that start at one place the later one is valid: code is replaced
        rows.sort_by_key(|row| row.0);
        Ok(Map { file, rows })
    }

    /// The name of the code at an address.
    fn name(&self, address: u64) -> Option<&str> {
        let behind = self.rows.partition_point(|row| row.0 <= address);
        let (_, end, name) = self.rows[..behind].last()?;
        (address < *end).then_some(name)
    }
}

fn row(line: &str) -> Option<(u64, u64, Box<str>)> {
    let mut parts = line.splitn(3, ' ');
    let mut number = || u64::from_str_radix(parts.next()?.trim_start_matches("0x"), 16).ok();
    let (start, size) = (number()?, number()?);
    Some((start, start.saturating_add(size), parts.next()?.trim().into()))
}

/// The maps beside a file, each read when the first frame asks for it.
pub(super) struct Maps {
    siblings: SiblingFiles,
    by_pid: HashMap<u32, Option<Map>>,
    /// the only map that there is, for frames whose process is not known
    only_pid: Option<Option<u32>>,
    named_frames: u64,
    is_missing: bool,
}

impl Maps {
    /// Those beside `input`.
    pub(super) fn beside(input: &Input) -> Maps {
        let siblings = input.siblings.clone();
        Maps { siblings, by_pid: HashMap::new(), only_pid: None, named_frames: 0, is_missing: false }
    }

    /// The name of the code at an address of a process; where that is not known, of the one whose map is there.
    ///
    /// # Errors
    /// Cancelled; the map can't be read.
    pub(super) fn name(&mut self, pid: Option<u32>, address: u64) -> Result<Option<&str>, ImportError> {
        let Some(pid) = pid.or_else(|| self.only_pid()) else {
            self.is_missing = true;
            return Ok(None);
        };
        if !self.by_pid.contains_key(&pid) {
            let file = format!("perf-{pid}.map");
            let map = self.siblings.find(&file)?.map(|input| Map::read(file, input)).transpose()?;
            self.by_pid.insert(pid, map);
        }
        let Some(Some(map)) = self.by_pid.get(&pid) else {
            self.is_missing = true;
            return Ok(None);
        };
        let name = map.name(address);
        self.named_frames += u64::from(name.is_some());
        Ok(name)
    }

    /// The process of the only map beside the file.
    fn only_pid(&mut self) -> Option<u32> {
        *self.only_pid.get_or_insert_with(|| {
            let names = self.siblings.names();
            let mut pids =
                names.iter().filter_map(|name| name.strip_prefix("perf-")?.strip_suffix(".map")?.parse().ok());
            let first = pids.next();
            first.filter(|_| pids.next().is_none())
        })
    }

    /// Whether a map was asked for that is not there.
    pub(super) fn are_missing(&self) -> bool {
        self.is_missing
    }

    /// Which maps gave names, for people.
    pub(super) fn used(&self) -> Option<String> {
        let mut files: Vec<&str> = self.by_pid.values().flatten().map(|map| map.file.as_str()).collect();
        files.sort_unstable();
        (self.named_frames > 0).then(|| files.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Progress;
    use std::io::Cursor;

    #[test]
    fn addresses_have_names() {
        let text = "00007F567A050078 48 stub<1> Entry\n7f10 10 old\n\nrubbish\n0x7f10 20 void [A] B::C(int32)[PreJIT]\n7f50 ffffffffffffffff all\n";
        let input = Input::stream("map", Box::new(Cursor::new(text.as_bytes())), Progress::default()).unwrap();
        let map = Map::read("perf-1.map".into(), input).unwrap();
        let check = |address, expect: Option<&str>| assert_eq!(map.name(address), expect, "{address:x}");
        check(0x7f0f, None);
        check(0x7f10, Some("void [A] B::C(int32)[PreJIT]"));
        check(0x7f2f, Some("void [A] B::C(int32)[PreJIT]"));
        check(0x7f30, None);
        check(0x7f50, Some("all"));
        check(0x7F56_7A05_0078, Some("stub<1> Entry"));
    }
}
