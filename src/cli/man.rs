//! Man pages of the commands, made from the same table as their help.

use super::files::{Destination, write_new};
use anyhow::Result;
use clap::{Args, Command};
use std::path::PathBuf;

/// `dotspot man`.
#[derive(Args, Debug)]
pub(super) struct Man {
    /// The folder, which must exist
    pub folder: PathBuf,
    /// Overwrite pages that exist
    #[arg(long)]
    pub force: bool,
}

/// Writes a page for dotspot and one for each command.
pub(super) fn write(dotspot: Command, args: &Man) -> Result<()> {
    let mut dotspot = dotspot.disable_help_subcommand(true);
    dotspot.build();
    let commands = dotspot
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let all: Vec<Command> = commands.cloned().chain([dotspot.clone()]).collect();
    for command in all {
        let page = clap_mangen::Man::new(command);
        let path = args.folder.join(page.get_filename());
        let to = Destination {
            path: &path,
            input: None,
            overwrite: args.force,
            only_file: true,
        };
        write_new(to, None, |out| page.render(out))?;
    }
    Ok(())
}
