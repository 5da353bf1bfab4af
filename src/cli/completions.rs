//! Shell completion: of commands and options, and of metrics, threads, processes and methods of the file on the command line.

use super::config::Config;
use super::open::{OpenOptions, Target, open};
use crate::analysis::{Charged, HotspotOrder, hotspots, own_and_system};
use crate::input::Progress;
use crate::model::{NodeId, RecordedThread, View};
use crate::names::FrameKind;
use crate::profile_cache::{ProfileCache, Question};
use crate::text::visible;
use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command, ValueHint};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::{CompleteEnv, Shells};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Shells ask dotspot for completions by running it with their name in this variable.
const VARIABLE: &str = "DOTSPOT_COMPLETE";
/// Files up to this size are read without an index: that takes a few hundredths of a second.
const MAX_READ_BYTES: u64 = 16 << 20;
/// The maximum number of values offered.
const MAX_OFFERED: usize = 200;
/// Zsh may load the script only when it first completes, as a function named like the script, which must then complete.
const ZSH_LOADED: &str =
    "if [[ $funcstack[1] = _dotspot ]]; then _clap_dynamic_completer_dotspot \"$@\"; fi\n";
/// Nushell has no dynamic completion, so its script only knows commands and options.
const NUSHELL: &str = "nushell";

/// `dotspot completions`.
#[derive(Args, Debug)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(shells()))]
    pub shell: String,
}

fn shells() -> Vec<&'static str> {
    Shells::builtins().names().chain([NUSHELL]).collect()
}

/// Prints the script that a shell loads.
pub(super) fn print(out: &mut dyn Write, mut dotspot: Command, shell: &str) -> Result<()> {
    if shell == NUSHELL {
        clap_complete::generate(clap_complete_nushell::Nushell, &mut dotspot, "dotspot", out);
        return Ok(());
    }
    let shells = Shells::builtins();
    let script = shells.completer(shell).context("no such shell")?;
    script.write_registration(VARIABLE, "dotspot", "dotspot", "dotspot", out)?;
    if shell == "zsh" {
        out.write_all(ZSH_LOADED.as_bytes())?;
    }
    Ok(())
}

/// If a shell asks for completions, answers it and exits.
pub(super) fn answer(dotspot: fn() -> Command) {
    let Some(shell) = std::env::var_os(VARIABLE) else {
        return;
    };
    // options are offered once a dash is typed
    let is_begun = std::env::args_os().next_back() != Some(OsString::new());
    let with_value = |arg: Arg| {
        let is_hidden = arg.is_hide_set() || !is_begun && !arg.is_positional();
        with_value(arg, &shell).hide(is_hidden)
    };
    let of = |command: Command| command.disable_help_flag(!is_begun).mut_args(with_value);
    let command = || {
        let command = of(dotspot()).disable_version_flag(!is_begun);
        command.mut_subcommands(of)
    };
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

/// A possible value, and its description.
type Offered = (String, Option<String>);

/// An argument with what completes its value.
fn with_value(arg: Arg, shell: &OsStr) -> Arg {
    let values: Option<fn() -> Vec<Offered>> = match arg.get_id().as_str() {
        "metric" => {
            Some(|| of_file(|view| named(view.recording.metrics.iter().map(|metric| &metric.name))))
        }
        "thread" => Some(|| {
            let both = |thread: &RecordedThread| [thread.name.clone(), thread.id.clone()];
            of_file(|view| named(view.recording.threads.iter().flat_map(both)))
        }),
        "process" => Some(|| {
            of_file(|view| named(view.recording.processes.iter().map(|process| &process.name)))
        }),
        "method" | "drop" | "under" => Some(|| of_file(methods)),
        "theme" => Some(|| named(Config::here(false).theme_names())),
        _ if arg.get_value_hint() == ValueHint::AnyPath => None,
        _ => return arg,
    };
    let shell = shell.to_os_string();
    arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
        let typed = unquoted(&typed.to_string_lossy(), &shell);
        let candidate =
            |(value, help): Offered| CompletionCandidate::new(value).help(help.map(Into::into));
        let values: Vec<CompletionCandidate> = match values {
            Some(values) => {
                let found = fitting(values(), &typed, shell == "bash");
                found.into_iter().map(candidate).collect()
            }
            None => PathCompleter::any().complete(OsStr::new(&typed)),
        };
        let values = values.into_iter();
        values
            .filter_map(|value| for_shell(value, &shell))
            .collect()
    }))
}

/// The values that match the typed text, each once: first those that begin with it, ignoring case, then those that contain it. Bash replaces the text by
/// the common prefix of all, so it gets the latter only if nothing typed is lost.
fn fitting(values: Vec<Offered>, typed: &str, is_bash: bool) -> Vec<Offered> {
    let known = values.into_iter().filter_map(|(value, help)| {
        let (rank, start) = fit(&value, typed)?;
        Some((rank, (value[start..].to_string(), help)))
    });
    let mut known: Vec<(u8, Offered)> = known.collect();
    let mut names = HashSet::new();
    known.retain(|(_, (value, _))| names.insert(value.clone()));
    known.sort_by_key(|(rank, _)| *rank);
    if is_bash && let Some((best, (first, _))) = known.first().cloned() {
        known.retain(|(rank, _)| *rank == best);
        let shared = |(_, (value, _)): &(u8, Offered)| {
            let alike = first.chars().zip(value.chars());
            alike.take_while(|(a, b)| a == b).count()
        };
        let shared = known.iter().map(shared).min().unwrap_or(0);
        if shared > 0 && shared < typed.chars().count() {
            return Vec::new();
        }
    }
    known.truncate(MAX_OFFERED);
    known.into_iter().map(|(_, offered)| offered).collect()
}

/// How well a value matches the typed text, best first, and where: at its start or after a dot.
fn fit(value: &str, typed: &str) -> Option<(u8, usize)> {
    let dots = value.match_indices('.').map(|(dot, _)| dot + 1);
    let mut starts = [0].into_iter().chain(dots);
    if let Some(start) = starts.clone().find(|&at| value[at..].starts_with(typed)) {
        return Some((0, start));
    }
    let (lower, typed) = (value.to_lowercase(), typed.to_lowercase());
    if !lower.contains(&typed) {
        return None;
    }
    let start = starts.find(|&at| value[at..].to_lowercase().starts_with(&typed));
    Some(start.map_or((2, 0), |start| (1, start)))
}

/// The values that a profile on the command line offers, if it can be read quickly.
fn of_file(values: impl Fn(&View) -> Vec<Offered>) -> Vec<Offered> {
    let view = typed_file().and_then(|file| quickly_read(&file));
    view.map_or_else(Vec::new, |view| values(&view))
}

/// The profile on the command line being completed.
fn typed_file() -> Option<PathBuf> {
    let words = std::env::args_os().skip_while(|word| word != "--").skip(2);
    words.map(PathBuf::from).find(|word| word.is_file())
}

/// A profile, if it has an index or is small.
fn quickly_read(file: &Path) -> Option<View> {
    let mut options = OpenOptions::default();
    options.keeper = ProfileCache::new(&options.decoding.environment);
    let is_small = || std::fs::metadata(file).is_ok_and(|file| file.len() <= MAX_READ_BYTES);
    let question = Question {
        file,
        reading: &options.reading,
        decoding: &options.decoding,
    };
    if !is_small() && !options.keeper.has(&question) {
        return None;
    }
    open(&Target::File(file.into()), &options, Progress::default()).ok()
}

fn named(names: impl IntoIterator<Item = impl ToString>) -> Vec<Offered> {
    let names = names.into_iter().map(|name| (name.to_string(), None));
    names.filter(|(name, _)| !name.is_empty()).collect()
}

/// The methods by their list names, hottest first: user code with the system code it calls, then all others.
fn methods(view: &View) -> Vec<Offered> {
    let (frames, measure) = (&view.frames, view.measure(view.recording.default_metric));
    let charged = own_and_system(view, &[NodeId::ROOT], measure);
    let mut methods = hotspots(view, &[NodeId::ROOT], measure);
    methods.retain(|method| frames.get(method.frame).kind == FrameKind::Method);
    methods.sort_by_cached_key(|method| {
        let charged = charged.of(view, method.frame).map_or(0, Charged::weight);
        Reverse((charged, method.weight(HotspotOrder::Exclusive)))
    });
    let offered = |frame| {
        let help = visible(frames.name(frame)).into_owned();
        (frames.plain_display_name(frame).to_string(), Some(help))
    };
    methods.iter().map(|method| offered(method.frame)).collect()
}

/// The meaning of a word: all shells except PowerShell pass it as typed.
fn unquoted(typed: &str, shell: &OsStr) -> String {
    if shell == "powershell" {
        return typed.into();
    }
    let mut rest = typed.trim_start_matches(['"', '\'']).chars();
    let mut word = String::new();
    while let Some(char) = rest.next() {
        word.extend(if char == '\\' {
            rest.next()
        } else {
            Some(char)
        });
    }
    word
}

/// A candidate, quoted for the shell: bash and PowerShell insert it verbatim, so a name in a profile or of a
/// file could run a program. `None` for what no shell shows verbatim.
fn for_shell(candidate: CompletionCandidate, shell: &OsStr) -> Option<CompletionCandidate> {
    let word = candidate.get_value().to_str()?;
    if word.chars().any(char::is_control) || visible(word) != word {
        return None;
    }
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:%+".contains(c);
    let quoted = match shell.to_str()? {
        "bash" => {
            // the home folder
            let home = if word.starts_with("~/") { "~" } else { "" };
            let rest = word[home.len()..].chars();
            rest.fold(home.to_string(), |mut word, char| {
                word.extend((!is_plain(char) && !",@".contains(char)).then_some('\\'));
                word.push(char);
                word
            })
        }
        "powershell" if !word.chars().all(|c| is_plain(c) || c == '\\') => {
            // PowerShell treats typographic quotes as quotes, too
            let doubled = word.chars().flat_map(|char| {
                let is_quote = "'\u{2018}\u{2019}\u{201a}\u{201b}".contains(char);
                std::iter::repeat_n(char, 1 + usize::from(is_quote))
            });
            format!("'{}'", doubled.collect::<String>())
        }
        _ => return Some(candidate),
    };
    let (help, is_hidden) = (candidate.get_help().cloned(), candidate.is_hide_set());
    Some(CompletionCandidate::new(quoted).help(help).hide(is_hidden))
}

#[cfg(test)]
mod tests;
