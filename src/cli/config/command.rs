//! `dotspot config`.

use super::entries::{ENTRIES, EntryKind};
use super::{Config, OF_FOLDER, VARIABLE};
use crate::app::Keymap;
use crate::cli::args::ConfigArgs;
use crate::cli::exit;
use crate::cli::messages;
use crate::settings::{Entry, Value};
use crate::text::visible;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

/// Prints what was requested; returns the exit code.
pub(in crate::cli) fn config(
    out: &mut dyn Write,
    config: &mut Config,
    args: &ConfigArgs,
) -> io::Result<u8> {
    // also loads the theme
    _ = config.screen(None);
    if args.path {
        return path(out, config).map(|()| exit::SUCCESS);
    }
    if args.default {
        return default(out).map(|()| exit::SUCCESS);
    }
    if !args.check {
        explain(out, config)?;
    }
    for problem in &config.problems {
        writeln!(out, "{}", visible(problem))?;
    }
    if args.check && config.problems.is_empty() {
        let missing = config.path.as_ref().filter(|path| !path.exists());
        let said = match (&config.path, missing) {
            (_, _) if config.of_folder.is_some() => messages::CONFIG_IS_FINE.into(),
            (None, _) => messages::config_is_off(&VARIABLE),
            (_, Some(path)) => messages::config_is_missing(&path.display()),
            _ => messages::CONFIG_IS_FINE.into(),
        };
        writeln!(out, "{}", visible(&said))?;
    }
    Ok(match args.check && !config.problems.is_empty() {
        true => exit::FAILED,
        false => exit::SUCCESS,
    })
}

/// Where the user's file is, or would be.
fn path(out: &mut dyn Write, config: &Config) -> io::Result<()> {
    if let Some(path) = &config.path {
        writeln!(out, "{}", visible(&path.display().to_string()))?;
    }
    Ok(())
}

/// A configuration that changes nothing until the `#` is removed from its lines.
fn default(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", messages::CONFIG_HEAD)?;
    for kind in ENTRIES {
        let doc = kind.doc;
        let where_else = if kind.is_for_folders {
            messages::ALSO_IN_FOLDERS
        } else {
            ""
        };
        writeln!(
            out,
            "\n# {doc}{where_else}\n#{} = {}",
            kind.name, kind.example
        )?;
    }
    writeln!(out, "\n{}\n[keys]", messages::CONFIG_KEYS)?;
    let (keymap, mut names) = (Keymap::default(), HashSet::new());
    for command in keymap.all().filter(|command| names.insert(command.name)) {
        let keys: Vec<String> = command.keys.iter().map(|key| format!("{key:?}")).collect();
        let line = format!("#{} = [{}]", command.name, keys.join(", "));
        writeln!(out, "{line:<44} # {}", keymap.doc(command))?;
    }
    Ok(())
}

/// Each entry with its value and where that comes from.
fn explain(out: &mut dyn Write, config: &Config) -> io::Result<()> {
    let state = |path: &Path| match path.exists() {
        true => String::new(),
        false => messages::NOT_THERE.to_string(),
    };
    let line = |what: &str, path: &Option<std::path::PathBuf>| match path {
        Some(path) => format!(
            "{what:<16}{}{}",
            visible(&path.display().to_string()),
            state(path)
        ),
        None => format!("{what:<16}{}", messages::NO_FILE),
    };
    writeln!(
        out,
        "{}\n{}\n",
        line("configuration", &config.path),
        line(OF_FOLDER, &config.of_folder)
    )?;
    if config.path.is_none() {
        writeln!(out, "{}\n", messages::config_is_off(&VARIABLE))?;
    }
    for kind in ENTRIES {
        for (value, from) in values_of(config, &kind) {
            let line = format!("{:<16}{value:<23} {from}", kind.name);
            writeln!(out, "{}", visible(&line))?;
        }
    }
    for entry in config
        .said
        .iter()
        .filter(|entry| entry.key.starts_with("keys."))
    {
        let (key, value) = (&entry.key, written(&entry.value));
        writeln!(
            out,
            "{}",
            visible(&format!("{key:<26}{value:<14} {}", entry.at))
        )?;
    }
    Ok(())
}

/// The effective value of an entry, and where it comes from; for prefixes, a row for each file.
fn values_of<'a>(config: &'a Config, kind: &EntryKind) -> Vec<(String, &'a str)> {
    let mut said: Vec<&Entry> = config
        .said
        .iter()
        .filter(|entry| entry.key == kind.name)
        .collect();
    // lists of prefixes are joined; of all other entries, the last one wins
    if !kind.name.ends_with("user-code") {
        said.drain(..said.len().saturating_sub(1));
    }
    let mut values: Vec<(String, &str)> = said
        .iter()
        .map(|entry| (written(&entry.value), entry.at.as_str()))
        .collect();
    if values.is_empty() {
        let usual = match kind.name {
            "ascii" => config.is_ascii().to_string(),
            _ => kind.usual.into(),
        };
        values.push((usual, "default"));
    }
    values
}

/// A value as spelled in a file.
fn written(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::List(values) => {
            let values: Vec<String> = values.iter().map(written).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Other => String::new(),
    }
}
