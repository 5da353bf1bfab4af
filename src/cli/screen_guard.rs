//! The state of the terminal: what the explorer needs, and what the user had before.

use crossterm::{event, execute, terminal};
use std::io::{Write, stdout};
use std::thread;

/// Keeps the terminal in the state the explorer needs; restores it when dropped, before a panic speaks, and before an abort ends
/// dotspot.
pub(super) struct Guard {
    #[cfg(unix)]
    _abort: super::signals::AbortGuard,
}

impl Guard {
    /// Prepares the terminal.
    ///
    /// # Errors
    /// It can't be.
    pub(super) fn enter() -> std::io::Result<Guard> {
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
    const SENTENCE: &[u8] =
        b"dotspot: the explorer had to end at once, most likely because there is no more memory; \
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
    execute!(
        stdout(),
        terminal::EnterAlternateScreen,
        event::EnableMouseCapture,
        event::EnableBracketedPaste
    )
}

/// Stops this process as ctrl-z does elsewhere; comes back when the shell continues it.
#[cfg(unix)]
pub(super) fn suspend() -> std::io::Result<()> {
    restore();
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
    prepare()
}

#[cfg(not(unix))]
pub(super) fn suspend() -> std::io::Result<()> {
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
