//! Shell completion of commands, options, and names in the profile on the command line.

mod profile;
mod quoting;

use super::config::Config;
use crate::profile_cache::CompletionNames;
use anyhow::{Context as _, Result};
use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _,
};
use clap_complete::env::{CompleteEnv, Shells};
use profile::{names_of_file, typed_file};
use quoting::{TypedWord, for_shell};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::sync::Arc;

const VARIABLE: &str = "DOTSPOT_COMPLETE";
/// The index of the word to complete, from shells that also pass what is behind the cursor.
const INDEX_VARIABLE: &str = "_CLAP_COMPLETE_INDEX";
const MAX_OFFERED: usize = 200;
/// Zsh may load the script when it first completes, as a function that must then complete.
const ZSH_LOADED: &str =
    "if [[ $funcstack[1] = _dotspot ]]; then _clap_dynamic_completer_dotspot \"$@\"; fi\n";
/// Bash also breaks words at other characters than blanks, unlike clap's script.
const BASH: &str = include_str!("../../assets/dotspot.bash");

pub(super) fn print(out: &mut dyn Write, mut dotspot: Command, shell: &str) -> Result<()> {
    match shell {
        "nushell" => {
            let nushell = clap_complete_nushell::Nushell;
            clap_complete::generate(nushell, &mut dotspot, "dotspot", out);
        }
        "bash" => out.write_all(BASH.as_bytes())?,
        _ => {
            let shells = Shells::builtins();
            let script = shells.completer(shell).context("no such shell")?;
            script.write_registration(VARIABLE, "dotspot", "dotspot", "dotspot", out)?;
        }
    }
    if shell == "zsh" {
        out.write_all(ZSH_LOADED.as_bytes())?;
    }
    Ok(())
}

pub(super) fn answer(dotspot: fn() -> Command) {
    let Some(shell) = std::env::var_os(VARIABLE) else {
        return;
    };
    let index = std::env::var(INDEX_VARIABLE);
    let shell = Shell {
        name: shell.to_string_lossy().into(),
        word: requested_word(std::env::args_os(), index.ok().as_deref()),
    };
    // options are offered from the first dash on
    let hides_options = shell.word.is_empty();
    let shell = Arc::new(shell);
    let argument = |arg: Arg| {
        let is_hidden = arg.is_hide_set() || hides_options && !arg.is_positional();
        with_completer(arg, &shell).hide(is_hidden)
    };
    let arguments = |command: Command| command.disable_help_flag(hides_options).mut_args(argument);
    let command = || {
        let command = arguments(dotspot()).disable_version_flag(hides_options);
        command.mut_subcommands(arguments)
    };
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

struct Shell {
    name: String,
    word: OsString,
}

fn typed_words(arguments: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    arguments.skip_while(|word| word != "--").skip(1)
}

fn requested_word(arguments: impl Iterator<Item = OsString>, index: Option<&str>) -> OsString {
    let mut words = typed_words(arguments);
    let word = match index.and_then(|index| index.parse().ok()) {
        Some(index) => words.nth(index),
        None => words.last(),
    };
    word.unwrap_or_default()
}

type Candidate = (String, Option<String>);

/// `None` if the argument's values are not in the file.
fn values_of(argument: &str) -> Option<fn(CompletionNames) -> Vec<Candidate>> {
    match argument {
        "metric" => Some(|file| candidates(file.metrics)),
        "thread" => Some(|file| candidates(file.threads)),
        "process" => Some(|file| candidates(file.processes)),
        "method" | "drop" | "under" => Some(|file| {
            let methods = file.methods.into_iter();
            methods.map(|(name, full)| (name, Some(full))).collect()
        }),
        _ => None,
    }
}

fn candidates(names: Vec<String>) -> Vec<Candidate> {
    let names = names.into_iter().filter(|name| !name.is_empty());
    names.map(|name| (name, None)).collect()
}

fn with_completer(arg: Arg, shell: &Arc<Shell>) -> Arg {
    let id = arg.get_id().to_string();
    let values_in_profile = values_of(&id);
    let is_theme = id == "theme";
    let is_path = arg.get_value_hint() == ValueHint::AnyPath;
    if values_in_profile.is_none() && !is_theme && !is_path {
        return arg;
    }
    let (shell, is_positional) = (Arc::clone(shell), arg.is_positional());
    arg.add(ArgValueCompleter::new(move |word: &OsStr| {
        // values with a dash are completed only behind `--option=`
        let may_be_dashed = *word != *shell.word;
        let word = word.to_string_lossy();
        // clap also asks for values where an option may be
        if is_positional && word.starts_with('-') && word.len() > 1 {
            return Vec::new();
        }
        let typed = TypedWord::new(&word, &shell.name);
        let candidate =
            |(value, help): Candidate| CompletionCandidate::new(value).help(help.map(Into::into));
        let fitting = |values: Vec<Candidate>| {
            let mut found = fitting(values, &typed.word, shell.name == "bash");
            found.retain(|(value, _)| may_be_dashed || !value.starts_with('-'));
            found.into_iter().map(candidate).collect()
        };
        let values: Vec<CompletionCandidate> = match values_in_profile {
            Some(values) => {
                let names = typed_file(&shell.name).and_then(|file| names_of_file(&file));
                fitting(values(names.unwrap_or_default()))
            }
            None if is_theme => fitting(candidates(Config::here(false).theme_names())),
            None => PathCompleter::any().complete(OsStr::new(&typed.word)),
        };
        let values = values.into_iter();
        values
            .filter_map(|value| for_shell(value, &shell.name, typed.quote))
            .collect()
    }))
}

/// The values that match, each once: first those that begin with the typed text, at their start or after a dot, then
/// those that contain it, then those whose full name begins with it. Bash inserts the common prefix of the best, so it
/// gets nothing if that would lose typed text.
fn fitting(values: Vec<Candidate>, typed: &str, is_bash: bool) -> Vec<Candidate> {
    let mut names = HashSet::new();
    let fits = values.into_iter().filter_map(|value| fit(value, typed));
    let mut found: Vec<(u8, Candidate)> = fits
        .filter(|(_, (value, _))| names.insert(value.clone()))
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    if is_bash && let Some((best, (first, _))) = found.first().cloned() {
        found.retain(|(rank, _)| *rank == best);
        let prefix_chars = |(_, (value, _)): &(u8, Candidate)| {
            let pairs = first.chars().zip(value.chars());
            pairs.take_while(|(a, b)| a == b).count()
        };
        let prefix_chars = found.iter().map(prefix_chars).min().unwrap_or(0);
        if prefix_chars > 0 && prefix_chars < typed.chars().count() {
            return Vec::new();
        }
    }
    let found = found.into_iter().take(MAX_OFFERED);
    found.map(|(_, candidate)| candidate).collect()
}

/// How well a value matches (0 is best), and what is offered.
fn fit((value, help): Candidate, typed: &str) -> Option<(u8, Candidate)> {
    let lower = typed.to_lowercase();
    let rank = |text: &str| match text.to_lowercase().starts_with(&lower) {
        true => Some(u8::from(!text.starts_with(typed))),
        false => None,
    };
    let dots = value.match_indices('.').map(|(dot, _)| dot + 1);
    let starts = [0].into_iter().chain(dots);
    let best = starts
        .filter_map(|at| Some((rank(&value[at..])?, at)))
        .min();
    let offered = |value: &str| {
        let help = help.clone().filter(|help| help != value);
        (value.to_string(), help)
    };
    if let Some((rank, start)) = best {
        return Some((rank, offered(&value[start..])));
    }
    if value.to_lowercase().contains(&lower) {
        return Some((2, offered(&value)));
    }
    let full_name = help?;
    rank(&full_name).map(|rank| (3 + rank, (full_name, None)))
}

#[cfg(test)]
mod tests;
