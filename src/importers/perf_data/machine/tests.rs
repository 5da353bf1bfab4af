use super::*;
use crate::input::{Input, Progress};

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A process with 100 mappings repeatedly forks children that add mappings: copying stops, and none loses any.
#[test]
fn copies_of_mappings_are_limited() {
    const MAPPINGS: usize = 100;
    // two each, and copies for five of them, apart from what their records allow
    let mapping_count = 2 * MAPPINGS + 5 * (MAPPINGS + 2) - 4 * (MAPPINGS + 2 * 5);
    let mut machine = Machine {
        mapping_count: MAX_MAPPINGS - mapping_count,
        ..Machine::default()
    };
    let input = Input::stream("a", Box::new(std::io::empty()), Progress::default());
    let mut names = Names::new(&input.unwrap(), ("", ""), HashMap::new(), true);
    let mut read = |kind, body: &[u8]| {
        machine
            .read(
                &Record {
                    kind,
                    misc: 2,
                    body,
                },
                &mut names,
            )
            .unwrap();
    };
    let map =
        |pid: u32, start: u32| [words(&[pid, pid, start, 0, 16, 0, 0, 0]), b"/a".to_vec()].concat();
    (0..MAPPINGS as u32).for_each(|at| read(kind::MMAP, &map(1, 16 * at)));
    for _ in 0..8 {
        read(kind::FORK, &words(&[2, 1, 2, 1, 0, 0]));
        read(kind::MMAP, &map(2, 1 << 20));
    }
    assert_eq!(machine.left_out, 3);
    let file = |pid, address| machine.file(Some(pid), address).is_some();
    assert!(file(2, 24) && !file(2, 1 << 20) && file(1, 24));
}
