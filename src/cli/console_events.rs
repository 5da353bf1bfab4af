//! Events of a Windows console: ctrl-c, ctrl-break, its window is closed, the user logs off.

use std::io;
use std::thread;
use tokio::runtime::Builder;
use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown};

pub(super) const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// Calls `notify` for each event, with `SIGINT` for ctrl-c and `SIGTERM` for all others. The system ends dotspot some
/// seconds after its window was closed.
pub(super) fn on_each(notify: impl Fn(i32) + Clone + Send + 'static) -> io::Result<()> {
    macro_rules! watch {
        ($event:ident, $signal:expr) => {{
            let (mut event, notify) = ($event()?, notify.clone());
            let runtime = Builder::new_current_thread().build()?;
            let wait = move || {
                while runtime.block_on(event.recv()).is_some() {
                    notify($signal);
                }
            };
            thread::Builder::new().name("console".into()).spawn(wait)?;
        }};
    }
    watch!(ctrl_c, SIGINT);
    watch!(ctrl_break, SIGTERM);
    watch!(ctrl_close, SIGTERM);
    watch!(ctrl_logoff, SIGTERM);
    watch!(ctrl_shutdown, SIGTERM);
    Ok(())
}
