//! `dotspot config`.

use super::entries::{ENTRIES, EntryKind};
use super::{Config, FOLDER_FILE, VARIABLE};
use crate::app::Keymap;
use crate::cli::args::ConfigArgs;
use crate::cli::exit;
use crate::cli::messages;
use crate::settings::{Entry, Value};
use crate::text::visible;
use std::collections::HashSet;
use std::io::{self, Write};

pub(in crate::cli) fn config(
    out: &mut dyn Write,
    config: &Config,
    args: &ConfigArgs,
) -> io::Result<u8> {
    if args.path {
        if let Some(path) = &config.path {
            line(out, &path.display().to_string())?;
        }
        return Ok(exit::SUCCESS);
    }
    if args.default {
        return print_default(out).map(|()| exit::SUCCESS);
    }
    if !args.check {
        explain(out, config)?;
    }
    for problem in config.problems() {
        line(out, problem)?;
    }
    if !args.check {
        return Ok(exit::SUCCESS);
    }
    if !config.problems().is_empty() {
        return Ok(exit::FAILED);
    }
    let verdict = match &config.path {
        _ if config.folder_file.is_some() => messages::CONFIG_IS_FINE.into(),
        None => messages::config_is_off(&VARIABLE),
        Some(path) if !path.exists() => messages::config_is_missing(&path.display()),
        Some(_) => messages::CONFIG_IS_FINE.into(),
    };
    line(out, &verdict).map(|()| exit::SUCCESS)
}

fn line(out: &mut dyn Write, text: &str) -> io::Result<()> {
    writeln!(out, "{}", visible(text))
}

fn print_default(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", messages::CONFIG_HEAD)?;
    for kind in ENTRIES {
        let (name, example, doc) = (kind.name, kind.example, kind.doc);
        let also = match kind.is_for_folders {
            true => messages::ALSO_IN_FOLDERS,
            false => "",
        };
        writeln!(out, "\n# {doc}{also}\n#{name} = {example}")?;
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

fn explain(out: &mut dyn Write, config: &Config) -> io::Result<()> {
    for (what, path) in [
        ("configuration", &config.path),
        (FOLDER_FILE, &config.folder_file),
    ] {
        let text = match path {
            Some(path) if path.exists() => path.display().to_string(),
            Some(path) => format!("{}{}", path.display(), messages::NOT_THERE),
            None => messages::NO_FILE.into(),
        };
        line(out, &format!("{what:<16}{text}"))?;
    }
    writeln!(out)?;
    if config.path.is_none() {
        writeln!(out, "{}\n", messages::config_is_off(&VARIABLE))?;
    }
    for kind in ENTRIES {
        for (value, origin) in values_of(config, kind) {
            line(out, &format!("{:<16}{value:<23} {origin}", kind.name))?;
        }
    }
    let entries = config.entries.iter();
    let keys = entries.filter(|entry| entry.key.starts_with("keys."));
    for Entry { key, value, at, .. } in keys {
        line(out, &format!("{key:<26}{:<14} {at}", written(value)))?;
    }
    Ok(())
}

/// The effective value of an entry and its origin; for prefixes, a row for each file.
fn values_of<'a>(config: &'a Config, kind: &EntryKind) -> Vec<(String, &'a str)> {
    let entries = config.entries.iter().filter(|entry| entry.key == kind.name);
    let values = entries.map(|entry| (written(&entry.value), entry.at.as_str()));
    let mut values: Vec<(String, &str)> = values.collect();
    if !kind.name.ends_with("user-code") {
        values.drain(..values.len().saturating_sub(1));
    }
    if values.is_empty() {
        let value = match kind.name {
            "ascii" => config.is_ascii().to_string(),
            _ => kind.default.into(),
        };
        values.push((value, "default"));
    }
    values
}

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
