//! Sets up the terminal for the explorer and restores it afterwards.

use crossterm::{event, execute, terminal};
use std::io::{Write, stdout};
use std::thread;

/// Restores the terminal when dropped, and before a panic message is printed.
pub(super) struct Guard;

impl Guard {
    pub(super) fn enter() -> std::io::Result<Guard> {
        let main = thread::current().id();
        let default_hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // other threads' panics are caught and shown on the screen
            if thread::current().id() == main {
                restore();
                default_hook(info);
            }
        }));
        // restores what was prepared even if not everything could be
        let guard = Guard;
        prepare()?;
        Ok(guard)
    }
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
    let _ = leave(&mut stdout());
    let _ = terminal::disable_raw_mode();
}

fn leave(out: &mut impl Write) -> std::io::Result<()> {
    execute!(
        out,
        event::DisableBracketedPaste,
        event::DisableMouseCapture,
        terminal::LeaveAlternateScreen,
        crossterm::cursor::Show
    )
}
