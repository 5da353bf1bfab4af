use super::*;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/js-ordered-consume.dtp")
}

/// Every part asks, for each may take long by itself.
#[test]
fn each_part_of_an_examination_can_be_stopped() {
    let progress = Progress::default();
    let found = SnapshotParts::new(&sample(), &progress).unwrap();
    let tree = found
        .rows
        .iter()
        .position(|row| row.id == catalog::TREE)
        .unwrap();
    let number = found.rows[tree].file;
    let before = found.rows[..tree]
        .iter()
        .filter(|row| row.file == number)
        .map(|row| row.size)
        .sum::<u64>();
    let (row, loaded) = (&found.rows[tree], &found.bytes[&number]);
    let bytes = &loaded.bytes[before as usize..][..row.size as usize];
    let section = SectionBytes {
        id: row.id,
        version: row.version,
        file: &loaded.name,
        start: before,
        bytes,
    };
    let read = |progress: &Progress| ExaminedThread::default().read_tree(section, progress);
    assert!(matches!(read(&progress), Ok(SectionState::Fine(_))));
    progress.cancel();
    assert_eq!(read(&progress), Err(ImportError::Cancelled));
    assert_eq!(
        found.findings(&progress).err(),
        Some(ImportError::Cancelled)
    );
    assert_eq!(
        SnapshotParts::new(&sample(), &progress).err(),
        Some(ImportError::Cancelled)
    );
    assert_eq!(
        examine(&sample(), &progress).err(),
        Some(ImportError::Cancelled)
    );
}
