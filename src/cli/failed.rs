//! Errors of commands: a sentence on standard error, an exit code and, with `--json`, a document.

use super::files::CountingWriter;
use super::print::{print_detail, print_notice, write_json};
use super::{exit, messages};
use crate::importers::FORMATS;
use crate::input::{ImportError, Stage, plain};
use crate::query::QueryError;
use serde::Serialize;
use std::ffi::OsString;
use std::io::{self, Write};

/// The document `dotspot.error/1`.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Failed {
    schema: &'static str,
    code: u8,
    /// The stage of decoding a snapshot, or the name of the format.
    stage: Option<&'static str>,
    sentence: String,
    advice: Option<String>,
}

impl Failed {
    fn new(code: u8, sentence: String, advice: &str) -> Failed {
        Failed {
            schema: "dotspot.error/1",
            code,
            stage: None,
            sentence,
            advice: (!advice.is_empty()).then(|| advice.to_string()),
        }
    }

    fn of(error: &anyhow::Error) -> Failed {
        if let Some(error) = error.downcast_ref::<QueryError>() {
            let code = match error.is_too_large {
                true => exit::FAILED,
                false => exit::USAGE,
            };
            return Failed::new(code, error.sentence.clone(), &error.advice);
        }
        let Some(import) = error.downcast_ref::<ImportError>() else {
            return Failed::new(exit::FAILED, sentence_of(error), "");
        };
        let ImportError::Failed(failure) = import else {
            return Failed::new(import.exit_code(), import.to_string(), "");
        };
        let mut formats = FORMATS.iter();
        let format = formats.find(|format| failure.place.starts_with(format.title));
        let stage = failure.stage.map(Stage::name);
        let sentence = format!("{}: {}", failure.file, failure.reason());
        Failed {
            stage: stage.or_else(|| format.map(|format| format.name)),
            ..Failed::new(import.exit_code(), sentence, &failure.full_advice())
        }
    }

    /// Parses clap's error message: a paragraph that begins with `error: `, then tips.
    fn from_arguments(error: &clap::Error) -> Failed {
        let text = error.render().to_string();
        let mut lines = text.lines().map(str::trim);
        let words: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        let sentence = words.join(" ").trim_start_matches("error: ").to_string();
        let tips = lines.filter_map(|line| line.strip_prefix("tip: "));
        let tips: Vec<&str> = tips.collect();
        Failed::new(exit::USAGE, sentence, &tips.join("; "))
    }

    fn print(&self, out: &mut dyn Write) {
        let _ = write_json(out, self).and_then(|()| Ok(out.flush()?));
    }
}

/// Files say themselves that there is no space for them.
fn sentence_of(error: &anyhow::Error) -> String {
    let full = error.downcast_ref::<io::Error>();
    match full.filter(|error| error.kind() == io::ErrorKind::StorageFull) {
        Some(error) => messages::cant_write(&"standard output", &plain(error)),
        None => format!("{error:#}"),
    }
}

/// Returns the exit code. A closed pipe is not an error. `json` is standard output if JSON was requested.
pub(super) fn report(
    error: &anyhow::Error,
    is_verbose: bool,
    json: Option<&mut CountingWriter<impl Write>>,
) -> u8 {
    let mut causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    if causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe) {
        return exit::SUCCESS;
    }
    print_notice(&sentence_of(error));
    if let Some(ImportError::Failed(failure)) = error.downcast_ref::<ImportError>() {
        match is_verbose {
            true => failure.detail.iter().for_each(|line| print_detail(line)),
            false if failure.detail.is_empty() => {}
            false => print_detail("--verbose shows more"),
        }
    }
    let failed = Failed::of(error);
    if let Some(out) = json.filter(|out| out.bytes == 0) {
        failed.print(out);
    }
    failed.code
}

fn has_json_flag(arguments: impl Iterator<Item = OsString>) -> bool {
    let mut options = arguments.skip(1).take_while(|argument| argument != "--");
    options.any(|argument| argument == "--json")
}

pub(super) fn print_usage(sentence: &str, advice: &str) {
    print_notice(&format!("{sentence}; {advice}"));
    if has_json_flag(std::env::args_os()) {
        Failed::new(exit::USAGE, sentence.into(), advice).print(&mut io::stdout());
    }
}

pub(super) fn print_arguments(error: &clap::Error) {
    if error.use_stderr() && has_json_flag(std::env::args_os()) {
        Failed::from_arguments(error).print(&mut io::stdout());
    }
}

#[cfg(test)]
mod tests;
