//! Which sections there are, which of them are needed, and in which versions.

use super::bytes::{Checked, Section};
use super::container::Container;
use super::warnings::{Warnings, file_name};
use crate::input::{Failure, Stage};
use crate::model::diagnostics::SnapshotDiagnostic;

/// The description of the recording.
pub(super) const DESCRIPTION: u16 = 0x0000;
/// When the snapshot was taken.
pub(super) const TAKEN: u16 = 0x0001;
/// The metadata of the modules.
pub(super) const METADATA: u16 = 0x0100;
/// The paths of the modules.
pub(super) const MODULES: u16 = 0x0110;
/// The functions that have no direct id.
pub(super) const INDIRECT: u16 = 0x0120;
/// Ticks per second.
pub(super) const RESOLUTION: u16 = 0x1000;
/// The call tree of one thread.
pub(super) const TREE: u16 = 0x1100;
/// The nodes of each function that occurs more than once.
pub(super) const PLACES: u16 = 0x1101;
/// dotTrace's sums of those functions.
pub(super) const SUMS: u16 = 0x1102;
/// The functions that occur once.
pub(super) const SINGLES: u16 = 0x1103;

/// How much a section is needed, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Nobody knows what it is.
    Unknown,
    /// Tells people more.
    Extra,
    /// Made from other sections, so it serves to check them.
    Derived,
    /// Without it there is no tree.
    Needed,
}

impl Need {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Need::Unknown => "unknown",
            Need::Extra => "extra",
            Need::Derived => "derived",
            Need::Needed => "needed",
        }
    }
}

/// A section that is known.
pub(super) struct Known {
    pub id: u16,
    /// What it holds, in words.
    pub what: &'static str,
    pub need: Need,
    /// The versions of its layout that are known; none where any will do.
    pub versions: &'static [u16],
}

impl Known {
    /// Whether this version of its layout can be read.
    pub fn has(&self, version: u16) -> bool {
        self.versions.is_empty() || self.versions.contains(&version)
    }
}

const fn row(id: u16, need: Need, versions: &'static [u16], what: &'static str) -> Known {
    Known { id, what, need, versions }
}

/// The sections that are known.
static KNOWN: [Known; 10] = [
    // another version of the description is searched for its XML
    row(DESCRIPTION, Need::Extra, &[], "description of the recording"),
    row(TAKEN, Need::Extra, &[0], "time of the snapshot"),
    row(METADATA, Need::Needed, &[2], "metadata of the modules"),
    row(MODULES, Need::Needed, &[0], "paths of the modules"),
    row(INDIRECT, Need::Needed, &[0], "functions without a direct id"),
    row(RESOLUTION, Need::Needed, &[0], "ticks per second"),
    row(TREE, Need::Needed, &[3], "call tree of a thread"),
    row(PLACES, Need::Derived, &[3], "nodes of each function"),
    row(SUMS, Need::Derived, &[1], "dotTrace's sums of functions"),
    row(SINGLES, Need::Derived, &[1], "functions with one node"),
];

/// All sections that are known.
pub(super) fn all() -> &'static [Known] {
    &KNOWN
}

/// What is known of the sections with this id.
pub(super) fn known(id: u16) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.id == id)
}

/// How much the sections with this id are needed.
pub(super) fn need(id: u16) -> Need {
    known(id).map_or(Need::Unknown, |known| known.need)
}

/// The sections of a snapshot by what they are.
pub(super) struct Sections<'a> {
    pub description: Option<Section<'a>>,
    pub taken: Option<Section<'a>>,
    pub resolution: Section<'a>,
    pub modules: Option<Section<'a>>,
    pub indirect: Option<Section<'a>>,
    pub metadata: Option<Section<'a>>,
    /// At least one.
    pub threads: Vec<ThreadSections<'a>>,
}

/// The sections of one thread.
pub(super) struct ThreadSections<'a> {
    pub tree: Section<'a>,
    /// dotTrace's own numbers, if all three are there.
    pub own: Option<OwnNumbers<'a>>,
}

/// The sections with what dotTrace itself computed for a thread.
#[derive(Clone, Copy)]
pub(super) struct OwnNumbers<'a> {
    pub places: Section<'a>,
    pub sums: Section<'a>,
    pub singles: Section<'a>,
}

impl<'a> Sections<'a> {
    /// Sorts the sections of `container`.
    ///
    /// # Errors
    /// Stage layout for a needed section that is missing, there twice, or of an unknown version.
    pub fn sort(container: &'a Container, warnings: &mut Warnings) -> Checked<Sections<'a>> {
        let mut sorter = Sorter::default();
        let mut derived = 0;
        for entry in container.entries() {
            let (id, version) = (entry.id, entry.version);
            let Some(known) = known(id) else {
                warnings.add(SnapshotDiagnostic::SectionUnknown { section: id, version });
                continue;
            };
            derived += usize::from(known.need == Need::Derived);
            let Some(section) = entry.section else { continue };
            if known.has(version) {
                sorter.add(section, warnings)?;
            } else if known.need == Need::Needed {
                return Err(unknown_version(&section, known));
            } else {
                let known = listed(known.versions);
                warnings.add(SnapshotDiagnostic::SectionVersionUnknown { section: id, version, known });
            }
        }
        let missing = |id: u16| {
            let what = known(id).map_or("", |known| known.what);
            let problem = format!("the table lists no section {id:#06x} ({what}), and it is needed");
            let failure = Failure::new(&container.name, "dotTrace snapshot, table of sections", problem);
            Box::new(failure.advice(ASK_DOCTOR).stage(Stage::Layout))
        };
        let [description, taken, metadata, modules, indirect, resolution] = sorter.singles;
        if sorter.threads.is_empty() {
            return Err(missing(TREE));
        }
        let expected = OWN.len() * sorter.threads.len();
        if derived < expected {
            warnings.add(SnapshotDiagnostic::SumsMissing { sections: derived, expected });
        }
        let resolution = resolution.ok_or_else(|| missing(RESOLUTION))?;
        let threads = sorter.threads.into_iter().map(ThreadRows::finish).collect();
        Ok(Sections { description, taken, resolution, modules, indirect, metadata, threads })
    }
}

/// The order of `Sorter::singles`.
const SINGLE: [u16; 6] = [DESCRIPTION, TAKEN, METADATA, MODULES, INDIRECT, RESOLUTION];
/// The order of `ThreadRows::own`.
const OWN: [u16; 3] = [PLACES, SUMS, SINGLES];

#[derive(Default)]
struct Sorter<'a> {
    singles: [Option<Section<'a>>; 6],
    threads: Vec<ThreadRows<'a>>,
    /// Whether the last section belongs to a thread.
    in_thread: bool,
}

struct ThreadRows<'a> {
    tree: Section<'a>,
    own: [Option<Section<'a>>; 3],
}

impl<'a> Sorter<'a> {
    fn add(&mut self, section: Section<'a>, warnings: &mut Warnings) -> Checked<()> {
        if let Some(place) = SINGLE.iter().position(|id| *id == section.id) {
            self.in_thread = false;
            return match self.singles[place].replace(section) {
                None => Ok(()),
                Some(first) => Err(section.damaged(0, format!("is there twice, first at byte {}", first.start))),
            };
        }
        if section.id == TREE {
            self.threads.push(ThreadRows { tree: section, own: [None; 3] });
            self.in_thread = true;
            return Ok(());
        }
        let slot = OWN.iter().position(|id| *id == section.id);
        let thread = self.threads.last_mut().filter(|_| self.in_thread);
        match thread.zip(slot).map(|(thread, slot)| &mut thread.own[slot]) {
            Some(free @ None) => *free = Some(section),
            _ => warnings.add(SnapshotDiagnostic::SectionMisplaced {
                section: section.id,
                offset_bytes: section.start as u64,
                file: file_name(section.file).to_string(),
            }),
        }
        Ok(())
    }
}

impl<'a> ThreadRows<'a> {
    fn finish(self) -> ThreadSections<'a> {
        let own = match self.own {
            [Some(places), Some(sums), Some(singles)] => Some(OwnNumbers { places, sums, singles }),
            _ => None,
        };
        ThreadSections { tree: self.tree, own }
    }
}

/// What to do about a layout that is not known. Advice ends with it, so that those who know the file can put in its name.
pub const ASK_DOCTOR: &str = "`dotspot doctor FILE` says what else may read it";

/// Versions in words.
pub(super) fn listed(versions: &[u16]) -> String {
    versions.iter().map(u16::to_string).collect::<Vec<_>>().join(" or ")
}

/// The refusal of a needed section.
pub(super) fn unknown_version(section: &Section, known: &Known) -> Box<Failure> {
    let place = format!("dotTrace snapshot, section {:#06x}", section.id);
    let problem = format!("has version {}, and only version {} is known", section.version, listed(known.versions));
    let failure = Failure::new(section.file, place, problem).at(section.start);
    Box::new(failure.advice(ASK_DOCTOR).stage(Stage::Layout))
}
