//! Results of Microsoft's own tools: the lists printed by `dotnet-trace report topN`.
use super::profiles::by_name;
use dotspot::testing::model::{MetricId, NodeId, View};
use dotspot::testing::units::percent;
use std::path::Path;

#[track_caller]
pub fn metric(profile: &View, name: &str) -> MetricId {
    profile
        .recording
        .metric_named(name)
        .unwrap_or_else(|| panic!("no metric {name}"))
}

/// The rows of dotnet-trace's list: name, inclusive and exclusive percentage of the wall time of all threads.
pub fn listed(path: &Path) -> Vec<(String, f64, f64)> {
    let text = std::fs::read_to_string(path).unwrap();
    let percent = |text: &str| text.trim_end_matches('%').parse::<f64>().unwrap();
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [.., inclusive, exclusive] = words[..] else {
            panic!("{line}")
        };
        let name = line.split_once(' ').unwrap().1.trim_start();
        let name = name[..name.rfind(inclusive).unwrap()].trim_end();
        // both columns may have the same share
        let name = name.strip_suffix(inclusive).unwrap_or(name).trim_end();
        (name.to_string(), percent(inclusive), percent(exclusive))
    };
    text.lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .map(row)
        .collect()
}

/// Checks the methods that dotnet-trace lists, unless the short form of a name is ambiguous.
pub fn check_lists(profile: &View, path: &Path) -> usize {
    let wall = metric(profile, "wall");
    let total = profile.tree.inclusive(wall, NodeId::ROOT);
    let sums = by_name(profile, wall, NodeId::ROOT);
    let mut compared = 0;
    for (name, inclusive, exclusive) in listed(path) {
        // names have no namespace and only the last type, and are truncated at 70 characters
        let fits = |method: &str| {
            let (before, _) = method.split_at(method.find('(').unwrap_or(method.len()));
            let at = before
                .rmatch_indices(['.', '!'])
                .nth(1)
                .map_or(0, |(at, _)| at + 1);
            let short = &method[at..];
            short == name || (name.len() >= 60 && short.starts_with(&name))
        };
        let fitting: Vec<&(u64, u64)> = sums
            .iter()
            .filter(|(method, _)| fits(method))
            .map(|(_, sum)| sum)
            .collect();
        if let [(own, all)] = fitting[..] {
            let share = |value: u64| percent(value, total);
            assert!(
                (share(*all) - inclusive).abs() < 0.02,
                "{name}: {} and {inclusive} %",
                share(*all)
            );
            assert!(
                (share(*own) - exclusive).abs() < 0.02,
                "{name}: {} and {exclusive} %",
                share(*own)
            );
            compared += 1;
        }
    }
    compared
}
