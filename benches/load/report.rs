//! How fast a report of `Reporter.exe` is read: with its whole tree, and only the sums of its methods, beside
//! `grep -c '<Instance '` on the same file.

use super::{Node, median};
use dotspot::importers::{FORMATS, import};
use dotspot::input::{Input, Progress};
use dotspot::model::Recording;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What is measured, and what does it: the number of what it found.
type Work = (&'static str, fn(&Path) -> u64);

/// Measures on a report and prints a line for each way to read it. Where there is no `grep`, it is left out.
pub fn measure(path: &Path, runs: usize) -> Result<(), Box<dyn std::error::Error>> {
    let megabytes = std::fs::metadata(path)?.len() as f64 / 1e6;
    println!("\n{}: {megabytes:.1} MB, {} nodes", path.display(), tree(path));
    let has_grep = Command::new("grep").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    let all: [Work; 3] = [("grep -c '<Instance '", grep), ("import of the tree", tree), ("sums of the methods", sums)];
    let works = if has_grep { &all[..] } else { &all[1..] };
    let mut seconds = vec![Vec::new(); works.len()];
    for _ in 0..runs {
        for (times, (_, work)) in seconds.iter_mut().zip(works) {
            let start = Instant::now();
            assert!(std::hint::black_box(work(path)) > 0, "nothing was read");
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let medians: Vec<f64> = seconds.into_iter().map(median).collect();
    for ((name, _), &seconds) in works.iter().zip(&medians) {
        let ratio = if has_grep { format!("   {:.2} of grep's time", seconds / medians[0]) } else { String::new() };
        println!("{name:<34} {:>8.1} ms {:>8.0} MB/s{ratio}", seconds * 1e3, megabytes / seconds);
    }
    if !has_grep {
        println!("grep -c '<Instance ' is left out: there is no grep");
    }
    Ok(())
}

fn input(path: &Path) -> Input {
    Input::open(path, Progress::default()).expect("the file was written before")
}

fn tree(path: &Path) -> u64 {
    import(input(path)).map(Recording::into_view).expect("the report is whole").tree.len() as u64 - 1
}

fn sums(path: &Path) -> u64 {
    let format = FORMATS.iter().find(|format| format.name == "report").expect("the format is known");
    let read = format.sums.expect("reports have sums");
    read(input(path)).expect("the report is whole").expect("a regular report needs no tree").methods.len() as u64
}

/// Counts the lines with an `Instance` as people do: the time has the start of the process in it.
fn grep(path: &Path) -> u64 {
    let output = Command::new("grep").args(["-c", "<Instance "]).arg(path).output().expect("it was started before");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("grep -c prints a number")
}

/// A trie as a report with all call stacks: the nodes by method, in the order in which they were made.
pub fn document(nodes: &[Node], names: &[String]) -> String {
    let mut inclusive: Vec<u64> = nodes.iter().map(|node| node.2).collect();
    let mut callers = vec![0; nodes.len()];
    for index in (0..nodes.len()).rev() {
        inclusive[index] += nodes[index].1.iter().map(|&child| inclusive[child]).sum::<u64>();
        nodes[index].1.iter().for_each(|&child| callers[child] = index);
    }
    let mut by_method = vec![Vec::new(); names.len()];
    nodes.iter().enumerate().skip(1).for_each(|(index, node)| by_method[node.0].push(index));
    let escape = |name: &String| {
        let bare = name.split('(').next().unwrap_or(name);
        bare.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    };
    let names: Vec<String> = names.iter().map(escape).collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Report>\n");
    let mut stack = Vec::new();
    for (places, name) in by_method.iter().zip(&names).filter(|(places, _)| !places.is_empty()) {
        let (id, number) = (places[0], places.len());
        let sum = |value: &dyn Fn(usize) -> u64| places.iter().map(|&place| value(place)).sum::<u64>();
        let (total, own) = (sum(&|place| inclusive[place]), sum(&|place| nodes[place].2));
        writeln!(
            out,
            r#"  <Function Id="{id:#x}" FQN="{name}" TotalTime="{total}" OwnTime="{own}" Calls="{number}" Instances="{number}">"#
        )
        .expect("a String takes all");
        for &place in places {
            stack.clear();
            let mut at = place;
            while at != 0 {
                stack.push(names[nodes[at].0].as_str());
                at = callers[at];
            }
            stack.reverse();
            let (stack, total, own) = (stack.join("/"), inclusive[place], nodes[place].2);
            let calls = (own / 3).max(1);
            writeln!(
                out,
                r#"    <Instance CallStack="{stack}" TotalTime="{total}" OwnTime="{own}" Calls="{calls}" />"#
            )
            .expect("a String takes all");
        }
        out.push_str("  </Function>\n");
    }
    out.push_str("</Report>\n");
    out
}
