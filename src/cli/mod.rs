//! The command line, the terminal loop, worker threads, files, and the non-interactive commands.

mod args;
mod background;
mod cache;
mod completions;
mod config;
#[cfg(windows)]
mod console_events;
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
mod man;
pub(crate) mod messages;
mod names;
mod notes;
mod open;
mod options;
mod print;
mod prompt;
mod ps;
mod read;
mod record;
mod report;
mod screen_guard;
mod sides;
mod signals;
mod steps;
mod terminal;
mod worker;

pub use config::ENTRIES as CONFIG_ENTRIES;
pub use exit::table as exit_codes;
pub use jobs::Jobs;
pub use keymap::KeyReader;
pub use live::updated_view;
pub use load::first_view;
pub use open::{OpenOptions, Target, open};

use crate::app::{Context, Keymap};
#[cfg(feature = "mcp")]
use crate::mcp;
use crate::model::{MethodKey, MethodNotes};
use crate::query;
use crate::query::{QueryError, Relation};
use crate::units::{counted, thousands};
use anyhow::{Result, anyhow};
use args::{CliCommand, CommandLine, Notes};
use clap::CommandFactory as _;
use config::Config;
use files::CountingWriter;
use load::{InitialView, Opening};
use options::refuse_if;
use print::{Printer, print_notice};
use read::{print_warnings, read};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

pub fn main() -> ExitCode {
    // without it, running out of memory simply aborts
    let _ = signals::fail_instead_of_aborting();
    completions::answer(args::command);
    let mut line = args::parse();
    let (is_verbose, is_json) = (line.verbose, line.is_json);
    let out = BufWriter::with_capacity(1 << 16, io::stdout());
    let mut out = CountingWriter::new(out);
    let config = Config::here(line.ascii);
    let is_ascii = line.ascii || io::stdout().is_terminal() && config.is_ascii();
    let result = match line.command.take() {
        Some(command) => apply_config(command, config, is_json).and_then(|(command, config)| {
            let (out, width) = (&mut out, text_width());
            let printer = Printer {
                out,
                width,
                is_ascii,
                has_budget: false,
            };
            run(command, config, printer, is_verbose)
        }),
        None => open_explorer(line, config),
    };
    let result = result.and_then(|code| Ok(out.flush().map(|()| code)?));
    let report = |error| failed::report(&error, is_verbose, is_json.then_some(&mut out));
    ExitCode::from(result.unwrap_or_else(report))
}

/// Problems with the configuration are reported by commands that read profiles.
fn apply_config(
    mut command: CliCommand,
    mut config: Config,
    is_json: bool,
) -> Result<(CliCommand, Config)> {
    config.apply(&mut command, is_json)?;
    let reads = !command.settings().0.is_empty();
    if let (true, Some(problem)) = (reads, config.problems().first()) {
        print_notice(&messages::config_has_problems(problem));
    }
    Ok((command, config))
}

fn open_explorer(mut line: CommandLine, mut config: Config) -> Result<u8> {
    if let (Some(file), false) = (&line.file, line.more.is_empty()) {
        let (word, more) = (file.display(), line.more.join(" and "));
        let commands = CommandLine::command();
        let commands = commands.get_subcommands();
        let commands = commands.filter(|command| !command.is_hide_set());
        let commands: Vec<&str> = commands.map(|command| command.get_name()).collect();
        let text = word.to_string();
        let is_like = |command: &&&str| {
            **command != text && (command.starts_with(&text) || text.starts_with(**command))
        };
        let sentence = match commands.iter().find(is_like) {
            Some(command) if !file.exists() => {
                messages::did_you_mean_command(&word, command, &more)
            }
            _ if commands.contains(&&*text) => messages::options_after_command(&word),
            _ => messages::not_a_command(&word, &more, &commands.join(", ")),
        };
        return Err(QueryError::usage(sentence).into());
    }
    let merges_threads = line.reading.threads.merge_threads.is_some();
    let is_unused = line.against.is_some() && merges_threads;
    refuse_if(is_unused, messages::MERGE_THREADS)?;
    let shown = InitialView {
        range: line.reading.range,
        threads: line.reading.threads.request(),
        splits_pool: merges_threads || line.against.is_some(),
        waiting: (line.waiting || line.no_waiting).then_some(line.waiting),
        metric: line.metric,
        steps: line.row_options.requests()?,
        fold: None,
    };
    let screen = config.screen(line.theme.as_deref())?;
    config.apply_to(&mut line.reading, false);
    let target = target_of(line.file.as_deref(), line.against.as_deref())?;
    let opening = Opening {
        how: line.reading.options(),
        shown: config.shown(shown),
        screen,
    };
    terminal::explore(target, opening)
}

fn run(
    command: CliCommand,
    mut config: Config,
    mut printer: Printer,
    is_verbose: bool,
) -> Result<u8> {
    match command {
        CliCommand::Info(args) => {
            let file = args.answer.source.file.display().to_string();
            let view = read(&args.answer.source, false)?;
            if args.truncation {
                report::truncation(&mut printer, &view, &file, args.answer.output.json)?;
            } else {
                report::info(&mut printer, &view, args.answer.output, &file)?;
            }
        }
        CliCommand::Hotspots(args) => report::hotspots(&mut printer, &args)?,
        CliCommand::Methods(args) => report::methods(&mut printer, &args)?,
        CliCommand::Tree(args) => report::tree(&mut printer, &args)?,
        CliCommand::Notes(args) => method_notes(&mut printer, &args)?,
        CliCommand::Callers(args) if args.user => {
            report::method(&mut printer, Relation::UserCallers, &args.of)?
        }
        CliCommand::Callers(args) => report::method(&mut printer, Relation::Callers, &args.of)?,
        CliCommand::Waits(args) => report::waits(&mut printer, &args)?,
        CliCommand::Timeline(args) => report::timeline(&mut printer, &args)?,
        CliCommand::Callees(args) => report::method(&mut printer, Relation::Callees, &args)?,
        CliCommand::Report(args) => prompt::report(printer.out, &args)?,
        CliCommand::Compare(args) => return report::compare(&mut printer, &args),
        CliCommand::Export(args) => convert::export(printer.out, &args)?,
        CliCommand::Convert(args) => convert::convert(printer.out, &args)?,
        CliCommand::Cache(args) => cache::cache(&mut printer, &args)?,
        CliCommand::Doctor(args) => return doctor::doctor(&mut printer, &args, is_verbose),
        #[cfg(feature = "mcp")]
        CliCommand::Mcp(args) => {
            let folders = mcp::Folders::new(&args.folders).map_err(QueryError::usage)?;
            mcp::serve(folders, args.memory).map_err(|sentence| anyhow!(sentence))?;
        }
        CliCommand::Record(args) => return record_and_open(&args),
        #[cfg(unix)]
        CliCommand::Linger { group, folder } => crate::record::reverse::linger(group, &folder)?,
        #[cfg(windows)]
        CliCommand::Linger { processes } => crate::record::suspended::linger(&processes),
        CliCommand::Ps(args) => ps::ps(&mut printer, &args)?,
        CliCommand::Formats => formats::formats(&mut printer)?,
        CliCommand::Keys => keys(printer.out, &config.keymap())?,
        CliCommand::Themes { theme } => {
            config::themes(&mut printer, &mut config, theme.as_deref())?
        }
        CliCommand::Config(args) => return Ok(config::config(printer.out, &config, &args)?),
        CliCommand::Completions(args) => {
            completions::print(printer.out, args::command(), &args.shell)?
        }
        CliCommand::Man(args) => man::write(args::command(), &args)?,
    }
    Ok(exit::SUCCESS)
}

fn record_and_open(args: &record::options::Record) -> Result<u8> {
    let (code, file) = record::record(args)?;
    let Some(file) = file.filter(|_| io::stdout().is_terminal() && io::stdin().is_terminal())
    else {
        return Ok(code);
    };
    let mut opening = args.opening.clone();
    opening.shown.threads.processes = record::etw::process(args).into_iter().collect();
    let opened = terminal::explore(Target::File(file), opening);
    opened.map(|opened| if code == 0 { opened } else { code })
}

/// Whether a profile is piped in; not if standard input is closed or `/dev/null`.
fn is_piped() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let kind = std::fs::metadata("/dev/stdin").map(|stdin| stdin.file_type());
        kind.is_ok_and(|kind| kind.is_fifo() || kind.is_file())
    }
    #[cfg(not(unix))]
    {
        !io::stdin().is_terminal()
    }
}

fn is_like_command(file: &Path) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '-';
    let is_word = |name: &str| name != "-" && name.chars().all(is_letter);
    file.to_str().is_some_and(is_word) && !file.exists()
}

fn target_of(file: Option<&Path>, against: Option<&Path>) -> Result<Target, QueryError> {
    let target = match (file, against) {
        (Some(after), Some(before)) => Target::Comparison {
            before: before.into(),
            after: after.into(),
        },
        (None, None) if is_piped() => Target::Stdin,
        _ => Target::new(file),
    };
    let has_stdin = [file, against].contains(&Some(Path::new("-")));
    let is_terminal_read = target == Target::Stdin && io::stdin().is_terminal();
    let is_terminal = io::stdout().is_terminal();
    if let Some(word) = file.filter(|file| !is_terminal && is_like_command(file)) {
        let sentence = messages::no_file_and_no_command(&word.display());
        return Err(QueryError::usage(sentence).advice(messages::HELP_LISTS_COMMANDS));
    }
    refuse_if(!is_terminal, messages::EXPLORER_NEEDS_TERMINAL)?;
    let lacks_file = against.is_some() && has_stdin;
    refuse_if(lacks_file, messages::AGAINST_NEEDS_FILES)?;
    refuse_if(is_terminal_read, messages::STDIN_IS_THE_TERMINAL)?;
    Ok(target)
}

/// The terminal's width, or `COLUMNS`; unlimited if the output goes to a program.
fn text_width() -> Option<usize> {
    if io::stdout().is_terminal()
        && let Ok((columns, _)) = crossterm::terminal::size()
    {
        return Some(match columns {
            // some terminals report 0: containers, `script`
            0 => 80,
            _ => usize::from(columns),
        });
    }
    std::env::var("COLUMNS").ok()?.parse().ok()
}

fn method_notes(to: &mut Printer, args: &Notes) -> Result<()> {
    let merges_threads = args.source.reading.threads.merge_threads.is_some();
    refuse_if(merges_threads, messages::MERGE_THREADS)?;
    let target = Target::new(Some(&args.source.file));
    let view = read(&args.source, false)?;
    print_warnings(&view);
    let (Some(method), true) = (&args.method, args.text.is_some() || args.remove) else {
        return report::notes(to, &view, args);
    };
    let Some(file) = target.notes_file() else {
        return Err(QueryError::usage(messages::NOTES_NEED_A_FILE).into());
    };
    let note = args.text.as_deref().unwrap_or_default().trim();
    if note.len() > MethodNotes::MAX_BYTES {
        let [limit, found] =
            [MethodNotes::MAX_BYTES, note.len()].map(|bytes| thousands(bytes as u64));
        return Err(QueryError::usage(messages::note_too_long(&limit, &found)).into());
    }
    let notes = &view.recording.method_notes;
    // the method of a note need not be in this profile
    let with_note = notes.iter().map(|(key, _)| key);
    let with_note = with_note.filter(|key| note.is_empty() && key.name == *method);
    let mut methods: Vec<MethodKey> = with_note.cloned().collect();
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
    let written = notes::write(&file, &methods, note, &view.recording.own_notes);
    written.map_err(anyhow::Error::msg)?;
    let change = match note.is_empty() {
        true => "removed from",
        false => "saved in",
    };
    let (methods, file) = (counted(methods.len() as u64, "method"), file.display());
    print_notice(&messages::note_was_changed(&methods, &change, &file));
    Ok(())
}

fn keys(out: &mut dyn Write, keymap: &Keymap) -> Result<()> {
    for command in keymap.of(Context::Explorer) {
        let (keys, doc) = (command.keys.join(" "), keymap.doc(command));
        writeln!(out, "{keys:<22} {doc}")?;
    }
    Ok(())
}
