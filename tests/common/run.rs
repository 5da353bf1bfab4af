//! Runs of the program: exit code, standard output, standard error.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

/// The bundled recording.
pub const SAMPLE: &str = "snapshots/js-ordered-consume.nettrace";

/// The result of a run of dotspot.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        finish(output)
    }
}

pub fn finish(output: Output) -> Run {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Run {
        code: output.status.code().expect("no signal"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// A command that runs dotspot in the project folder, without a terminal.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
    command.env("DOTSPOT_CONFIG", "");
    command
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("COLUMNS")
        .stdin(Stdio::null());
    let never_changes = ["snapshots/", "tests/data/", "shared/data/"];
    let is_used = |folder: &&str| args.iter().any(|arg| arg.contains(*folder));
    if never_changes.iter().any(is_used) {
        with_index(&mut command);
    }
    command
}

/// Lets a run use an index made by an earlier run of the same program. `tests/slow/kept_indexes.rs` proves that all
/// commands may. Reading a recording takes several times as long in an unoptimized build.
pub fn with_index(command: &mut Command) {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let built = fs::metadata(env!("CARGO_BIN_EXE_dotspot")).and_then(|it| it.modified());
        let age = built.unwrap().duration_since(UNIX_EPOCH).unwrap();
        let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("indexes");
        let own = all.join(age.as_nanos().to_string());
        // indexes of earlier builds
        for other in fs::read_dir(&all).into_iter().flatten().flatten() {
            if other.path() != own {
                let _ = fs::remove_dir_all(other.path());
            }
        }
        fs::create_dir_all(&own).unwrap();
        own
    });
    for home in ["HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"] {
        command.env(home, folder);
    }
    command.env("DOTSPOT_CACHE", "always");
}

pub fn dotspot(args: &[&str]) -> Run {
    finish(command(args).output().unwrap())
}

/// The output of a run that succeeds and writes nothing to standard error.
#[track_caller]
pub fn fine(args: &[&str]) -> String {
    let run = dotspot(args);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{args:?}");
    run.out
}

/// Asserts that a run fails with a code and one sentence on standard error that contains all of `words`.
#[track_caller]
pub fn fails(args: &[&str], code: i32, words: &[&str]) {
    let run = dotspot(args);
    assert_eq!(run.code, code, "{args:?}: {}", run.err);
    // with --json, the error is a document
    assert!(run.out.is_empty() || args.contains(&"--json"), "{args:?}");
    for word in words {
        let err = &run.err;
        assert!(err.contains(word), "{args:?}: {word:?} is not in {err:?}");
    }
}

/// Splits a command line into words. `SAMPLE` is the bundled recording.
pub fn words(line: &str) -> Vec<&str> {
    let named = |word| if word == "SAMPLE" { SAMPLE } else { word };
    line.split_whitespace().map(named).collect()
}

/// Checks failing runs, one per row: arguments, exit code and words of the sentence, separated by ` | `. `SAMPLE` is
/// the bundled recording.
#[track_caller]
pub fn refused(table: &str) {
    for row in table.lines().filter(|row| !row.trim().is_empty()) {
        let mut cells = row.split(" | ").map(str::trim);
        let args = words(cells.next().expect("a row has cells"));
        let code = cells.next().expect("a row has a code").parse().unwrap();
        fails(&args, code, &cells.collect::<Vec<_>>());
    }
}
