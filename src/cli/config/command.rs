//! `dotspot config`.

use super::entries::ENTRIES;
use super::{Config, OF_FOLDER, VARIABLE};
use crate::app::Keymap;
use crate::cli::exit;
use crate::cli::messages;
use crate::settings::Value;
use crate::text::visible;
use clap::Args;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

/// `dotspot config`.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub(in crate::cli) struct ConfigArgs {
    /// Print where the configuration is
    #[arg(long)]
    pub path: bool,
    /// Print a configuration with every entry and key, commented out
    #[arg(long)]
    pub default: bool,
    /// Name each wrong entry with file, line, and the nearest right one
    ///
    /// Exit code 1 if there is any.
    #[arg(long)]
    pub check: bool,
    /// Print each entry with its value and where it comes from (the default)
    #[arg(long)]
    pub explain: bool,
}

/// Prints what is asked for, and gives the exit code.
pub(in crate::cli) fn config(
    out: &mut dyn Write,
    config: &mut Config,
    args: &ConfigArgs,
) -> io::Result<u8> {
    // looks for the theme, too
    _ = config.screen(None, false);
    if args.path {
        return paths(out, config).map(|()| exit::FINE);
    }
    if args.default {
        return default(out).map(|()| exit::FINE);
    }
    if !args.check {
        explain(out, config)?;
    }
    for problem in &config.problems {
        writeln!(out, "{}", visible(problem))?;
    }
    if args.check && config.problems.is_empty() {
        writeln!(out, "{}", messages::CONFIG_IS_FINE)?;
    }
    Ok(match args.check && !config.problems.is_empty() {
        true => exit::FAILED,
        false => exit::FINE,
    })
}

/// Where the user's file is, and the folder's if there is one.
fn paths(out: &mut dyn Write, config: &Config) -> io::Result<()> {
    for path in config.path.iter().chain(&config.of_folder) {
        writeln!(out, "{}", visible(&path.display().to_string()))?;
    }
    Ok(())
}

/// A configuration that changes nothing until its lines lose their `#`.
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

/// Each entry with its value and where that is said.
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
        let said = config.said.iter().rfind(|entry| entry.key == kind.name);
        let (value, from) = match said {
            Some(entry) => (written(&entry.value), entry.at.as_str()),
            None => ("-".into(), "default"),
        };
        writeln!(
            out,
            "{}",
            visible(&format!("{:<16}{value:<23} {from}", kind.name))
        )?;
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

/// A value as a file has it.
fn written(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::List(texts) => format!("{texts:?}"),
        Value::Other => String::new(),
    }
}
