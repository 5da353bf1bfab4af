//! A recording in progress, explored while it grows.
//!
//! A thread rereads the file up to its last complete block and rebuilds the view, so late data, such as method names,
//! needs no special care. It idles three quarters of the time.

use super::jobs::Jobs;
use super::load::{InitialView, LoadedFile, Opening, collapsed_at_first, load, panic_text};
use super::open::{Target, open_input};
use crate::analysis::ReadyView;
use crate::analysis::growth::{Growth, MatchedFrames};
use crate::analysis::make::make;
use crate::analysis::remap::Remap;
use crate::app::{
    ButterflyParts, ButterflySubject, Effect, HotspotLists, LiveStatus, Message, OpenedCallers,
    UpdateRequest, UpdatedView,
};
use crate::cli::messages;
use crate::importers::{Tally, end_of_recording};
use crate::input::{Failure, ImportError, Input, Progress, plain};
use crate::model::{FrameId, Measure, Step, View};
use crate::query::messages::TREE_TOO_LARGE;
use crate::query::stepped;
use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

const UPDATE_INTERVAL: Duration = Duration::from_secs(1);
const FIRST_INTERVAL: Duration = Duration::from_millis(100);
/// How long the first view waits for names: later, the user's place would be lost.
const MAX_NAMELESS: Duration = Duration::from_millis(2500);
/// How much reading yields to everything else that runs.
#[cfg(target_os = "linux")]
const READING_NICENESS: i32 = 10;
const REFRESH_BACKOFF: u32 = 4;

#[derive(Clone, Debug)]
pub(super) struct LiveEnd {
    pub file: Option<PathBuf>,
    pub sentence: String,
}

pub(super) struct LiveRecording {
    state: Mutex<LiveState>,
    started: Instant,
    part: PathBuf,
    /// Whether dotspot quits when the recording ends.
    leaves: bool,
    opening: Opening,
    stop: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct LiveState {
    whole_bytes: u64,
    samples: u64,
    /// A second recording of the same process that provides names.
    names: Arc<[u8]>,
    ended: Option<LiveEnd>,
    on_end: Option<Box<dyn FnOnce() + Send>>,
}

impl LiveRecording {
    /// `stop` stops it; a second call skips what is still to come.
    pub(super) fn new(
        part: PathBuf,
        leaves: bool,
        opening: Opening,
        stop: impl Fn() + Send + Sync + 'static,
    ) -> LiveRecording {
        LiveRecording {
            state: Mutex::default(),
            started: Instant::now(),
            part,
            leaves,
            opening,
            stop: Box::new(stop),
        }
    }

    pub(super) fn update(&self, tally: &Tally) {
        let mut state = self.state.lock();
        (state.whole_bytes, state.samples) = (tally.blocks.whole_bytes, tally.samples);
    }

    pub(super) fn name(&self, names: Arc<[u8]>) {
        self.state.lock().names = names;
    }

    pub(super) fn end(&self, ended: LiveEnd) {
        let mut state = self.state.lock();
        state.ended = Some(ended);
        let notify = state.on_end.take();
        drop(state);
        notify.into_iter().for_each(|notify| notify());
    }

    /// Calls `notify` when it ends; immediately if it has.
    fn when_over(&self, notify: impl FnOnce() + Send + 'static) {
        let mut state = self.state.lock();
        match state.ended {
            None => state.on_end = Some(Box::new(notify)),
            Some(_) => {
                drop(state);
                notify();
            }
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.state.lock().ended.is_some()
    }

    fn ended(&self) -> Option<LiveEnd> {
        self.state.lock().ended.clone()
    }

    fn now(&self) -> LiveStatus {
        let state = self.state.lock();
        LiveStatus {
            elapsed_ms: self.started.elapsed().as_millis() as u64,
            samples: state.samples,
            bytes: state.whole_bytes,
            is_over: state.ended.is_some(),
            leaves: self.leaves,
        }
    }

    fn read(&self, target: &Target) -> Result<ReadyView, ImportError> {
        let (bytes, names) = {
            let state = self.state.lock();
            (state.whole_bytes, Arc::clone(&state.names))
        };
        let part = File::open(&self.part);
        let part = part.map_err(|error| Failure::new(target.name(), "", plain(&error)))?;
        let end = Cursor::new(end_of_recording(&names, bytes));
        let part = Box::new(part.take(bytes).chain(end));
        let input = Input::stream(&target.name(), part, Progress::default())?;
        Ok(ReadyView::of(open_input(target, input, &self.opening.how)?))
    }
}

enum LiveRequest {
    First,
    Update(Arc<View>, UpdateRequest),
}

pub(super) enum LiveAnswer {
    First(Option<LoadedFile>),
    /// The rebuilt view; and if the recording has ended, all of it as opened.
    Update(Result<Box<UpdatedView>, String>, Option<ReadyView>),
    Over,
}

/// Rebuilds the current view from time to time.
pub(super) struct Watcher {
    live: Arc<LiveRecording>,
    requests: Sender<LiveRequest>,
    due: Instant,
    /// Since when an answer has been pending.
    requested_at: Option<Instant>,
    interval: Duration,
    pub leaves: bool,
}

impl Watcher {
    /// `send` gets every answer.
    pub(super) fn start(
        live: Arc<LiveRecording>,
        target: Target,
        send: impl Fn(LiveAnswer) + Send + Clone + 'static,
    ) -> io::Result<Watcher> {
        let (requests, received) = channel();
        let (notify, theirs) = (send.clone(), Arc::clone(&live));
        live.when_over(move || notify(LiveAnswer::Over));
        thread::Builder::new().name("live".into()).spawn(move || {
            // keys and the recorder come first; on other systems, all threads would change priority
            #[cfg(target_os = "linux")]
            let _ = rustix::process::nice(READING_NICENESS);
            let mut reader = LiveReader {
                live: theirs,
                target,
                all: None,
            };
            for request in received {
                send(reader.answer(request));
            }
        })?;
        let leaves = live.leaves;
        Ok(Watcher {
            live,
            requests,
            due: Instant::now(),
            requested_at: None,
            interval: UPDATE_INTERVAL,
            leaves,
        })
    }

    pub(super) fn is_over(&self) -> bool {
        self.live.is_over()
    }

    pub(super) fn file(&self) -> Option<PathBuf> {
        self.live.ended()?.file
    }

    pub(super) fn stop(&self) {
        (self.live.stop)();
    }

    pub(super) fn wait(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    pub(super) fn due(&mut self) -> Option<LiveStatus> {
        if Instant::now() < self.due {
            return None;
        }
        self.due = Instant::now() + self.interval;
        Some(self.live.now())
    }

    pub(super) fn update_soon(&mut self) {
        self.due = Instant::now();
    }

    pub(super) fn request_first(&mut self, now: LiveStatus) {
        self.due = Instant::now() + FIRST_INTERVAL;
        let has_names = !self.live.state.lock().names.is_empty();
        let is_late = now.elapsed_ms > MAX_NAMELESS.as_millis() as u64;
        let is_worth_it = now.bytes > 0 && (has_names || is_late);
        if self.requested_at.is_none() && (is_worth_it || now.is_over) {
            self.ask(LiveRequest::First);
        }
    }

    pub(super) fn request_update(&mut self, view: &Arc<View>, order: UpdateRequest) {
        self.ask(LiveRequest::Update(Arc::clone(view), order));
    }

    fn ask(&mut self, ask: LiveRequest) {
        self.requested_at = Some(Instant::now());
        // the thread lives as long as this
        let _ = self.requests.send(ask);
    }

    /// Notes that an answer has arrived: slow requests are made less often.
    pub(super) fn answered(&mut self) {
        if let Some(requested_at) = self.requested_at.take() {
            self.interval = UPDATE_INTERVAL.max(requested_at.elapsed() * REFRESH_BACKOFF);
            self.due = requested_at + self.interval;
        }
    }
}

struct LiveReader {
    live: Arc<LiveRecording>,
    target: Target,
    all: Option<ReadyView>,
}

impl LiveReader {
    fn answer(&mut self, ask: LiveRequest) -> LiveAnswer {
        let is_first = matches!(ask, LiveRequest::First);
        let work = AssertUnwindSafe(|| match ask {
            LiveRequest::First => LiveAnswer::First(self.first()),
            LiveRequest::Update(view, order) => {
                let made = self.update(&view, &order);
                LiveAnswer::Update(made, self.all.clone())
            }
        });
        catch_unwind(work).unwrap_or_else(|panic| match is_first {
            true => LiveAnswer::First(None),
            false => LiveAnswer::Update(Err(messages::bug(&panic_text(&*panic))), None),
        })
    }

    /// The whole recording if it has ended, or else what was recorded so far.
    fn whole(&mut self) -> Result<(ReadyView, Option<LiveEnd>), String> {
        let ended = self.live.ended();
        let file = ended.as_ref().and_then(|ended| ended.file.clone());
        if let (None, Some(file)) = (&self.all, file) {
            let (target, how) = (Target::File(file), &self.live.opening.how);
            let opened = load(&target, how, &InitialView::default(), Progress::default());
            self.all = Some(opened.map_err(|error| error.to_string())?.whole);
        }
        match (&ended, &self.all) {
            (Some(_), Some(all)) => Ok((all.clone(), ended)),
            (Some(ended), None) => Err(ended.sentence.clone()),
            (None, _) => {
                let read = self.live.read(&self.target);
                Ok((read.map_err(|error| error.to_string())?, None))
            }
        }
    }

    fn first(&mut self) -> Option<LoadedFile> {
        let (whole, _) = self.whole().ok()?;
        if whole.is_empty() && self.all.is_none() {
            return None;
        }
        let collapsed = collapsed_at_first(&whole, &self.live.opening.shown);
        let shown = stepped(View::clone(&whole), &collapsed).ok()?;
        let shown = (shown.steps != whole.steps).then(|| ReadyView::of(shown));
        Some(LoadedFile {
            whole,
            shown,
            metric: None,
            waiting: None,
        })
    }

    fn update(
        &mut self,
        view: &Arc<View>,
        order: &UpdateRequest,
    ) -> Result<Box<UpdatedView>, String> {
        let (whole, ended) = self.whole()?;
        let updated_view = updated_view_as(view, &whole, order, &self.live.opening.shown)?;
        Ok(Box::new(UpdatedView {
            end: ended.map(|ended| ended.sentence),
            ..updated_view
        }))
    }
}

pub fn updated_view(
    of: &Arc<View>,
    whole: &ReadyView,
    order: &UpdateRequest,
) -> Result<UpdatedView, String> {
    updated_view_as(of, whole, order, &InitialView::default())
}

fn updated_view_as(
    of: &Arc<View>,
    whole: &ReadyView,
    order: &UpdateRequest,
    wanted: &InitialView,
) -> Result<UpdatedView, String> {
    let frames = MatchedFrames::of(&of.recording, &whole.recording);
    let steps = frames.steps(of, &whole.recording);
    let made = make(&whole.recording, &steps).map_err(|_| TREE_TOO_LARGE.to_string())?;
    // infrastructure frames may appear for the first time
    let mut frames_before = of.recording.frames.iter();
    let had_plumbing = frames_before.any(|(_, frame)| frame.is_plumbing);
    let collapsed = match had_plumbing || steps.transforms.iter().any(Step::is_display) {
        true => Vec::new(),
        false => collapsed_at_first(whole, wanted),
    };
    let made = stepped(made, &collapsed).map_err(|error| error.to_string())?;
    let shown = ReadyView::of(made);
    let growth = Growth::between(of, &shown, frames);
    let mut remap = Remap::grown(of, &shown, &growth);
    let callers = order.butterfly.as_ref();
    let subject = callers.and_then(|(subject, _)| subject.remapped(&mut remap));
    let scope = remap.node(order.scope).0;
    let name = &of.recording.metric(order.measure.metric).name;
    let metric = shown.recording.metric_named(name);
    let measure = Measure {
        metric: metric.unwrap_or(shown.recording.default_metric),
        ..order.measure
    };
    let hotspots = Arc::new(HotspotLists::new(&shown, scope, measure));
    let mut opened = callers.map_or(Vec::new(), |(_, opened)| opened.clone());
    let now = |&frame: &FrameId| growth.frames().frame(frame).unwrap_or(frame);
    for row in &mut opened {
        row.path = row.path.iter().map(now).collect();
    }
    let butterfly = subject.and_then(|subject| {
        let parts = caller_tree_of(whole, &shown, subject, &opened)?;
        Some((subject, parts, opened))
    });
    Ok(UpdatedView {
        of: Arc::clone(of),
        whole: whole.clone(),
        shown,
        growth,
        hotspots,
        butterfly,
        end: None,
    })
}

fn caller_tree_of(
    whole: &Arc<View>,
    shown: &Arc<View>,
    subject: ButterflySubject,
    opened: &[OpenedCallers],
) -> Option<Arc<ButterflyParts>> {
    let mut jobs = Jobs::new(Arc::clone(whole));
    let made = jobs.run(shown, Effect::CallerTree(subject));
    let Some(Message::CallerTree(_, _, Ok(mut parts))) = made else {
        return None;
    };
    if !opened.is_empty() {
        let opened = opened.to_vec();
        let callers = jobs.run(shown, Effect::OpenCallers { subject, opened });
        if let Some(Message::Callers(_, _, Ok(callers))) = callers {
            Arc::make_mut(&mut parts).callers = callers;
        }
    }
    Some(parts)
}
