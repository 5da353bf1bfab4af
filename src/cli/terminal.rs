//! The terminal and its loop: events in, screens out.

use super::background::{self, ANSWER_TIMEOUT, AnswerReader};
use super::jobs::Jobs;
use super::keymap::KeyReader;
use super::live::{LiveAnswer, LiveRecording, LiveRequest, Watcher};
use super::load::{InitialView, LoadedFile, Opening, ScreenSettings, describe, load};
use super::open::{OpenOptions, Target};
use super::screen_guard::{Guard, suspend};
use super::worker::Worker;
use crate::app::{Action, App, Effect, Event, Loading, Message, OpenedFrom, Screen};
use crate::cli::messages;
use crate::decoders;
use crate::input::{Progress, name_of};
use crate::model::View;
use crate::ui::{Background, Theme, draw};
use anyhow::{Context as _, Result};
use base64::Engine as _;
use crossterm::event::{self, Event as TerminalEvent, MouseButton, MouseEvent, MouseEventKind};
use crossterm::{execute, terminal};
use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
const DOUBLE_CLICK: Duration = Duration::from_millis(400);
/// Decoders' grace period, plus half a second for cleaning up.
const CLEANUP_TIMEOUT: Duration =
    decoders::CLEANUP_TIMEOUT.saturating_add(Duration::from_millis(500));
const LEAVE_TIMEOUT: Duration = CLEANUP_TIMEOUT.saturating_add(Duration::from_secs(1));
/// Four times the largest real ones. A terminal can report any size, and 65,535 columns and rows would take gigabytes.
const MAX_SIZE: Size = Size {
    width: 2000,
    height: 500,
};
const WHEEL_ROWS: isize = 3;

/// What ctrl-\ would send.
const QUIT: i32 = 3;

/// The exit code that shells report for a program that SIGHUP ended.
const HUNG_UP: u8 = 128 + 1;

type Screenful = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

#[cfg_attr(
    windows,
    expect(
        dead_code,
        reason = "there is no suspending, and terminals send events"
    )
)]
enum TerminalInput {
    Terminal(TerminalEvent),
    Background(Background),
    Loaded(Result<LoadedFile>),
    Message(Message),
    Live(LiveAnswer),
    End(i32),
    Suspend,
    /// The terminal is gone, without a signal.
    HungUp,
    NoKeys(std::io::Error),
}

pub(super) fn explore(target: Target, opening: Opening) -> Result<u8> {
    let Opening { how, shown, screen } = opening;
    let index_cache = how.index_cache.clone();
    let code = run(target, &screen, |target, send| {
        Reading::start(send, target, how, shown)
    });
    // don't delay exit for the cache
    index_cache.abandon();
    code
}

/// Explores a recording in progress, which will become the file `target`.
pub(super) fn watch(
    target: Target,
    live: Arc<LiveRecording>,
    screen: &ScreenSettings,
) -> Result<u8> {
    run(target, screen, |target, send| {
        let send = send.clone();
        let answer = move |answer| drop(send.send(TerminalInput::Live(answer)));
        Ok((None, Some(Watcher::start(live, target.clone(), answer)?)))
    })
}

type ExplorerSources = (Option<Reading>, Option<Watcher>);

pub(super) fn theme_of_terminal() -> Theme {
    let variable = |name| std::env::var(name).unwrap_or_default();
    match std::env::var_os("NO_COLOR") {
        Some(value) if !value.is_empty() => Theme::PLAIN,
        _ => Theme::of_terminal(&variable("TERM"), &variable("COLORTERM")),
    }
}

fn run(
    target: Target,
    settings: &ScreenSettings,
    start: impl FnOnce(&Target, &Sender<TerminalInput>) -> io::Result<ExplorerSources>,
) -> Result<u8> {
    let (theme, palette) = (theme_of_terminal(), settings.palette);
    let theme = palette.map_or(theme, |palette| theme.with_palette(palette));
    let guard = Guard::enter().context(messages::CANT_PREPARE_TERMINAL)?;
    let asks = cfg!(unix)
        && theme.asks_for_background()
        && std::env::var("TERM").is_ok_and(|term| term != "dumb");
    if asks {
        background::ask(&mut stdout()).context(messages::CANT_PREPARE_TERMINAL)?;
    }
    let (send, receive) = channel();
    let (reading, live) = start(&target, &send).context(messages::CANT_START_THREAD)?;
    spawn_readers(&send, live.is_some()).context(messages::CANT_START_THREAD)?;
    let backend = CrosstermBackend::new(BufWriter::with_capacity(1 << 16, stdout()));
    // resized by hand, because a viewport that follows the terminal would follow it to any size
    let viewport = Viewport::Fixed(screen_area(backend.size()?));
    let screen = Terminal::with_options(backend, TerminalOptions { viewport })?;
    // the guard restores the terminal; ratatui's own cleanup would panic if standard error is gone
    let mut screen = ManuallyDrop::new(screen);
    let size = screen_area(screen.size()?);
    let mut app = App::new(&target.name(), size.width, size.height);
    app.keymap = Arc::clone(&settings.keymap);
    app.preferences = settings.preferences.clone();
    let mut session = ExplorerSession {
        app,
        keys: KeyReader::default(),
        worker: None,
        send,
        last_click: None,
        failure: None,
        target,
        live,
        started: Instant::now(),
        theme,
        held_until: asks.then(|| Instant::now() + ANSWER_TIMEOUT),
    };
    let progress = reading.as_ref().map(|reading| reading.progress.clone());
    let progress = progress.unwrap_or_default();
    let outcome = session.run(&mut screen, &receive, &progress);
    drop(guard);
    drop(reading);
    let code = outcome?;
    session.failure.map_or(Ok(code), Err)
}

/// The thread that reads the profile; dropping this cancels it.
struct Reading {
    progress: Progress,
    /// Disconnected when the thread is done.
    done: Receiver<()>,
    /// Streams may keep readers waiting forever, and need no decoder.
    is_stream: bool,
}

impl Reading {
    fn start(
        send: &Sender<TerminalInput>,
        target: &Target,
        how: OpenOptions,
        shown: InitialView,
    ) -> io::Result<ExplorerSources> {
        let (loaded, (working, done)) = (send.clone(), channel());
        let reading = Reading {
            progress: Progress::default(),
            done,
            is_stream: !target.is_file_on_disk(),
        };
        let (target, progress) = (target.clone(), reading.progress.clone());
        thread::Builder::new().name("load".into()).spawn(move || {
            let _working: Sender<()> = working;
            let _ = loaded.send(TerminalInput::Loaded(load(&target, &how, &shown, progress)));
        })?;
        Ok((Some(reading), None))
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.progress.cancel();
        if !self.is_stream {
            let _ = self.done.recv_timeout(CLEANUP_TIMEOUT);
        }
    }
}

fn spawn_readers(send: &Sender<TerminalInput>, is_recording: bool) -> Result<()> {
    let keys = send.clone();
    thread::Builder::new().name("keys".into()).spawn(move || {
        let mut answer = AnswerReader::default();
        loop {
            let inputs = match event::read().map(|event| answer.take(event)) {
                Ok(Ok(background)) => vec![TerminalInput::Background(background)],
                Ok(Err(events)) => events.into_iter().map(TerminalInput::Terminal).collect(),
                Err(error) => vec![TerminalInput::NoKeys(error)],
            };
            for input in inputs {
                let is_last = matches!(input, TerminalInput::NoKeys(_));
                if keys.send(input).is_err() || is_last {
                    return;
                }
            }
        }
    })?;
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
        use signal_hook::iterator::Signals;
        let hung_up = send.clone();
        super::signals::when_hung_up(move || drop(hung_up.send(TerminalInput::HungUp)))?;
        let ends = send.clone();
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP])?;
        let watch = move || {
            let mut _deadline = None;
            for signal in signals.forever() {
                let _ = ends.send(match signal {
                    SIGTSTP => TerminalInput::Suspend,
                    _ => TerminalInput::End(signal),
                });
                if !is_recording && !matches!(signal, SIGTSTP | SIGINT) {
                    _deadline = Some(exit_deadline(128 + signal));
                }
            }
        };
        thread::Builder::new().name("signals".into()).spawn(watch)?;
    }
    #[cfg(windows)]
    {
        let ends = send.clone();
        super::console_events::on_each(move |signal| {
            let _ = ends.send(TerminalInput::End(signal));
            if !is_recording {
                // the program ends before this is dropped
                std::mem::forget(exit_deadline(128 + signal));
            }
        })?;
    }
    Ok(())
}

/// Ends dotspot in a few seconds, unless the sender is dropped before: writing waits forever if nobody reads the
/// terminal.
pub(super) fn exit_deadline(code: i32) -> Sender<()> {
    let (deadline, dropped) = channel();
    thread::spawn(move || {
        if dropped.recv_timeout(LEAVE_TIMEOUT) == Err(RecvTimeoutError::Timeout) {
            let _ = crossterm::terminal::disable_raw_mode();
            std::process::exit(code)
        }
    });
    deadline
}

enum InputEffect {
    Nothing,
    Change,
    /// Something else was on the screen.
    Redraw,
    Leave(u8),
}

struct ExplorerSession {
    app: App,
    keys: KeyReader,
    worker: Option<Worker>,
    send: Sender<TerminalInput>,
    last_click: Option<(Instant, u16, u16)>,
    failure: Option<anyhow::Error>,
    target: Target,
    live: Option<Watcher>,
    started: Instant,
    theme: Theme,
    /// Until then the terminal may report its background, and nothing is drawn.
    held_until: Option<Instant>,
}

impl ExplorerSession {
    fn run(
        &mut self,
        screen: &mut Screenful,
        receive: &Receiver<TerminalInput>,
        progress: &Progress,
    ) -> Result<u8> {
        let mut is_stale = false;
        loop {
            let is_loading = matches!(self.app.screen, Screen::Loading(_));
            let is_waiting = is_loading || self.app.is_awaiting_view();
            let progress_wait = is_waiting.then_some(PROGRESS_INTERVAL);
            let hold_time = self.hold_time().filter(|_| is_stale);
            let live_wait = self.live.as_ref().map(Watcher::time_until_due);
            let waits = [progress_wait, hold_time, live_wait];
            let first = match waits.into_iter().flatten().min() {
                None => Some(receive.recv()?),
                Some(timeout) => match receive.recv_timeout(timeout) {
                    Ok(input) => Some(input),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return Ok(super::exit::SUCCESS),
                },
            };
            if self.leaves_at_end() {
                return Ok(super::exit::SUCCESS);
            }
            // all pending input is drawn at once
            let mut has_changed = is_loading | self.show_live()?;
            if let (None, Some(percent)) = (&first, self.worker.as_ref().and_then(Worker::percent))
            {
                self.update(Event::Message(Message::Working(percent)))?;
                has_changed = true;
            }
            for input in first.into_iter().chain(receive.try_iter()) {
                match self.handle(input)? {
                    InputEffect::Nothing => {}
                    InputEffect::Change => has_changed = true,
                    InputEffect::Redraw => {
                        has_changed = true;
                        // `clear` would ask for the cursor position, and the thread that reads keys would swallow the
                        // answer
                        screen.resize(screen_area(screen.size()?))?;
                    }
                    InputEffect::Leave(code) => return Ok(code),
                }
            }
            if is_loading {
                self.show_loading(progress)?;
            }
            is_stale |= has_changed;
            if is_stale && self.hold_time().is_none() {
                is_stale = false;
                self.fit(screen)?;
                self.draw(screen)?;
            }
        }
    }

    fn show_loading(&mut self, progress: &Progress) -> Result<InputEffect> {
        let (bytes, total_bytes, nodes) = progress.now();
        self.update(Event::Message(Message::Progress(Loading {
            step: progress.phase(),
            bytes,
            total_bytes,
            nodes,
            elapsed_ms: self.started.elapsed().as_millis() as u64,
        })))
    }

    /// Whether the recording has just ended and there is nothing to stay for.
    fn leaves_at_end(&mut self) -> bool {
        let is_loading = matches!(self.app.screen, Screen::Loading(_));
        let Some(watcher) = self.live.as_mut().filter(|watcher| watcher.live.is_over()) else {
            return false;
        };
        let has_just_ended = watcher.has_just_ended();
        if has_just_ended {
            watcher.update_soon();
        }
        watcher.quits_at_end || has_just_ended && is_loading && watcher.live.file().is_none()
    }

    /// Returns whether a status of the recording was due.
    fn show_live(&mut self) -> Result<bool> {
        let Some(watcher) = &mut self.live else {
            return Ok(false);
        };
        let status = watcher.status_if_due();
        match (status, &self.app.screen) {
            (None, _) => {}
            (Some(status), Screen::Loading(_)) => watcher.request_first(status),
            (Some(status), _) => _ = self.update(Event::Message(Message::Live(status)))?,
        }
        Ok(status.is_some())
    }

    fn hold_time(&self) -> Option<Duration> {
        let remaining = self.held_until?.checked_duration_since(Instant::now());
        remaining.filter(|remaining| !remaining.is_zero())
    }

    fn draw(&self, screen: &mut Screenful) -> Result<()> {
        execute!(screen.backend_mut(), terminal::BeginSynchronizedUpdate)?;
        screen.draw(|frame| draw(frame, &self.app, self.theme))?;
        execute!(screen.backend_mut(), terminal::EndSynchronizedUpdate)?;
        Ok(())
    }

    /// The size may have changed before we are notified.
    fn fit(&mut self, screen: &mut Screenful) -> Result<()> {
        let size = screen_area(screen.size()?);
        if (size.width, size.height) != self.app.size {
            screen.resize(size)?;
            self.update(Event::Resize(size.width, size.height))?;
        }
        Ok(())
    }

    fn update(&mut self, event: Event) -> Result<InputEffect> {
        let effects = self.app.update(event);
        self.carry_out(effects)
    }

    fn handle(&mut self, input: TerminalInput) -> Result<InputEffect> {
        let event = match input {
            // the recorder gets all signals but this one
            TerminalInput::End(signal) if self.quit_at_end() => {
                if let (Some(watcher), QUIT) = (&self.live, signal) {
                    watcher.stop();
                }
                return Ok(InputEffect::Change);
            }
            TerminalInput::End(signal) => {
                let code = u8::try_from(128 + signal);
                return Ok(InputEffect::Leave(code.unwrap_or(super::exit::FAILED)));
            }
            TerminalInput::HungUp => return Ok(InputEffect::Leave(HUNG_UP)),
            TerminalInput::Live(answer) => return self.handle_live(answer),
            TerminalInput::NoKeys(error) => return Err(error).context(messages::CANT_READ_KEYS),
            TerminalInput::Suspend => {
                suspend()?;
                return Ok(InputEffect::Redraw);
            }
            TerminalInput::Message(message) => Event::Message(message),
            TerminalInput::Background(background) => {
                (self.theme, self.held_until) = (self.theme.on(background), None);
                return Ok(InputEffect::Change);
            }
            TerminalInput::Loaded(Ok(loaded)) => {
                self.start_worker(&loaded.whole)?;
                let message = Message::Loaded(Ok(loaded.whole), loaded.shown);
                self.update(Event::Message(message))?;
                self.set_origin()?;
                if let Screen::Explorer(explorer) = &mut self.app.screen {
                    if self.target == Target::Sample {
                        explorer.show_message(messages::SAMPLE_WELCOME);
                    }
                    if !self.app.preferences.problems.is_empty() {
                        explorer.fail(messages::CONFIG_OF_EXPLORER_HAS_PROBLEMS);
                    }
                }
                if self.live.is_some() {
                    return Ok(InputEffect::Change);
                }
                Event::Message(Message::Opened(loaded.metric, loaded.waiting))
            }
            TerminalInput::Loaded(Err(error)) => {
                let failure = describe(&error);
                self.failure = Some(error);
                Event::Message(Message::Loaded(Err(failure), None))
            }
            // the screen is resized before it is drawn
            TerminalInput::Terminal(TerminalEvent::Resize(..)) => return Ok(InputEffect::Change),
            TerminalInput::Terminal(event) => match self.translate(event) {
                Some(event) => event,
                None => return Ok(InputEffect::Nothing),
            },
        };
        self.update(event)
    }

    fn start_worker(&mut self, whole: &Arc<View>) -> Result<()> {
        let send = self.send.clone();
        let mut jobs = Jobs::new(Arc::clone(whole)).with_notes_in(self.target.notes_file());
        jobs.input = self.target.file().map(Path::to_path_buf);
        let answer = move |message| drop(send.send(TerminalInput::Message(message)));
        let worker = Worker::start(jobs, answer).context(messages::CANT_START_THREAD)?;
        self.worker = Some(worker);
        Ok(())
    }

    fn set_origin(&mut self) -> Result<()> {
        let notes_file = self.target.notes_file();
        let from = OpenedFrom {
            file: self.target.argument(),
            are_notes_there: notes_file.as_ref().is_some_and(|file| file.exists()),
            notes_file: notes_file.map(|file| name_of(&file)),
        };
        self.update(Event::Message(Message::From(from))).map(drop)
    }

    /// Quits as soon as the recording ends. Returns whether one is in progress.
    fn quit_at_end(&mut self) -> bool {
        let recording = self.live.as_mut().filter(|watcher| !watcher.live.is_over());
        recording
            .map(|watcher| watcher.quits_at_end = true)
            .is_some()
    }

    fn handle_live(&mut self, answer: LiveAnswer) -> Result<InputEffect> {
        let Some(watcher) = &mut self.live else {
            return Ok(InputEffect::Nothing);
        };
        let is_loading = matches!(self.app.screen, Screen::Loading(_));
        match answer {
            LiveAnswer::First(loaded) => {
                watcher.answer_arrived();
                match loaded.filter(|_| is_loading) {
                    Some(loaded) => {
                        watcher.update_soon();
                        self.handle(TerminalInput::Loaded(Ok(loaded)))
                    }
                    None if watcher.live.is_over() => Ok(InputEffect::Leave(super::exit::FAILED)),
                    None => Ok(InputEffect::Nothing),
                }
            }
            LiveAnswer::Update(updated, finished) => {
                watcher.answer_arrived();
                let outcome = self.update(Event::Message(Message::UpdatedView(updated)))?;
                if matches!(&self.app.screen, Screen::Explorer(explorer) if !explorer.is_live()) {
                    let file = self.live.take().and_then(|watcher| watcher.live.file());
                    self.target = file.map_or(self.target.clone(), Target::File);
                    self.app.name = self.target.name();
                    if let Some(finished) = finished {
                        self.start_worker(&finished)?;
                    }
                    self.set_origin()?;
                }
                Ok(outcome)
            }
        }
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> Result<InputEffect> {
        let mut outcome = InputEffect::Change;
        for effect in effects {
            match effect {
                // the user quit before anything was shown
                Effect::Quit if self.quit_at_end() => self.live.iter().for_each(Watcher::stop),
                Effect::Quit => return Ok(InputEffect::Leave(super::exit::SUCCESS)),
                Effect::StopRecording => self.live.iter().for_each(Watcher::stop),
                Effect::UpdateView(order) => {
                    if let (Some(watcher), Some(view)) = (&mut self.live, self.app.view()) {
                        watcher.send(LiveRequest::Update(Arc::clone(view), order));
                    }
                }
                Effect::Copy(text) => copy(&text)?,
                Effect::Suspend => {
                    suspend()?;
                    outcome = InputEffect::Redraw;
                }
                work => {
                    if let (Some(worker), Some(view)) = (&self.worker, self.app.view()) {
                        worker.ask(view, work);
                    }
                }
            }
        }
        Ok(outcome)
    }

    fn translate(&mut self, event: TerminalEvent) -> Option<Event> {
        match event {
            TerminalEvent::Key(key) => self.keys.action(&self.app.keymap, self.app.context(), key),
            TerminalEvent::Mouse(mouse) => self.mouse_action(mouse),
            TerminalEvent::Paste(text) => Some(Action::Paste(text)),
            _ => None,
        }
        .map(Event::Action)
    }

    fn mouse_action(&mut self, mouse: MouseEvent) -> Option<Action> {
        let (x, y) = (mouse.column, mouse.row);
        match mouse.kind {
            MouseEventKind::ScrollDown => Some(Action::Wheel(x, y, WHEEL_ROWS)),
            MouseEventKind::ScrollUp => Some(Action::Wheel(x, y, -WHEEL_ROWS)),
            MouseEventKind::Down(MouseButton::Left) => {
                let now = Instant::now();
                if let Some((at, x0, y0)) = self.last_click.take()
                    && (x0, y0) == (x, y)
                    && now.duration_since(at) < DOUBLE_CLICK
                {
                    return Some(Action::DoubleClick(x, y));
                }
                self.last_click = Some((now, x, y));
                Some(Action::Click(x, y))
            }
            MouseEventKind::Drag(MouseButton::Left) => Some(Action::Drag(x, y)),
            MouseEventKind::Up(MouseButton::Left) => Some(Action::Release(x, y)),
            _ => None,
        }
    }
}

fn screen_area(size: Size) -> Rect {
    let (width, height) = (MAX_SIZE.width, MAX_SIZE.height);
    Rect::new(0, 0, size.width.min(width), size.height.min(height))
}

fn copy(text: &str) -> Result<()> {
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    let mut out = stdout();
    write!(out, "\x1b]52;c;{encoded}\x07")?;
    Ok(out.flush()?)
}
