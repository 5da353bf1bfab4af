//! Completion in real shells: offers methods of the profile named on the command line, whatever characters their names contain.
#![cfg(unix)]

use crate::common::missing;
use crate::common::pty::Session;
use portable_pty::CommandBuilder;
use std::path::Path;
use std::process::Command;

const COLLAPSED: &str = "Main;Shop.Read the `mail`;it's $(touch hacked) 5\nMain;Shop.Read<T> 3\n";
const SPECIAL: &str = "Main;List<T>.Add 5\nMain;core::fmt::write 3\nMain;$(touch hacked)! 1\n";

const LEADING_DASH: &str = "-[NSView draw] 5\nMain 3\n";

/// Starts a shell with completions loaded in a folder of profiles; `None` if the shell is not installed.
fn start(shell: &str, arguments: &[&str], load: &str) -> Option<(Session, tempfile::TempDir)> {
    if Command::new(shell).arg("--version").output().is_err() {
        missing(&format!("{shell} is not installed"));
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.folded", COLLAPSED),
        ("my $(touch hacked).folded", COLLAPSED),
        ("quoted.folded", SPECIAL),
        ("dashed.folded", LEADING_DASH),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let subfolder = folder.path().join("deep er");
    std::fs::create_dir(&subfolder).unwrap();
    std::fs::write(subfolder.join("x y.folded"), COLLAPSED).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_dotspot")).parent().unwrap();
    let mut command = CommandBuilder::new(shell);
    command.args(arguments);
    command.env_clear();
    command.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    command.env("HOME", folder.path());
    let mut session = Session::of(command, 120, 40);
    session.type_keys(&format!(
        "{load}; cd {}; echo lo'a'ded\n",
        folder.path().display()
    ));
    session.wait_for("loaded");
    session.type_keys("clear\n");
    session.wait_until("loaded", false);
    Some((session, folder))
}

/// Completes partial words and runs the resulting command lines.
#[track_caller]
fn check_completion(shell: &str, arguments: &[&str], load: &str) {
    let (mut session, folder) = present!(start(shell, arguments, load));
    session.type_keys("dotspot inf\t");
    session.wait_for("dotspot info ");
    session.type_keys("a.f\t--trunc\t");
    session.wait_for("dotspot info a.folded --truncation");
    session.type_keys("\x15clear\n");
    session.wait_until("--truncation", false);
    for (typed, completed) in [("it", "touch"), ("Shop.Read\\ ", "mail")] {
        session.type_keys(&format!("dotspot callers a.folded {typed}\t"));
        session.wait_for(completed);
        session.type_keys("\n");
        session.wait_for("1 occurrence");
        session.type_keys("clear\n");
        session.wait_until("1 occurrence", false);
    }
    session.type_keys("dotspot hotspots my\t");
    session.wait_for("touch");
    session.type_keys("\n");
    session.wait_for("Shop.Read<T>");
    assert!(!folder.path().join("hacked").exists(), "{shell} ran code");
    session.type_keys("exit\n");
}

/// Bash splits words at colons and equals signs outside quotes, and adds the closing quote itself.
#[test]
fn bash_completes_quoted_words_and_words_with_colons() {
    let load = "source <(dotspot completions bash)";
    let (mut session, folder) = present!(start("bash", &["--norc", "--noprofile", "-i"], load));
    for (typed, completed) in [
        (r#""List<T>.A"#, r#""List<T>.Add""#),
        ("'List<T>.A", "'List<T>.Add'"),
        (r#""$"#, r#""\$(touch hacked)"\!"""#),
        ("core::f", "core::fmt::write"),
        ("core::", "core::fmt::write"),
        ("--method=List", r"--method=List\<T\>.Add"),
        (r#"--method="core::"#, r#"--method="core::fmt::write""#),
        ("--metric=sa", "--metric=samples"),
        ("~/quoted.folded core::", "core::fmt::write"),
    ] {
        let (command, typed) = match typed.strip_prefix("~/quoted.folded ") {
            Some(typed) => ("callers ~/quoted.folded", typed),
            None if typed.starts_with("--method") => ("export quoted.folded", typed),
            None => ("callers quoted.folded", typed),
        };
        session.type_keys(&format!("dotspot {command} {typed}\t"));
        session.wait_for(&format!("{command} {completed}"));
        // the shell passes the name on whatever follows it
        if !typed.starts_with('-') {
            session.type_keys("\n");
            session.wait_for("1 occurrence");
        }
        session.type_keys("\x15clear\n");
        session.wait_until(completed, false);
    }
    assert!(!folder.path().join("hacked").exists());
    session.type_keys("exit\n");
}

/// Completes at the cursor before later words; quotes stay open after folders; names that begin with a dash need `--method=`.
#[test]
fn bash_completes_mid_line_in_subfolders_and_after_dashes() {
    let load = "source <(dotspot completions bash)";
    let (mut session, _folder) = present!(start("bash", &["--norc", "--noprofile", "-i"], load));
    let to_cursor = "\x1bb".repeat(2);
    for (typed, completed) in [
        (
            format!("export  quoted.folded{to_cursor}\x02--method core::f\t"),
            "--method core::fmt::write quoted.folded",
        ),
        ("info \"deep\tx\t".into(), r#"info "deep er/x y.folded""#),
        ("info 'deep\tx\t".into(), "info 'deep er/x y.folded'"),
        (
            "callers dashed.folded \t".into(),
            "callers dashed.folded Main",
        ),
        (
            "export dashed.folded --method=-\t".into(),
            r"--method=-\[NSView\ draw\]",
        ),
    ] {
        session.type_keys(&format!("dotspot {typed}"));
        session.wait_for(completed);
        session.type_keys("\x05\x15clear\n");
        session.wait_until(completed, false);
    }
    session.type_keys("exit\n");
}

#[test]
fn bash_completes() {
    let load = "source <(dotspot completions bash)";
    check_completion("bash", &["--norc", "--noprofile", "-i"], load);
}

#[test]
fn zsh_completes() {
    let load = "autoload -Uz compinit; compinit -u; source <(dotspot completions zsh)";
    check_completion("zsh", &["-f", "-i"], load);
}

/// As packages install it: compinit finds the file, and the first completion loads it.
#[test]
fn zsh_completes_from_a_file() {
    let load =
        "dotspot completions zsh >~/_dotspot; fpath=(~ $fpath); autoload -Uz compinit; compinit -u";
    check_completion("zsh", &["-f", "-i"], load);
}

#[test]
fn fish_completes() {
    check_completion(
        "fish",
        &["--no-config", "-i"],
        "dotspot completions fish | source",
    );
}
