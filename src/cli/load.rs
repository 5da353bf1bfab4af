//! Loads a profile for the explorer, off the drawing thread.

use super::jobs::drawable;
use super::open::{OpenOptions, Target, open};
use super::options::refuse_unused;
use super::range::Range;
use super::say::Usage;
use crate::analysis::make::make;
use crate::app::OpenFailure;
use crate::cli::messages;
use crate::input::{ImportError, Progress};
use crate::model::{MetricId, Scope, ThreadChoice, View, ViewSpec};
use crate::query::{
    ComparedFile, ComparisonRequest, QueryError, StepRequest, TOO_LARGE, ThreadRequest, choice,
    chosen, comparison, metric_named, stepped,
};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

/// A recording, and the view of it that the command line asks for.
pub(super) struct LoadedFile {
    /// All of it.
    pub whole: Arc<View>,
    /// The view, if it is not all of it.
    pub shown: Option<Arc<View>>,
    /// The metric, if it is not the default one.
    pub metric: Option<MetricId>,
}

/// What the command line asks to be shown at first.
pub(super) struct InitialView {
    pub range: Range,
    pub threads: ThreadRequest,
    pub metric: Option<String>,
    /// What is changed in its tree.
    pub steps: Vec<StepRequest>,
}

impl InitialView {
    /// All of it, in its default metric.
    pub(super) fn all() -> InitialView {
        InitialView {
            range: Range::default(),
            threads: ThreadRequest::default(),
            metric: None,
            steps: Vec::new(),
        }
    }
}

/// Reads a profile; what goes wrong comes back as a message, panics too. Truncated stacks are repaired however it is to be shown at first, so
/// that both can be shown.
pub(super) fn load(
    target: &Target,
    how: &OpenOptions,
    wanted: &InitialView,
    progress: Progress,
) -> Result<LoadedFile, LoadError> {
    let work = || {
        if let Target::Comparison { before, after } = target {
            return compared([before, after], how, wanted, &progress);
        }
        let repairing = OpenOptions {
            repairs: true,
            ..how.clone()
        };
        let whole = drawable(open(target, &repairing, progress).map_err(LoadError::Import)?);
        refuse_unused(&how.decoding, &whole.recording)
            .map_err(|usage| LoadError::Usage(usage.to_string()))?;
        let metric = metric_named(&whole, wanted.metric.as_deref()).map_err(LoadError::Query)?;
        let scope = asked_for(&whole, how.repairs, wanted)?;
        let first = make(
            &whole.recording,
            &ViewSpec {
                scope,
                transforms: Vec::new(),
            },
        );
        let first = first.map_err(|_| LoadError::Query(QueryError::too_large(TOO_LARGE)))?;
        let steps = [
            wanted.steps.clone(),
            collapsed_at_first(&whole, &wanted.steps),
        ]
        .concat();
        let shown = stepped(first, &steps).map_err(LoadError::Query)?;
        let shown = (shown.steps != whole.steps).then(|| drawable(shown));
        Ok(LoadedFile {
            metric: Some(metric).filter(|&metric| metric != whole.default_metric),
            whole,
            shown,
        })
    };
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(LoadError::Panic(panic_text(&*panic))))
}

/// A side of a comparison.
fn side(
    file: &Path,
    how: &OpenOptions,
    wanted: &InitialView,
    progress: &Progress,
) -> Result<View, LoadError> {
    let usage = |usage: Usage| LoadError::Usage(usage.to_string());
    let target = Target::File(file.to_path_buf());
    let view = open(&target, how, progress.clone()).map_err(LoadError::Import)?;
    refuse_unused(&how.decoding, &view.recording).map_err(usage)?;
    let range = wanted.range.within(&view.recording).map_err(usage)?;
    let chosen = chosen(view, range, &wanted.threads);
    chosen.map(|chosen| chosen.view).map_err(LoadError::Query)
}

/// Reads two files, one before a change and one after it, each in the range of time and the threads that are asked for, and makes them one.
fn compared(
    files: [&PathBuf; 2],
    how: &OpenOptions,
    wanted: &InitialView,
    progress: &Progress,
) -> Result<LoadedFile, LoadError> {
    let side = |file| side(file, how, wanted, progress);
    let [before, after] = thread::scope(|scope| {
        let before = scope.spawn(|| side(files[0]));
        let after = side(files[1]);
        [
            before.join().unwrap_or_else(|panic| resume_unwind(panic)),
            after,
        ]
    });
    let names = files.map(|file| file.display().to_string());
    let views = [before?, after?];
    let [before, after] = [0, 1].map(|side| {
        [ComparedFile {
            file: &names[side],
            view: &views[side],
        }]
    });
    let request = ComparisonRequest {
        metric: wanted.metric.as_deref(),
        ..ComparisonRequest::new(&before, &after)
    };
    let whole = drawable(comparison(&request).map_err(LoadError::Query)?.judged());
    let steps = [
        wanted.steps.clone(),
        collapsed_at_first(&whole, &wanted.steps),
    ]
    .concat();
    let shown = stepped((*whole).clone(), &steps).map_err(LoadError::Query)?;
    let shown = (shown.steps != whole.steps).then(|| drawable(shown));
    Ok(LoadedFile {
        metric: None,
        whole,
        shown,
    })
}

/// What is folded at first unless the command line says otherwise: plumbing, of which stacks of .NET are full.
pub(super) fn collapsed_at_first(whole: &View, asked_for: &[StepRequest]) -> Vec<StepRequest> {
    let is_asked_for = asked_for
        .iter()
        .any(|request| request.word == "fold" || request.word == "group");
    let has_plumbing = || {
        whole
            .frames
            .iter()
            .any(|(id, frame)| frame.is_plumbing && whole.occurs(id))
    };
    let request = || StepRequest {
        option: "--fold".into(),
        word: "fold".into(),
        value: "plumbing".into(),
    };
    (!is_asked_for && has_plumbing())
        .then(request)
        .into_iter()
        .collect()
}

/// The first step that the command line asks for.
fn asked_for(whole: &View, repairs: bool, wanted: &InitialView) -> Result<Scope, LoadError> {
    let range = wanted
        .range
        .within(&whole.recording)
        .map_err(|usage| LoadError::Usage(usage.to_string()))?;
    let choice = choice(whole, &wanted.threads).map_err(LoadError::Query)?;
    let threads = choice.map_or_else(|| ThreadChoice::all(whole), |(choice, _)| choice);
    Ok(Scope {
        range,
        threads,
        is_repaired: repairs || whole.recording.repaired.is_none(),
    })
}

/// Why a profile is not there.
#[derive(Clone, Debug)]
pub(super) enum LoadError {
    /// The importer said so.
    Import(ImportError),
    /// What the command line asks for is not there, or can't be made.
    Query(QueryError),
    /// The command line asks for what the recording does not have, with the sentence about it.
    Usage(String),
    /// A fault of ours, with its text.
    Panic(String),
}

impl LoadError {
    /// The failure for the screen, and the exit code.
    pub(super) fn describe(&self) -> (OpenFailure, u8) {
        match self {
            LoadError::Import(error) => {
                let mut failure = OpenFailure {
                    stage: None,
                    sentence: error.to_string(),
                    detail: vec![messages::NO_DETAIL.into()],
                };
                if let ImportError::Failed(parts) = error {
                    failure.stage = parts.stage.map(|stage| stage.name());
                    failure.detail = detail_of(parts);
                }
                (failure, error.exit_code())
            }
            LoadError::Query(error) => (refused(error.to_string()), super::exit::of_query(error)),
            LoadError::Usage(sentence) => (refused(sentence.clone()), super::exit::USAGE),
            LoadError::Panic(text) => {
                let sentence = messages::BUG_WHILE_READING.to_string();
                (
                    OpenFailure {
                        stage: None,
                        sentence,
                        detail: vec![text.clone()],
                    },
                    super::exit::FAILED,
                )
            }
        }
    }
}

/// The failure of a wish that the profile can't fulfil.
fn refused(sentence: String) -> OpenFailure {
    OpenFailure {
        stage: None,
        sentence,
        detail: vec![messages::NO_DETAIL.into()],
    }
}

/// What a failure has to say besides its sentence; without that, the parts of the sentence, one a line.
fn detail_of(failure: &crate::input::Failure) -> Vec<String> {
    if !failure.detail.is_empty() {
        return failure.detail.clone();
    }
    let mut lines = vec![format!("file: {}", failure.file)];
    if !failure.place.is_empty() {
        lines.push(format!("part: {}", failure.place));
    }
    if let Some(offset) = failure.offset {
        lines.push(format!("offset: {offset} ({offset:#x})"));
    }
    lines.push(format!("problem: {}", failure.problem));
    let advice = failure.what_to_do();
    if !advice.is_empty() {
        lines.push(messages::what_to_do(&advice));
    }
    lines
}

pub(super) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| messages::PANIC_WITHOUT_MESSAGE.into())
}

#[cfg(test)]
mod tests {
    use super::super::args::{CliCommand, CommandLine};
    use super::*;
    use crate::importers::import_with;
    use crate::input::Input;
    use crate::model::{Step, TimeRange};
    use clap::Parser as _;
    use std::io::Cursor;

    /// Threads of the same number in two processes, one of which is called like threads that were merged.
    const PROCESSES: &str = r#"{"traceEvents":[
        {"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"3 threads merged"}},
        {"ph":"X","pid":1,"tid":7,"name":"Main","ts":0,"dur":4000000},
        {"ph":"X","pid":1,"tid":7,"name":"Work","ts":0,"dur":3000000},
        {"ph":"X","pid":1,"tid":8,"name":"Main","ts":0,"dur":5000000},
        {"ph":"X","pid":2,"tid":7,"name":"Main","ts":1000000,"dur":1000000},
        {"ph":"X","pid":2,"tid":-9,"name":"Idle","ts":1000000,"dur":500000}]}"#;
    const BUNDLED: &[u8] = include_bytes!("../../snapshots/js-ordered-consume.nettrace");
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

    /// The first step that `dotspot hotspots FILE` makes with these options.
    fn parsed(whole: &View, flags: &[String]) -> Scope {
        let line = ["dotspot", "hotspots", "FILE"]
            .into_iter()
            .chain(flags.iter().map(String::as_str));
        let Some(CliCommand::Hotspots(hotspots)) =
            CommandLine::try_parse_from(line).unwrap().command
        else {
            panic!()
        };
        let reading = hotspots.source.reading;
        let shown = InitialView {
            range: reading.range,
            threads: reading.threads.request(),
            metric: None,
            steps: vec![],
        };
        asked_for(whole, !reading.no_repair, &shown).unwrap()
    }

    /// Whether a first step has flags; if so, they make it.
    #[track_caller]
    fn check(whole: &View, scope: Scope) -> bool {
        let steps = ViewSpec {
            scope,
            transforms: Vec::new(),
        };
        let made = steps.flags(&whole.recording);
        if made.without.is_empty() {
            assert_eq!(parsed(whole, &made.flags), steps.scope, "{made:?}");
        }
        made.without.is_empty()
    }

    /// Every choice of the first threads, merged or not, of all of the time and of parts, in every form; gives how many of
    /// these have no flags.
    #[track_caller]
    fn check_all(whole: &View, threads: usize) -> usize {
        let mut without = 0;
        for bits in 1..1u32 << threads {
            let chosen = (0..whole.threads.len()).map(|row| bits >> row.min(threads - 1) & 1 == 1);
            let wanted: Vec<bool> = chosen.collect();
            for is_merged in [false, true] {
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
                            wanted: wanted.clone(),
                            is_merged,
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
    fn flags_make_the_view_that_they_are_of() {
        let mut recording = read("a.json", PROCESSES.as_bytes()).into_recording();
        recording.repaired = Some(recording.original.clone());
        // thread 7 of process 2 can't be told from that of process 1 if another one of that is wanted, too: that are 2 of 15
        // choices, each merged or not, with 3 ranges, in 2 forms
        assert_eq!(check_all(&recording.into_view(), 4), 2 * 2 * 3 * 2);
        assert_eq!(check_all(&read("a.nettrace", BUNDLED), 5), 0);
    }

    /// In words, the steps of the view that `dotspot` with these options opens on, none if that is all of the bundled sample; or what
    /// is wrong with them.
    #[track_caller]
    fn check_opening(flags: &[&str], expect: Result<&[&str], &str>) {
        let line = CommandLine::try_parse_from(["dotspot"].iter().chain(flags)).unwrap();
        let CommandLine {
            reading, shaping, ..
        } = line;
        let steps = shaping.requests().unwrap();
        let shown = InitialView {
            range: reading.range,
            threads: reading.threads.request(),
            metric: None,
            steps,
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
            words.map_err(|error| error.describe().0.sentence),
            expect,
            "{flags:?}"
        );
    }

    #[test]
    fn the_explorer_opens_on_the_view_of_its_options() {
        // plumbing is folded unless that is said otherwise
        check_opening(&[], Ok(&["fold plumbing"]));
        check_opening(&["--fold", "none"], Ok(&[]));
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
        let scope = |range, ids: &[(usize, &str)], is_merged, is_repaired| Scope {
            range,
            threads: ThreadChoice {
                wanted: wanted(ids),
                is_merged,
            },
            is_repaired,
        };
        let everything = [(0, "7"), (0, "8"), (1, "7"), (1, "-9")];
        let focus = recording.original.tree.nodes().find(|&node| {
            recording
                .frames
                .display_name(recording.original.tree.frame(node))
                == "Work"
        });
        let label = recording.node_label(recording.form(), focus.unwrap());
        for (scope, focuses, words, flags) in [
            (scope(None, &everything, false, true), &[][..], "", ""),
            (
                scope(None, &everything, true, true),
                &[],
                "4 threads, merged",
                "--merge-threads",
            ),
            (
                scope(
                    Some(FROM_2_TO_4_500),
                    &[(0, "8"), (0, "7"), (1, "7")],
                    true,
                    false,
                ),
                &[&label],
                "2.000 s to 4.500 s of 5.000 s|3 of 4 threads, merged|as recorded|Work",
                "--from|2s|--until|4.5s|--thread|7|--thread|8|--merge-threads|--no-repair",
            ),
            // one alone stays what it is
            (
                scope(None, &[(0, "8")], true, true),
                &[],
                "1 of 4 threads",
                "--thread|8|--merge-threads",
            ),
            (
                scope(None, &everything[..2], false, true),
                &[],
                "1 of 2 processes",
                "--process|1",
            ),
            (
                scope(None, &[(0, "7")], false, true),
                &[],
                "1 of 4 threads",
                "--thread|3 threads merged",
            ),
            (
                scope(None, &[(1, "7")], false, true),
                &[],
                "1 of 4 threads",
                "--process|2|--thread|7",
            ),
            (
                scope(None, &[(1, "-9")], false, true),
                &[],
                "1 of 4 threads",
                "--thread=-9",
            ),
        ] {
            let transforms = focuses
                .iter()
                .map(|label| Step::Focus(label.to_string()))
                .collect();
            let steps = ViewSpec { scope, transforms };
            assert_eq!(steps.words(&recording).join("|"), words);
            let made = steps.flags(&recording);
            assert_eq!(
                (made.flags.join("|").as_str(), made.without.len()),
                (flags, focuses.len()),
                "{words}"
            );
        }
    }
}
