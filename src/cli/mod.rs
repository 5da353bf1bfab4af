//! The command line, the terminal loop, worker threads, files, and the non-interactive commands.

mod all_messages;
mod args;
mod cache;
mod compare;
mod convert;
mod doctor;
mod exit;
mod failed;
mod files;
mod formats;
mod jobs;
mod keymap;
mod live;
mod load;
pub(crate) mod messages;
mod notes;
mod open;
mod options;
mod print;
mod prompt;
mod ps;
mod range;
mod read;
mod record;
mod report;
mod say;
mod screen_guard;
mod sides;
mod signals;
mod steps;
mod terminal;
mod worker;

pub use exit::table as exit_codes;
pub use jobs::Jobs;
pub use keymap::KeyReader;
pub use live::renewed;
pub use open::{OpenOptions, Target, open};

use crate::app::{Context, Keymap};
#[cfg(feature = "mcp")]
use crate::mcp;
use crate::model::{MethodKey, MethodNotes};
use crate::query;
use crate::query::Relation;
use crate::units::{counted, thousands};
use anyhow::{Result, anyhow};
use args::{CliCommand, CommandLine, HotspotsArgs, MethodArgs, Notes};
use clap::CommandFactory as _;
use failed::FailedOutput;
use load::InitialView;
use options::Reading;
use print::Printer;
use read::{read, read_to_print, say_warnings};
use say::{Usage, say};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// Runs dotspot with the arguments of the process.
pub fn main() -> ExitCode {
    // without it, an abort is what it always was
    let _ = signals::fail_instead_of_aborting();
    let mut line = args::parse();
    let is_verbose = line.verbose;
    let Some(command) = line.command.take() else {
        let ran = open_explorer(line);
        return ExitCode::from(
            ran.unwrap_or_else(|error| failed::report(&error, is_verbose, None)),
        );
    };
    let is_json = command.is_json();
    let mut out = FailedOutput::standard();
    let ran = run(command, &mut out, is_verbose).and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    ExitCode::from(
        ran.unwrap_or_else(|error| failed::report(&error, is_verbose, is_json.then_some(&mut out))),
    )
}

/// Opens the explorer, unless the file argument looks like a mistyped command.
fn open_explorer(line: CommandLine) -> Result<u8> {
    if let (Some(file), false) = (&line.file, line.more.is_empty()) {
        let commands: Vec<String> = CommandLine::command()
            .get_subcommands()
            .filter(|c| !c.is_hide_set())
            .map(|c| c.get_name().into())
            .collect();
        if let Some(command) = commands
            .iter()
            .find(|command| file.as_os_str() == command.as_str())
        {
            return Err(Usage::new(messages::options_after_command(&command)).into());
        }
        let more = line.more.join(" and ");
        return Err(Usage::new(no_such_command(
            &file.display().to_string(),
            &more,
            &commands,
        ))
        .into());
    }
    let steps = line.shaping.requests()?;
    let shown = InitialView {
        range: line.reading.range,
        threads: line.reading.threads.request(),
        metric: line.metric,
        steps,
    };
    explore(
        line.file.as_deref(),
        line.against.as_deref(),
        &line.reading,
        shown,
    )
}

/// Runs a command, which gives the exit code.
fn run(command: CliCommand, out: &mut dyn Write, is_verbose: bool) -> Result<u8> {
    let width = text_width();
    match command {
        CliCommand::Info(args) => {
            let file = args.source.file.display().to_string();
            let view = read(&args.source)?;
            match args.truncation {
                true => report::truncation(&mut Printer { out, width }, &view, &file, args.json)?,
                false => report::info(&mut Printer { out, width }, &view, &args, &file)?,
            }
        }
        CliCommand::Hotspots(args) => hotspots(out, &args, width)?,
        CliCommand::Methods(args) => {
            let steps = args.changing.requests()?;
            let view = read_to_print(&args.source, &steps, &args.part.weighing, args.json)?;
            report::methods(&mut Printer { out, width }, view.uncollapsed(), &args)?;
        }
        CliCommand::Tree(args) => {
            let steps = args.shaping.requests()?;
            let view = read_to_print(&args.source, &steps, &args.part.weighing, args.json)?;
            report::tree(&mut Printer { out, width }, &view, &args)?;
        }
        CliCommand::Notes(args) => method_notes(out, &args, width)?,
        CliCommand::Callers(args) => method(out, Relation::Callers, &args, width)?,
        CliCommand::Callees(args) => method(out, Relation::Callees, &args, width)?,
        CliCommand::Report(args) => prompt::report(out, &args)?,
        CliCommand::Compare(args) => return compare::compare(out, &args, width),
        CliCommand::Export(args) => convert::export(out, &args)?,
        CliCommand::Convert(args) => convert::convert(out, &args)?,
        CliCommand::Cache(args) => cache::cache(out, &args)?,
        CliCommand::Doctor(args) => return doctor::doctor(out, &args, width, is_verbose),
        #[cfg(feature = "mcp")]
        CliCommand::Mcp(args) => {
            let folders = mcp::Folders::new(&args.folders).map_err(Usage::new)?;
            mcp::serve(folders, args.memory).map_err(|sentence| anyhow!(sentence))?;
        }
        CliCommand::Record(args) => return record_and_open(&args),
        #[cfg(unix)]
        CliCommand::Linger { group, folder } => crate::record::reverse::linger(group, &folder)?,
        #[cfg(not(unix))]
        CliCommand::Linger { .. } => {}
        CliCommand::Ps(args) => ps::ps(out, &args, width)?,
        CliCommand::Formats => formats::formats(out, width)?,
        CliCommand::Keys => keys(out)?,
        CliCommand::Diagnostics { .. } => all_messages::print(out)?,
    }
    Ok(exit::FINE)
}

/// Records a process and opens the file in the explorer, where there is a terminal for that.
fn record_and_open(args: &record::options::Record) -> Result<u8> {
    let (code, file) = record::record(args)?;
    let Some(file) = file.filter(|_| io::stdout().is_terminal() && io::stdin().is_terminal())
    else {
        return Ok(code);
    };
    // a launched program's exit code is passed on
    terminal::explore(
        Target::File(file),
        OpenOptions::default(),
        InitialView::all(),
    )
    .map(|opened| if code == 0 { opened } else { code })
}

/// What to say of a first word that is no command where more words follow. A file of that name may well be there.
fn no_such_command(word: &str, more: &str, commands: &[String]) -> String {
    let is_like =
        |command: &&String| command.starts_with(word) || word.starts_with(command.as_str());
    let nearest = commands
        .iter()
        .find(is_like)
        .filter(|_| !Path::new(word).exists());
    match nearest {
        Some(command) => messages::did_you_mean_command(&word, &command, &more),
        None => {
            let commands = commands.join(", ");
            messages::not_a_command(&word, &more, &commands)
        }
    }
}

fn explore(
    file: Option<&Path>,
    against: Option<&Path>,
    reading: &Reading,
    shown: InitialView,
) -> Result<u8> {
    if !io::stdout().is_terminal() {
        let sentence = messages::EXPLORER_NEEDS_TERMINAL;
        return Err(Usage::new(sentence).into());
    }
    let target = match (file, against) {
        (Some(before), Some(after)) => Target::Comparison {
            before: before.into(),
            after: after.into(),
        },
        _ => Target::new(file),
    };
    if let Target::Comparison { before, after } = &target
        && [before, after].iter().any(|file| file.as_os_str() == "-")
    {
        return Err(Usage::new(messages::AGAINST_NEEDS_FILES).into());
    }
    if against.is_some() && reading.threads.merge_threads {
        let sentence = messages::MERGE_THREADS_IN_COMPARISON;
        return Err(Usage::new(sentence).into());
    }
    if target == Target::Stdin && io::stdin().is_terminal() {
        let sentence = messages::STDIN_IS_THE_TERMINAL;
        return Err(Usage::new(sentence).into());
    }
    terminal::explore(target, reading.options(), shown)
}

/// The width of text for people: the terminal's, or what `COLUMNS` says; unlimited where a program reads along.
fn text_width() -> Option<usize> {
    if io::stdout().is_terminal()
        && let Ok((columns, _)) = crossterm::terminal::size()
    {
        return Some(usize::from(columns));
    }
    std::env::var("COLUMNS").ok()?.parse().ok()
}

fn hotspots(out: &mut dyn Write, args: &HotspotsArgs, width: Option<usize>) -> Result<()> {
    let steps = args.changing.requests()?;
    let view = read_to_print(&args.source, &steps, &args.part.weighing, args.json)?;
    report::hotspots(&mut Printer { out, width }, &view, args)
}

fn method(
    out: &mut dyn Write,
    relation: Relation,
    args: &MethodArgs,
    width: Option<usize>,
) -> Result<()> {
    let steps = args.changing.requests()?;
    let view = read_to_print(&args.source, &steps, &args.weighing, args.json)?;
    // rows that stand for several frames have no name, but their frames have
    report::method(
        &mut Printer { out, width },
        view.uncollapsed(),
        relation,
        args,
    )
}

/// Lists a person's notes on methods, or keeps or takes away one.
fn method_notes(out: &mut dyn Write, args: &Notes, width: Option<usize>) -> Result<()> {
    if args.source.reading.threads.merge_threads {
        let usage = Usage::new(messages::MERGE_THREADS_IN_NOTES);
        return Err(usage.advice("leave it out").into());
    }
    let target = Target::new(Some(&args.source.file));
    let view = read(&args.source)?;
    say_warnings(&view);
    let (Some(method), true) = (&args.method, args.text.is_some() || args.remove) else {
        return report::notes(&mut Printer { out, width }, &view, args);
    };
    let Some(file) = target.notes_file() else {
        return Err(Usage::new(messages::NOTES_NEED_A_FILE).into());
    };
    let note = args.text.as_deref().unwrap_or_default().trim();
    if note.len() > MethodNotes::MAX_BYTES {
        let most = thousands(MethodNotes::MAX_BYTES as u64);
        return Err(Usage::new(messages::note_too_long(
            &most,
            &thousands(note.len() as u64),
        ))
        .into());
    }
    let notes = &view.recording.method_notes;
    // the method of a note need not be in this profile
    let noted = notes
        .iter()
        .map(|(key, _)| key)
        .filter(|key| note.is_empty() && key.name == *method);
    let mut methods: Vec<MethodKey> = noted.cloned().collect();
    if methods.is_empty() {
        let frames = query::frames_named(&view, "METHOD", method)?;
        methods = frames.iter().map(|&frame| view.frames.key(frame)).collect();
    }
    if note.is_empty() {
        methods.retain(|method| notes.get(method).is_some());
        if methods.is_empty() {
            return Err(anyhow!(messages::no_note_on(&method)));
        }
    }
    notes::keep(&file, &methods, note, &view.recording.own_notes)
        .map_err(|sentence| anyhow!(sentence))?;
    let done = if note.is_empty() {
        "removed from"
    } else {
        "kept in"
    };
    let of = counted(methods.len() as u64, "method");
    say(&messages::note_is_done(&of, &done, &file.display()));
    Ok(())
}

fn keys(out: &mut dyn Write) -> Result<()> {
    let keymap = Keymap::default();
    for command in keymap.of(Context::Explorer) {
        let (keys, doc) = (command.keys.join(" "), keymap.doc(command));
        writeln!(out, "{keys:<22} {doc}")?;
    }
    Ok(())
}
