//! `dotspot record`: samples of a process, by its number or name.

mod file;
mod line;
pub(super) mod options;
mod summary;

use super::exit;
use super::say::{Usage, say};
use super::signals::Stops;
use crate::record::message::Wanted;
use crate::record::port::Port;
use crate::record::processes::{Process, find, list, why_not};
use crate::record::session::{EarlyNames, End, Session, Wish};
use anyhow::{Result, anyhow};
use file::{PartFile, default_name};
use line::Line;
use options::Record;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use summary::say_summary;

/// Records what a command line names. Gives the exit code, and the file if the explorer is to open it.
pub(super) fn record(args: &Record) -> Result<(u8, Option<PathBuf>)> {
    let wanted = args.wanted()?;
    let (process, port) = chosen(args)?;
    let stops = Stops::start()?;
    let session = start(&port, &process, &wanted)?;
    let recorded = Recorder { args, stops: &stops, delay: Duration::ZERO }.run(session, &process, &port)?;
    let code = if recorded.is_whole { exit::FINE } else { exit::FAILED };
    Ok((code, recorded.file.filter(|_| !args.no_open)))
}

/// The process that a command line names.
fn chosen(args: &Record) -> Result<(Process, Arc<dyn Port>)> {
    let folder = args.tmpdir.as_deref();
    let pid = match (args.pid, &args.name) {
        (Some(pid), _) => pid,
        (None, Some(name)) => pid_of(name, list(folder))?,
        (None, None) => {
            let sentence = "say which process to record: --pid PID or --name NAME";
            return Err(Usage::new(sentence).advice("`dotspot ps` lists them").into());
        }
    };
    find(pid, folder).map_err(|(name, reason)| anyhow!(reason.sentence(pid, &name)))
}

/// The number of the only process that is called so.
fn pid_of(name: &str, processes: Vec<Process>) -> Result<u32> {
    let mut called: Vec<Process> = processes.into_iter().filter(|process| process.is_called(name)).collect();
    // who wants the SDK itself says its number
    if called.iter().any(|process| !process.is_sdk()) {
        called.retain(|process| !process.is_sdk());
    }
    match called.as_slice() {
        [] => Err(Usage::new(format!("no .NET process is called {name}")).advice("`dotspot ps` lists them").into()),
        [only] => Ok(only.pid),
        several => {
            let pids: Vec<String> = several.iter().map(|process| process.pid.to_string()).collect();
            let sentence = format!("{} processes are called {name}: {}", several.len(), pids.join(", "));
            Err(Usage::new(sentence).advice("choose one by --pid").into())
        }
    }
}

fn start(port: &Arc<dyn Port>, process: &Process, wanted: &Wanted) -> Result<Session> {
    let Process { pid, name, .. } = process;
    Session::start(Arc::clone(port), wanted).map_err(|trouble| anyhow!(why_not(&trouble, *pid).sentence(*pid, name)))
}

/// What became of a recording.
struct Recorded {
    /// The file, if there is anything in it that can be opened.
    file: Option<PathBuf>,
    is_whole: bool,
}

/// What recordings need besides the process.
struct Recorder<'a> {
    args: &'a Record,
    stops: &'a Stops,
    /// When names are asked for early: a process that has just started has few.
    delay: Duration,
}

impl Recorder<'_> {
    /// Writes a recording that was started until it ends, and says what became of it.
    fn run(&self, mut session: Session, process: &Process, port: &Arc<dyn Port>) -> Result<Recorded> {
        let Process { pid, name, runtime, .. } = process;
        let path = self.args.output.clone().unwrap_or_else(|| default_name(name, *pid, SystemTime::now()));
        let mut out = PartFile::create(&path, self.args.force)?;
        let names = EarlyNames::ask(port, self.delay);
        let runtime = runtime.as_ref().map_or(String::new(), |version| format!(", .NET {version}"));
        let until = self.args.duration.map_or(String::new(), |time| format!(" for {} s", time.as_secs_f64()));
        say(&format!("recording process {pid} ({name}{runtime}){until}; ctrl-c stops"));
        let mut line = Line::new();
        let end = session.copy(&mut out.file, |session| {
            let is_over = self.args.duration.is_some_and(|most| line.elapsed() >= most);
            let (wish, what_next) = match self.stops.count() {
                0 if !is_over => (Wish::GoOn, "ctrl-c stops"),
                0 | 1 => (Wish::Stop, "waiting for the names of methods, ctrl-c again gives up"),
                _ => (Wish::GiveUp, ""),
            };
            line.tell(session, what_next);
            wish
        });
        line.clear();
        Ok(finish(&end, &session, out, names))
    }
}

/// Keeps what was recorded, and says how it ended.
fn finish(end: &End, session: &Session, out: PartFile, names: EarlyNames) -> Recorded {
    let why = why_not_whole(end);
    if session.bytes() == 0 {
        out.remove();
        say(&format!("nothing was recorded: {}", why.unwrap_or_else(|| "the stream was empty".into())));
        return Recorded { file: None, is_whole: false };
    }
    let Some(why) = why else {
        let file = out.keep();
        let can_be_opened = say_summary(&file, "its end has no names");
        return Recorded { file: Some(file).filter(|_| can_be_opened), is_whole: true };
    };
    let whole = session.tally().whole_bytes();
    // a disk that is full takes no names either
    let names = if matches!(end, End::NotWritten(_)) { Vec::new() } else { names.blocks(whole) };
    say(&format!("the recording is not whole: {why}"));
    if !names.is_empty() {
        say("the names of methods are those that were known at its start, and those of methods compiled since");
    }
    let file = out.keep_part(whole, &names);
    let can_be_opened = say_summary(&file, "they come at the end of a recording");
    Recorded { file: Some(file).filter(|_| can_be_opened), is_whole: false }
}

/// Why a recording is not whole, if it is not.
fn why_not_whole(end: &End) -> Option<String> {
    Some(match end {
        End::Whole => return None,
        End::BrokenOff => {
            "the process ended at once, killed or by an unhandled exception; up to 0.1 s at the end are lost".into()
        }
        End::GivenUp => "it was given up before the names of its methods had come".into(),
        End::Stuck => {
            "the process sent nothing for 60 s after it was asked to stop; is it stopped, or in a debugger?".into()
        }
        End::NotStopped(trouble) => format!("it can't be stopped, because {trouble}"),
        End::Damaged(at) => format!("what came makes no sense from byte {at} on"),
        End::NotWritten(error) => format!("the file can't be written: {}", crate::input::plain(error)),
        End::NotRead(error) => format!("it can't be read any longer: {}", crate::input::plain(error)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, name: &str, arguments: &[&str]) -> Process {
        let arguments = arguments.iter().map(ToString::to_string).collect();
        Process { pid, name: name.into(), runtime: None, user: None, uptime: None, arguments, why_not: None }
    }

    #[track_caller]
    fn check(name: &str, expect: Result<u32, &str>) {
        let processes = vec![
            process(1, "Shop", &["/usr/bin/dotnet", "/srv/Shop.dll", "--port", "80"]),
            process(2, "Stock", &["/srv/Stock", "orders.txt"]),
            process(3, "dotnet", &["/usr/bin/dotnet", "run"]),
            process(4, "Bill", &["/usr/bin/dotnet", "exec", "/srv/Bill.dll"]),
            process(5, "Bill", &["/usr/bin/dotnet", "exec", "/srv/Bill.dll"]),
        ];
        assert_eq!(pid_of(name, processes).map_err(|error| error.to_string()), expect.map_err(String::from));
    }

    #[test]
    fn processes_are_found_by_their_names() {
        check("shop", Ok(1));
        check("Shop.dll", Ok(1));
        check("stock", Ok(2));
        check("orders.txt", Err("no .NET process is called orders.txt; `dotspot ps` lists them"));
        check("bill", Err("2 processes are called bill: 4, 5; choose one by --pid"));
        check("nobody", Err("no .NET process is called nobody; `dotspot ps` lists them"));
    }
}
