//! Completion in shells: of commands and options, and of metrics, threads, processes and methods of the file that is typed.

use super::open::{OpenOptions, Target, open};
use crate::input::Progress;
use crate::model::View;
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
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Shells ask dotspot for completions by running it with their name in this variable.
const VARIABLE: &str = "DOTSPOT_COMPLETE";
/// Up to this size a file is read without an index: that takes a few hundredths of a second.
const MAX_READ_BYTES: u64 = 16 << 20;
/// The most methods that are offered.
const MAX_METHODS: usize = 200;
/// Zsh may load the script only when it first completes, as a function of the script's name, which is then to complete.
const ZSH_LOADED: &str =
    "if [[ $funcstack[1] = _dotspot ]]; then _clap_dynamic_completer_dotspot \"$@\"; fi\n";
/// Nushell has no dynamic completion, so what it gets knows commands and options only.
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

/// Answers a shell that asks for completions, and ends the process then.
pub(super) fn answer(dotspot: fn() -> Command) {
    let Some(shell) = std::env::var_os(VARIABLE) else {
        return;
    };
    let with_value = |arg| with_value(arg, &shell);
    let command = || {
        let command = dotspot().mut_args(with_value);
        command.mut_subcommands(|command| command.mut_args(with_value))
    };
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

/// An argument with what completes its value.
fn with_value(arg: Arg, shell: &OsStr) -> Arg {
    let of_view: Option<fn(&View, &str) -> Vec<CompletionCandidate>> = match arg.get_id().as_str() {
        "metric" => Some(|view, _| named(view.recording.metrics.iter().map(|metric| &metric.name))),
        "thread" => Some(|view, _| {
            let threads = view.recording.threads.iter();
            named(threads.flat_map(|thread| [&thread.name, &thread.id]))
        }),
        "process" => {
            Some(|view, _| named(view.recording.processes.iter().map(|process| &process.name)))
        }
        "method" | "drop" | "under" => Some(methods),
        _ if arg.get_value_hint() == ValueHint::AnyPath => None,
        _ => return arg,
    };
    let shell = shell.to_os_string();
    arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
        let typed = unquoted(&typed.to_string_lossy(), &shell);
        let values = match of_view {
            Some(of_view) => {
                let view = typed_file().and_then(|file| quickly_read(&file));
                let mut values = view.map_or_else(Vec::new, |view| of_view(&view, &typed));
                values.retain(|value| value.get_value().to_string_lossy().starts_with(&typed));
                values
            }
            None => PathCompleter::any().complete(OsStr::new(&typed)),
        };
        let values = values.into_iter();
        values
            .filter_map(|value| for_shell(value, &shell))
            .collect()
    }))
}

/// The profile on the command line that is being typed.
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

fn named<'a>(names: impl Iterator<Item = &'a String>) -> Vec<CompletionCandidate> {
    let names = names.filter(|name| !name.is_empty());
    names.map(CompletionCandidate::new).collect()
}

/// The methods whose list names, or the ends of these after a dot, begin with what is typed.
fn methods(view: &View, typed: &str) -> Vec<CompletionCandidate> {
    let frames = &view.frames;
    let methods = frames.iter();
    let methods = methods.filter(|(id, frame)| frame.kind == FrameKind::Method && view.occurs(*id));
    let candidate = |(id, _)| {
        let name = frames.plain_display_name(id);
        let ends = name.match_indices('.').map(|(dot, _)| dot + 1);
        let start = [0].into_iter().chain(ends);
        let start = start
            .into_iter()
            .find(|&at| name[at..].starts_with(typed))?;
        let help = Some(visible(frames.name(id)).into_owned().into());
        Some(CompletionCandidate::new(&name[start..]).help(help))
    };
    let mut candidates: Vec<_> = methods.filter_map(candidate).collect();
    let mut names = HashSet::new();
    candidates.retain(|candidate| names.insert(candidate.get_value().to_os_string()));
    candidates.truncate(MAX_METHODS);
    candidates
}

/// A word as it was meant, which all shells but PowerShell hand over as it is typed.
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

/// A candidate as the shell needs it: bash and PowerShell put it on the command line as it is, so that a name in a profile, or of a
/// file, could run a program. `None` for what no shell shows as it is.
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
            // to it, typographic quotes are quotes, too
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
mod tests {
    use super::*;

    #[test]
    fn names_run_nothing() {
        let quoted = |word: &str, shell: &str| {
            let candidate = for_shell(CompletionCandidate::new(word), OsStr::new(shell))?;
            Some(candidate.get_value().to_str().unwrap().to_string())
        };
        for (word, bash, powershell) in [
            ("List.Add", "List.Add", "List.Add"),
            ("a $(b)", r"a\ \$\(b\)", "'a $(b)'"),
            ("it's", r"it\'s", "'it''s'"),
            // as its tokenizer reads them: each of four quotes ends a string, and two are one
            (
                "a\u{2019}; b",
                "a\\\u{2019}\\;\\ b",
                "'a\u{2019}\u{2019}; b'",
            ),
            // a list, to it
            ("Add(a,b)", r"Add\(a,b\)", "'Add(a,b)'"),
            (r"C:\My Files\", r"C:\\My\ Files\\", r"'C:\My Files\'"),
            (r"C:\a.etl", r"C:\\a.etl", r"C:\a.etl"),
            ("~/a b", r"~/a\ b", "'~/a b'"),
        ] {
            assert_eq!(quoted(word, "bash").as_deref(), Some(bash));
            assert_eq!(quoted(word, "powershell").as_deref(), Some(powershell));
            assert_eq!(quoted(word, "fish").as_deref(), Some(word));
            assert_eq!(unquoted(bash, OsStr::new("bash")), word);
            assert_eq!(unquoted(word, OsStr::new("powershell")), word);
        }
        assert_eq!(quoted("a\u{1b}[31m", "fish"), None);
    }
}
