//! Memory used by `dotspot doctor`.

use crate::common::dtp_writer::{Container, Kind, Section, Snapshot, Thread, save};
use crate::common::memory::{ran_alone, within_kb};
use dotspot::testing::importers::examine;
use dotspot::testing::input::Progress;

const SECTION_KB: u64 = 64 << 10;

/// Sections are checked one at a time before the snapshot is read as a whole; its bytes are never in memory twice.
#[test]
fn a_snapshot_is_held_only_once() {
    if ran_alone(module_path!(), "a_snapshot_is_held_only_once") {
        return;
    }
    for container in [Container::OneFile, Container::ManyFiles] {
        let mut snapshot = Snapshot::new(Kind::Tracing);
        let method = snapshot.method("Acme!Acme.Book.A");
        let mut thread = Thread::new(1, 3, "");
        thread.add(Thread::ROOT, method, 40_000, 1);
        snapshot.threads.push(thread);
        let mut sections = snapshot.sections();
        // module paths with trailing bytes: damage that is only found at the end of the section
        let paths: &mut Section = sections
            .iter_mut()
            .find(|section| section.id == 0x0110)
            .unwrap();
        paths
            .bytes
            .resize(usize::try_from(SECTION_KB).unwrap() << 10, 0);
        let folder = tempfile::tempdir().unwrap();
        save(&sections, folder.path(), "m.dtp", container);
        drop(sections);
        let path = folder.path().join("m.dtp");
        let (found, whole) = within_kb(SECTION_KB * 3 / 2, || {
            examine(&path, &Progress::default()).unwrap()
        });
        assert!(whole.is_err() && found.sections.len() == 10);
    }
}
