//! A recording in progress. A thread rereads the file up to its last complete block and rebuilds the view, so late data,
//! such as method names, needs no special care. It idles three quarters of the time.

use super::jobs::Jobs;
use super::load::{InitialView, LoadedFile, Opening, initially_collapsed, load, panic_text};
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
use crate::query::apply_steps;
use crate::query::messages::TREE_TOO_LARGE;
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
const MAX_WAIT_FOR_NAMES: Duration = Duration::from_millis(2500);
const END_INTERVAL: Duration = Duration::from_millis(100);
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
    quits_at_end: bool,
    opening: Opening,
    stop: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct LiveState {
    complete_bytes: u64,
    samples: u64,
    /// A recording of the same process with the names so far.
    names: Arc<[u8]>,
    ended: Option<LiveEnd>,
}

impl LiveRecording {
    /// A second call to `stop` skips what is still to come.
    pub(super) fn new(
        part: PathBuf,
        quits_at_end: bool,
        opening: Opening,
        stop: impl Fn() + Send + Sync + 'static,
    ) -> LiveRecording {
        LiveRecording {
            state: Mutex::default(),
            started: Instant::now(),
            part,
            quits_at_end,
            opening,
            stop: Box::new(stop),
        }
    }

    pub(super) fn update(&self, tally: &Tally, newer_names: Option<Arc<[u8]>>) {
        let mut state = self.state.lock();
        (state.complete_bytes, state.samples) = (tally.blocks.complete_bytes, tally.samples);
        if let Some(names) = newer_names {
            state.names = names;
        }
    }

    pub(super) fn end(&self, ended: LiveEnd) {
        self.state.lock().ended = Some(ended);
    }

    pub(super) fn is_over(&self) -> bool {
        self.state.lock().ended.is_some()
    }

    fn live_end(&self) -> Option<LiveEnd> {
        self.state.lock().ended.clone()
    }

    pub(super) fn file(&self) -> Option<PathBuf> {
        self.live_end()?.file
    }

    fn status(&self) -> LiveStatus {
        let state = self.state.lock();
        LiveStatus {
            elapsed_ms: self.started.elapsed().as_millis() as u64,
            samples: state.samples,
            bytes: state.complete_bytes,
            is_over: state.ended.is_some(),
            quits_at_end: self.quits_at_end,
        }
    }

    fn read(&self, target: &Target) -> Result<ReadyView, ImportError> {
        let (bytes, names) = {
            let state = self.state.lock();
            (state.complete_bytes, Arc::clone(&state.names))
        };
        let part = File::open(&self.part);
        let part = part.map_err(|error| Failure::new(target.name(), "", plain(&error)))?;
        let end = Cursor::new(end_of_recording(&names, bytes));
        let part = Box::new(part.take(bytes).chain(end));
        let input = Input::stream(&target.name(), part, Progress::default())?;
        Ok(ReadyView::of(open_input(target, input, &self.opening.how)?))
    }
}

pub(super) enum LiveRequest {
    First,
    Update(Arc<View>, UpdateRequest),
}

pub(super) enum LiveAnswer {
    First(Option<LoadedFile>),
    /// The rebuilt view and, if the recording has ended, all of it.
    Update(Result<Box<UpdatedView>, String>, Option<ReadyView>),
}

pub(super) struct Watcher {
    pub live: Arc<LiveRecording>,
    requests: Sender<LiveRequest>,
    due: Instant,
    /// `None` if no answer is pending.
    requested_at: Option<Instant>,
    interval: Duration,
    pub quits_at_end: bool,
    is_end_seen: bool,
}

impl Watcher {
    pub(super) fn start(
        live: Arc<LiveRecording>,
        target: Target,
        send: impl Fn(LiveAnswer) + Send + 'static,
    ) -> io::Result<Watcher> {
        let (requests, received) = channel();
        let shared = Arc::clone(&live);
        thread::Builder::new().name("live".into()).spawn(move || {
            let mut reader = LiveReader {
                live: shared,
                target,
                finished: None,
            };
            for request in received {
                send(reader.answer(request));
            }
        })?;
        Ok(Watcher {
            quits_at_end: live.quits_at_end,
            live,
            requests,
            due: Instant::now(),
            requested_at: None,
            interval: UPDATE_INTERVAL,
            is_end_seen: false,
        })
    }

    /// Whether the recording has ended since the last call.
    pub(super) fn has_just_ended(&mut self) -> bool {
        self.live.is_over() && !std::mem::replace(&mut self.is_end_seen, true)
    }

    pub(super) fn stop(&self) {
        (self.live.stop)();
    }

    /// Also wakes up to see the end of the recording.
    pub(super) fn time_until_due(&self) -> Duration {
        let until_due = self.due.saturating_duration_since(Instant::now());
        until_due.min(END_INTERVAL)
    }

    pub(super) fn status_if_due(&mut self) -> Option<LiveStatus> {
        if Instant::now() < self.due {
            return None;
        }
        self.due = Instant::now() + self.interval;
        Some(self.live.status())
    }

    pub(super) fn update_soon(&mut self) {
        self.due = Instant::now();
    }

    pub(super) fn request_first(&mut self, status: LiveStatus) {
        self.due = Instant::now() + FIRST_INTERVAL;
        let has_names = !self.live.state.lock().names.is_empty();
        let is_late = status.elapsed_ms > MAX_WAIT_FOR_NAMES.as_millis() as u64;
        let is_readable = status.bytes > 0 && (has_names || is_late);
        if self.requested_at.is_none() && (is_readable || status.is_over) {
            self.send(LiveRequest::First);
        }
    }

    pub(super) fn send(&mut self, request: LiveRequest) {
        self.requested_at = Some(Instant::now());
        let _ = self.requests.send(request);
    }

    /// Slow requests are made less often.
    pub(super) fn answer_arrived(&mut self) {
        if let Some(requested_at) = self.requested_at.take() {
            self.interval = UPDATE_INTERVAL.max(requested_at.elapsed() * REFRESH_BACKOFF);
            self.due = requested_at + self.interval;
        }
    }
}

struct LiveReader {
    live: Arc<LiveRecording>,
    target: Target,
    /// The finished recording.
    finished: Option<ReadyView>,
}

impl LiveReader {
    fn answer(&mut self, request: LiveRequest) -> LiveAnswer {
        let is_first = matches!(request, LiveRequest::First);
        let work = AssertUnwindSafe(|| match request {
            LiveRequest::First => LiveAnswer::First(self.first()),
            LiveRequest::Update(view, request) => {
                let updated = self.update(&view, &request);
                LiveAnswer::Update(updated, self.finished.clone())
            }
        });
        catch_unwind(work).unwrap_or_else(|panic| match is_first {
            true => LiveAnswer::First(None),
            false => LiveAnswer::Update(Err(messages::bug(&panic_text(&*panic))), None),
        })
    }

    /// The finished recording, or else what was recorded so far.
    fn whole(&mut self) -> Result<(ReadyView, Option<LiveEnd>), String> {
        let ended = self.live.live_end();
        let file = ended.as_ref().and_then(|ended| ended.file.clone());
        if let (None, Some(file)) = (&self.finished, file) {
            let (target, how) = (Target::File(file), &self.live.opening.how);
            let opened = load(&target, how, &InitialView::default(), Progress::default());
            self.finished = Some(opened.map_err(|error| error.to_string())?.whole);
        }
        match (&ended, &self.finished) {
            (Some(_), Some(finished)) => Ok((finished.clone(), ended)),
            (Some(ended), None) => Err(ended.sentence.clone()),
            (None, _) => {
                let read = self.live.read(&self.target);
                Ok((read.map_err(|error| error.to_string())?, None))
            }
        }
    }

    fn first(&mut self) -> Option<LoadedFile> {
        let (whole, _) = self.whole().ok()?;
        if whole.is_empty() && self.finished.is_none() {
            return None;
        }
        let collapsed = initially_collapsed(&whole, self.live.opening.shown.fold.as_deref());
        let shown = apply_steps(View::clone(&whole), &collapsed).ok()?;
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
        request: &UpdateRequest,
    ) -> Result<Box<UpdatedView>, String> {
        let (whole, ended) = self.whole()?;
        let fold = self.live.opening.shown.fold.as_deref();
        let updated_view = updated_view(view, &whole, request, fold)?;
        Ok(Box::new(UpdatedView {
            end: ended.map(|ended| ended.sentence),
            ..updated_view
        }))
    }
}

pub fn updated_view(
    view: &Arc<View>,
    whole: &ReadyView,
    request: &UpdateRequest,
    fold: Option<&str>,
) -> Result<UpdatedView, String> {
    let frames = MatchedFrames::of(&view.recording, &whole.recording);
    let steps = frames.steps(view, &whole.recording);
    let shown = make(&whole.recording, &steps).map_err(|_| TREE_TOO_LARGE.to_string())?;
    // infrastructure frames may appear for the first time
    let mut frames_before = view.recording.frames.iter();
    let had_plumbing = frames_before.any(|(_, frame)| frame.is_plumbing);
    let collapsed = match had_plumbing || steps.transforms.iter().any(Step::is_display) {
        true => Vec::new(),
        false => initially_collapsed(whole, fold),
    };
    let shown = apply_steps(shown, &collapsed).map_err(|error| error.to_string())?;
    let shown = ReadyView::of(shown);
    let growth = Growth::between(view, &shown, frames);
    let mut remap = Remap::grown(view, &shown, &growth);
    let callers = request.butterfly.as_ref();
    let subject = callers.and_then(|(subject, _)| subject.remapped(&mut remap));
    let scope = remap.node(request.scope).0;
    let name = &view.recording.metric(request.measure.metric).name;
    let metric = shown.recording.metric_named(name);
    let measure = Measure {
        metric: metric.unwrap_or(shown.recording.default_metric),
        ..request.measure
    };
    let hotspots = Arc::new(HotspotLists::new(&shown, scope, measure));
    let mut opened = callers.map_or(Vec::new(), |(_, opened)| opened.clone());
    let new_id = |&frame: &FrameId| growth.frames.frame(frame).unwrap_or(frame);
    for row in &mut opened {
        row.path = row.path.iter().map(new_id).collect();
    }
    let butterfly = subject.and_then(|subject| {
        let parts = caller_tree_of(whole, &shown, subject, &opened)?;
        Some((subject, parts, opened))
    });
    Ok(UpdatedView {
        of: Arc::clone(view),
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
    let answer = jobs.run(shown, Effect::CallerTree(subject));
    let Some(Message::CallerTree(_, mut parts)) = answer else {
        return None;
    };
    if !opened.is_empty() {
        let opened = opened.to_vec();
        let callers = jobs.run(shown, Effect::OpenCallers { subject, opened });
        if let Some(Message::Callers(_, _, callers)) = callers {
            Arc::make_mut(&mut parts).callers = callers;
        }
    }
    Some(parts)
}
