//! Man pages of the commands, generated from their help.

use super::files::{Destination, write_new};
use super::messages;
use super::print::print_notice;
use crate::query::QueryError;
use anyhow::{Result, anyhow};
use clap::{Args, Command};
use std::fs;
use std::path::PathBuf;

const SOURCE: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

#[derive(Args, Debug)]
pub(super) struct Man {
    /// The folder, which is created if it is missing
    pub folder: PathBuf,
    /// Overwrite pages that exist
    #[arg(long)]
    pub force: bool,
}

pub(super) fn write(dotspot: Command, args: &Man) -> Result<()> {
    let folder = &args.folder;
    if folder.as_os_str() == "-" {
        return Err(QueryError::usage(messages::MAN_NEEDS_A_FOLDER).into());
    }
    let failure = |error| anyhow!(messages::cant_make(&folder.display(), &error));
    fs::create_dir_all(folder).map_err(failure)?;
    let pages = pages(dotspot);
    let mut paths = pages.iter().map(|(name, _)| folder.join(name));
    if let Some(path) = paths.find(|path| !args.force && path.exists()) {
        return Err(anyhow!(messages::already_exists(&path.display())));
    }
    for (name, page) in &pages {
        let path = folder.join(name);
        let to = Destination::new(&path, args.force);
        write_new(to, None, |out| out.write_all(page.as_bytes()))?;
    }
    print_notice(&messages::wrote_man_pages(&pages.len(), &folder.display()));
    Ok(())
}

fn pages(dotspot: Command) -> Vec<(String, String)> {
    let mut dotspot = dotspot.disable_help_subcommand(true);
    dotspot.build();
    let commands = dotspot.get_subcommands();
    let commands = commands.filter(|command| !command.is_hide_set());
    let all: Vec<Command> = commands.cloned().chain([dotspot.clone()]).collect();
    let page = |command: Command| {
        // clap_mangen lists positional arguments in field order, and omits what the short help leaves out
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").to_string();
        let command = command
            .override_usage(usage)
            .mut_args(|arg| arg.hide_short_help(false));
        let page = clap_mangen::Man::new(command).source(SOURCE);
        let mut text = Vec::new();
        // a vector is variadic
        _ = page.render(&mut text);
        let text = String::from_utf8_lossy(&text);
        let text = match text.split_once(".SH EXTRA\n") {
            Some((before, after)) => format!("{before}.SH NOTES\n{}", laid_out(after)),
            None => text.into_owned(),
        };
        (page.get_filename(), text)
    };
    all.into_iter().map(page).collect()
}

/// Lines stay lines up to the next heading.
fn laid_out(text: &str) -> String {
    let (notes, rest) = text.split_once("\n.SH").unwrap_or((text, ""));
    let notes: String = notes.lines().map(|line| format!("{line}\n.br\n")).collect();
    format!("{notes}.SH{rest}")
}

#[cfg(test)]
mod tests;
