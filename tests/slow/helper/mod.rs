//! The .NET helper, run with Mono on stand-ins for JetBrains' libraries. No JetBrains code is involved: these tests show that
//! the helper adheres to the documented contract.

mod broken;
mod places;
mod runs;
mod trees;

use crate::common::dottrace::{ALL, Mono, Outcome, Script, lay_out, mono, run};
use crate::common::json::text;
use crate::common::text::{assert_contains_all, assert_lacks};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A folder with the install `rider` and room for snapshots.
struct Bench {
    mono: &'static Mono,
    folder: TempDir,
}

impl Bench {
    /// `None` where Mono is not installed.
    fn new() -> Option<Bench> {
        Bench::with(&[("rider/lib/ReSharperHost", ALL)])
    }

    /// A bench with libraries in these folders.
    fn with(folders: &[(&str, &[&str])]) -> Option<Bench> {
        let mono = mono()?;
        let folder = tempfile::tempdir().unwrap();
        lay_out(&mono.libraries(), folder.path(), folders);
        Some(Bench { mono, folder })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn save(&self, script: &Script) -> PathBuf {
        script.save(self.folder.path(), "s.dtp")
    }

    /// The command that runs the helper with an install.
    fn command(&self, install: &str, snapshot: &Path) -> Command {
        let mut command = self.mono.helper_command();
        let install = self.path(install);
        command.arg(snapshot).arg("--dottrace-dir").arg(install);
        command
    }

    fn decode(&self, script: &Script) -> Outcome {
        run(&mut self.command("rider", &self.save(script)))
    }

    #[track_caller]
    fn json(&self, script: &Script) -> String {
        stdout_of(self.decode(script))
    }
}

#[track_caller]
fn stdout_of(outcome: Outcome) -> String {
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    String::from_utf8(outcome.stdout).unwrap()
}

fn small() -> Script {
    let main = Script::new(1000).thread("Main", [30, 10, 1]);
    main.method(2, [20, 20, 2], "Acme.Orders.Book", "Match")
}

/// A snapshot with a name that comes from the metadata.
fn without_signature() -> Script {
    let main = Script::new(1000).thread("Main", [30, 10, 1]);
    let function = main.function(2, [20, 20, 2], 0x1F00000004);
    function.name(0x1F00000004, "A", "B")
}

/// Asserts that a run failed at a stage, with its exit code and a one-sentence message that contains these words and says what to do.
#[track_caller]
fn assert_fails(outcome: &Outcome, stage: &str, words: &[&str]) -> String {
    let last = outcome.stderr.trim_end().lines().last().unwrap_or_default();
    let line: Value =
        serde_json::from_str(last).unwrap_or_else(|e| panic!("{e}: {}", outcome.stderr));
    let (found, message) = (text(&line["error"]["stage"]), &line["error"]["message"]);
    assert_eq!(found, stage, "{message}");
    let code = match stage {
        "input" => 10,
        "layout" => 11,
        "decoder" => 12,
        "bind" => 15,
        "metadata" => 16,
        "walk" => 17,
        "output" => 18,
        other => panic!("stage {other}"),
    };
    assert_eq!(outcome.code, Some(code), "{message}");
    let message = text(message);
    assert_contains_all(message, &[&["; "], words].concat());
    assert_lacks(message, "\n");
    assert_lacks(message, "Exception has been thrown by the target");
    message.to_string()
}
