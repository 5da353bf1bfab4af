//! Names of precompiled code from perfcollect's files next to the samples: `perfinfo-PID.map` lists the images loaded
//! by a process, one per line of `ImageLoad;path;{guid};base`, and `NAME.ni.{guid}.map` has the methods of an image,
//! by offset from its base.
//!
//! Sources: `perfinfo.cpp` and `nativeimageperfmap` in dotnet/coreclr, which write them, and the perfcollect script.
//! As in PerfView, an address is also looked up as it is, because perf may print it relative to the file.

use super::map::{PerfMap, only_pid};
use crate::importers::native::file_name;
use crate::input::lines::Lines;
use crate::input::source::SiblingFiles;
use crate::input::{ImportError, Input};
use std::collections::HashMap;

const IMAGE_LOAD: &str = "ImageLoad;";
const EXTENSIONS: [&str; 2] = [".dll", ".exe"];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Image {
    map: String,
    base: u64,
}

type Images = HashMap<Box<str>, Image, foldhash::fast::RandomState>;

#[derive(Default)]
pub(super) struct ImageMaps {
    siblings: SiblingFiles,
    /// By lower-case name, because the runtime and crossgen spell guids differently. Listed when first needed: indexes
    /// depend on listed folders.
    files: Option<HashMap<String, String>>,
    by_pid: HashMap<u32, Option<Images>>,
    /// Of the only list of images, for samples without a process.
    only_pid: Option<Option<u32>>,
    maps: HashMap<String, Option<PerfMap>>,
    named_frames: u64,
}

pub(super) fn is_image(dso: &str) -> bool {
    let end = dso.as_bytes().last_chunk::<4>();
    let is_end =
        |extension: &&str| end.is_some_and(|end| end.eq_ignore_ascii_case(extension.as_bytes()));
    EXTENSIONS.iter().any(is_end)
}

impl ImageMaps {
    pub(super) fn new(siblings: SiblingFiles) -> ImageMaps {
        ImageMaps {
            siblings,
            ..ImageMaps::default()
        }
    }

    pub(super) fn name(
        &mut self,
        pid: Option<u32>,
        dso: &str,
        address: u64,
    ) -> Result<Option<&str>, ImportError> {
        let Some(pid) = pid.or_else(|| self.only_pid()) else {
            return Ok(None);
        };
        if !self.by_pid.contains_key(&pid) {
            let info = self.find(&format!("perfinfo-{pid}.map"))?;
            let images = info.map(read_images).transpose()?;
            self.by_pid.insert(pid, images);
        }
        let images = self.by_pid.get(&pid).and_then(Option::as_ref);
        let image = images.and_then(|all| all.get(dso).or_else(|| all.get(file_name(dso))));
        let Some(Image { map: file, base }) = image.cloned() else {
            return Ok(None);
        };
        if !self.maps.contains_key(&file) {
            let input = match self.find(&file)? {
                Some(input) => Some(input),
                // crossgen2 dropped `.ni` from the name
                None => self.find(&file.replacen(".ni.{", ".{", 1))?,
            };
            let map = input.map(|input| PerfMap::read(file.clone(), input));
            self.maps.insert(file.clone(), map.transpose()?);
        }
        let Some(Some(map)) = self.maps.get(&file) else {
            return Ok(None);
        };
        let name = map.name(address);
        let name = name.or_else(|| map.name(address.checked_sub(base)?));
        self.named_frames += u64::from(name.is_some());
        Ok(name)
    }

    fn files(&mut self) -> &HashMap<String, String> {
        let siblings = &self.siblings;
        self.files.get_or_insert_with(|| {
            let names = siblings.names().into_iter();
            let names = names.map(|name| (name.to_ascii_lowercase(), name));
            names.collect()
        })
    }

    fn only_pid(&mut self) -> Option<u32> {
        if self.only_pid.is_none() {
            self.only_pid = Some(only_pid(self.files().keys(), "perfinfo-"));
        }
        self.only_pid.flatten()
    }

    fn find(&mut self, name: &str) -> Result<Option<Input>, ImportError> {
        match self.files().get(name).cloned() {
            Some(name) => self.siblings.find(&name),
            None => Ok(None),
        }
    }

    pub(super) fn used_map_count(&self) -> usize {
        let maps = self.maps.values().flatten();
        maps.filter(|_| self.named_frames > 0).count()
    }
}

fn read_images(input: Input) -> Result<Images, ImportError> {
    let mut lines = Lines::new(input, super::FORMAT.title);
    let mut images = Images::default();
    while let Some(line) = lines.next(0)? {
        let line = String::from_utf8_lossy(line);
        if let Some((path, image)) = image(&line) {
            images.insert(file_name(path).into(), image.clone());
            images.insert(path.into(), image);
        }
    }
    Ok(images)
}

/// Its path, and the image. Without a base, addresses are used as they are.
fn image(line: &str) -> Option<(&str, Image)> {
    let mut parts = line.trim_end().strip_prefix(IMAGE_LOAD)?.split(';');
    let (path, guid) = (parts.next()?, parts.next()?.trim_matches(['{', '}']));
    let base = parts.next().unwrap_or("").trim_start_matches("0x");
    let name = file_name(path);
    let mut extensions = EXTENSIONS.iter();
    let stem = extensions.find_map(|extension| name.strip_suffix(extension));
    let stem = stem.unwrap_or(name);
    let stem = stem.strip_suffix(".ni").unwrap_or(stem);
    let map = format!("{stem}.ni.{{{guid}}}.map").to_ascii_lowercase();
    let base = u64::from_str_radix(base, 16).unwrap_or(0);
    Some((path, Image { map, base }))
}

#[cfg(test)]
mod tests;
