//! Long work off the drawing thread: one job runs, and of each kind only the newest waits.

use super::convert::{Manner, why_not_named};
use super::files::{Destination, Refused, why_not_written, write_whole};
use super::notes;
use super::open::{OpenOptions, Target, open};
use super::range::Range;
use crate::analysis::fold::{make, make_watched};
use crate::analysis::search::SearchIndex;
use crate::analysis::{Hotspot, Upward, merged_watched, outermost_occurrences, unfolded_root};
use crate::app::{
    CallerPath, Effect, ExportOutcome, ExportResult, Findings, Found, HotspotLists, Message, MethodSums, OpenFailure,
    UpwardParts, UpwardSubject, hotspots_below, node_at_path,
};
use crate::exporters::Part;
use crate::input::{ImportError, Progress};
use crate::model::{
    Fold, Measure, MethodKey, MethodNotes, MetricId, NodeId, Recording, Steps, ThreadChoice, TooLarge, Unmade, View,
    Work,
};
use crate::query::{
    ListRequest, MethodOrder, QueryError, StepRequest, TOO_LARGE, ThreadRequest, choice, list_methods, metric_named,
    occurrences_of, stepped,
};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;

/// How many results a search shows.
const SEARCH_ROWS: usize = 1000;

/// How many nodes the views have together that are kept for when they are asked for again.
const KEPT_NODES: usize = 1_000_000;

/// What the worker knows of the profile that it worked on last, besides the profile itself.
pub struct Jobs {
    recording: Arc<Recording>,
    /// the views that were made last, the newest last
    made: Vec<Arc<View>>,
    view: Arc<View>,
    index: Option<SearchIndex>,
    /// the sums over the whole view by frame, for the metric that was searched with last
    sums: Option<(MetricId, Vec<Option<Hotspot>>)>,
    /// the tree of callers that was asked for last, as far as it was made
    callers: Option<(UpwardSubject, Arc<View>)>,
    /// a person's notes on methods, and the file in which they are kept
    notes: MethodNotes,
    notes_file: Option<PathBuf>,
    /// the file that was read, which is never overwritten
    input: Option<PathBuf>,
    /// set when nobody waits for what is being written
    is_abandoned: Arc<AtomicBool>,
}

impl Jobs {
    /// Jobs on the views of a recording, of which `view` is the first.
    pub fn new(view: Arc<View>) -> Jobs {
        let recording = Arc::clone(&view.recording);
        Jobs {
            made: Vec::new(),
            view,
            index: None,
            sums: None,
            callers: None,
            notes: recording.method_notes.clone(),
            notes_file: None,
            input: None,
            recording,
            is_abandoned: Arc::default(),
        }
    }

    /// The same of a recording that was read from this file, which is never overwritten.
    #[must_use]
    pub fn of_file(self, input: Option<PathBuf>) -> Jobs {
        Jobs { input, ..self }
    }

    /// The same with a file in which notes on methods are kept.
    #[must_use]
    pub fn with_notes_in(self, notes_file: Option<PathBuf>) -> Jobs {
        Jobs { notes_file, ..self }
    }

    /// Does what an effect asks, whose handles are those of `view`; `None` for effects that are not work.
    pub fn run(&mut self, view: &Arc<View>, effect: Effect) -> Option<Message> {
        self.run_watched(view, effect, &Work::default())
    }

    /// The same while somebody watches; `None` also for what was cancelled.
    fn run_watched(&mut self, view: &Arc<View>, effect: Effect, work: &Work) -> Option<Message> {
        if !Arc::ptr_eq(view, &self.view) {
            (self.index, self.sums, self.callers) = (None, None, None);
            self.view = Arc::clone(view);
        }
        let of = Arc::clone(view);
        match effect {
            Effect::Hotspots { scope, measure } => {
                Some(Message::Hotspots(of, Arc::new(HotspotLists::new(view, scope, measure))))
            }
            Effect::Search { query, metric } => Some(Message::Found(of, Arc::new(self.search(query, metric)))),
            Effect::Export { file, node, all_within, metric, overwrite } => {
                let result = self.export((node, all_within), metric, (&file, overwrite));
                Some(Message::Exported(ExportOutcome { file, result }))
            }
            Effect::Note { method, note, writes } => self.keep_note(method, &note, writes).map(Message::Noted),
            Effect::Methods { within, measure } => Some(Message::Methods(of, self.methods(within, measure))),
            Effect::Upward(subject) => {
                let parts = told(self.upward(subject, work))?;
                Some(Message::Upward(of, subject, parts.map(Arc::new)))
            }
            Effect::OpenCallers { subject, opened } => {
                Some(Message::Callers(of, subject, self.callers(subject, &opened)))
            }
            Effect::Show(steps) => {
                let made = told(self.make(&steps, work).map_err(Failure::from))?;
                Some(Message::Shown(steps, made))
            }
            Effect::GiveUp | Effect::Copy(_) | Effect::Suspend | Effect::Quit => None,
        }
    }

    /// Keeps a note on a method. What became of writing it, if it is to be written: all notes of the file.
    fn keep_note(&mut self, method: MethodKey, note: &str, writes: bool) -> Option<Result<MethodNotes, String>> {
        let file = self.notes_file.as_deref().filter(|_| writes);
        let written = file.map(|file| notes::keep(file, std::slice::from_ref(&method), note));
        self.notes.set(method, note);
        written
    }

    /// The view that these steps make, kept for when it is asked for again.
    fn make(&mut self, steps: &Steps, work: &Work) -> Result<Arc<View>, Unmade> {
        if let Some(known) = self.made.iter().find(|made| made.steps == *steps) {
            return Ok(Arc::clone(known));
        }
        let view = drawable(make_watched(&self.recording, steps, work)?);
        self.made.push(Arc::clone(&view));
        let mut nodes = 0;
        let kept = self.made.iter().rev().take_while(|made| {
            nodes += made.tree.len();
            nodes <= KEPT_NODES
        });
        let kept = kept.count();
        self.made.drain(..self.made.len() - kept);
        Ok(view)
    }

    /// The methods of a subtree with all that they have cost.
    fn methods(&self, within: NodeId, measure: Measure) -> Result<MethodSums, String> {
        // folded methods are in the tree below
        let (view, unfolded) = (&self.view, self.view.unfolded());
        let request = ListRequest {
            within: unfolded_root(view, within).ok_or("the focus stands for several subtrees; U shows its frames")?,
            metric: Some(&view.metric(measure.metric).name),
            waiting: Some(measure.counts_waiting),
            under: None,
            is_user_code: false,
            filter: None,
            order: MethodOrder::OwnAndSystem,
            most: 0,
        };
        let list = list_methods(unfolded, &request).map_err(|error| error.to_string())?;
        let (total, weight) = (list.selection.total(unfolded), list.selection.whole(unfolded));
        Ok(MethodSums { within, measure, rows: list.rows, no_user_caller: list.no_user_caller, total, weight })
    }

    /// A tree of callers, and what else is known of its subject.
    fn upward(&mut self, subject: UpwardSubject, work: &Work) -> Result<UpwardParts, Failure> {
        // folded methods are in the tree below
        let view = self.view.unfolded().clone();
        let within = self.below_folds(subject);
        let metrics = || (0..view.metrics.len()).map(MetricId::at);
        let upward = upward_of(&view, subject, within)?;
        let (callees, heaviest) = match subject {
            UpwardSubject::Inverted { .. } => (None, within),
            UpwardSubject::Method { frame, .. } => {
                let outermost = outermost_occurrences(&view, within, &[frame]);
                let value = |&node: &NodeId| (view.tree.inclusive(view.default_metric, node), Reverse(node));
                let heaviest = outermost.iter().copied().max_by_key(value).unwrap_or(within);
                (Some(drawable(merged_watched(&view, &outermost, work)?)), heaviest)
            }
        };
        let threads = |metric| {
            let mut threads = upward.threads(metric);
            threads.sort_by_key(|&(thread, sums)| (Reverse((sums.weight(false), sums.inclusive)), thread));
            threads.into_iter().map(|(thread, sums)| (view.display_name(thread).to_string(), sums)).collect()
        };
        Ok(UpwardParts {
            subject,
            callees,
            threads: if matches!(subject, UpwardSubject::Method { .. }) {
                metrics().map(threads).collect()
            } else {
                metrics().map(|_| Vec::new()).collect()
            },
            sums: metrics().map(|metric| upward.sums(Upward::TOP, metric)).collect(),
            occurrences: upward.occurrence_count(Upward::TOP),
            inner_occurrences: upward.inner_occurrence_count(),
            heaviest: self.view.place_of_unfolded(heaviest).unwrap_or(NodeId::ROOT),
            callers: self.first_callers(subject, upward)?,
        })
    }

    /// The subtree of a subject in the tree without folds: all of that, if several of its nodes went into the row.
    fn below_folds(&self, subject: UpwardSubject) -> NodeId {
        let (UpwardSubject::Method { within, .. } | UpwardSubject::Inverted { within }) = subject;
        unfolded_root(&self.view, within).unwrap_or(NodeId::ROOT)
    }

    /// A tree of callers with its first level.
    fn first_callers(&mut self, subject: UpwardSubject, mut upward: Upward) -> Result<Arc<View>, String> {
        let too_large = |TooLarge| TOO_LARGE.to_string();
        upward.open(Upward::TOP).map_err(too_large)?;
        let callers = drawable(upward.into_view().map_err(too_large)?);
        self.callers = Some((subject, Arc::clone(&callers)));
        Ok(callers)
    }

    /// The callers of a subject and of these rows of theirs.
    fn callers(&mut self, subject: UpwardSubject, opened: &[CallerPath]) -> Result<Arc<View>, String> {
        let known = self.callers.take().filter(|(known, _)| *known == subject).map(|(_, callers)| callers);
        let mut callers = match known {
            Some(known) => known,
            None => {
                let upward = upward_of(self.view.unfolded(), subject, self.below_folds(subject))?;
                self.first_callers(subject, upward)?
            }
        };
        for path in opened {
            let leaf = node_at_path(&callers, path);
            let leaf: Vec<NodeId> = leaf.into_iter().collect();
            if let Some(more) = callers.opened(&leaf).map_err(|TooLarge| TOO_LARGE.to_string())? {
                callers = drawable(more.view);
            }
        }
        self.callers = Some((subject, Arc::clone(&callers)));
        Ok(callers)
    }

    /// Writes a subtree or, if these are asked for within a subtree, all occurrences of its root's method as one tree.
    fn export(
        &self,
        (node, all_within): (NodeId, Option<NodeId>),
        metric: MetricId,
        (file, overwrite): (&str, bool),
    ) -> ExportResult {
        let (path, view) = (Path::new(file), &self.view);
        if let Some(reason) = why_not_named(path) {
            return ExportResult::Failed(reason);
        }
        let all = all_within.map(|within| occurrences_of(view, &[view.tree.frame(node)], within));
        let all = match all.transpose() {
            Ok(all) => all.flatten(),
            Err(error) => return ExportResult::Failed(error.to_string()),
        };
        let occurrences = all.as_ref().map(|all| all.count);
        let (merged, root) = all.map_or((None, node), |all| (all.merged, all.root));
        let view = merged.as_ref().unwrap_or(view);
        let (manner, part) = (Manner::of(path, None), Part { notes: &self.notes, ..Part::new(view, root, metric) });
        if let Some(reason) = (manner.exporter.refusal)(&part) {
            return ExportResult::Failed(format!("{}: {reason}", manner.exporter.name));
        }
        let to = Destination { path, input: self.input.as_deref(), overwrite };
        let written =
            write_whole(to, |out| manner.write(&part, &mut Abandonable { out, is_abandoned: &self.is_abandoned }));
        match written {
            Ok(size_bytes) => {
                let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf()).display().to_string();
                ExportResult::Written { path, size_bytes, nodes: view.subtree_node_count(root), occurrences }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => ExportResult::Exists,
            Err(error) if Refused::of(&error) == Some(Refused::Device) => ExportResult::Exists,
            Err(error) => ExportResult::Failed(why_not_written(path, &error)),
        }
    }

    fn search(&mut self, query: String, metric: MetricId) -> Findings {
        let view = &self.view;
        // what is folded is found, too
        let unfolded = view.unfolded();
        if self.sums.as_ref().is_none_or(|(known, _)| *known != metric) {
            let mut by_frame = vec![None; view.frames.len()];
            for hotspot in hotspots_below(view, NodeId::ROOT, metric.into()) {
                by_frame[hotspot.frame.index()] = Some(hotspot);
            }
            self.sums = Some((metric, by_frame));
        }
        let index = self.index.get_or_insert_with(|| SearchIndex::of(&unfolded.frames, |id| unfolded.occurs(id)));
        let sums = self.sums.as_ref().map_or(&[][..], |(_, sums)| sums);
        let weight = |frame: crate::model::FrameId| sums[frame.index()].map_or(0, |hotspot| hotspot.inclusive);
        let result = index.search(&query, weight, SEARCH_ROWS);
        let rows = result
            .rows
            .into_iter()
            .filter_map(|row| Some(Found { hotspot: sums[row.frame.index()]?, matched: row.positions }))
            .collect();
        Findings { query, total: result.total_matches, is_approximate: result.approximate, rows }
    }
}

/// Why there is no answer.
enum Failure {
    /// Nobody waits for it any longer.
    Cancelled,
    /// A sentence.
    Told(String),
}

impl From<Unmade> for Failure {
    fn from(unmade: Unmade) -> Failure {
        match unmade {
            Unmade::Cancelled => Failure::Cancelled,
            Unmade::TooLarge => Failure::Told(TOO_LARGE.into()),
        }
    }
}

impl From<String> for Failure {
    fn from(sentence: String) -> Failure {
        Failure::Told(sentence)
    }
}

/// An answer, or the sentence why there is none; `None` if nobody waits for it.
fn told<T>(answer: Result<T, Failure>) -> Option<Result<T, String>> {
    match answer {
        Ok(answer) => Some(Ok(answer)),
        Err(Failure::Told(sentence)) => Some(Err(sentence)),
        Err(Failure::Cancelled) => None,
    }
}

/// The tree of callers of a subject within a subtree.
fn upward_of(view: &View, subject: UpwardSubject, within: NodeId) -> Result<Upward, String> {
    match subject {
        UpwardSubject::Inverted { .. } => Ok(Upward::inverted(view, within)),
        UpwardSubject::Method { frame, .. } => {
            Upward::callers(view, within, &[frame]).ok_or_else(|| "the method does not occur in this tree".into())
        }
    }
}

/// A view of which is known what every draw asks for, and what takes its time the first time.
fn drawable(view: View) -> Arc<View> {
    let _ = (view.largest(view.default_metric), view.step_words());
    // which methods are overloads is found out with the first name in a list
    let _ = view.frames.list_name(view.tree.frame(NodeId::ROOT));
    Arc::new(view)
}

/// A writer that fails once nobody wants what it writes, so that a half-written file is cleared away.
struct Abandonable<'a, W> {
    out: W,
    is_abandoned: &'a AtomicBool,
}

impl<W: Write> Write for Abandonable<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_abandoned.load(Ordering::Relaxed) {
            return Err(io::Error::other("given up"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A recording, and the view of it that the command line asks for.
pub(super) struct Opened {
    /// All of it.
    pub whole: Arc<View>,
    /// The view, if it is not all of it.
    pub shown: Option<Arc<View>>,
    /// The metric, if it is not the recording's first choice.
    pub metric: Option<MetricId>,
}

/// What the command line asks to be shown at first.
pub(super) struct Shown {
    /// Which range of time.
    pub range: Range,
    /// Which threads.
    pub threads: ThreadRequest,
    /// In which metric.
    pub metric: Option<String>,
    /// What is changed in its tree.
    pub steps: Vec<StepRequest>,
}

/// Reads a profile; what goes wrong comes back as a message, panics too. Truncated stacks are repaired however it is to be shown at first, so
/// that both can be shown.
pub(super) fn load(
    target: &Target,
    how: &OpenOptions,
    wanted: &Shown,
    progress: Progress,
) -> Result<Opened, LoadError> {
    let work = || {
        let repairing = OpenOptions { repairs: true, ..how.clone() };
        let whole = drawable(open(target, &repairing, progress).map_err(LoadError::Import)?);
        let metric = metric_named(&whole, wanted.metric.as_deref()).map_err(LoadError::Query)?;
        let fold = asked_for(&whole, how.repairs, wanted)?;
        let first = make(&whole.recording, &Steps { fold, then: Vec::new() });
        let first = first.map_err(|_| LoadError::Query(QueryError::too_large(TOO_LARGE)))?;
        let steps = [wanted.steps.clone(), folded_at_first(&whole, &wanted.steps)].concat();
        let shown = stepped(first, &steps).map_err(LoadError::Query)?;
        let shown = (shown.steps != whole.steps).then(|| drawable(shown));
        Ok(Opened { metric: Some(metric).filter(|&metric| metric != whole.default_metric), whole, shown })
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(LoadError::Panic(panic_text(&*panic))))
}

/// What is folded at first unless the command line says otherwise: plumbing, of which stacks of .NET are full.
fn folded_at_first(whole: &View, asked_for: &[StepRequest]) -> Vec<StepRequest> {
    let is_asked_for = asked_for.iter().any(|request| request.word == "fold" || request.word == "group");
    let has_plumbing = || whole.frames.iter().any(|(id, frame)| frame.is_plumbing && whole.occurs(id));
    let request = || StepRequest { option: "--fold".into(), word: "fold".into(), value: "plumbing".into() };
    (!is_asked_for && has_plumbing()).then(request).into_iter().collect()
}

/// The first step that the command line asks for.
fn asked_for(whole: &View, repairs: bool, wanted: &Shown) -> Result<Fold, LoadError> {
    let range = wanted.range.within(&whole.recording).map_err(|usage| LoadError::Range(usage.0))?;
    let choice = choice(whole, &wanted.threads).map_err(LoadError::Query)?;
    let threads = choice.map_or_else(|| ThreadChoice::all(whole), |(choice, _)| choice);
    Ok(Fold { range, threads, is_repaired: repairs || whole.recording.repaired.is_none() })
}

/// Why a profile is not there.
#[derive(Clone, Debug)]
pub(super) enum LoadError {
    /// The importer said so.
    Import(ImportError),
    /// What the command line asks for is not there, or can't be made.
    Query(QueryError),
    /// The range of time that the command line asks for is not there, with the sentence about it.
    Range(String),
    /// A fault of ours, with its text.
    Panic(String),
}

impl LoadError {
    /// The failure for the screen, and the exit code.
    pub(super) fn describe(&self) -> (OpenFailure, u8) {
        match self {
            LoadError::Import(error) => {
                let mut failure =
                    OpenFailure { stage: None, sentence: error.to_string(), detail: vec!["no more is known".into()] };
                if let ImportError::Failed(parts) = error {
                    failure.stage = parts.stage.map(|stage| stage.name());
                    failure.detail = detail_of(parts);
                }
                (failure, error.exit_code())
            }
            LoadError::Query(error) => (refused(error.to_string()), super::exit::of_query(error)),
            LoadError::Range(sentence) => (refused(sentence.clone()), super::exit::USAGE),
            LoadError::Panic(text) => {
                let sentence =
                    "this is a bug in dotspot: reading this file made it panic; please report it".to_string();
                (OpenFailure { stage: None, sentence, detail: vec![text.clone()] }, super::exit::FAILED)
            }
        }
    }
}

/// The failure of a wish that the profile can't fulfil.
fn refused(sentence: String) -> OpenFailure {
    OpenFailure { stage: None, sentence, detail: vec!["no more is known".into()] }
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
        lines.push(format!("what to do: {advice}"));
    }
    lines
}

/// What a panic said.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a message".into())
}

/// What is asked for, and of which profile.
type Job = (Arc<View>, Effect);

#[derive(Default)]
struct Waiting {
    hotspots: Option<Job>,
    search: Option<Job>,
    view: Option<Job>,
    upward: Option<Job>,
    export: Option<Job>,
    /// all of them, since each is wanted
    notes: VecDeque<Job>,
    /// the view or tree of callers that is being made
    running: Option<Work>,
    is_closed: bool,
}

/// The thread that does the jobs of one profile and of those that are made from it.
pub(super) struct Worker {
    shared: Arc<(Mutex<Waiting>, Condvar)>,
    is_abandoned: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// How far the view is that is being made, in percent.
    pub(super) fn percent(&self) -> Option<u8> {
        lock(&self.shared.0).running.as_ref().map(Work::percent)
    }

    /// Starts the thread. `send` gets every answer.
    pub(super) fn start(jobs: Jobs, send: impl Fn(Message) + Send + 'static) -> std::io::Result<Worker> {
        let shared: Arc<(Mutex<Waiting>, Condvar)> = Arc::default();
        let theirs = Arc::clone(&shared);
        let mut jobs = jobs;
        let is_abandoned = Arc::clone(&jobs.is_abandoned);
        let thread = std::thread::Builder::new().name("worker".into()).spawn(move || {
            while let Some((view, effect)) = next_job(&theirs) {
                let work = Work::default();
                lock(&theirs.0).running = is_of_view(&effect).then(|| work.clone());
                let answer = catch_unwind(AssertUnwindSafe(|| jobs.run_watched(&view, effect, &work)));
                lock(&theirs.0).running = None;
                let answer = answer.unwrap_or_else(|panic| {
                    Some(Message::Failed(format!("this is a bug in dotspot: {}", panic_text(&*panic))))
                });
                if let Some(message) = answer {
                    send(message);
                }
            }
        })?;
        Ok(Worker { shared, is_abandoned, thread: Some(thread) })
    }

    /// Asks for a job on a profile; one of the same kind that still waits is forgotten.
    pub(super) fn ask(&self, view: &Arc<View>, effect: Effect) {
        let mut waiting = lock(&self.shared.0);
        // the view that was asked for last is the one that is wanted
        if let Some(work) = waiting.running.as_ref().filter(|_| effect == Effect::GiveUp || is_of_view(&effect)) {
            work.cancel();
        }
        let slot = match effect {
            Effect::GiveUp => {
                (waiting.view, waiting.upward) = (None, None);
                return;
            }
            Effect::Hotspots { .. } => &mut waiting.hotspots,
            Effect::Search { .. } => &mut waiting.search,
            Effect::Show(_) => &mut waiting.view,
            Effect::Methods { .. } | Effect::Upward(_) | Effect::OpenCallers { .. } => &mut waiting.upward,
            Effect::Export { .. } => &mut waiting.export,
            Effect::Note { .. } => {
                waiting.notes.push_back((Arc::clone(view), effect));
                self.shared.1.notify_one();
                return;
            }
            Effect::Copy(_) | Effect::Suspend | Effect::Quit => return,
        };
        *slot = Some((Arc::clone(view), effect));
        self.shared.1.notify_one();
    }
}

/// Whether an effect asks for another view, so that an earlier one is no longer wanted. Rows of callers are opened one after the
/// other, and each is wanted.
fn is_of_view(effect: &Effect) -> bool {
    matches!(effect, Effect::Show(_) | Effect::Upward(_) | Effect::Methods { .. })
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
        {
            let mut waiting = lock(&self.shared.0);
            waiting.running.iter().for_each(Work::cancel);
            // what a person wrote is not lost
            let notes = std::mem::take(&mut waiting.notes);
            *waiting = Waiting { is_closed: true, notes, ..Waiting::default() };
        }
        self.shared.1.notify_one();
        if let Some(thread) = self.thread.take() {
            // its panics are caught; there is nothing more to learn from it
            let _ = thread.join();
        }
    }
}

/// A lock that a panic elsewhere can't take away: what it guards is whole between any two statements.
fn lock(mutex: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Waits for the next job: what a user waits for with every key comes first. `None` when the worker is dropped.
fn next_job(shared: &(Mutex<Waiting>, Condvar)) -> Option<Job> {
    let mut waiting = lock(&shared.0);
    loop {
        // sums of a tree that is about to go can wait
        let next = waiting
            .notes
            .pop_front()
            .or_else(|| waiting.search.take())
            .or_else(|| waiting.upward.take())
            .or_else(|| waiting.view.take());
        let next = next.or_else(|| waiting.hotspots.take()).or_else(|| waiting.export.take());
        if next.is_some() || waiting.is_closed {
            return next;
        }
        waiting = shared.1.wait(waiting).unwrap_or_else(|poisoned| poisoned.into_inner());
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::{Command, CommandLine};
    use super::*;
    use crate::importers::{ReadOptions, import_with};
    use crate::input::Input;
    use crate::model::testing::profile_of;
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
    const FROM_2_TO_4_500: TimeRange = TimeRange { from_ns: 2_000_000_000, to_ns: 4_500_000_000 };

    fn read(name: &str, bytes: &'static [u8]) -> View {
        let input = Input::stream(name, Box::new(Cursor::new(bytes)), Progress::default()).unwrap();
        let options = ReadOptions { wants_samples: true, ..ReadOptions::default() };
        import_with(input, &options, |format, input| (format.read)(input, &options)).unwrap().into_view()
    }

    /// The first step that `dotspot hotspots FILE` makes with these options.
    fn parsed(whole: &View, flags: &[String]) -> Fold {
        let line = ["dotspot", "hotspots", "FILE"].into_iter().chain(flags.iter().map(String::as_str));
        let Some(Command::Hotspots(hotspots)) = CommandLine::try_parse_from(line).unwrap().command else { panic!() };
        let reading = hotspots.source.reading;
        let shown = Shown { range: reading.range, threads: reading.threads.request(), metric: None, steps: vec![] };
        asked_for(whole, !reading.no_repair, &shown).unwrap()
    }

    /// Whether a first step has flags; if so, they make it.
    #[track_caller]
    fn check(whole: &View, fold: Fold) -> bool {
        let steps = Steps { fold, then: Vec::new() };
        let made = steps.flags(&whole.recording);
        if made.without.is_empty() {
            assert_eq!(parsed(whole, &made.flags), steps.fold, "{made:?}");
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
                for range in [None, Some(FROM_2_TO_4_500), Some(TimeRange { from_ns: 7, to_ns: TimeRange::OPEN })] {
                    for is_repaired in [true, whole.recording.repaired.is_none()] {
                        let threads = ThreadChoice { wanted: wanted.clone(), is_merged };
                        without += usize::from(!check(whole, Fold { range, threads, is_repaired }));
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
        let CommandLine { reading, changing, .. } = line;
        let steps = changing.requests().unwrap();
        let shown = Shown { range: reading.range, threads: reading.threads.request(), metric: None, steps };
        let opened = load(&Target::Sample, &reading.options(), &shown, Progress::default());
        let words = opened.map(|opened| opened.shown.map_or(vec![], |view| view.steps.words(&view.recording)));
        let expect = expect.map(|words| words.iter().map(|word| word.to_string()).collect()).map_err(String::from);
        assert_eq!(words.map_err(|error| error.describe().0.sentence), expect, "{flags:?}");
    }

    #[test]
    fn the_explorer_opens_on_the_view_of_its_options() {
        // plumbing is folded unless that is said otherwise
        check_opening(&[], Ok(&["fold plumbing"]));
        check_opening(&["--fold", "none"], Ok(&[]));
        check_opening(
            &["--step", "inverted", "--fold", "system", "--drop", "PriceRules.Discount", "--until", "2s"],
            Ok(&["0.000 s to 2.000 s of 8.127 s", "without PriceRules.Discount", "fold system", "inverted"]),
        );
        check_opening(&["--focus", "(a"], Err("--focus (a: unclosed group"));
    }

    #[test]
    fn steps_have_words_and_flags() {
        let mut recording = read("a.json", PROCESSES.as_bytes()).into_recording();
        recording.repaired = Some(recording.original.clone());
        let wanted = |ids: &[(usize, &str)]| -> Vec<bool> {
            let is_wanted = |process, id: &str| ids.contains(&(process, id));
            recording.threads.iter().map(|thread| is_wanted(thread.process.unwrap(), &thread.id)).collect()
        };
        let fold = |range, ids: &[(usize, &str)], is_merged, is_repaired| Fold {
            range,
            threads: ThreadChoice { wanted: wanted(ids), is_merged },
            is_repaired,
        };
        let everything = [(0, "7"), (0, "8"), (1, "7"), (1, "-9")];
        let focus = recording
            .original
            .tree
            .nodes()
            .find(|&node| recording.frames.display_name(recording.original.tree.frame(node)) == "Work");
        let label = recording.node_label(recording.form(), focus.unwrap());
        for (fold, focuses, words, flags) in [
            (fold(None, &everything, false, true), &[][..], "", ""),
            (fold(None, &everything, true, true), &[], "4 threads, merged", "--merge-threads"),
            (
                fold(Some(FROM_2_TO_4_500), &[(0, "8"), (0, "7"), (1, "7")], true, false),
                &[&label],
                "2.000 s to 4.500 s of 5.000 s|3 of 4 threads, merged|as recorded|Work",
                "--from|2s|--until|4.5s|--thread|7|--thread|8|--merge-threads|--no-repair",
            ),
            // one alone stays what it is
            (fold(None, &[(0, "8")], true, true), &[], "1 of 4 threads", "--thread|8|--merge-threads"),
            (fold(None, &everything[..2], false, true), &[], "1 of 2 processes", "--process|1"),
            (fold(None, &[(0, "7")], false, true), &[], "1 of 4 threads", "--thread|3 threads merged"),
            (fold(None, &[(1, "7")], false, true), &[], "1 of 4 threads", "--process|2|--thread|7"),
            (fold(None, &[(1, "-9")], false, true), &[], "1 of 4 threads", "--thread=-9"),
        ] {
            let then = focuses.iter().map(|label| Step::Focus(label.to_string())).collect();
            let steps = Steps { fold, then };
            assert_eq!(steps.words(&recording).join("|"), words);
            let made = steps.flags(&recording);
            assert_eq!((made.flags.join("|").as_str(), made.without.len()), (flags, focuses.len()), "{words}");
        }
    }

    #[test]
    fn what_is_cancelled_has_no_answer() {
        let view = Arc::new(profile_of("T;run;price 10|U;price 5"));
        let mut jobs = Jobs::new(Arc::clone(&view));
        let drop = Step::DropNode("n2".into());
        let steps = Steps { then: vec![drop], ..view.steps.clone() };
        let frame = view.frames.find("price")[0];
        let method = Effect::Upward(UpwardSubject::Method { frame, within: NodeId::ROOT });
        for effect in [Effect::Show(steps), method] {
            let work = Work::default();
            work.cancel();
            assert!(jobs.run_watched(&view, effect.clone(), &work).is_none());
            assert!(jobs.run(&view, effect).is_some());
        }
    }

    #[test]
    fn the_view_that_was_asked_for_last_is_made() {
        let view = Arc::new(profile_of("T;run;price 10|U;price 5"));
        let (send, receive) = std::sync::mpsc::channel();
        let worker = Worker::start(Jobs::new(Arc::clone(&view)), move |message| send.send(message).unwrap()).unwrap();
        let without = |node: &str| Steps { then: vec![Step::DropNode(node.into())], ..view.steps.clone() };
        for node in ["n1", "n2", "n3", "n4"] {
            worker.ask(&view, Effect::Show(without(node)));
        }
        // earlier ones may have been made before they were no longer wanted
        let last =
            receive.iter().find(|message| matches!(message, Message::Shown(steps, _) if *steps == without("n4")));
        assert!(matches!(last, Some(Message::Shown(_, Ok(made))) if made.tree.len() == 5));
        drop(worker);
        assert!(receive.recv().is_err(), "nothing comes after it");
    }
}
