//! `perf-PID.map`: names of JIT-compiled code, which .NET writes with `DOTNET_PerfMapEnabled=1`.

use super::images::ImageMaps;
use super::map::{PerfMap, only_pid};
use crate::importers::messages;
use crate::input::named_files::NamedFiles;
use crate::input::source::SiblingFiles;
use crate::input::{ImportError, Input, Progress};
use crate::units::counted;
use std::collections::HashMap;
use std::path::Path;
use std::time::SystemTime;

#[derive(Default)]
pub(in crate::importers) struct Maps {
    siblings: SiblingFiles,
    by_pid: HashMap<u32, Option<PerfMap>>,
    /// Of the only map, for samples without a process; looked up when first needed.
    only_pid: Option<Option<u32>>,
    named_frames: u64,
    /// A map was needed but missing.
    pub(in crate::importers) is_missing: bool,
    /// Where the runtime writes maps, if this is the recording machine.
    pub(in crate::importers) runtime_maps: Option<RuntimeMaps>,
    pub(super) images: ImageMaps,
}

pub(in crate::importers) struct RuntimeMaps {
    pub files: NamedFiles,
    pub progress: Progress,
    /// When processes started: an older map belongs to an earlier process with the same id.
    pub not_before: HashMap<u32, SystemTime>,
}

impl Maps {
    pub(in crate::importers) fn next_to(input: &Input) -> Maps {
        let siblings = input.siblings.clone();
        Maps {
            images: ImageMaps::new(siblings.clone()),
            siblings,
            ..Maps::default()
        }
    }

    /// In a process or, if that is unknown, the process with the only map.
    pub(in crate::importers) fn name(
        &mut self,
        pid: Option<u32>,
        address: u64,
    ) -> Result<Option<&str>, ImportError> {
        let only_pid = || only_pid(self.siblings.names().iter(), "perf-");
        let Some(pid) = pid.or_else(|| *self.only_pid.get_or_insert_with(only_pid)) else {
            self.is_missing = true;
            return Ok(None);
        };
        if !self.by_pid.contains_key(&pid) {
            let file = format!("perf-{pid}.map");
            let map = match self.siblings.find(&file) {
                Ok(Some(input)) => PerfMap::read(file, input).map(Some),
                Ok(None) => self.read_runtime_map(pid, &file),
                Err(error) => Err(error),
            };
            let map = match map {
                Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
                // the profile is useful even without a map
                map => map.unwrap_or_default(),
            };
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

    fn read_runtime_map(&mut self, pid: u32, file: &str) -> Result<Option<PerfMap>, ImportError> {
        let path = format!("/tmp/{file}");
        let maps = self.runtime_maps.as_mut();
        let opened = maps.and_then(|maps| Some((maps.files.open_trusted(Path::new(&path))?, maps)));
        let Some((file, maps)) = opened else {
            return Ok(None);
        };
        let written = file.metadata().and_then(|found| found.modified()).ok();
        if written.as_ref() < maps.not_before.get(&pid) {
            return Ok(None);
        }
        let input = Input::stream(&path, Box::new(file), maps.progress.clone())?;
        PerfMap::read(path, input).map(Some)
    }

    pub(in crate::importers) fn add(&mut self, pid: u32, map: PerfMap) {
        self.by_pid.insert(pid, Some(map));
    }

    pub(in crate::importers) fn description(&self) -> Option<String> {
        let maps = self.by_pid.values().flatten();
        let maps = maps.filter(|_| self.named_frames > 0);
        let mut files: Vec<String> = maps.map(|map| map.file.clone()).collect();
        files.sort_unstable();
        let images = self.images.used_map_count() as u64;
        files.extend((images > 0).then(|| messages::precompiled_code(&counted(images, "map"))));
        (!files.is_empty()).then(|| files.join(", "))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn maps_older_than_their_process_are_ignored() {
        // no process has such a large id
        let pid = 4_000_000_000 + std::process::id();
        let path = format!("/tmp/perf-{pid}.map");
        std::fs::write(&path, "7010 10 first\n").unwrap();
        let written = std::fs::metadata(&path).unwrap().modified().unwrap();
        let second = Duration::from_secs(1);
        let mut names = Vec::new();
        for started in [None, Some(written - second), Some(written + second)] {
            let left = RuntimeMaps {
                files: NamedFiles::default(),
                progress: Progress::default(),
                not_before: started.map(|started| (pid, started)).into_iter().collect(),
            };
            let mut maps = Maps {
                runtime_maps: Some(left),
                ..Maps::default()
            };
            names.push(maps.name(Some(pid), 0x7010).unwrap().map(String::from));
        }
        std::fs::remove_file(&path).unwrap();
        let first = Some(String::from("first"));
        assert_eq!(names, [first.clone(), first, None]);
    }
}
