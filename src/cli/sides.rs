//! Options for reading apply to both sides of a comparison or, with `before-` or `after-` in front, to one.

use super::options::Reading;
use crate::cli::messages;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use std::ffi::OsString;

#[derive(Clone, Debug)]
pub(super) struct Readings {
    pub before: Reading,
    pub after: Reading,
}

const SIDES: [&str; 2] = ["before", "after"];
const HEADING: &str = "One side only";

fn shared_args() -> Vec<Arg> {
    let command = Reading::augment_args(Command::new(""));
    command.get_arguments().cloned().collect()
}

fn name_on(side: &str, arg: &Arg) -> String {
    format!("{side}-{}", arg.get_long().unwrap_or_default())
}

impl Args for Readings {
    fn augment_args(command: Command) -> Command {
        let args_of = |side| shared_args().into_iter().map(move |arg| (side, arg));
        let side_args = SIDES.iter().flat_map(args_of).map(|(side, arg)| {
            let name = name_on(side, &arg);
            let help = messages::about_side_option(&arg.get_long().unwrap_or_default(), &side);
            // the options share their help for both sides
            let arg = arg.id(name.clone()).long(name).help(help);
            arg.hide(true).help_heading(HEADING)
        });
        Reading::augment_args(command).args(side_args)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Readings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Readings, Error> {
        let [before, after] = SIDES.map(|side| reading(matches, side));
        Ok(Readings {
            before: before?,
            after: after?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Each option comes from those for this side or else from those for both.
fn reading(matches: &ArgMatches, side: &str) -> Result<Reading, Error> {
    let mut words: Vec<OsString> = Vec::new();
    for arg in shared_args() {
        let name = name_on(side, &arg);
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let mut ids = [name.as_str(), arg.get_id().as_str()].into_iter();
        let Some(id) = ids.find(|id| is_given(id)) else {
            continue;
        };
        let option = format!("--{}", arg.get_long().unwrap_or_default());
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            words.push(option.into());
            continue;
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            let mut word = OsString::from(format!("{option}="));
            word.push(value);
            words.push(word);
        }
    }
    let command = Reading::augment_args(Command::new("dotspot compare").no_binary_name(true));
    Reading::from_arg_matches(&command.try_get_matches_from(words)?)
}

#[cfg(test)]
mod tests;
