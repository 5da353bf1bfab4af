use super::super::args::{CliCommand, CommandLine};
use super::*;
use crate::importers::import_with;
use crate::input::Input;
use crate::model::{Merging, TimeRange, ViewSpec};
use clap::Parser as _;
use std::io::Cursor;

/// Threads with the same id in two processes, one of which is named like merged threads.
const PROCESSES: &str = r#"{"traceEvents":[
        {"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"3 threads merged"}},
        {"ph":"X","pid":1,"tid":7,"name":"Main","ts":0,"dur":4000000},
        {"ph":"X","pid":1,"tid":7,"name":"Work","ts":0,"dur":3000000},
        {"ph":"X","pid":1,"tid":8,"name":"Main","ts":0,"dur":5000000},
        {"ph":"X","pid":2,"tid":7,"name":"Main","ts":1000000,"dur":1000000},
        {"ph":"X","pid":2,"tid":-9,"name":"Idle","ts":1000000,"dur":500000}]}"#;
const BUNDLED: &[u8] = include_bytes!("../../../snapshots/js-ordered-consume.nettrace");
const FROM_2_TO_4_500: TimeRange = TimeRange {
    from_ns: 2_000_000_000,
    to_ns: 4_500_000_000,
};

fn read(name: &str, bytes: &'static [u8]) -> View {
    let input = Input::stream(name, Box::new(Cursor::new(bytes)), Progress::default()).unwrap();
    let options = crate::importers::ReadOptions::default();
    import_with(input, &options, |format, input| {
        (format.read)(input, &options)
    })
    .unwrap()
    .into_view()
}

/// The first step of `dotspot hotspots FILE` with these options.
fn parsed(whole: &View, flags: &[String]) -> Scope {
    let line = ["dotspot", "hotspots", "FILE"]
        .into_iter()
        .chain(flags.iter().map(String::as_str));
    let Some(CliCommand::Hotspots(hotspots)) = CommandLine::try_parse_from(line).unwrap().command
    else {
        panic!()
    };
    let reading = hotspots.list.answer.source.reading;
    let shown = InitialView {
        range: reading.range,
        threads: reading.threads.request(),
        splits_pool: true,
        metric: None,
        waiting: None,
        steps: vec![],
        fold: None,
    };
    requested_scope(whole, !reading.no_repair, &shown).unwrap()
}

/// Whether a first step has flags; if so, they make it.
#[track_caller]
fn check(whole: &View, scope: Scope) -> bool {
    let steps = ViewSpec {
        scope,
        transforms: Vec::new(),
    };
    let made = steps.flags(&whole.recording);
    if made.inexpressible.is_none() {
        assert_eq!(parsed(whole, &made.flags), steps.scope, "{made:?}");
    }
    made.inexpressible.is_none()
}

/// Every choice of threads, merged or not, for the whole time and parts of it, in every form; returns how many of
/// these have no flags.
#[track_caller]
fn check_all(whole: &View, threads: usize) -> usize {
    let mut without = 0;
    for bits in 1..1u32 << threads {
        let chosen = (0..whole.threads.len()).map(|row| bits >> row.min(threads - 1) & 1 == 1);
        let chosen: Vec<bool> = chosen.collect();
        for merging in Merging::ALL {
            for range in [
                None,
                Some(FROM_2_TO_4_500),
                Some(TimeRange {
                    from_ns: 7,
                    to_ns: TimeRange::OPEN,
                }),
            ] {
                for is_repaired in [true, whole.recording.repaired.is_none()] {
                    let threads = ThreadChoice {
                        chosen: chosen.clone(),
                        merging,
                    };
                    without += usize::from(!check(
                        whole,
                        Scope {
                            range,
                            threads,
                            is_repaired,
                        },
                    ));
                }
            }
        }
    }
    without
}

#[test]
fn flags_reproduce_their_view() {
    let mut recording = read("a.json", PROCESSES.as_bytes()).into_recording();
    recording.repaired = Some(recording.original.clone());
    // thread 7 of process 2 can't be selected without that of process 1 if another thread of process 1 is wanted, too: that is 2 of 15
    // choices, each merged in 3 ways, with 3 ranges, in 2 forms
    assert_eq!(check_all(&recording.into_view(), 4), 2 * 3 * 3 * 2);
    assert_eq!(check_all(&read("a.nettrace", BUNDLED), 5), 0);
}

/// The steps of the view that `dotspot` opens with these options, in words; empty for the whole bundled recording. Or the
/// error.
#[track_caller]
fn check_opening(flags: &[&str], expect: Result<&[&str], &str>) {
    let line = CommandLine::try_parse_from(["dotspot"].iter().chain(flags)).unwrap();
    let CommandLine {
        reading,
        row_options,
        ..
    } = line;
    let steps = row_options.requests().unwrap();
    let shown = InitialView {
        range: reading.range,
        threads: reading.threads.request(),
        splits_pool: reading.threads.merge_threads.is_some(),
        metric: None,
        waiting: None,
        steps,
        fold: None,
    };
    let opened = load(
        &Target::Sample,
        &reading.options(),
        &shown,
        Progress::default(),
    );
    let words = opened.map(|opened| {
        opened
            .shown
            .map_or(vec![], |view| view.steps.words(&view.recording))
    });
    let expect = expect
        .map(|words| words.iter().map(|word| word.to_string()).collect())
        .map_err(String::from);
    assert_eq!(
        words.map_err(|error| error.to_string()),
        expect,
        "{flags:?}"
    );
}

#[test]
fn the_explorer_opens_on_the_requested_view() {
    // async infrastructure is collapsed and the pool merged by default
    let pool = "10 threads, pool merged";
    check_opening(&[], Ok(&[pool, "fold async infrastructure"]));
    check_opening(&["--fold", "none"], Ok(&[pool]));
    check_opening(
        &["--merge-threads=none"],
        Ok(&["fold async infrastructure"]),
    );
    check_opening(
        &["--merge-threads"],
        Ok(&["10 threads, merged", "fold async infrastructure"]),
    );
    check_opening(
        &["--thread", "11050"],
        Ok(&["1 of 10 threads", "fold async infrastructure"]),
    );
    check_opening(
        &[
            "--step",
            "inverted",
            "--fold",
            "system",
            "--drop",
            "PriceRules.Discount",
            "--until",
            "2s",
        ],
        Ok(&[
            "0.000 s to 2.000 s of 8.127 s",
            pool,
            "without PriceRules.Discount",
            "fold system",
            "inverted",
        ]),
    );
    check_opening(&["--focus", "(a"], Err("--focus (a: unclosed group"));
}

#[test]
fn steps_have_words_and_flags() {
    let mut recording = read("a.json", PROCESSES.as_bytes()).into_recording();
    recording.repaired = Some(recording.original.clone());
    let wanted = |ids: &[(usize, &str)]| -> Vec<bool> {
        let is_wanted = |process, id: &str| ids.contains(&(process, id));
        recording
            .threads
            .iter()
            .map(|thread| is_wanted(thread.process.unwrap(), &thread.id))
            .collect()
    };
    let scope = |range, ids: &[(usize, &str)], merging, is_repaired| Scope {
        range,
        threads: ThreadChoice {
            chosen: wanted(ids),
            merging,
        },
        is_repaired,
    };
    let everything = [(0, "7"), (0, "8"), (1, "7"), (1, "-9")];
    for (scope, words, flags) in [
        (scope(None, &everything, Merging::None, true), "", ""),
        (
            scope(None, &everything, Merging::All, true),
            "4 threads, merged",
            "--merge-threads",
        ),
        (
            scope(
                Some(FROM_2_TO_4_500),
                &[(0, "8"), (0, "7"), (1, "7")],
                Merging::All,
                false,
            ),
            "2.000 s to 4.500 s of 5.000 s|3 of 4 threads, merged|as recorded",
            "--from|2s|--until|4.5s|--thread|7|--thread|8|--merge-threads|--no-repair",
        ),
        // a single one stays as it is
        (
            scope(None, &[(0, "8")], Merging::All, true),
            "1 of 4 threads",
            "--thread|8|--merge-threads",
        ),
        (
            scope(None, &everything[..2], Merging::None, true),
            "Process (1), 1 of 2",
            "--process|1",
        ),
        (
            scope(None, &[(0, "7")], Merging::None, true),
            "1 of 4 threads",
            "--thread|3 threads merged",
        ),
        (
            scope(None, &[(1, "7")], Merging::None, true),
            "1 of 4 threads",
            "--process|2|--thread|7",
        ),
        (
            scope(None, &[(1, "-9")], Merging::None, true),
            "1 of 4 threads",
            "--thread=-9",
        ),
    ] {
        let steps = ViewSpec {
            scope,
            transforms: Vec::new(),
        };
        assert_eq!(steps.words(&recording).join("|"), words);
        let made = steps.flags(&recording);
        assert_eq!(
            (made.flags.join("|").as_str(), made.inexpressible),
            (flags, None),
            "{words}"
        );
    }
}

/// A sample each of an idle processor, of a program in C and of one on .NET.
const MACHINE: &str = "swapper 0/0 [000] 1.001000: 1000000 cpu-clock:\n\t7f00 halt ([kernel.kallsyms])\n\n\
    crunch 40/40 [000] 1.002000: 1000000 cpu-clock:\n\t7f01 crunch (/opt/crunch)\n\n\
    shop 10/10 [000] 1.003000: 1000000 cpu-clock:\n\t7f02 void [Shop] Acme.Shop::Sell(int32)[Optimized] (/tmp/perf-10.map)\n\
    \t7f03 coreclr_execute_assembly (/usr/share/dotnet/libcoreclr.so)\n\n";

#[test]
fn whole_machine_recordings_open_on_the_dotnet_process() {
    let whole = read("machine.perf", MACHINE.as_bytes());
    for (flags, words) in [
        (&[][..], "Process (10) shop, 1 of 3"),
        (&["--process", "crunch"], "Process (40) crunch, 1 of 3"),
        (&["--process", "all"], "3 threads"),
    ] {
        let flags: Vec<String> = flags.iter().map(|flag| flag.to_string()).collect();
        let scope = requested_scope(
            &whole,
            true,
            &InitialView {
                threads: ThreadRequest {
                    processes: flags.get(1).into_iter().cloned().collect(),
                    ..ThreadRequest::default()
                },
                ..InitialView::default()
            },
        );
        let scope = scope.unwrap();
        assert_eq!(scope.threads.words(&whole.recording), words);
        // the command line of the current view requests it
        let shown = ViewSpec {
            scope,
            transforms: Vec::new(),
        };
        let made = shown.flags(&whole.recording).flags;
        let process = flags.get(1).map_or("10", |process| match process.as_str() {
            "crunch" => "40",
            other => other,
        });
        assert_eq!(made, ["--process", process]);
    }
}
