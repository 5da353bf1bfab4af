//! The real binary in a real pseudo-terminal.
use super::machine;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

pub fn cells(count: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(count).expect("a screen has cells")
}

/// The type that most terminals report.
const TERM: &str = "xterm-256color";

/// A terminal running dotspot.
pub struct Session {
    pub parser: vt100::Parser,
    pub bytes: Receiver<Vec<u8>>,
    pub raw: Vec<u8>,
    pub writer: Box<dyn Write + Send>,
    pub child: Box<dyn portable_pty::Child + Send + Sync>,
    pub master: Box<dyn portable_pty::MasterPty + Send>,
}

impl Session {
    pub fn start(args: &[&str], environment: &[(&str, &str)], columns: u16, rows: u16) -> Session {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dotspot"));
        command.env("DOTSPOT_CONFIG", "");
        command.args(args);
        command.env_remove("NO_COLOR");
        for (name, value) in environment {
            command.env(name, value);
        }
        let term = environment.iter().find(|(name, _)| *name == "TERM");
        Session::in_terminal(command, term.map_or(TERM, |(_, term)| term), columns, rows)
    }

    /// Starts dotspot on a made-up machine, isolated from the real one's home, cache and programs.
    pub fn on(machine: &machine::Machine, args: &[&str], columns: u16, rows: u16) -> Session {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dotspot"));
        command.env("DOTSPOT_CONFIG", "");
        command.args(args);
        command.env_clear();
        for (name, path) in machine.variables() {
            command.env(name, path);
        }
        Session::of(command, columns, rows)
    }

    /// Starts a command.
    pub fn of(command: CommandBuilder, columns: u16, rows: u16) -> Session {
        Session::in_terminal(command, TERM, columns, rows)
    }

    fn in_terminal(mut command: CommandBuilder, term: &str, columns: u16, rows: u16) -> Session {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        command.env("TERM", term);
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let (send, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || send.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let parser = vt100::Parser::new(cells(rows), cells(columns), 0);
        Session {
            parser,
            bytes,
            raw: Vec::new(),
            writer,
            child,
            master: pair.master,
        }
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) {
        self.wait_until(text, true);
    }

    /// Waits until the terminal has received these bytes.
    #[track_caller]
    pub fn wait_for_bytes(&mut self, wanted: &str) {
        self.receive_until(wanted, |session| {
            String::from_utf8_lossy(&session.raw).contains(wanted)
        });
    }

    /// Waits until the screen shows a text, or no longer shows it.
    #[track_caller]
    pub fn wait_until(&mut self, text: &str, is_shown: bool) {
        self.receive_until(text, |session| {
            session.parser.screen().contents().contains(text) == is_shown
        });
    }

    #[track_caller]
    fn receive_until(&mut self, what: &str, is_done: impl Fn(&Session) -> bool) {
        let until = Instant::now() + Duration::from_secs(30);
        while !is_done(self) {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.bytes.recv_timeout(left) else {
                panic!(
                    "timed out waiting for {what:?}:\n{}",
                    self.parser.screen().contents()
                )
            };
            self.receive(&bytes);
        }
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
        self.raw.extend(bytes);
    }

    pub fn type_keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Waits for the end. Returns the exit code and the last output.
    #[track_caller]
    pub fn end(mut self) -> (u32, String) {
        let until = Instant::now() + Duration::from_secs(20);
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.exit_code();
            }
            if Instant::now() > until {
                let _ = self.child.kill();
                panic!("dotspot does not end:\n{}", self.parser.screen().contents());
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        while let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(300)) {
            self.receive(&bytes);
        }
        (code, String::from_utf8_lossy(&self.raw).into_owned())
    }
}
