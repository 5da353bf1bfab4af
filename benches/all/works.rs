//! The works: what is read, what bounds it, and which ratio it is to have.

use crate::bounds;
use crate::files::{Files, load};
use crate::work::{Bound, Took, Work};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_dotspot");
/// So many starts of a process are one round: the system tells their time in steps of 10 ms.
const STARTS: u32 = 50;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// All whose names are wanted. What can't be done here is said.
pub fn all(files: &Files, is_wanted: impl Fn(&str) -> bool) -> Fallible<Vec<Work>> {
    let mut works = Vec::new();
    let mut add = |name: &str,
                   bar: Option<f64>,
                   bound: (&'static str, fn(&Path) -> u64),
                   path: &dyn Fn() -> Fallible<PathBuf>| {
        if is_wanted(name) {
            works.push(import(name, path()?, bar, bound)?);
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
            None => eprintln!("{name} is left out: the shared data are not here"),
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
    if is_wanted("second time") {
        works.extend(second_times(files)?);
    }
    if is_wanted("hotspots Issue254.dtp") {
        works.extend(small_process(files));
    }
    Ok(works)
}

fn megabytes(path: &Path) -> std::io::Result<f64> {
    Ok(std::fs::metadata(path)?.len() as f64 / 1e6)
}

/// Reads a file into its tree.
fn import(
    name: &str,
    path: PathBuf,
    bar: Option<f64>,
    bound: (&'static str, fn(&Path) -> u64),
) -> Fallible<Work> {
    let (own, other) = (path.clone(), path.clone());
    Ok(Work {
        name: name.into(),
        megabytes: megabytes(&path)?,
        run: Box::new(move || Took::of(|| load(&own).tree.len() as u64)),
        bound: Bound {
            name: bound.0,
            run: Box::new(move || Took::of(|| bound.1(&other))),
        },
        bar,
    })
}

/// Commands on a large profile whose index was kept, beside `info` without it.
fn second_times(files: &Files) -> Fallible<Vec<Work>> {
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
        move || Took::of(|| u64::from(command.status().expect("dotspot was built").success()))
    };
    // the first time writes the index
    run(&["info"], Some(&cache))();
    let commands: [&[&str]; 4] = [
        &["info"],
        &["tree"],
        &["hotspots"],
        &["report", "--budget", "2000"],
    ];
    let work = |args: &&[&str]| {
        let (second, first) = (run(args, Some(&cache)), run(&["info"], None));
        let (second, first) = (
            std::cell::RefCell::new(second),
            std::cell::RefCell::new(first),
        );
        Ok(Work {
            name: format!("`{}`, second time", args.join(" ")),
            megabytes: megabytes(&path)?,
            run: Box::new(move || second.borrow_mut()()),
            bound: Bound {
                name: "`info` without index",
                run: Box::new(move || first.borrow_mut()()),
            },
            bar: Some(0.15),
        })
    };
    commands.iter().map(work).collect()
}

/// A small snapshot, as a whole process, in time on a processor.
fn small_process(files: &Files) -> Option<Work> {
    let path = files.real("dtp/Issue254.dtp");
    let is_told = std::fs::exists("/proc/self/stat").unwrap_or(false);
    let Some(path) = path.filter(|_| is_told) else {
        eprintln!(
            "hotspots Issue254.dtp is left out: the shared data are not here, or the system tells no times of processes"
        );
        return None;
    };
    Some(Work {
        name: "`hotspots Issue254.dtp`, processor time".into(),
        megabytes: megabytes(&path).ok()?,
        run: Box::new(move || processor_seconds(Command::new(PROGRAM).arg("hotspots").arg(&path))),
        bound: Bound {
            name: "`dotspot --version`",
            run: Box::new(|| bounds::start_only(PROGRAM)),
        },
        bar: None,
    })
}

/// The time on processors of a process, from several of them.
pub fn processor_seconds(command: &mut Command) -> Took {
    // user and system time of children that have ended, in hundredths of seconds: proc(5), fields 16 and 17
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
    Took {
        seconds: (so_far() - before) as f64 / 100.0 / f64::from(STARTS),
        found: found as u64,
    }
}
