//! The .NET helper, run with Mono against stand-ins of JetBrains' libraries. Nothing of JetBrains takes part: what is shown
//! here is that the helper keeps to the documented contract, in what it reads and in how it fails.

mod broken;
mod builds;
mod ends;
mod input;
mod output;
mod places;
mod probe;
mod shapes;
mod trees;

use crate::common::dottrace::{
    ALL, Mono, Outcome, Script, compile, helper_folder, lay_out, mono, run,
};
use crate::common::text::lacks;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A folder with an install in which everything is as it should be, and room for snapshots.
struct Bench {
    mono: &'static Mono,
    folder: TempDir,
}

impl Bench {
    /// `None` where Mono is not installed.
    fn new() -> Option<Bench> {
        Bench::with(&[("rider/plugins/dotTrace.dotMemory/DotFiles", ALL)])
    }

    /// With libraries in these folders.
    fn with(folders: &[(&str, &[&str])]) -> Option<Bench> {
        let mono = mono()?;
        let folder = tempfile::tempdir().unwrap();
        lay_out(&mono.libraries(), folder.path(), folders);
        Some(Bench { mono, folder })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder that holds the libraries.
    fn libraries(&self) -> PathBuf {
        self.path("rider/plugins/dotTrace.dotMemory/DotFiles")
    }

    /// The helper with the install `rider`.
    fn command(&self, snapshot: &Path) -> Command {
        let mut command = self.mono.helper_command();
        command
            .arg(snapshot)
            .arg("--dottrace-dir")
            .arg(self.path("rider"));
        command
    }

    /// Runs the helper on a snapshot.
    fn decode(&self, script: &Script) -> Outcome {
        run(&mut self.command(&script.save(self.folder.path(), "s.dtp")))
    }

    /// The JSON of a snapshot, which has to be read.
    #[track_caller]
    fn json(&self, script: &Script) -> String {
        let outcome = self.decode(script);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        String::from_utf8(outcome.stdout).unwrap()
    }
}

/// A small snapshot.
fn small() -> Script {
    Script::new(1000).thread("Main", [30, 10, 1]).method(
        2,
        [20, 20, 2],
        "Acme.Orders.Book",
        "Match",
    )
}

/// A snapshot in which a name comes from the metadata.
fn unsigned() -> Script {
    Script::new(1000)
        .thread("Main", [30, 10, 1])
        .function(2, [20, 20, 2], 0x1F00000004)
        .name(0x1F00000004, "A", "B")
}

/// What a source becomes.
type Change<'a> = &'a dyn Fn(&str) -> String;

/// Builds libraries of a folder anew from changed sources, in this order, against those that lie there.
fn rebuild(folder: &Path, changes: &[(&str, Change)]) {
    for (library, change) in changes {
        let source = fs::read_to_string(
            helper_folder()
                .join("contract")
                .join(format!("{library}.cs")),
        )
        .unwrap();
        let changed = change(&source);
        assert_ne!(source, changed, "{library} is changed");
        let (code, file) = (
            folder.join("changed.cs"),
            folder.join(format!("{library}.dll")),
        );
        fs::write(&code, changed).unwrap();
        // it may be a link to one that all tests share
        fs::remove_file(&file).unwrap();
        let mut compiler = Command::new("mcs");
        compiler
            .args(["-langversion:7.2", "-target:library"])
            .arg(format!("-out:{}", file.display()));
        for needed in ALL
            .iter()
            .map(|name| folder.join(format!("{name}.dll")))
            .filter(|path| path.exists())
        {
            compiler.arg(format!("-r:{}", needed.display()));
        }
        compile(compiler.arg(&code));
        fs::remove_file(code).unwrap();
    }
}

/// The last line of standard error after a failure.
#[derive(Deserialize)]
struct Line {
    error: ErrorOf,
}

#[derive(Deserialize)]
struct ErrorOf {
    stage: String,
    message: String,
    detail: String,
}

/// The error that a run told, which must have failed with the exit code of the error's stage.
#[track_caller]
fn error_of(outcome: &Outcome) -> ErrorOf {
    let last = outcome.stderr.trim_end().lines().last().unwrap_or_default();
    let Line { error } =
        serde_json::from_str(last).unwrap_or_else(|e| panic!("{e}: {}", outcome.stderr));
    let code = match error.stage.as_str() {
        "input" => 10,
        "layout" => 11,
        "decoder" => 12,
        "bind" => 15,
        "metadata" => 16,
        "walk" => 17,
        "output" => 18,
        other => panic!("stage {other}"),
    };
    assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
    error
}

/// A run failed at a stage with a sentence that has these words, and that says what to do.
#[track_caller]
fn assert_fails(outcome: &Outcome, stage: &str, words: &[&str]) -> ErrorOf {
    let error = error_of(outcome);
    assert_eq!(error.stage, stage, "{}", error.message);
    assert!(
        error.message.contains("; "),
        "it says what to do: {}",
        error.message
    );
    assert!(
        !error.message.contains('\n'),
        "it is one sentence: {}",
        error.message
    );
    lacks(&error.message, "Exception has been thrown by the target");
    for word in words {
        assert!(
            error.message.contains(word),
            "{word:?} is not in: {}\n{}",
            error.message,
            error.detail
        );
    }
    error
}
