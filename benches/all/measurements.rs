//! All measurements: what is read, its lower bound, and the target for their ratio.

use crate::bounds;
use crate::files::{Files, load};
use crate::measurement::{Bound, Measurement, Timing};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_dotspot");
/// Process starts per round: the system counts CPU time in steps of 10 ms.
const STARTS: u32 = 50;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Those with selected names. What this machine can't measure is reported.
pub fn all(files: &Files, is_selected: impl Fn(&str) -> bool) -> Fallible<Vec<Measurement>> {
    let mut measurements = Vec::new();
    let mut add = |name: &str,
                   max_ratio: Option<f64>,
                   bound: (&'static str, fn(&Path) -> u64),
                   path: &dyn Fn() -> Fallible<PathBuf>| {
        if is_selected(name) {
            measurements.push(import(name, path()?, max_ratio, bound)?);
        }
        Fallible::Ok(())
    };
    add(
        "call-tree JSON",
        Some(0.6),
        ("serde_json visitor, slice", bounds::visit_call_tree),
        &|| Ok(files.call_tree()?),
    )?;
    add(
        "speedscope, sampled",
        Some(1.5),
        ("serde_json visitor, slice", bounds::visit_samples),
        &|| Ok(files.speedscope()?),
    )?;
    add(
        "pprof, gzip",
        Some(2.0),
        ("inflating", bounds::inflate),
        &|| files.exported("pprof", "tree.pb.gz"),
    )?;
    add(
        "nettrace",
        Some(2.0),
        ("walk over blocks", bounds::blocks),
        &|| Ok(files.nettrace()?),
    )?;
    add(
        "trace-event",
        None,
        ("serde_json visitor, slice", bounds::visit_events),
        &|| files.exported("trace-event", "tree.chromium.json"),
    )?;
    add(
        "perf script",
        None,
        ("memchr of line ends", bounds::lines),
        &|| Ok(files.perf_script()?),
    )?;
    add(
        "collapsed stacks",
        None,
        ("memchr of line ends", bounds::lines),
        &|| Ok(files.collapsed()?),
    )?;
    add(
        "collapsed stacks, gzip",
        None,
        ("inflating", bounds::inflate),
        &|| Ok(files.packed(&files.collapsed()?, "stacks.folded.gz")?),
    )?;
    for name in [
        "net10/deepstacks-cycle.nettrace",
        "net10/orderedconsume.nettrace",
        "dtp/Issue254.dtp",
    ] {
        match files.real(name) {
            Some(path) => add(name, None, ("plain read", bounds::plain_read), &|| {
                Ok(path.clone())
            })?,
            None => eprintln!("{name} is left out: the shared data is missing"),
        }
    }
    if bounds::has_grep() {
        let name = "report, tree";
        add(
            name,
            Some(4.0),
            ("grep -c '<Instance '", bounds::grep),
            &|| Ok(files.report()?),
        )?;
    } else {
        eprintln!("reports are left out: there is no grep");
    }
    if is_selected("second time") {
        measurements.extend(second_times(files)?);
    }
    if is_selected("hotspots Issue254.dtp") {
        measurements.extend(small_process(files));
    }
    Ok(measurements)
}

fn megabytes(path: &Path) -> std::io::Result<f64> {
    Ok(std::fs::metadata(path)?.len() as f64 / 1e6)
}

fn import(
    name: &str,
    path: PathBuf,
    max_ratio: Option<f64>,
    bound: (&'static str, fn(&Path) -> u64),
) -> Fallible<Measurement> {
    let (own, other) = (path.clone(), path.clone());
    Ok(Measurement {
        name: name.into(),
        megabytes: megabytes(&path)?,
        run: Box::new(move || Timing::of(|| load(&own).tree.len() as u64)),
        bound: Bound {
            name: bound.0,
            run: Box::new(move || Timing::of(|| bound.1(&other))),
        },
        max_ratio,
    })
}

/// Commands on a large profile with a cached index, compared with `info` without one.
fn second_times(files: &Files) -> Fallible<Vec<Measurement>> {
    let path = files.call_tree()?;
    let cache = files.folder.join("cache");
    let run = |args: &[&str], cache: Option<&Path>| {
        let mut command = Command::new(PROGRAM);
        command.args(args).arg(&path).env(
            "DOTSPOT_CACHE",
            if cache.is_some() { "always" } else { "off" },
        );
        cache.map(|cache| command.env("XDG_CACHE_HOME", cache));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        move || Timing::of(|| u64::from(command.status().expect("dotspot was built").success()))
    };
    // writes the index
    run(&["info"], Some(&cache))();
    let commands: [&[&str]; 4] = [
        &["info"],
        &["tree"],
        &["hotspots"],
        &["report", "--budget", "2000"],
    ];
    let measurement = |args: &&[&str]| {
        let (second, first) = (run(args, Some(&cache)), run(&["info"], None));
        let (second, first) = (
            std::cell::RefCell::new(second),
            std::cell::RefCell::new(first),
        );
        Ok(Measurement {
            name: format!("`{}`, second time", args.join(" ")),
            megabytes: megabytes(&path)?,
            run: Box::new(move || second.borrow_mut()()),
            bound: Bound {
                name: "`info` without index",
                run: Box::new(move || first.borrow_mut()()),
            },
            max_ratio: Some(0.15),
        })
    };
    commands.iter().map(measurement).collect()
}

/// The CPU time of a process that reads a small snapshot.
fn small_process(files: &Files) -> Option<Measurement> {
    let path = files.real("dtp/Issue254.dtp");
    let has_times = std::fs::exists("/proc/self/stat").unwrap_or(false);
    let Some(path) = path.filter(|_| has_times) else {
        eprintln!(
            "hotspots Issue254.dtp is left out: the shared data is missing, or the system has no /proc"
        );
        return None;
    };
    Some(Measurement {
        name: "`hotspots Issue254.dtp`, processor time".into(),
        megabytes: megabytes(&path).ok()?,
        run: Box::new(move || processor_seconds(Command::new(PROGRAM).arg("hotspots").arg(&path))),
        bound: Bound {
            name: "`dotspot --version`",
            run: Box::new(|| bounds::start_only(PROGRAM)),
        },
        max_ratio: None,
    })
}

/// The average CPU time of a process.
pub fn processor_seconds(command: &mut Command) -> Timing {
    // user and system time of ended children, in hundredths of a second: proc(5), fields 16 and 17
    let so_far = || {
        let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields = text
            .rsplit_once(')')
            .map_or("", |(_, rest)| rest)
            .split_whitespace();
        fields
            .skip(13)
            .take(2)
            .filter_map(|ticks| ticks.parse::<u64>().ok())
            .sum::<u64>()
    };
    let before = so_far();
    command
        .env("DOTSPOT_CACHE", "off")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let found = (0..STARTS)
        .filter(|_| command.status().expect("dotspot was built").success())
        .count();
    Timing {
        seconds: (so_far() - before) as f64 / 100.0 / f64::from(STARTS),
        found: found as u64,
    }
}
