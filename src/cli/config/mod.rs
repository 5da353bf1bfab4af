//! The configuration: `config.toml` of the user, and `.dotspot.toml` of a folder.
//!
//! A wrong entry is named and left out, and the others count. What a folder's file may say is little, because it comes with other
//! people's files: nothing that runs, writes or reads anything.

mod command;
mod entries;
mod themes;

pub(super) use command::config;
pub use entries::table as config_entries;
pub(super) use themes::themes;

use super::args::CliCommand;
use super::load::InitialView;
use super::messages;
use super::open::OpenOptions;
use super::opening::{Opening, ScreenSettings};
use super::options::Reading;
use crate::app::{Columns, Keymap, Preferences};
use crate::model::Merging;
use crate::names::UserCode;
use crate::query::{MethodOrder, QueryError, ReportForm, StepRequest};
use crate::settings::{Entry, read, sort_by_line, take_entries, unknown};
use crate::ui::Palette;
use crate::units::Scale;
use anyhow::Result;
use entries::{ENTRIES, EntryKind};
use etcetera::BaseStrategy as _;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

/// The variable that names the configuration; empty, there is none.
const VARIABLE: &str = "DOTSPOT_CONFIG";
/// The name of a folder's file.
const OF_FOLDER: &str = ".dotspot.toml";
/// In how many folders above the working directory it is looked for.
const MOST_FOLDERS: usize = 64;

/// What a user and a folder have configured.
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
    /// What a file says of keys, while it is read.
    keys: Vec<(String, Vec<String>)>,
    keymap: Keymap,
    /// What is said, as a file says it, and where: the last one of a key counts.
    said: Vec<Entry>,
    /// The user's file, whether or not it is there.
    path: Option<PathBuf>,
    /// The folder's, if there is one.
    of_folder: Option<PathBuf>,
    /// What is wrong.
    pub problems: Vec<String>,
}

impl Config {
    /// That of this user in this folder, with what the flag `--ascii` says.
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
            Some(
                etcetera::choose_base_strategy()
                    .ok()?
                    .config_dir()
                    .join("dotspot")
                    .join("config.toml"),
            )
        };
        let is_named = named.is_some();
        config.path = named.map(PathBuf::from).or_else(usual);
        let path = config.path.clone();
        // a file that is named is missed
        if let Some(path) = path.filter(|path| is_named || path.symlink_metadata().is_ok()) {
            config.read(&path, |_| true);
        }
        config.of_folder = of_folder();
        if let Some(path) = config.of_folder.clone() {
            config.read(&path, |kind| kind.is_for_folders);
        }
        config
    }

    /// Takes the entries of a file that it may have.
    fn read(&mut self, path: &Path, may_have: impl Fn(&EntryKind) -> bool) {
        let text = match read(path) {
            Ok(text) => text,
            Err(sentence) => return self.problems.push(sentence),
        };
        let problems = take_entries(&path.display().to_string(), &text, |entry| {
            let kind = ENTRIES.iter().find(|kind| kind.name == entry.key);
            match kind {
                _ if entry.key.starts_with("keys.") && may_have(&EntryKind::OF_KEYS) => {}
                Some(kind) if may_have(kind) => {}
                None if entry.key == "keys" => return Err(messages::KEYS_EXPECTED.into()),
                None if entry.key.contains('.') && !entry.key.starts_with("keys.") => {
                    let table = entry.key.split('.').next().unwrap_or_default();
                    return Err(unknown(&format!("[{table}]"), &["[keys]"]));
                }
                None if !entry.key.starts_with("keys.") => {
                    let known: Vec<&str> = ENTRIES.iter().map(|kind| kind.name).collect();
                    return Err(unknown(&entry.key, &known));
                }
                _ => return Err(messages::NOT_FOR_FOLDERS.into()),
            }
            match kind {
                Some(kind) => (kind.take)(self, entry)?,
                None => {
                    let name = entry.key.trim_start_matches("keys.").to_string();
                    self.keys.push((name, entry.texts()?));
                }
            }
            self.said.push(entry.clone());
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
            let entry = self.said.iter().rposition(|entry| entry.key == key);
            if let Some(entry) = entry.map(|at| self.said.remove(at)) {
                self.problems.push(entry.problem(&what));
            }
        }
        sort_by_line(&path.display().to_string(), &mut self.problems);
    }

    /// The keys.
    pub(super) fn keymap(&self) -> Keymap {
        self.keymap.clone().in_ascii(self.is_ascii())
    }

    /// Whether screens have ASCII alone. Windows' consoles take Unicode, whatever these variables say.
    pub(super) fn is_ascii(&self) -> bool {
        self.ascii.unwrap_or_else(|| {
            let variables = ["LC_ALL", "LC_CTYPE", "LANG"].map(|name| std::env::var(name).ok());
            !cfg!(windows) && has_other_encoding(variables)
        })
    }

    /// How the explorer looks: as flags say and, where they don't, as is configured.
    ///
    /// # Errors
    /// There is no theme of the flag's name.
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

    /// What is wrong, with its file as seen from the folder of the configuration.
    fn in_short<'a>(&self, problem: &'a str) -> &'a str {
        let files = [&self.path, &self.of_folder].into_iter().flatten();
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
        let said = self.said.iter().rposition(|entry| entry.key == "theme");
        if let Some(entry) = said.map(|at| self.said.remove(at)) {
            self.problems.push(entry.problem(&sentence));
            if let Some((file, _)) = entry.at.rsplit_once(':') {
                sort_by_line(file, &mut self.problems);
            }
        }
        self.theme = None;
        None
    }

    /// A first view with what is configured where the command line says nothing.
    pub(super) fn shown(&self, asked: InitialView) -> InitialView {
        let mut shown = InitialView {
            fold: self.fold.clone(),
            ..asked
        };
        if let (true, Some(merging)) = (shown.merges_pool, self.merging) {
            shown.merges_pool = merging == Merging::Pool;
            if merging == Merging::All {
                shown.threads.merging = merging;
            }
        }
        shown
    }

    /// Has a command do what is configured, where its flags don't say otherwise. What programs read changes in one thing only: whose
    /// code is whose.
    pub(super) fn apply(&mut self, command: &mut CliCommand, is_json: bool) -> Result<()> {
        let is_read_by_programs =
            is_json || matches!(command, CliCommand::Export(_) | CliCommand::Convert(_));
        for reading in command.readings() {
            self.apply_to(reading, is_read_by_programs);
        }
        let unit = self.unit.filter(|_| !is_json);
        if let Some(units) = command.units() {
            units.unit = units.unit.or(unit);
        }
        match command {
            CliCommand::Hotspots(args) if !is_json => {
                let order = self
                    .order
                    .filter(|order| entries::HOTSPOT_ORDERS.contains(order));
                args.by = args.by.or(order);
            }
            CliCommand::Methods(args) if !is_json => {
                args.preferred_sort = self.order.filter(|_| args.sort.is_none());
            }
            CliCommand::Tree(args) if !is_json && !args.inverted && !args.shaping.is_inverted() => {
                let shaping = &mut args.shaping;
                if !shaping.requests()?.iter().any(StepRequest::is_display) {
                    shaping.fold = self.fold.clone();
                }
            }
            // one side alone may not have it
            CliCommand::Compare(args) => {
                let readings = &mut args.readings;
                args.preferred_metric = readings.before.preferred_metric.take();
                readings.after.preferred_metric = None;
            }
            CliCommand::Report(args) if args.form() == ReportForm::Markdown => {
                args.budget = args.budget.or(self.budget);
            }
            CliCommand::Record(args) => {
                let how = OpenOptions {
                    user_code: UserCode {
                        own: self.user_code.clone(),
                        foreign: self.not_user_code.clone(),
                    },
                    metric: self.metric.clone(),
                    ..OpenOptions::default()
                };
                let shown = self.shown(InitialView::all());
                args.opening = Opening {
                    how,
                    shown,
                    screen: self.screen(None)?,
                };
            }
            _ => {}
        }
        Ok(())
    }

    /// Fills in how a profile is read.
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

/// The file of the working directory or, without one, of the nearest folder above that has one.
fn of_folder() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let files = here
        .ancestors()
        .take(MOST_FOLDERS)
        .map(|folder| folder.join(OF_FOLDER));
    // a link leads to where a folder has no say
    let is_there = |file: &PathBuf| {
        file.symlink_metadata()
            .is_ok_and(|found| !found.is_symlink())
    };
    { files }.find(is_there)
}

/// Whether a locale names an encoding that is not UTF-8. Without a locale, as in most containers, the terminal is what counts, and all of
/// today's have UTF-8.
fn has_other_encoding(variables: [Option<String>; 3]) -> bool {
    let locale = variables
        .into_iter()
        .flatten()
        .find(|value| !value.is_empty());
    locale.is_some_and(|locale| {
        let locale = locale.to_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests;
