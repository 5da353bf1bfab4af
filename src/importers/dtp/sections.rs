//! The sections of a snapshot, sorted by kind.

use super::bytes::{SectionBytes, SectionResult};
use super::catalog::{KnownSection, Need, PLACES, RESOLUTION, SINGLES, SUMS, TREE, known};
use super::container::Container;
use super::warnings::Warnings;
use crate::diagnostics::Diagnostic;
use crate::importers::messages;
use crate::input::{Failure, Stage};
use crate::text::file_name;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

pub(super) struct Sections<'a> {
    /// Sections that a snapshot has once, by id.
    once: BTreeMap<u16, SectionBytes<'a>>,
    pub resolution: SectionBytes<'a>,
    /// At least one.
    pub threads: Vec<ThreadSections<'a>>,
}

pub(super) struct ThreadSections<'a> {
    pub tree: SectionBytes<'a>,
    sums: BTreeMap<u16, SectionBytes<'a>>,
}

impl<'a> ThreadSections<'a> {
    /// dotTrace's own numbers, if all three sections exist.
    pub(super) fn sum_sections(&self) -> Option<SumSections<'a>> {
        Some(SumSections {
            places: *self.sums.get(&PLACES)?,
            sums: *self.sums.get(&SUMS)?,
            singles: *self.sums.get(&SINGLES)?,
        })
    }
}

/// The sections with what dotTrace itself computed for a thread.
#[derive(Clone, Copy)]
pub(super) struct SumSections<'a> {
    pub places: SectionBytes<'a>,
    pub sums: SectionBytes<'a>,
    pub singles: SectionBytes<'a>,
}

impl<'a> Sections<'a> {
    /// Sorts the sections of `container`.
    ///
    /// # Errors
    /// Stage layout for a required section that is missing, duplicated, or of an unknown version.
    pub(super) fn sort(
        container: &'a Container,
        warnings: &mut Warnings,
    ) -> SectionResult<Sections<'a>> {
        let mut once = BTreeMap::new();
        let mut threads: Vec<ThreadSections> = Vec::new();
        // whether the last section belongs to a thread
        let mut in_thread = false;
        for (row, section) in container.sections() {
            let (id, version) = (row.id, row.version);
            let Some(known) = known(id) else {
                warnings.add(Diagnostic::SectionUnknown {
                    section: id,
                    version,
                });
                continue;
            };
            let Some(section) = section else {
                continue;
            };
            if !known.has(version) {
                if known.need == Need::Needed {
                    return Err(unknown_version(&section, known));
                }
                warnings.add(Diagnostic::SectionVersionUnknown {
                    section: id,
                    version,
                    known: joined(known.versions),
                });
            } else if id == TREE {
                threads.push(ThreadSections {
                    tree: section,
                    sums: BTreeMap::new(),
                });
                in_thread = true;
            } else if known.need == Need::Derived {
                let thread = threads.last_mut().filter(|_| in_thread);
                match thread.map(|thread| thread.sums.entry(id)) {
                    Some(Entry::Vacant(free)) => drop(free.insert(section)),
                    _ => warnings.add(Diagnostic::SectionMisplaced {
                        section: id,
                        offset_bytes: section.start,
                        file: file_name(section.file).to_string(),
                    }),
                }
            } else {
                in_thread = false;
                if let Some(first) = once.insert(id, section) {
                    return Err(section.damaged(0, messages::section_twice(&first.start)));
                }
            }
        }
        if threads.is_empty() {
            return Err(missing(&container.name, TREE));
        }
        let resolution = once.get(&RESOLUTION).copied();
        Ok(Sections {
            resolution: resolution.ok_or_else(|| missing(&container.name, RESOLUTION))?,
            once,
            threads,
        })
    }

    /// A section that a snapshot has once, if it is there.
    pub(super) fn get(&self, id: u16) -> Option<SectionBytes<'a>> {
        self.once.get(&id).copied()
    }
}

fn missing(file: &str, id: u16) -> Box<Failure> {
    let what = known(id).map_or("", |known| known.what);
    let problem = messages::section_missing(&format_args!("{id:#06x}"), &what);
    let failure = Failure::new(file, messages::TABLE_OF_SECTIONS, problem);
    Box::new(failure.suggest_doctor().stage(Stage::Layout))
}

fn joined(versions: &[u16]) -> String {
    let versions: Vec<String> = versions.iter().map(u16::to_string).collect();
    versions.join(" or ")
}

fn unknown_version(section: &SectionBytes, known: &KnownSection) -> Box<Failure> {
    let place = format!("dotTrace snapshot, section {:#06x}", section.id);
    let problem = messages::section_version_unknown(&section.version, &joined(known.versions));
    let failure = Failure::new(section.file, place, problem).at(section.start);
    Box::new(failure.suggest_doctor().stage(Stage::Layout))
}
