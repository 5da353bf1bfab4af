//! The terminal and its loop: events in, screens out.

use super::jobs::Jobs;
use super::keymap::Keymap;
use super::load::{LoadError, Opened, Shown, load};
use super::open::{OpenOptions, Target};
use super::worker::Worker;
use crate::app::{Action, App, Effect, Event, Loading, Message, OpenedFrom, Screen};
use crate::decoders;
use crate::input::Progress;
use crate::ui::{Theme, draw};
use anyhow::{Context as _, Result};
use base64::Engine as _;
use crossterm::event::{self, Event as TerminalEvent, MouseButton, MouseEvent, MouseEventKind};
use crossterm::{execute, terminal};
use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::io::{BufWriter, Stdout, Write, stdout};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Small files are there before this, and a screen that flashes by helps nobody.
const BEFORE_PROGRESS: Duration = Duration::from_millis(120);
/// How often progress is drawn.
const PROGRESS_EVERY: Duration = Duration::from_millis(80);
/// The time within which a second click makes a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(400);
/// How long a cancelled reader may take, once the user has left: the waiting of decoders, and half a second for the work.
const MOST_CLEARING: Duration = decoders::MOST_CLEARING.saturating_add(Duration::from_millis(500));
/// No more is drawn of a terminal: four times what fits on the largest screens. Sizes are whatever somebody told the system, and
/// 65,535 columns and rows would take gigabytes.
const LARGEST: Size = Size { width: 2000, height: 500 };
/// Rows per notch of the wheel.
const WHEEL_ROWS: isize = 3;

/// Why there is no thread, before the system's reason.
const NO_THREAD: &str = "a thread can't be started, most likely because there is no more memory";

type Screenful = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// What reaches the loop.
enum Input {
    Terminal(TerminalEvent),
    Loaded(Result<Opened, LoadError>),
    Message(Message),
    /// The system asks us to end, by this signal.
    End(i32),
    /// The system asks us to stop for a while.
    Stop,
    /// The keyboard is gone, for this reason.
    NoKeys(std::io::Error),
}

/// Explores a profile in the terminal until the user leaves.
///
/// # Errors
/// If the profile could not be opened, which the user has seen by then, or the terminal can't be used.
pub(super) fn explore(target: Target, how: OpenOptions, shown: Shown) -> Result<u8> {
    let theme =
        if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) { Theme::PLAIN } else { Theme::COLOUR };
    let guard = Guard::enter().context("the terminal can't be prepared")?;
    let (send, receive) = channel();
    let reading = Reading::start(&send, &target, how, shown).context(NO_THREAD)?;
    spawn_readers(&send).context(NO_THREAD)?;
    let backend = CrosstermBackend::new(BufWriter::with_capacity(1 << 16, stdout()));
    // resized by hand, because what follows the terminal's size by itself follows it to any size
    let viewport = Viewport::Fixed(drawn(backend.size()?));
    let screen = Terminal::with_options(backend, TerminalOptions { viewport })?;
    // the guard restores the terminal; what ratatui does when dropped would panic where standard error is gone
    let mut screen = ManuallyDrop::new(screen);
    let size = drawn(screen.size()?);
    let app = App::new(&target.name(), size.width, size.height);
    let mut session = Session {
        app,
        keymap: Keymap::default(),
        worker: None,
        send,
        last_click: None,
        failure: None,
        target,
        started: Instant::now(),
    };
    let outcome = session.run(&mut screen, &receive, &reading.progress, theme);
    drop(guard);
    drop(reading);
    let code = outcome?;
    match session.failure {
        // said as by any other command
        Some(LoadError::Import(error)) => Err(error.into()),
        Some(fault) => {
            let (failure, code) = fault.describe();
            super::say::say(&failure.sentence);
            Ok(code)
        }
        None => Ok(code),
    }
}

/// The thread that reads the profile; it is cancelled when this is dropped.
struct Reading {
    progress: Progress,
    /// Hangs up when the thread is done.
    done: Receiver<()>,
    /// A stream may keep its reader waiting for ever, and no program is at work then.
    is_stream: bool,
}

impl Reading {
    fn start(send: &Sender<Input>, target: &Target, how: OpenOptions, shown: Shown) -> Result<Reading> {
        let (loaded, (working, done)) = (send.clone(), channel());
        let reading = Reading { progress: Progress::default(), done, is_stream: !target.is_file_on_disk() };
        let (target, progress) = (target.clone(), reading.progress.clone());
        thread::Builder::new().name("load".into()).spawn(move || {
            let _working: Sender<()> = working;
            // nobody listens any more when the user has left
            let _ = loaded.send(Input::Loaded(load(&target, &how, &shown, progress)));
        })?;
        Ok(reading)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.progress.cancel();
        if !self.is_stream {
            let _ = self.done.recv_timeout(MOST_CLEARING);
        }
    }
}

fn spawn_readers(send: &Sender<Input>) -> Result<()> {
    let keys = send.clone();
    thread::Builder::new().name("keys".into()).spawn(move || {
        loop {
            let input = event::read().map_or_else(Input::NoKeys, Input::Terminal);
            let is_last = matches!(input, Input::NoKeys(_));
            if keys.send(input).is_err() || is_last {
                return;
            }
        }
    })?;
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
        let ends = send.clone();
        let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP])?;
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                let _ = ends.send(if signal == SIGTSTP { Input::Stop } else { Input::End(signal) });
            }
        })?;
    }
    Ok(())
}

/// What an input leads to.
enum Taken {
    /// Nothing on the screen changes.
    Nothing,
    /// The screen may change.
    Change,
    /// Something else was on the screen, which is to be drawn anew.
    Return,
    /// dotspot ends, with this exit code.
    Leave(u8),
}

struct Session {
    app: App,
    keymap: Keymap,
    worker: Option<Worker>,
    send: Sender<Input>,
    last_click: Option<(Instant, u16, u16)>,
    failure: Option<LoadError>,
    target: Target,
    started: Instant,
}

impl Session {
    fn run(
        &mut self,
        screen: &mut Screenful,
        receive: &Receiver<Input>,
        progress: &Progress,
        theme: Theme,
    ) -> Result<u8> {
        let mut wait = BEFORE_PROGRESS;
        loop {
            let is_loading = matches!(self.app.screen, Screen::Loading(_));
            let is_working = self.app.is_awaiting_view();
            let first = if is_loading || is_working {
                match receive.recv_timeout(if is_loading { wait } else { PROGRESS_EVERY }) {
                    Ok(input) => Some(input),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return Ok(super::exit::FINE),
                }
            } else {
                Some(receive.recv()?)
            };
            // what has piled up is drawn once
            let mut has_changed = is_loading;
            if let (None, Some(percent)) = (&first, self.worker.as_ref().and_then(Worker::percent)) {
                self.tell(Event::Message(Message::Working(percent)))?;
                has_changed = true;
            }
            for input in first.into_iter().chain(receive.try_iter()) {
                match self.take(input)? {
                    Taken::Nothing => {}
                    Taken::Change => has_changed = true,
                    Taken::Return => {
                        has_changed = true;
                        // `clear` would ask the terminal where its cursor is, and the thread that reads keys would take
                        // the answer; to resize clears without a question
                        screen.resize(drawn(screen.size()?))?;
                    }
                    Taken::Leave(code) => return Ok(code),
                }
            }
            if is_loading {
                wait = PROGRESS_EVERY;
                let (bytes, total_bytes, nodes) = progress.now();
                let elapsed_ms = self.started.elapsed().as_millis() as u64;
                let loading = Loading { step: progress.step(), bytes, total_bytes, nodes, elapsed_ms };
                self.tell(Event::Message(Message::Progress(loading)))?;
            }
            if has_changed {
                self.fit(screen)?;
                self.draw(screen, theme)?;
            }
        }
    }

    fn draw(&self, screen: &mut Screenful, theme: Theme) -> Result<()> {
        execute!(screen.backend_mut(), terminal::BeginSynchronizedUpdate)?;
        screen.draw(|frame| draw(frame, &self.app, theme))?;
        execute!(screen.backend_mut(), terminal::EndSynchronizedUpdate)?;
        Ok(())
    }

    /// The screen may have changed its size before the word about it came.
    fn fit(&mut self, screen: &mut Screenful) -> Result<()> {
        let size = drawn(screen.size()?);
        if (size.width, size.height) != self.app.size {
            screen.resize(size)?;
            self.tell(Event::Resize(size.width, size.height))?;
        }
        Ok(())
    }

    /// Tells the app what happened and does what it asks for.
    fn tell(&mut self, event: Event) -> Result<Taken> {
        let effects = self.app.update(event);
        self.carry_out(effects)
    }

    /// Takes in one input.
    fn take(&mut self, input: Input) -> Result<Taken> {
        let event = match input {
            // what shells say of a program that ended by a signal
            Input::End(signal) => return Ok(Taken::Leave(u8::try_from(128 + signal).unwrap_or(super::exit::FAILED))),
            Input::NoKeys(error) => return Err(error).context("keys can't be read"),
            Input::Stop => {
                suspend()?;
                return Ok(Taken::Return);
            }
            Input::Message(message) => Event::Message(message),
            Input::Loaded(Ok(Opened { whole, shown, metric })) => {
                let send = self.send.clone();
                let notes_file = self.target.notes_file();
                let jobs = Jobs::new(Arc::clone(&whole)).with_notes_in(notes_file.clone());
                let jobs = jobs.of_file(self.target.file().map(Path::to_path_buf));
                self.worker = Some(
                    Worker::start(jobs, move |message| {
                        let _ = send.send(Input::Message(message));
                    })
                    .context(NO_THREAD)?,
                );
                let effects = self.app.update(Event::Message(Message::Loaded(Ok(whole), shown)));
                self.carry_out(effects)?;
                let from = OpenedFrom {
                    file: self.target.argument(),
                    are_notes_there: notes_file.as_ref().is_some_and(|file| file.exists()),
                    notes_file: notes_file
                        .map(|file| file.file_name().unwrap_or_default().to_string_lossy().into_owned()),
                };
                self.tell(Event::Message(Message::From(from)))?;
                if let (Target::Sample, Screen::Explorer(explorer)) = (&self.target, &mut self.app.screen) {
                    explorer.say("no file was given: this is the bundled sample, a real recording; q quits, ? helps");
                }
                match metric {
                    Some(metric) => Event::Message(Message::Metric(metric)),
                    None => return Ok(Taken::Change),
                }
            }
            Input::Loaded(Err(error)) => {
                let (failure, _) = error.describe();
                self.failure = Some(error);
                Event::Message(Message::Loaded(Err(failure), None))
            }
            // the screen is fitted before it is drawn
            Input::Terminal(TerminalEvent::Resize(..)) => return Ok(Taken::Change),
            Input::Terminal(event) => match self.translate(event) {
                Some(event) => event,
                None => return Ok(Taken::Nothing),
            },
        };
        let effects = self.app.update(event);
        self.carry_out(effects)
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> Result<Taken> {
        let mut taken = Taken::Change;
        for effect in effects {
            match effect {
                Effect::Quit => return Ok(Taken::Leave(super::exit::FINE)),
                Effect::Copy(text) => copy(&text)?,
                Effect::Suspend => {
                    suspend()?;
                    taken = Taken::Return;
                }
                work => {
                    if let (Some(worker), Some(view)) = (&self.worker, self.app.view()) {
                        worker.ask(view, work);
                    }
                }
            }
        }
        Ok(taken)
    }

    fn translate(&mut self, event: TerminalEvent) -> Option<Event> {
        match event {
            TerminalEvent::Key(key) => self.keymap.action(self.app.context(), key).map(Event::Action),
            TerminalEvent::Mouse(mouse) => self.mouse_action(mouse).map(Event::Action),
            TerminalEvent::Paste(text) => Some(Event::Action(Action::Paste(text))),
            TerminalEvent::Resize(..) | TerminalEvent::FocusGained | TerminalEvent::FocusLost => None,
        }
    }

    fn mouse_action(&mut self, mouse: MouseEvent) -> Option<Action> {
        let (x, y) = (mouse.column, mouse.row);
        match mouse.kind {
            MouseEventKind::ScrollDown => Some(Action::Wheel(x, y, WHEEL_ROWS)),
            MouseEventKind::ScrollUp => Some(Action::Wheel(x, y, -WHEEL_ROWS)),
            MouseEventKind::Down(MouseButton::Left) => {
                let now = Instant::now();
                let is_second = self
                    .last_click
                    .is_some_and(|(at, x0, y0)| (x0, y0) == (x, y) && now.duration_since(at) < DOUBLE_CLICK);
                self.last_click = (!is_second).then_some((now, x, y));
                Some(if is_second { Action::DoubleClick(x, y) } else { Action::Click(x, y) })
            }
            _ => None,
        }
    }
}

/// What is drawn of a terminal of this size.
fn drawn(size: Size) -> Rect {
    Rect::new(0, 0, size.width.min(LARGEST.width), size.height.min(LARGEST.height))
}

/// Hands text to the clipboard of the terminal, which may be far away from this machine.
fn copy(text: &str) -> Result<()> {
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    let mut out = stdout();
    write!(out, "\x1b]52;c;{encoded}\x07")?;
    out.flush()?;
    Ok(())
}

/// Keeps the terminal in the state the explorer needs; restores it when dropped, before a panic speaks, and before an abort ends
/// dotspot.
struct Guard {
    #[cfg(unix)]
    _abort: super::signals::AbortGuard,
}

impl Guard {
    fn enter() -> Result<Guard> {
        let main = thread::current().id();
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // panics of other threads are caught and told on the screen
            if thread::current().id() == main {
                restore();
                usual(info);
            }
        }));
        let guard = Guard {
            #[cfg(unix)]
            _abort: watch_aborts()?,
        };
        prepare()?;
        Ok(guard)
    }
}

/// Sees to it that an abort gives the terminal back and says why.
#[cfg(unix)]
fn watch_aborts() -> std::io::Result<super::signals::AbortGuard> {
    use std::os::fd::AsFd as _;
    const SENTENCE: &[u8] = b"dotspot: the explorer had to end at once, most likely because there is no more memory; \
        `dotspot hotspots FILE` needs less\n";
    // the thread that aborts may hold the locks of the usual handles; and there may be no memory then
    let mut screen = std::fs::File::from(stdout().as_fd().try_clone_to_owned()?);
    let mut errors = std::fs::File::from(std::io::stderr().as_fd().try_clone_to_owned()?);
    let mut restored = Vec::new();
    leave(&mut restored)?;
    super::signals::AbortGuard::start(move || {
        // what can't be done now can't be done at all
        let _ = terminal::disable_raw_mode();
        let _ = screen.write_all(&restored);
        let _ = errors.write_all(SENTENCE);
    })
}

fn prepare() -> std::io::Result<()> {
    terminal::enable_raw_mode()?;
    execute!(stdout(), terminal::EnterAlternateScreen, event::EnableMouseCapture, event::EnableBracketedPaste)
}

/// Stops this process as ctrl-z does elsewhere; comes back when the shell continues it.
#[cfg(unix)]
fn suspend() -> std::io::Result<()> {
    restore();
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
    prepare()
}

#[cfg(not(unix))]
fn suspend() -> std::io::Result<()> {
    Ok(())
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

fn restore() {
    // a terminal that is gone can't be restored
    let _ = leave(&mut stdout());
    let _ = terminal::disable_raw_mode();
}

/// Undoes what [`prepare`] tells the terminal.
fn leave(out: &mut impl Write) -> std::io::Result<()> {
    execute!(
        out,
        event::DisableBracketedPaste,
        event::DisableMouseCapture,
        terminal::LeaveAlternateScreen,
        crossterm::cursor::Show
    )
}
