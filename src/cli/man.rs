//! Man pages of the commands, generated from their help.

use super::files::{Destination, write_new};
use super::messages;
use super::say::say;
use anyhow::{Result, anyhow};
use clap::{Args, Command};
use std::fs;
use std::path::PathBuf;

/// `dotspot man`.
#[derive(Args, Debug)]
pub(super) struct Man {
    /// The folder, which is created if it is missing
    pub folder: PathBuf,
    /// Overwrite pages that exist
    #[arg(long)]
    pub force: bool,
}

/// Writes a page for dotspot and one for each command.
pub(super) fn write(dotspot: Command, args: &Man) -> Result<()> {
    let folder = &args.folder;
    let cant = |error| anyhow!(messages::cant_make(&folder.display(), &error));
    fs::create_dir_all(folder).map_err(cant)?;
    let pages = pages(dotspot);
    let taken = pages.iter().map(|(name, _)| folder.join(name));
    if let Some(path) = { taken }.find(|path| !args.force && path.exists()) {
        return Err(anyhow!(messages::man_page_exists(&path.display())));
    }
    for (name, page) in &pages {
        let to = Destination {
            path: &folder.join(name),
            input: None,
            overwrite: args.force,
            only_file: true,
        };
        write_new(to, None, |out| out.write_all(page.as_bytes()))?;
    }
    say(&messages::wrote_man_pages(&pages.len(), &folder.display()));
    Ok(())
}

/// The pages by file name.
fn pages(dotspot: Command) -> Vec<(String, String)> {
    let mut dotspot = dotspot.disable_help_subcommand(true);
    dotspot.build();
    let commands = dotspot
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let all: Vec<Command> = commands.cloned().chain([dotspot.clone()]).collect();
    let page = |command: Command| {
        let extra = match command.has_subcommands() {
            true => ".SH EXIT STATUS\n",
            false => ".SH NOTES\n",
        };
        // clap_mangen lists positional arguments in field order, and omits the text that the short help leaves out
        let usage = { command.clone() }.render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").to_string();
        let command = command
            .override_usage(usage)
            .mut_args(|arg| arg.hide_short_help(false));
        let page = clap_mangen::Man::new(command);
        let mut text = Vec::new();
        // a vector is variadic
        _ = page.render(&mut text);
        let text = String::from_utf8_lossy(&text).replace(".SH EXTRA\n", extra);
        (page.get_filename(), text)
    };
    all.into_iter().map(page).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_a_text_and_arguments_are_in_their_order() {
        let pages = pages(crate::cli::args::command());
        let page = |name: &str| &pages.iter().find(|(page, _)| page == name).unwrap().1;
        for (name, text) in &pages {
            let lines: Vec<&str> = text.lines().collect();
            for option in lines.windows(3).filter(|lines| lines[0] == ".TP") {
                assert!(
                    !option[2].is_empty() && option[2] != ".TP",
                    "{name}: {option:?}"
                );
            }
            assert!(!text.contains(".SH EXTRA"), "{name}");
        }
        assert!(page("dotspot-callers.1").contains("[OPTIONS] <FILE> <METHOD>\n"));
        assert!(page("dotspot.1").contains(".SH EXIT STATUS\n"));
    }
}
