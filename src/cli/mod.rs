//! The command line, the terminal loop, worker threads, files, and the commands without a screen.

mod args;
mod cache;
mod convert;
mod doctor;
mod exit;
mod files;
mod formats;
mod keymap;
mod open;
mod range;
mod repair;
mod report;
mod signals;
mod steps;
mod terminal;
mod threads;
mod worker;

pub use exit::table as exit_codes;
pub use keymap::Keymap;
pub use open::{How, Target, open, open_sums};
pub use worker::Jobs;

use crate::app::commands::{COMMANDS, Context};
use crate::input::{ImportError, Progress};
use crate::model::Profile;
use crate::model::text::visible;
use anyhow::Result;
use args::{Command, CommandLine, Hotspots, Reading, Source};
use clap::{CommandFactory as _, Parser};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// Runs dotspot with the arguments of the process.
pub fn main() -> ExitCode {
    let line = CommandLine::parse();
    let is_verbose = line.verbose;
    match run(line) {
        Ok(code) => ExitCode::from(code),
        Err(error) => ExitCode::from(report_error(&error, is_verbose)),
    }
}

/// Says what went wrong and gives the exit code. A closed pipe is no error: whoever read has read enough.
fn report_error(error: &anyhow::Error, is_verbose: bool) -> u8 {
    let is_closed_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_closed_pipe) {
        return exit::FINE;
    }
    say(&format!("{error:#}"));
    if let Some(ImportError::Failed(failure)) = error.downcast_ref::<ImportError>() {
        match is_verbose {
            true => failure.detail.iter().for_each(|line| say_more(line)),
            false if failure.detail.is_empty() => {}
            false => say_more("--verbose says more"),
        }
    }
    if error.is::<Usage>() {
        return exit::USAGE;
    }
    error.downcast_ref::<ImportError>().map_or(exit::FAILED, ImportError::exit_code)
}

/// Says a sentence on standard error, where nothing of a file's text can drive the terminal. If that is closed or full,
/// nobody is there to be told.
fn say(sentence: &str) {
    let _ = writeln!(io::stderr(), "dotspot: {}", visible(sentence));
}

/// Says a line that belongs to the sentence before it.
fn say_more(line: &str) {
    let _ = writeln!(io::stderr(), "  {}", visible(line.trim_end()));
}

/// Something is wrong with how dotspot was called.
#[derive(Debug)]
struct Usage(String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

fn run(line: CommandLine) -> Result<u8> {
    let is_verbose = line.verbose;
    let Some(command) = line.command else {
        if let (Some(file), false) = (&line.file, line.more.is_empty()) {
            let commands: Vec<String> = CommandLine::command().get_subcommands().map(|c| c.get_name().into()).collect();
            if let Some(command) = commands.iter().find(|command| file.as_os_str() == command.as_str()) {
                return Err(Usage(format!("options stand behind the command: dotspot {command} …")).into());
            }
            let (file, commands) = (file.display(), commands.join(", "));
            return Err(Usage(format!(
                "one profile is opened at a time, and {file} is no command; those are {commands}"
            ))
            .into());
        }
        return explore(line.file.as_deref(), &line.reading);
    };
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let width = text_width();
    match command {
        Command::Info(args) => {
            let file = args.source.file.display().to_string();
            let profile = read(&args.source, args.truncation)?;
            match args.truncation {
                true => report::truncation(&mut out, &profile, &file, args.json, width)?,
                false => report::info(&mut out, &profile, &file, args.json, width)?,
            }
        }
        Command::Hotspots(args) => hotspots(&mut out, &args, width)?,
        Command::Tree(args) => report::tree(&mut out, &read_and_warn(&args.source)?, &args, width)?,
        Command::Export(args) => convert::export(&mut out, &args, is_verbose)?,
        Command::Convert(args) => convert::convert(&mut out, &args, is_verbose)?,
        Command::Cache(args) => cache::cache(&mut out, &args)?,
        Command::Doctor(args) => {
            let code = doctor::doctor(&mut out, &args, width, is_verbose)?;
            out.flush()?;
            return Ok(code);
        }
        Command::Formats => formats::formats(&mut out, width)?,
        Command::Keys => keys(&mut out)?,
    }
    out.flush()?;
    Ok(exit::FINE)
}

fn explore(file: Option<&Path>, reading: &Reading) -> Result<u8> {
    if !io::stdout().is_terminal() {
        let sentence = "standard output is not a terminal, which the explorer needs; `dotspot hotspots FILE` and \
                        `dotspot tree FILE` print without one";
        return Err(Usage(sentence.into()).into());
    }
    let target = Target::new(file);
    if target == Target::Stdin && io::stdin().is_terminal() {
        let sentence = "standard input is the terminal, which the explorer needs for keys; pipe a profile into it";
        return Err(Usage(sentence.into()).into());
    }
    terminal::explore(target, reading)
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

/// Reads what a command line names; with `both_forms` the chosen threads also as they were recorded.
fn read(source: &Source, both_forms: bool) -> Result<Profile> {
    let target = Target::new(Some(&source.file));
    let progress = Progress::default();
    let steps = steps::Watch::on_terminal(&progress);
    // reading a pipe can't be cancelled while it waits for more
    let watch = target.is_file_on_disk().then(|| signals::Watch::start(&progress)).transpose()?;
    let outcome = open(&target, &source.reading.how(), progress);
    drop(steps);
    if let Some(watch) = watch {
        watch.end();
    }
    let profile = source.reading.range.of(outcome?)?;
    threads::chosen(profile, &source.reading.threads, both_forms, say)
}

/// Reads a profile and says its warnings on standard error.
fn read_and_warn(source: &Source) -> Result<Profile> {
    let profile = read(source, false)?;
    say_warnings(&profile);
    Ok(profile)
}

/// Cautions are about how numbers are read, which `info` and the explorer say; here is what is wrong with them.
fn say_warnings(profile: &Profile) {
    for warning in &profile.warnings {
        say(&format!("warning: {warning}"));
    }
}

fn hotspots(out: &mut dyn Write, args: &Hotspots, width: Option<usize>) -> Result<()> {
    if report::needs_no_tree(args) && !args.source.reading.range.is_any() {
        let target = Target::new(Some(&args.source.file));
        if let Some(sums) = open_sums(&target, &args.source.reading.how().wanted)? {
            say_warnings(&sums.profile);
            return report::hotspots_of_sums(out, &sums, args, width);
        }
    }
    report::hotspots(out, &read_and_warn(&args.source)?, args, width)
}

fn keys(out: &mut dyn Write) -> Result<()> {
    for command in COMMANDS.iter().filter(|command| command.context == Context::Explorer) {
        writeln!(out, "{:<22} {}", command.keys.join(" "), command.doc)?;
    }
    Ok(())
}
