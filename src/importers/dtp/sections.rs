//! The sections of a snapshot, sorted by kind.

use super::bytes::{SectionBytes, SectionResult};
use super::catalog::{
    DESCRIPTION, INDIRECT, KnownSection, METADATA, MODULES, Need, PLACES, RESOLUTION, SINGLES,
    SUMS, TAKEN, TREE, known,
};
use super::container::Container;
use super::warnings::Warnings;
use crate::diagnostics::SnapshotDiagnostic;
use crate::importers::messages;
use crate::input::{Failure, Stage};
use crate::text::file_name;

pub(super) struct Sections<'a> {
    pub description: Option<SectionBytes<'a>>,
    pub taken: Option<SectionBytes<'a>>,
    pub resolution: SectionBytes<'a>,
    pub modules: Option<SectionBytes<'a>>,
    pub indirect: Option<SectionBytes<'a>>,
    pub metadata: Option<SectionBytes<'a>>,
    /// At least one.
    pub threads: Vec<ThreadSections<'a>>,
}

pub(super) struct ThreadSections<'a> {
    pub tree: SectionBytes<'a>,
    own: [Option<SectionBytes<'a>>; 3],
}

impl<'a> ThreadSections<'a> {
    /// dotTrace's own numbers, if all three sections exist.
    pub(super) fn own(&self) -> Option<OwnNumbers<'a>> {
        let [Some(places), Some(sums), Some(singles)] = self.own else {
            return None;
        };
        Some(OwnNumbers {
            places,
            sums,
            singles,
        })
    }
}

#[derive(Clone, Copy)]
pub(super) struct OwnNumbers<'a> {
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
        let mut sorter = Sorter::default();
        let mut derived = 0;
        for entry in container.entries() {
            let (id, version) = (entry.row.id, entry.row.version);
            let Some(known) = known(id) else {
                warnings.add(SnapshotDiagnostic::SectionUnknown {
                    section: id,
                    version,
                });
                continue;
            };
            derived += usize::from(known.need == Need::Derived);
            let Some(section) = entry.section else {
                continue;
            };
            if known.has(version) {
                sorter.add(section, warnings)?;
            } else if known.need == Need::Needed {
                return Err(unknown_version(&section, known));
            } else {
                let known = listed(known.versions);
                warnings.add(SnapshotDiagnostic::SectionVersionUnknown {
                    section: id,
                    version,
                    known,
                });
            }
        }
        let missing = |id: u16| missing(&container.name, id);
        let [description, taken, metadata, modules, indirect, resolution] = sorter.singles;
        if sorter.threads.is_empty() {
            return Err(missing(TREE));
        }
        let expected = OWN.len() * sorter.threads.len();
        if derived < expected {
            warnings.add(SnapshotDiagnostic::SumsMissing {
                sections: derived,
                expected,
            });
        }
        let resolution = resolution.ok_or_else(|| missing(RESOLUTION))?;
        Ok(Sections {
            description,
            taken,
            resolution,
            modules,
            indirect,
            metadata,
            threads: sorter.threads,
        })
    }
}

fn missing(file: &str, id: u16) -> Box<Failure> {
    let what = known(id).map_or("", |known| known.what);
    let problem = messages::section_missing(&format_args!("{id:#06x}"), &what);
    let failure = Failure::new(file, messages::TABLE_OF_SECTIONS, problem);
    Box::new(failure.ask_doctor().stage(Stage::Layout))
}

/// The order of `Sorter::singles`.
const SINGLE: [u16; 6] = [DESCRIPTION, TAKEN, METADATA, MODULES, INDIRECT, RESOLUTION];
/// The order of `ThreadSections::own`.
const OWN: [u16; 3] = [PLACES, SUMS, SINGLES];

#[derive(Default)]
struct Sorter<'a> {
    singles: [Option<SectionBytes<'a>>; 6],
    threads: Vec<ThreadSections<'a>>,
    /// Whether the last section belongs to a thread.
    in_thread: bool,
}

impl<'a> Sorter<'a> {
    fn add(&mut self, section: SectionBytes<'a>, warnings: &mut Warnings) -> SectionResult<()> {
        if let Some(place) = SINGLE.iter().position(|id| *id == section.id) {
            self.in_thread = false;
            return match self.singles[place].replace(section) {
                None => Ok(()),
                Some(first) => Err(section.damaged(0, messages::section_twice(&first.start))),
            };
        }
        if section.id == TREE {
            self.threads.push(ThreadSections {
                tree: section,
                own: [None; 3],
            });
            self.in_thread = true;
            return Ok(());
        }
        let slot = OWN.iter().position(|id| *id == section.id);
        let thread = self.threads.last_mut().filter(|_| self.in_thread);
        match thread.zip(slot).map(|(thread, slot)| &mut thread.own[slot]) {
            Some(free @ None) => *free = Some(section),
            _ => warnings.add(SnapshotDiagnostic::SectionMisplaced {
                section: section.id,
                offset_bytes: section.start,
                file: file_name(section.file).to_string(),
            }),
        }
        Ok(())
    }
}

pub(super) fn listed(versions: &[u16]) -> String {
    versions
        .iter()
        .map(u16::to_string)
        .collect::<Vec<_>>()
        .join(" or ")
}

pub(super) fn unknown_version(section: &SectionBytes, known: &KnownSection) -> Box<Failure> {
    let place = format!("dotTrace snapshot, section {:#06x}", section.id);
    let problem = messages::section_version_unknown(&section.version, &listed(known.versions));
    let failure = Failure::new(section.file, place, problem).at(section.start);
    Box::new(failure.ask_doctor().stage(Stage::Layout))
}
