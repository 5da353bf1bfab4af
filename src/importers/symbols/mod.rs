//! Names of code by address: from `perf-PID.map`, JIT dumps, files on this machine, and the kernel's symbol list.
//!
//! - [`files`]: where files are, and whether they are the recorded ones.
//! - [`elf`]: their symbols.
//! - [`demangle`]: names as spelled in their languages.

mod demangle;
mod elf;
mod files;

pub(super) use demangle::demangled;
pub(super) use files::FileKey;

use super::native::{file_name, is_not_module, map_pid};
use super::perf_script::map::PerfMap;
use super::perf_script::maps::{Maps, RuntimeMaps};
use crate::input::Input;
use crate::input::error::TreeBuildError;
use crate::input::named_files::NamedFiles;
use files::{SharedSymbols, SymbolFiles, boot_time, is_in_file};
use std::collections::HashMap;
use std::time::{Duration, SystemTime};

/// The process id of kernel code, and perf's name for kernel code outside modules.
pub(super) const KERNEL: u32 = u32::MAX;
const KERNEL_CODE: &str = "[kernel.kallsyms]";
/// These identify this machine and its kernel.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";
const KERNEL_RELEASE: &str = "/proc/sys/kernel/osrelease";
/// Tolerated between clocks, in addition to a thousandth.
const CLOCK_DRIFT: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct CodeFile {
    pub path: String,
    /// Empty if unknown.
    pub build_id: Box<[u8]>,
    /// 0 if unknown.
    pub inode: FileKey,
}

pub(super) type FoundFile<'a> = (usize, &'a CodeFile, u64);

/// What perf prints for a file in the memory of a process, or of [`KERNEL`].
pub(super) fn printed_path(path: String, pid: u32) -> String {
    match pid {
        KERNEL if path.starts_with(KERNEL_CODE) => KERNEL_CODE.into(),
        // a module, which the kernel spells with underscores
        KERNEL if path.starts_with('/') => {
            let stem = file_name(&path).split('.').next().unwrap_or("");
            format!("[{}]", stem.replace('-', "_"))
        }
        pid if is_not_module(&path) => format!("/tmp/perf-{pid}.map"),
        _ => path,
    }
}

pub(super) struct Names {
    files: SymbolFiles,
    pub maps: Maps,
    symbols: HashMap<usize, SharedSymbols, foldhash::fast::RandomState>,
    /// The symbols, and their distance to where they were; looked up when first needed.
    kernel: Option<Option<(PerfMap, u64)>>,
    kernel_start: Option<u64>,
    build_ids: HashMap<String, Box<[u8]>>,
    dumps: HashMap<u32, String>,
    boot_time: Option<SystemTime>,
}

impl Names {
    /// For a recording of the machine with this host name and Linux release; build ids are by path.
    pub(super) fn new(
        input: &Input,
        (host_name, release): (&str, &str),
        build_ids: HashMap<String, Box<[u8]>>,
        siblings_only: bool,
    ) -> Names {
        let is_this_machine = !siblings_only && is_in_file(HOST_NAME, host_name);
        let runs_kernel = is_this_machine && is_in_file(KERNEL_RELEASE, release);
        let files = SymbolFiles::of(input, siblings_only, runs_kernel);
        let mut maps = Maps::next_to(input);
        maps.runtime_maps = is_this_machine.then(|| RuntimeMaps {
            files: NamedFiles::of(input),
            progress: input.progress.detached(),
            not_before: HashMap::new(),
        });
        let boot_time = boot_time().filter(|at| is_this_machine && files.written > Some(*at));
        Names {
            files,
            maps,
            symbols: HashMap::default(),
            kernel: None,
            kernel_start: None,
            build_ids,
            dumps: HashMap::new(),
            boot_time,
        }
    }

    /// Times are relative to the boot time unless the user chose another clock.
    pub(super) fn add_start(&mut self, pid: u32, time_ns: u64) {
        let at = Duration::from_nanos(time_ns - time_ns / 1_000).saturating_sub(CLOCK_DRIFT);
        let started = self.boot_time.and_then(|boot| boot.checked_add(at));
        if let Some(maps) = &mut self.maps.runtime_maps
            && let Some(started) = started.filter(|&started| Some(started) < self.files.written)
        {
            maps.not_before.insert(pid, started);
        }
    }

    pub(super) fn add_mapping(&mut self, pid: u32, file: &CodeFile, offset: u64) {
        if file.path == KERNEL_CODE {
            // here, perf stores the start of the kernel's code
            self.kernel_start = Some(offset);
        } else if file_name(&file.path) == format!("jit-{pid}.dump") {
            self.dumps.insert(pid, file.path.clone());
        }
    }

    /// In a process or [`KERNEL`]; `found` is the file that contains the address.
    pub(super) fn name(
        &mut self,
        (owner, address): (Option<u32>, u64),
        found: Option<FoundFile>,
    ) -> Result<Option<&str>, TreeBuildError> {
        let pid = match (owner, found) {
            (None, _) | (Some(KERNEL), None) => return Ok(None),
            (Some(KERNEL), Some((_, file, _))) => {
                return Ok(self.kernel_symbol(&file.path, address));
            }
            (_, Some((number, file, place))) if !is_not_module(&file.path) => {
                return Ok(self.file_symbol(number, file, place));
            }
            (Some(pid), Some((_, file, _))) => map_pid(&file.path).unwrap_or(pid),
            (Some(pid), None) => pid,
        };
        if let Some(path) = self.dumps.remove(&pid)
            && let Some(code) = self.files.dump(&path)
        {
            self.maps.add(pid, PerfMap::of(path, code));
        }
        let name = self.maps.name(Some(pid), address);
        name.map_err(|_| TreeBuildError::Cancelled)
    }

    fn file_symbol(&mut self, number: usize, file: &CodeFile, place: u64) -> Option<&str> {
        let (files, build_ids) = (&mut self.files, &self.build_ids);
        let symbols = self.symbols.entry(number).or_insert_with(|| {
            let known = build_ids.get(&file.path);
            let known = known.filter(|_| file.build_id.is_empty());
            files.symbols(file, known.unwrap_or(&file.build_id))
        });
        let symbols = symbols.as_ref()?;
        let (offset, _, address) = symbols.segments.iter().find(|(offset, size, _)| {
            let distance = place.checked_sub(*offset);
            distance.is_some_and(|distance| distance < *size)
        })?;
        symbols.map.name((place - offset).wrapping_add(*address))
    }

    fn kernel_symbol(&mut self, file: &str, address: u64) -> Option<&str> {
        let (files, build_ids) = (&mut self.files, &self.build_ids);
        let kernel = self.kernel.get_or_insert_with(|| {
            let symbols = files.kernel(build_ids.get(KERNEL_CODE).map(|id| &**id))?;
            let starts = elf::kernel_start(&symbols)?;
            let shift = starts.wrapping_sub(self.kernel_start.unwrap_or(starts));
            Some((elf::table(KERNEL_CODE.into(), symbols), shift))
        });
        let (map, shift) = kernel.as_ref()?;
        // modules move when the kernel is rebooted
        let is_unmoved = file == KERNEL_CODE || *shift == 0;
        let address = address.wrapping_add(*shift);
        map.name(address).filter(|_| is_unmoved)
    }
}
