//! The user's `config.toml`, and a folder's `.dotspot.toml`.
//!
//! Invalid entries are reported and skipped. A folder's file comes with other people's files, so it may set nothing
//! that runs, writes or reads anything.

mod command;
mod entries;
mod themes;

pub(super) use command::config;
pub use entries::table as config_entries;
pub(super) use themes::themes;

use super::args::CliCommand;
use super::load::{InitialView, Opening, ScreenSettings};
use super::messages;
use super::open::OpenOptions;
use super::options::Reading;
use crate::app::{Columns, Keymap, Preferences};
use crate::model::Merging;
use crate::names::UserCode;
use crate::query::{MethodOrder, QueryError, ReportForm, StepRequest};
use crate::settings::{Entry, read, read_entries, sort_by_line, unknown};
use crate::ui::Palette;
use crate::units::Scale;
use anyhow::Result;
use entries::ENTRIES;
pub(super) use entries::HOTSPOT_ORDERS;
use etcetera::BaseStrategy as _;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

/// The variable with the path of the configuration; if it is empty, there is none.
const VARIABLE: &str = "DOTSPOT_CONFIG";
const FOLDER_FILE: &str = ".dotspot.toml";
/// How many folders above the working directory are searched for it.
const MAX_FOLDERS: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    theme: Option<String>,
    ascii: Option<bool>,
    hides_strip: bool,
    metric: Option<String>,
    order: Option<MethodOrder>,
    unit: Option<Scale>,
    fold: Option<String>,
    merging: Option<Merging>,
    budget: Option<usize>,
    columns: Columns,
    user_code: Vec<String>,
    not_user_code: Vec<String>,
    keys: Vec<(String, Vec<String>)>,
    keymap: Keymap,
    /// As spelled in the files; the last one of a key wins.
    entries: Vec<Entry>,
    path: Option<PathBuf>,
    folder_file: Option<PathBuf>,
    pub problems: Vec<String>,
}

impl Config {
    /// The configuration in this folder, combined with the flag `--ascii`.
    pub(super) fn here(is_ascii: bool) -> Config {
        let mut config = Config::read_here();
        config.ascii = is_ascii.then_some(true).or(config.ascii);
        config
    }

    fn read_here() -> Config {
        let mut config = Config::default();
        let named = std::env::var_os(VARIABLE);
        if named.as_ref().is_some_and(|path| path.is_empty()) {
            return config;
        }
        let usual = || {
            let folder = etcetera::choose_base_strategy().ok()?.config_dir();
            Some(folder.join("dotspot").join("config.toml"))
        };
        let is_named = named.is_some();
        config.path = named.map(PathBuf::from).or_else(usual);
        let path = config.path.clone();
        // a file named explicitly must exist
        if let Some(path) = path.filter(|path| is_named || path.symlink_metadata().is_ok()) {
            config.read(&path, false);
        }
        config.folder_file = folder_file();
        if let Some(path) = config.folder_file.clone() {
            config.read(&path, true);
        }
        config
    }

    fn read(&mut self, path: &Path, is_of_folder: bool) {
        let text = match read(path) {
            Ok(text) => text,
            Err(sentence) => return self.problems.push(sentence),
        };
        let file = path.display().to_string();
        let problems = read_entries(&file, &text, |entry| {
            let command = entry.key.strip_prefix("keys.");
            let kind = ENTRIES.iter().find(|kind| kind.name == entry.key);
            match (command, kind) {
                (Some(name), _) if !is_of_folder => self.keys.push((name.into(), entry.texts()?)),
                (_, Some(kind)) if !is_of_folder || kind.is_for_folders => {
                    (kind.take)(self, entry)?
                }
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
        self.problems.extend(problems);
        let keys = std::mem::take(&mut self.keys);
        if keys.is_empty() {
            return;
        }
        let (keymap, problems) = Keymap::rebound(&keys);
        self.keymap = keymap;
        for (name, what) in problems {
            let key = format!("keys.{name}");
            if let Some(entry) = self.forgotten(&key) {
                self.problems.push(entry.problem(&what));
            }
        }
        sort_by_line(&file, &mut self.problems);
    }

    /// Removes the last entry with this key from those that apply.
    fn forgotten(&mut self, key: &str) -> Option<Entry> {
        let at = self.entries.iter().rposition(|entry| entry.key == key)?;
        Some(self.entries.remove(at))
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
        let palette = match theme.map(|name| self.palette(name)) {
            Some(Err(sentence)) => return Err(QueryError::usage(format!("--theme: {sentence}"))),
            Some(Ok(palette)) => Some(palette),
            None => self.configured_palette(),
        };
        let first = self.problems.first().map(|first| self.in_short(first));
        Ok(ScreenSettings {
            palette,
            keymap: Arc::new(self.keymap()),
            preferences: Preferences {
                unit: self.unit,
                order: self.order,
                columns: self.columns,
                hides_strip: self.hides_strip,
                budget: self.budget,
                problems: self.problems.clone(),
            },
            problem: first.map(|first| messages::config_of_explorer_has_problems(&first)),
        })
    }

    /// A problem without the folder of the configuration.
    fn in_short<'a>(&self, problem: &'a str) -> &'a str {
        let files = [&self.path, &self.folder_file].into_iter().flatten();
        let mut folders = files.filter_map(|file| file.parent()?.to_str());
        let below = folders.find_map(|folder| problem.strip_prefix(folder));
        below.map_or(problem, |below| below.trim_start_matches(MAIN_SEPARATOR))
    }

    fn configured_palette(&mut self) -> Option<Palette> {
        let name = self.theme.clone()?;
        let sentence = match self.palette(&name) {
            Ok(palette) => return Some(palette),
            Err(sentence) => sentence,
        };
        if let Some(entry) = self.forgotten("theme") {
            self.problems.push(entry.problem(&sentence));
            if let Some((file, _)) = entry.at.rsplit_once(':') {
                sort_by_line(file, &mut self.problems);
            }
        }
        self.theme = None;
        None
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

    /// Applies the configuration where flags don't say otherwise. In output for programs, it only affects whose code is
    /// whose.
    pub(super) fn apply(&mut self, command: &mut CliCommand, is_json: bool) -> Result<()> {
        let is_read_by_programs =
            is_json || matches!(command, CliCommand::Export(_) | CliCommand::Convert(_));
        let (readings, units) = command.settings();
        for reading in readings {
            self.apply_to(reading, is_read_by_programs);
        }
        if let Some(units) = units.filter(|_| !is_json) {
            units.unit = units.unit.or(self.unit);
        }
        match command {
            CliCommand::Hotspots(args) if !is_json => {
                let order = self.order.filter(|order| HOTSPOT_ORDERS.contains(order));
                args.by = args.by.or(order);
            }
            CliCommand::Methods(args) if !is_json => {
                args.preferred_sort = self.order.filter(|_| args.sort.is_none());
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
                args.budget = args.budget.or(self.budget);
            }
            CliCommand::Record(args) => {
                let user_code = UserCode {
                    own: self.user_code.clone(),
                    foreign: self.not_user_code.clone(),
                };
                args.opening = Opening {
                    how: OpenOptions {
                        user_code,
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
        let others = |prefixes: &[String]| -> Vec<String> {
            let is_new = |prefix: &&String| !given.contains(prefix);
            prefixes.iter().filter(is_new).cloned().collect()
        };
        let (own, foreign) = (others(&self.user_code), others(&self.not_user_code));
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
    files.find(|file| {
        file.symlink_metadata()
            .is_ok_and(|found| !found.is_symlink())
    })
}

/// Whether a locale names an encoding other than UTF-8. Without a locale, as in most containers, terminals use UTF-8.
fn has_other_encoding(variables: [Option<String>; 3]) -> bool {
    let mut set = variables.into_iter().flatten();
    let locale = set.find(|value| !value.is_empty());
    let locale = locale.map(|locale| locale.to_lowercase());
    locale.is_some_and(|locale| !locale.contains("utf-8") && !locale.contains("utf8"))
}

#[cfg(test)]
mod tests;
