//! Themes: the built-in ones, and those in the folder `themes` next to the configuration.

use super::Config;
use crate::app::{App, Event, Keymap, Message, Preferences};
use crate::cli::Jobs;
use crate::cli::load::first_view;
use crate::cli::messages;
use crate::cli::open::{OpenOptions, Target, open};
use crate::cli::print::Printer;
use crate::input::Progress;
use crate::query::QueryError;
use crate::settings::{read, unknown};
use crate::ui::{Palette, THEMES, Theme, colored_rows};
use anyhow::Result;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

const SCREEN: (u16, u16) = (78, 19);
const ROWS: u16 = 10;
const MIN_WIDTH: u16 = 40;

impl Config {
    fn themes_folder(&self) -> Option<PathBuf> {
        Some(self.path.as_ref()?.parent()?.join("themes"))
    }

    fn user_themes(&self) -> Vec<String> {
        let folder = self.themes_folder();
        let files = folder.and_then(|folder| std::fs::read_dir(folder).ok());
        let names = files.into_iter().flatten().flatten().filter_map(|file| {
            let file_name = file.file_name();
            let name = file_name.to_str()?.strip_suffix(".toml")?;
            (!name.is_empty()).then(|| name.to_string())
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    pub(in crate::cli) fn theme_names(&self) -> Vec<String> {
        let built_in = THEMES.iter().map(|(name, _)| name.to_string());
        built_in.chain(self.user_themes()).collect()
    }

    fn theme_text(&self, name: &str) -> Result<(String, String), String> {
        let user_themes = self.user_themes();
        if user_themes.iter().any(|known| known == name)
            && let Some(folder) = self.themes_folder()
        {
            let path = folder.join(format!("{name}.toml"));
            return Ok((path.display().to_string(), read(&path)?));
        }
        let built_in = THEMES.iter().find(|(known, _)| *known == name);
        let Some((_, text)) = built_in else {
            let names = self.theme_names();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            return Err(unknown(name, &names));
        };
        Ok((name.into(), text.to_string()))
    }

    fn add_problem(&mut self, problem: String) {
        let known = &mut self.preferences.problems;
        if !known.contains(&problem) {
            known.push(problem);
        }
    }

    /// Adds problems with its file to the list; fails if there is no theme with this name.
    pub(super) fn read_theme(&mut self, name: &str) -> Result<Palette, String> {
        let (file, text) = self.theme_text(name)?;
        let (palette, problems) = Palette::parse(&file, &text);
        for problem in problems {
            self.add_problem(problem);
        }
        Ok(palette)
    }
}

pub(in crate::cli) fn themes(
    to: &mut Printer,
    config: &mut Config,
    only: Option<&str>,
) -> Result<()> {
    if let Some(name) = only {
        config.theme_text(name).map_err(QueryError::usage)?;
    }
    let theme = crate::cli::terminal::theme_of_terminal();
    let app = match std::io::stdout().is_terminal() && theme != Theme::PLAIN {
        true => Some(sample_app(config.keymap(), to.width)?),
        false => None,
    };
    let user_themes = config.user_themes();
    let is_replaced = |name: &&str| user_themes.iter().any(|theme| theme == name);
    let built_in = THEMES.iter().map(|(name, _)| *name);
    let built_in = built_in.filter(|name| !is_replaced(name));
    let names = built_in.chain(user_themes.iter().map(String::as_str));
    for name in names.filter(|name| only.is_none_or(|only| only == *name)) {
        let (_, text) = config.theme_text(name).unwrap_or_default();
        let about = text.lines().next().and_then(|line| line.strip_prefix('#'));
        to.labeled(name, 16, about.unwrap_or_default().trim_start())?;
        match (config.read_theme(name), &app) {
            (Err(sentence), _) => config.add_problem(sentence),
            (Ok(palette), Some(app)) => {
                let rows = colored_rows(app, theme.with_palette(palette), ROWS);
                writeln!(to.out, "{rows}")?;
            }
            (Ok(_), None) => {}
        }
    }
    for problem in config.problems() {
        to.wrapped(problem)?;
    }
    to.wrapped(messages::HOW_TO_SET_A_THEME)
}

fn sample_app(keymap: Keymap, width: Option<usize>) -> Result<App> {
    let options = OpenOptions::default();
    let view = open(&Target::Sample, &options, Progress::default())?;
    let width = width.and_then(|width| u16::try_from(width).ok());
    let width = width.map_or(SCREEN.0, |width| width.clamp(MIN_WIDTH, SCREEN.0));
    let mut app = App::new(&Target::Sample.name(), width, SCREEN.1);
    app.keymap = Arc::new(keymap);
    app.preferences = Preferences {
        hides_strip: true,
        ..Preferences::default()
    };
    let (whole, shown) = first_view(view)?;
    let mut jobs = Jobs::new(Arc::clone(&whole));
    let mut work = app.update(Event::Message(Message::Loaded(Ok(whole), shown)));
    work.extend(app.update(Event::Message(Message::Opened(None, None))));
    while let Some(effect) = work.pop() {
        if let Some(view) = app.view().map(Arc::clone)
            && let Some(message) = jobs.run(&view, effect)
        {
            work.extend(app.update(Event::Message(message)));
        }
    }
    Ok(app)
}
