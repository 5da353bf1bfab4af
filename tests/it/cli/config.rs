//! The configuration: which output follows it, which does not, and errors in it.

use super::*;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder with a user's configuration and a folder configuration. dotspot runs in a subfolder.
struct Setup(TempDir);

impl Setup {
    fn new(own: &str, of_folder: &str) -> Setup {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        for (name, text) in [("own.toml", own), (".dotspot.toml", of_folder)] {
            if !text.is_empty() {
                fs::write(folder.path().join(name), text).unwrap();
            }
        }
        Setup(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs dotspot in the subfolder. `SAMPLE` is the bundled recording.
    fn run(&self, args: &str) -> Run {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLE);
        let args = args.replace("SAMPLE", sample.to_str().unwrap());
        let args: Vec<&str> = args.split(' ').collect();
        let mut command = command(&args);
        command.current_dir(self.path("below"));
        command.env("DOTSPOT_CONFIG", self.path("own.toml"));
        finish(command.output().unwrap())
    }
}

#[test]
fn text_follows_the_configuration_and_flags_override_it() {
    let setup = Setup::new(
        "unit = 's'\norder = 'inclusive'\nmetric = 'wall'\nbudget = 500\n",
        "",
    );
    let head = |args: &str| setup.run(args).out.lines().next().unwrap().to_string();
    // 39.970 s of 71.9 s wall time is waiting, as in other tests of the sample
    assert_starts_with(head("hotspots SAMPLE"), "All threads: wall ");
    assert_contains(head("hotspots SAMPLE"), "by inclusive value");
    assert_starts_with(
        head("hotspots SAMPLE --metric CPU"),
        "All threads: CPU 5.209 s",
    );
    assert_contains(
        head("hotspots SAMPLE --metric CPU --unit ms --by exclusive"),
        "5,208.6 ms, by exclusive",
    );
    assert_contains(head("methods SAMPLE --metric CPU"), "5.209 s");
    let report = |args: &str| setup.run(args).out.len();
    assert!(report("report SAMPLE") * 2 < report("report SAMPLE --budget 2000"));
}

/// Configured orders, metrics and folds apply if the profile supports them. Flags that it doesn't support are errors.
#[test]
fn unsupported_defaults_are_ignored_but_flags_are_errors() {
    let setup = Setup::new("order = 'calls'\nmetric = 'samples'\nfold = 'system'\n", "");
    let methods = setup.run("methods SAMPLE");
    assert_eq!((methods.code, methods.err.as_str()), (0, ""));
    let typed = setup.run("methods SAMPLE --sort calls");
    assert_eq!(typed.code, 2, "{}", typed.err);
    assert_contains(&typed.err, "calls");
    // speedscope files have no samples, so times are compared
    let copy = setup.path("copy.speedscope.json");
    let copy = copy.to_str().unwrap();
    setup.run(&format!("convert SAMPLE -o {copy}"));
    for args in [
        format!("compare SAMPLE {copy}"),
        format!("compare {copy} SAMPLE"),
        format!("report SAMPLE --against {copy}"),
        format!("report {copy} --against SAMPLE"),
    ] {
        let run = setup.run(&args);
        assert_eq!(run.code, 0, "{args}: {}", run.err);
    }
    assert_contains(setup.run("compare SAMPLE SAMPLE").out, "samples");
    let typed = setup.run(&format!("compare SAMPLE {copy} --metric samples"));
    assert_eq!(typed.code, 2, "{}", typed.err);
    let grouped = setup.run("tree SAMPLE --group type --depth 2");
    assert_eq!((grouped.code, grouped.err.as_str()), (0, ""));
}

#[test]
fn output_for_programs_ignores_the_configuration() {
    let all = "unit = 's'\norder = 'inclusive'\nmetric = 'wall'\nfold = 'system'\nbudget = 500\nmerge-threads = 'all'\n";
    let (setup, plain) = (Setup::new(all, ""), Setup::new("", ""));
    for args in [
        "hotspots SAMPLE --json",
        "methods SAMPLE --json",
        "tree SAMPLE --json",
        "info SAMPLE --json",
        "report SAMPLE --json",
        "export SAMPLE --to collapsed",
        "convert SAMPLE --to speedscope",
    ] {
        let mut none = command(&["--version"]);
        none.env("DOTSPOT_CONFIG", "");
        let [with, without] = [&setup, &plain].map(|setup| setup.run(args).out);
        assert!(with == without, "{args}");
        assert!(!with.is_empty(), "{args}");
    }
}

#[test]
fn a_folder_configuration_defines_user_code() {
    let setup = Setup::new("", "user-code = 'System.Collections'\n");
    let own = |args: &str| setup.run(args).out.contains("\"System.Collections");
    let json = "methods SAMPLE --only-user-code --json --limit 0";
    assert!(own(json));
    assert!(!own(&format!("{json} --not-user-code System.Collections")));
    // with an empty variable no configuration is read, not even the folder's
    let mut off = command(&["config"]);
    let off = finish(off.current_dir(setup.path("below")).output().unwrap());
    assert_contains(
        &off.out,
        "DOTSPOT_CONFIG is empty: no configuration is read",
    );
    assert_lacks(&off.out, "System.Collections");
}

#[test]
fn invalid_entries_are_reported_and_checked() {
    let setup = Setup::new(
        "themee = 'light'\ntheme = 'ligth'\n[keys]\nsearch = 'j'\n",
        "theme = 'mono'\n",
    );
    let check = setup.run("config --check");
    assert_eq!(check.code, 1);
    for words in [
        "own.toml:1: themee is unknown; did you mean theme?",
        "own.toml:4: keys.search: j is taken by next-row; ignored",
        ".dotspot.toml:1: theme: a folder's .dotspot.toml can't set this, only unit, fold, user-code and not-user-code",
        "own.toml:2: theme: ligth is unknown; did you mean light?",
    ] {
        assert_contains(&check.out, words);
    }
    assert_eq!(check.out.lines().count(), 4);
    let run = setup.run("hotspots SAMPLE");
    assert_eq!(run.code, 0);
    assert_contains(
        &run.err,
        "themee is unknown; did you mean theme?; `dotspot config --check` lists all",
    );
    let fine = Setup::new("theme = 'light'\n", "").run("config --check");
    assert_eq!(
        (fine.code, fine.out.as_str()),
        (0, "The configuration is valid.\n")
    );
    let missing = setup.path("none.toml");
    let run = finish(
        command(&["config", "--check"])
            .env("DOTSPOT_CONFIG", &missing)
            .output()
            .unwrap(),
    );
    assert_eq!(run.code, 1);
    assert_contains(&run.out, "none.toml: can't be read: ");
    let home = tempfile::tempdir().unwrap();
    let mut check = command(&["config", "--check"]);
    let homes = ["HOME", "XDG_CONFIG_HOME", "APPDATA"].map(|name| (name, home.path()));
    let check = check.env_remove("DOTSPOT_CONFIG").envs(homes);
    let run = finish(check.current_dir(home.path()).output().unwrap());
    assert_eq!(run.code, 0);
    assert_starts_with(&run.out, "there is no configuration; it would be ");
}

#[test]
fn config_explains_each_setting() {
    let setup = Setup::new(
        "unit = 'ms'\nuser-code = 'Acme'\n[keys]\nquit = ['Q', 'f10']\n",
        "unit = 's'\nuser-code = ['Shop', 'Till']\n",
    );
    let explained = setup.run("config").out;
    let line = |name: &str| {
        explained
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap()
    };
    assert_contains_all(line("unit "), &["\"s\"", ".dotspot.toml:1"]);
    assert_contains_all(line("keys.quit "), &["[\"Q\", \"f10\"]", "own.toml:4"]);
    // both files apply, and settings without an entry show their defaults
    let lines = explained.lines();
    let prefixes: Vec<&str> = lines.filter(|line| line.starts_with("user-code")).collect();
    assert_eq!(prefixes.len(), 2, "{explained}");
    assert_contains_all(prefixes[0], &["\"Acme\"", "own.toml:2"]);
    assert_contains_all(prefixes[1], &["[\"Shop\", \"Till\"]", ".dotspot.toml:2"]);
    for (name, value) in [
        ("theme ", "by background"),
        ("strip ", "true"),
        (
            "columns ",
            "[\"waiting\", \"bar\", \"exclusive\", \"count\"]",
        ),
        ("order ", "\"exclusive\""),
        ("merge-threads ", "\"pool\""),
        ("budget ", "2000"),
        ("fold ", "\"plumbing\""),
        ("not-user-code ", "[]"),
    ] {
        assert_contains_all(line(name), &[value, "default"]);
    }
    let keys = setup.run("keys").out;
    assert_contains(&keys, "\nQ f10 ");
    let paths = setup.run("config --path").out;
    let own = setup.path("own.toml");
    assert_eq!(paths, format!("{}\n", own.display()));
    // paths in the system's notation
    let mut usual = command(&["config", "--path"]);
    let usual = finish(usual.env_remove("DOTSPOT_CONFIG").output().unwrap()).out;
    let end = Path::new("dotspot").join("config.toml");
    assert!(usual.trim_end().ends_with(end.to_str().unwrap()), "{usual}");
}

#[test]
fn hostile_folder_configurations_are_harmless() {
    let deep = format!("a = {}", "[".repeat(50_000));
    let dots = format!("{} = 1", vec!["a"; 30_000].join("."));
    let long = format!("user-code = ['{}']", "x".repeat(60_000));
    let large = "#".repeat(70_000);
    let odd = "\"\u{1b}]0;x\u{7}\" = 1\nuser-code = \"\\u001b[31m\"\n\0";
    for text in [&deep, &dots, &long, &large, odd] {
        let setup = Setup::new("", text);
        for args in ["config", "hotspots SAMPLE --top 1"] {
            let run = setup.run(args);
            assert_eq!(run.code, 0, "{}", run.err);
            let text = run.out + &run.err;
            assert!(text.len() < 100_000);
            assert!(!text.contains(['\u{1b}', '\u{7}', '\0']), "{text}");
        }
    }
}

#[test]
fn themes_include_the_users_own() {
    let setup = Setup::new("", "");
    fs::create_dir(setup.path("themes")).unwrap();
    fs::write(
        setup.path("themes/paper.toml"),
        "# Ink on paper.\nbackground = 'ligth'\n",
    )
    .unwrap();
    let themes = setup.run("themes").out;
    for line in [
        "default ",
        "light ",
        "high-contrast ",
        "colour-blind ",
        "solarized ",
        "mono ",
    ] {
        assert!(
            themes.lines().any(|found| found.starts_with(line)),
            "{line}"
        );
    }
    assert_contains(&themes, "paper           Ink on paper.");
    // its errors are reported even where no colors are shown
    assert_contains(&themes, "paper.toml:2: background: ligth is ");
    assert_lacks(&themes, "\u{1b}");
    let light = setup.run("themes light").out;
    assert_eq!(
        light
            .lines()
            .filter(|line| line.starts_with("light "))
            .count(),
        1
    );
    assert_lacks(&light, "solarized");
    let none = setup.run("themes Paprika");
    assert_eq!(none.code, 2);
    assert_contains(&none.err, "paper");
    let elsewhere = setup.run("hotspots SAMPLE --theme light");
    assert_eq!(elsewhere.code, 2);
    assert_contains(&elsewhere.err, "only the explorer does");
    let ascii = setup.run("timeline SAMPLE --ascii").out;
    assert!(ascii.is_ascii() && ascii.contains(":="), "{ascii}");
}
