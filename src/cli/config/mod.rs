//! The user's `config.toml`, and a folder's `.dotspot.toml`.
//!
//! Invalid entries are reported and skipped. A folder's file comes with other people's files, so it may set nothing
//! that runs, writes or reads anything.

mod command;
mod entries;
mod themes;

pub(super) use command::config;
pub use entries::ENTRIES;
pub(super) use themes::themes;

use super::args::CliCommand;
use super::load::{InitialView, Opening, ScreenSettings};
use super::messages;
use super::open::OpenOptions;
use super::options::Reading;
use crate::app::{Keymap, Preferences};
use crate::model::Merging;
use crate::names::UserCode;
use crate::query::{MethodOrder, QueryError, ReportForm, StepRequest};
use crate::settings::{Entry, read, read_entries, sort_by_line, unknown};
use crate::ui::Palette;
use anyhow::Result;
use etcetera::BaseStrategy as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The variable with the path of the configuration; if it is empty, there is none.
const VARIABLE: &str = "DOTSPOT_CONFIG";
const FOLDER_FILE: &str = ".dotspot.toml";
const MAX_FOLDERS: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    palette: Option<Palette>,
    ascii: Option<bool>,
    metric: Option<String>,
    fold: Option<String>,
    merging: Option<Merging>,
    user_code: UserCode,
    keymap: Keymap,
    preferences: Preferences,
    /// The valid ones in the order of the files; the last one of a key wins.
    entries: Vec<Entry>,
    path: Option<PathBuf>,
    folder_file: Option<PathBuf>,
}

impl Config {
    pub(super) fn here(is_ascii: bool) -> Config {
        let mut config = Config::read_here();
        config.ascii = is_ascii.then_some(true).or(config.ascii);
        config
    }

    fn read_here() -> Config {
        let mut config = Config::default();
        let variable = std::env::var_os(VARIABLE);
        if variable.as_ref().is_some_and(|path| path.is_empty()) {
            return config;
        }
        let default_path = || {
            let folder = etcetera::choose_base_strategy().ok()?.config_dir();
            Some(folder.join("dotspot").join("config.toml"))
        };
        // a file named explicitly must exist
        let must_exist = variable.is_some();
        config.path = variable.map(PathBuf::from).or_else(default_path);
        let path = config.path.clone();
        if let Some(path) = path.filter(|path| must_exist || path.symlink_metadata().is_ok()) {
            config.read(&path, false);
        }
        config.folder_file = folder_file();
        if let Some(path) = config.folder_file.clone() {
            config.read(&path, true);
        }
        config
    }

    fn read(&mut self, path: &Path, is_folder_file: bool) {
        let text = match read(path) {
            Ok(text) => text,
            Err(sentence) => return self.preferences.problems.push(sentence),
        };
        let file = path.display().to_string();
        let mut keys: Vec<(String, Vec<String>)> = Vec::new();
        let problems = read_entries(&file, &text, |entry| {
            let command = entry.key.strip_prefix("keys.");
            let kind = ENTRIES.iter().find(|kind| kind.name == entry.key);
            match (command, kind) {
                (Some(name), _) if !is_folder_file => keys.push((name.into(), entry.texts()?)),
                (_, Some(kind)) if !is_folder_file || kind.is_for_folders => self.set(entry)?,
                (None, None) if entry.key == "keys" => return Err(messages::KEYS_EXPECTED.into()),
                (None, None) => {
                    let known: Vec<&str> = ENTRIES.iter().map(|kind| kind.name).collect();
                    return Err(match entry.key.split_once('.') {
                        Some((table, _)) => unknown(&format!("[{table}]"), &["[keys]"]),
                        None => unknown(&entry.key, &known),
                    });
                }
                _ => return Err(messages::NOT_FOR_FOLDERS.into()),
            }
            self.entries.push(entry.clone());
            Ok(())
        });
        let known = &mut self.preferences.problems;
        known.extend(problems);
        if keys.is_empty() {
            return;
        }
        let (keymap, problems) = Keymap::with_keys(&keys);
        self.keymap = keymap;
        for (name, what) in problems {
            let key = format!("keys.{name}");
            if let Some(index) = self.entries.iter().rposition(|entry| entry.key == key) {
                known.push(self.entries.remove(index).problem(&what));
            }
        }
        sort_by_line(&file, &mut self.preferences.problems);
    }

    pub(super) fn keymap(&self) -> Keymap {
        self.keymap.clone().in_ascii(self.is_ascii())
    }

    /// Whether screens are ASCII only; never on Windows, whose consoles support Unicode.
    pub(super) fn is_ascii(&self) -> bool {
        self.ascii.unwrap_or_else(|| {
            let variables = ["LC_ALL", "LC_CTYPE", "LANG"].map(|name| std::env::var(name).ok());
            !cfg!(windows) && has_other_encoding(variables)
        })
    }

    pub(super) fn screen(&mut self, theme: Option<&str>) -> Result<ScreenSettings, QueryError> {
        if let Some(name) = theme {
            let palette = self.read_theme(name);
            let usage = |sentence| QueryError::usage(format!("--theme: {sentence}"));
            self.palette = Some(palette.map_err(usage)?);
        }
        Ok(ScreenSettings {
            palette: self.palette,
            keymap: Arc::new(self.keymap()),
            preferences: self.preferences.clone(),
        })
    }

    pub(super) fn problems(&self) -> &[String] {
        &self.preferences.problems
    }

    pub(super) fn shown(&self, requested: InitialView) -> InitialView {
        let mut shown = InitialView {
            fold: self.fold.clone(),
            ..requested
        };
        if let (false, Some(merging)) = (shown.splits_pool, self.merging) {
            shown.splits_pool = merging != Merging::Pool;
            if merging == Merging::All {
                shown.threads.merging = merging;
            }
        }
        shown
    }

    /// Applies the configuration where flags don't say otherwise. In output for programs, it only decides what user code
    /// is.
    pub(super) fn apply(&mut self, command: &mut CliCommand, is_json: bool) -> Result<()> {
        let is_read_by_programs =
            is_json || matches!(command, CliCommand::Export(_) | CliCommand::Convert(_));
        let preferences = &self.preferences;
        let (readings, units) = command.settings();
        for reading in readings {
            self.apply_to(reading, is_read_by_programs);
        }
        if let Some(units) = units.filter(|_| !is_json) {
            units.unit = units.unit.or(preferences.unit);
        }
        match command {
            CliCommand::Hotspots(args) if !is_json => {
                let order = preferences.order;
                let order = order.filter(|order| MethodOrder::OF_HOTSPOTS.contains(order));
                args.by = args.by.or(order);
            }
            CliCommand::Methods(args) if !is_json => {
                args.preferred_sort = preferences.order.filter(|_| args.sort.is_none());
            }
            CliCommand::Tree(args)
                if !is_json && !args.inverted && !args.row_options.is_inverted() =>
            {
                let row_options = &mut args.row_options;
                if !row_options.requests()?.iter().any(StepRequest::is_display) {
                    row_options.fold = self.fold.clone();
                }
            }
            // one side may lack it
            CliCommand::Compare(args) => {
                let readings = &mut args.readings;
                args.preferred_metric = readings.before.preferred_metric.take();
                readings.after.preferred_metric = None;
            }
            CliCommand::Report(args) if args.form() == ReportForm::Markdown => {
                args.budget = args.budget.or(preferences.budget);
            }
            CliCommand::Record(args) => {
                args.opening = Opening {
                    how: OpenOptions {
                        user_code: self.user_code.clone(),
                        metric: self.metric.clone(),
                        ..OpenOptions::default()
                    },
                    shown: self.shown(InitialView::default()),
                    screen: self.screen(None)?,
                };
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn apply_to(&self, reading: &mut Reading, is_json: bool) {
        let given = [&reading.user_code[..], &reading.not_user_code].concat();
        let not_given = |prefixes: &[String]| -> Vec<String> {
            let is_new = |prefix: &&String| !given.contains(prefix);
            prefixes.iter().filter(is_new).cloned().collect()
        };
        let UserCode { own, foreign } = &self.user_code;
        let (own, foreign) = (not_given(own), not_given(foreign));
        reading.configured_user_code = [&own[..], &foreign].concat();
        reading.user_code.extend(own);
        reading.not_user_code.extend(foreign);
        reading.preferred_metric = self.metric.clone().filter(|_| !is_json);
    }
}

fn folder_file() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let folders = here.ancestors().take(MAX_FOLDERS);
    let mut files = folders.map(|folder| folder.join(FOLDER_FILE));
    // a link would lead outside the folder
    let is_no_link = |metadata: std::fs::Metadata| !metadata.is_symlink();
    files.find(|file| file.symlink_metadata().is_ok_and(is_no_link))
}

/// Whether a locale names an encoding other than UTF-8. Without a locale, as in most containers, terminals use UTF-8.
fn has_other_encoding(variables: [Option<String>; 3]) -> bool {
    let mut locales = variables.into_iter().flatten();
    let locale = locales.find(|locale| !locale.is_empty());
    let locale = locale.map(|locale| locale.to_lowercase());
    locale.is_some_and(|locale| !locale.contains("utf-8") && !locale.contains("utf8"))
}

#[cfg(test)]
mod tests;
