//! Recordings whose stacks were cut: what is written and read again is what is repaired in memory.

use super::repaired;
use crate::common::shared;
use dotspot::testing::cli::{OpenOptions, Target, open};
use dotspot::testing::input::Progress;
use dotspot::testing::model::{NodeId, View};
use std::collections::HashMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// The text of a file, out of its gzip.
pub fn text(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_none_or(|extension| extension != "gz") {
        return String::from_utf8(bytes).unwrap();
    }
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..])
        .read_to_string(&mut text)
        .unwrap();
    text
}

fn read(path: &Path, repairs: bool) -> View {
    let profile = open(
        &Target::new(Some(path)),
        &OpenOptions {
            repairs,
            ..OpenOptions::default()
        },
        Progress::default(),
    )
    .unwrap();
    profile.tree.check().unwrap();
    profile
}

/// The exclusive values of two trees in both metrics, node by node; what is left truncated hangs below its thread in both.
/// Nodes are told by their callers and names, and numbered as they come.
fn side_by_side(profiles: [&View; 2]) -> Vec<([[u64; 2]; 2], String)> {
    let mut numbers: HashMap<(usize, String), usize> = HashMap::new();
    let mut rows = vec![([[0; 2]; 2], String::new())];
    for (side, profile) in profiles.into_iter().enumerate() {
        let metrics = ["CPU", "wall"].map(|name| profile.metric_named(name).unwrap());
        let mut places = vec![0; profile.tree.len()];
        for node in profile.tree.nodes().skip(1) {
            let above = places[profile.tree.parent(node).unwrap_or(NodeId::ROOT).index()];
            let name = profile.name(node).to_string();
            let place = match name.starts_with("[truncated at ") {
                true => above,
                false => *numbers.entry((above, name.clone())).or_insert_with(|| {
                    rows.push(([[0; 2]; 2], name));
                    rows.len() - 1
                }),
            };
            places[node.index()] = place;
            for (metric, id) in metrics.into_iter().enumerate() {
                rows[place].0[side][metric] += profile.tree.exclusive(id, node);
            }
        }
    }
    rows
}

/// Without joined gaps all times are the same. A joined gap is time of the joined spans, and was time of their callers.
#[track_caller]
fn check(file: &str, gap_us: u64, least_repaired_percent: u64) {
    let path = present!(shared(&format!("net10/{file}")));
    let original = text(&path);
    let is_chromium = file.contains("chromium");
    let format = if is_chromium {
        "trace-event"
    } else {
        "speedscope"
    };
    let (written, counts, joined) = repaired(format, original.as_bytes(), gap_us).unwrap();
    if is_chromium {
        super::read_alike(
            &crate::common::trace_players::spans(written.as_bytes()),
            file,
        );
    }
    assert_eq!(counts.limit, Some(100));
    assert!(
        counts.truncated > 1000 && joined > 1000,
        "{counts:?}, {joined} joined"
    );
    assert!(
        counts.repaired * 100 >= counts.truncated * least_repaired_percent,
        "{counts:?}"
    );
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join(file.trim_end_matches(".gz"));
    fs::write(&place, written).unwrap();
    let (in_memory, reread) = (read(&path, true), read(&place, false));
    let wall = in_memory.metric_named("wall").unwrap();
    let total = |profile: &View| profile.tree.inclusive(wall, NodeId::ROOT);
    assert_eq!(total(&in_memory), total(&reread));
    let (mut moved, mut nodes) = (0, 0);
    for ([[cpu, wall], [cpu_again, wall_again]], name) in side_by_side([&in_memory, &reread]) {
        assert_eq!(cpu, cpu_again, "{file}: CPU time of {name}");
        nodes += usize::from(wall > 0);
        moved += wall_again.saturating_sub(wall);
        assert!(
            gap_us > 0 || wall == wall_again,
            "{file}: {name} has {wall} and {wall_again} ns"
        );
    }
    assert!(nodes > 200, "{nodes}");
    // each joined span is one gap longer at most
    assert!(
        moved <= joined * gap_us * 1000,
        "{file}: {moved} ns moved by {joined} joined spans"
    );
}

#[test]
fn mutual_chromium() {
    check("deepstacks-mutual.chromium.json.gz", 0, 100);
}

#[test]
fn cycle_speedscope() {
    check("deepstacks-cycle.speedscope.json.gz", 50, 95);
}
