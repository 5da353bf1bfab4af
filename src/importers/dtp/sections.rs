use super::bytes::{SectionBytes, SectionResult};
use super::catalog::{KnownSection, Need, RESOLUTION, TREE, known};
use super::container::Container;
use super::warnings::Warnings;
use crate::diagnostics::Diagnostic;
use crate::importers::messages;
use crate::input::{Failure, Stage};
use std::collections::BTreeMap;

pub(super) struct Sections<'a> {
    /// By id, those that a snapshot has once.
    once: BTreeMap<u16, SectionBytes<'a>>,
    pub resolution: SectionBytes<'a>,
    /// One per thread, at least one.
    pub trees: Vec<SectionBytes<'a>>,
}

impl<'a> Sections<'a> {
    /// Fails with stage layout if a required section is missing, duplicated, or of an unknown version.
    pub(super) fn sort(
        container: &'a Container,
        warnings: &mut Warnings,
    ) -> SectionResult<Sections<'a>> {
        let mut once = BTreeMap::new();
        let mut trees = Vec::new();
        for (row, section) in container.sections() {
            let (id, version) = (row.id, row.version);
            let Some(known) = known(id) else {
                warnings.add(Diagnostic::SectionUnknown {
                    section: id,
                    version,
                });
                continue;
            };
            let Some(section) = section.filter(|_| known.need > Need::Derived) else {
                continue;
            };
            if !known.has(version) {
                if known.need == Need::Required {
                    return Err(unknown_version(&section, known));
                }
                warnings.add(Diagnostic::SectionVersionUnknown {
                    section: id,
                    version,
                    known: joined(known.versions),
                });
            } else if id == TREE {
                trees.push(section);
            } else if let Some(first) = once.insert(id, section) {
                return Err(section.damaged(0, messages::section_twice(&first.start)));
            }
        }
        if trees.is_empty() {
            return Err(missing(&container.name, TREE));
        }
        let resolution = once.get(&RESOLUTION).copied();
        Ok(Sections {
            resolution: resolution.ok_or_else(|| missing(&container.name, RESOLUTION))?,
            once,
            trees,
        })
    }

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

pub(super) fn joined(versions: &[u16]) -> String {
    let versions: Vec<String> = versions.iter().map(u16::to_string).collect();
    versions.join(" or ")
}

fn unknown_version(section: &SectionBytes, known: &KnownSection) -> Box<Failure> {
    let place = format!("dotTrace snapshot, section {:#06x}", section.id);
    let problem = messages::section_version_unknown(&section.version, &joined(known.versions));
    let failure = Failure::new(section.file, place, problem).at(section.start);
    Box::new(failure.suggest_doctor().stage(Stage::Layout))
}
