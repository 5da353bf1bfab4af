//! The real binary in a real pseudo-terminal.
#![cfg(unix)]

use crate::common::dottrace::{ALL, Script, lay_out, mono};
use crate::common::machine;
use crate::common::processes::{is_alive, is_stopped, make_pipe, send, wait, write_program};
use crate::common::pty::{Session, cells};
use crate::common::reporter::{Machine, program};
use crate::common::text::{assert_contains, assert_contains_all, assert_ends_with, assert_lacks};
use portable_pty::{CommandBuilder, PtySize};
use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

/// Without a cache, building the helper can take minutes, and so can everything doctor tries.
#[test]
fn doctor_shows_progress_and_can_be_interrupted() {
    let machine = Machine::new("whole");
    let (bin, home) = (
        machine.folder.path().join("bin"),
        machine.folder.path().to_str().unwrap(),
    );
    std::fs::create_dir(&bin).unwrap();
    write_program(
        &bin.join("mcs"),
        "test \"$1\" = --version && echo version 6.8.0 && exit; exec /bin/sleep 1000",
    );
    write_program(&bin.join("mono"), "exit 1");
    write_program(&bin.join("dotnet"), "exit 1");
    let environment = [
        ("PATH", bin.to_str().unwrap()),
        ("HOME", home),
        ("XDG_CACHE_HOME", home),
    ];
    let mut session = Session::start(
        &["doctor", machine.snapshot.to_str().unwrap()],
        &environment,
        100,
        20,
    );
    session.wait_for("building the helper");
    session.type_keys("\x03");
    let (code, _) = session.end();
    assert_ne!(code, 0, "ended by the signal");
}

#[test]
fn the_bundled_sample_opens_in_a_terminal() {
    let mut session = Session::start(&[], &[], 140, 40);
    session.wait_for("PriceRules.Discount");
    session.wait_for("this is the bundled recording");
    session.type_keys("/discount\r");
    session.wait_for("including those in collapsed rows): ");
    session.type_keys("?");
    session.wait_for("type to find one");
    // escape immediately followed by a letter would be read as alt plus that letter
    session.type_keys("\x1b");
    session.wait_until("type to find one", false);
    session.type_keys("q");
    let (code, raw) = session.end();
    assert_eq!(code, 0);
    assert_contains_all(&raw, &["\x1b[?1049h", "\x1b[?1049l"]);
    assert!(raw.contains("\x1b[?1000l"), "the mouse is released");
    assert_ends_with(&raw, "\x1b[?25h");
}

/// A recording compared with itself: nothing has changed, and the title shows both totals.
#[test]
fn two_profiles_can_be_compared_in_the_explorer() {
    let sample = "snapshots/js-ordered-consume.nettrace";
    let mut session = Session::start(&[sample, "--against", sample], &[], 140, 40);
    session.wait_for("CPU 5,208.6 → 5,208.6 ms, ×1.00");
    session.type_keys("2");
    session.wait_for("nothing has changed here");
    session.type_keys("=");
    session.wait_for(&format!(
        "dotspot compare {sample} {sample} --metric CPU --by exclusive"
    ));
    session.type_keys("\x1b");
    session.wait_until("--by exclusive", false);
    session.type_keys("q");
    assert_eq!(session.end().0, 0);
    for (arguments, sentence, code) in [
        (
            &[sample, "--against", "no-such.nettrace"][..],
            "opened: no such file",
            1,
        ),
        (
            &[sample, "--against", sample, "--metric", "joules"],
            "--metric joules: this profile has no such metric",
            2,
        ),
    ] {
        let mut session = Session::start(arguments, &[], 140, 40);
        session.wait_for(sentence);
        session.type_keys("q");
        assert_eq!(session.end().0, code);
    }
}

#[test]
fn a_file_that_cannot_be_opened_shows_a_screen_and_sets_the_exit_code() {
    let mut session = Session::start(&["no-such-file.dtp"], &[], 100, 30);
    session.wait_for("can't be opened");
    session.type_keys("q");
    let (code, raw) = session.end();
    assert_eq!(code, 10, "stage `input` of a dotTrace snapshot");
    let after = raw.rsplit("\x1b[?1049l").next().unwrap();
    assert_contains(after, "dotspot: no-such-file.dtp");
}

#[test]
fn failure_details_stay_on_screen_only_on_request() {
    // a timeline snapshot, which native refuses, followed by whichever decoders are tried next
    let machine = machine::Machine::empty();
    let file = machine.path("t.dtp");
    std::fs::write(&file, b"MFDTEM\0\0 and more").unwrap();
    for (verbose, is_said) in [(&[][..], false), (&["--verbose"], true)] {
        let arguments = [verbose, &[file.to_str().unwrap()]].concat();
        let mut session = Session::on(&machine, &arguments, 200, 30);
        session.wait_for("can't be opened");
        session.type_keys("q");
        let (_, raw) = session.end();
        let after = raw.rsplit("\x1b[?1049l").next().unwrap();
        assert!(after.contains("t.dtp: stage "), "{after}");
        assert_eq!(after.contains("\n  native: "), is_said, "{after}");
    }
}

#[test]
fn no_color_means_no_color_codes() {
    let mut session = Session::start(
        &["snapshots/js-ordered-consume.nettrace"],
        &[("NO_COLOR", "1")],
        120,
        30,
    );
    session.wait_for("Hottest by exclusive");
    session.type_keys("q");
    let (_, raw) = session.end();
    let colors = (30..=37).chain(40..=47).chain(90..=97).chain(100..=107);
    for number in colors {
        for form in [format!("\x1b[{number}m"), format!(";{number}m")] {
            assert!(!raw.contains(&form), "{form:?} is a color code");
        }
    }
    assert_lacks(&raw, "38;5;");
    assert_lacks(&raw, "48;5;");
}

const ASKS_FOR_BACKGROUND: &str = "\x1b]11;?";

/// The terminal's reply arrives between keys typed meanwhile.
#[test]
fn the_background_determines_colors_and_no_key_is_lost() {
    // dark text on light and light text on dark, both in 256 colors
    for (answer, dim) in [
        ("\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\", "38;5;240"),
        ("\x1b]11;rgb:0000/2b2b/3636\x07", "38;5;247"),
    ] {
        let environment = [("TERM", "xterm-256color"), ("COLORTERM", "")];
        let sample = ["snapshots/js-ordered-consume.nettrace"];
        let mut session = Session::start(&sample, &environment, 120, 30);
        session.wait_for_bytes(ASKS_FOR_BACKGROUND);
        session.wait_for("Hottest by exclusive");
        session.type_keys("/disc");
        session.type_keys(answer);
        session.type_keys("ount\r");
        session.wait_for("including those in collapsed rows): ");
        session.type_keys("q");
        let (code, raw) = session.end();
        assert_eq!(code, 0);
        assert_contains(&raw, dim);
    }
}

/// Without a reply the explorer starts anyway; where a reply would be useless, none is requested.
#[test]
fn a_terminal_that_does_not_report_its_background_still_works() {
    let sample = ["snapshots/js-ordered-consume.nettrace"];
    for (environment, asks) in [
        ([("TERM", "xterm-256color"), ("NO_COLOR", "")], true),
        ([("TERM", "xterm-256color"), ("NO_COLOR", "1")], false),
        ([("TERM", "linux"), ("NO_COLOR", "")], false),
        ([("TERM", "dumb"), ("NO_COLOR", "")], false),
    ] {
        let mut session = Session::start(&sample, &environment, 120, 30);
        session.wait_for("Hottest by exclusive");
        session.type_keys("/discount\r");
        session.wait_for("including those in collapsed rows): ");
        // a late reply is not taken for keys either
        if asks {
            session.type_keys("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
            session.wait_for_bytes("38;5;235");
            session.wait_for("including those in collapsed rows): ");
        }
        session.type_keys("q");
        let (code, raw) = session.end();
        assert_eq!(
            (code, raw.contains(ASKS_FOR_BACKGROUND)),
            (0, asks),
            "{environment:?}"
        );
    }
}

#[test]
fn shrinking_the_terminal_at_any_moment_is_survived() {
    let mut session = Session::start(&["snapshots/js-ordered-consume.nettrace"], &[], 120, 30);
    session.wait_for("Hottest by exclusive");
    for round in 0..40u16 {
        session.type_keys(
            ["E", "G", "g", "C", "/a\x1b", "?", "\x1b", "2", "1"][usize::from(round) % 9],
        );
        let (columns, rows) =
            [(112, 17), (60, 15), (200, 60), (20, 5), (120, 30)][usize::from(round) % 5];
        session
            .master
            .resize(PtySize {
                rows,
                cols: columns,
                ..PtySize::default()
            })
            .unwrap();
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
    session.type_keys("\x03");
    std::thread::sleep(Duration::from_millis(200));
    // the first key may have quit, or closed an overlay
    let _ = session.writer.write_all(b"\x03");
    assert_eq!(session.end().0, 0);
}

#[test]
fn a_signal_restores_the_terminal() {
    let mut session = Session::start(&["snapshots/js-ordered-consume.nettrace"], &[], 120, 30);
    session.wait_for("Hottest by exclusive");
    let pid = session.child.process_id().unwrap();
    let killed = std::process::Command::new("kill")
        .arg(pid.to_string())
        .status()
        .unwrap();
    assert!(killed.success());
    let (code, raw) = session.end();
    assert_eq!(code, 128 + 15, "the exit code shells show after SIGTERM");
    assert_contains(&raw, "\x1b[?1049l");
    assert_ends_with(&raw, "\x1b[?25h");
}

/// This terminal answers no queries, so a query would be noticed.
#[test]
fn the_explorer_resumes_after_every_suspend() {
    let mut session = Session::start(&["--fold", "none", "--merge-threads=none"], &[], 140, 40);
    session.wait_for("this is the bundled recording");
    // the hot path below the first thread, with two rows selected further down
    session.type_keys("j\rjj");
    session.wait_for("16/45");
    let pid = session.child.process_id().unwrap();
    for round in 0..6 {
        if round % 2 == 0 {
            session.type_keys("\x1a");
        } else {
            send("TSTP", pid);
        }
        wait("the stop", || is_stopped(pid));
        session.wait_until("Hottest by exclusive", false);
        send("CONT", pid);
        // the last row and the first rows; a screen may arrive in several parts
        session.wait_for("q quit");
        for text in ["All threads", "Hottest by exclusive", "16/45"] {
            session.wait_for(text);
        }
    }
    session.type_keys("q");
    let (code, raw) = session.end();
    assert_eq!(code, 0);
    assert_lacks(&raw, "\x1b[6n");
}

/// Quitting while a decoder reads the snapshot stops the decoder and removes its files.
#[test]
fn quitting_stops_a_running_decoder() {
    for (way, code) in [("q", 0), ("\x1b", 0), ("\x03", 0), ("TERM", 128 + 15)] {
        let machine = Machine::new("hangs");
        let program = program();
        let environment = [
            ("DOTSPOT_REPORTER", program.to_str().unwrap()),
            ("TMPDIR", machine.temporary.to_str().unwrap()),
        ];
        let args = [machine.snapshot.to_str().unwrap(), "--decoder", "reporter"];
        let mut session = Session::start(&args, &environment, 100, 30);
        machine.wait_until_it_hangs();
        session.wait_for("hangs.dtp");
        match way {
            "TERM" => send("TERM", session.child.process_id().unwrap()),
            key => session.type_keys(key),
        }
        assert_eq!(session.end().0, code, "{way:?}");
        // immediately, rather than when the decoder is done
        assert!(
            machine
                .left("pids")
                .split_whitespace()
                .all(|pid| !is_alive(pid)),
            "{way:?}"
        );
        machine.assert_cleared();
    }
}

/// The real helper, built with Mono's real compiler on stand-ins for dotTrace's libraries; its tree in the real explorer.
#[test]
fn a_snapshot_read_by_the_helper_can_be_explored() {
    let mono = present!(mono());
    let machine = machine::Machine::empty();
    machine.link_mono();
    lay_out(
        &mono.libraries(),
        &machine.path("rider"),
        &[("lib/ReSharperHost", ALL)],
    );
    // 2,000 ticks per second, so half of each number is its milliseconds
    let script = Script::new(2000)
        .thread("Main", [2001, 1, 1])
        .method(2, [2000, 501, 2], "Acme.Orders.Book", "Match")
        .method(3, [1499, 1499, 40], "Acme.Orders.Price", "Of");
    let index = script.save(machine.folder.path(), "snap.dtp");
    let install = machine.path("rider");
    let args = [
        index.to_str().unwrap(),
        "--decoder",
        "assemblies",
        "--dottrace-dir",
        install.to_str().unwrap(),
    ];
    let mut session = Session::on(&machine, &args, 140, 40);
    session.wait_for("Hottest by exclusive");
    session.type_keys("E");
    // hotspot lists show the name first
    session.wait_for("▾ Book.Match");
    let screen = session.parser.screen().contents();
    let row = |name: &str, numbers: &[&str]| {
        let shows =
            |line: &&str| line.contains(name) && numbers.iter().all(|number| line.contains(number));
        assert!(
            screen.lines().any(|line| shows(&line)),
            "no line contains {name} with {numbers:?}:\n{screen}"
        );
    };
    row("Main", &["1,000.5", "100.0", "0.5"]);
    row("Book.Match", &["1,000.0", "250.5", " 2 "]);
    row("Price.Of", &["749.5", "74.9", " 40 "]);
    session.type_keys("q");
    assert_eq!(session.end().0, 0);
}

#[test]
fn absurdly_large_screens_do_not_exhaust_memory() {
    let mut session = Session::start(&["snapshots/js-ordered-consume.nettrace"], &[], 120, 30);
    session.wait_for("Hottest by exclusive");
    for (columns, rows) in [
        (u16::MAX, u16::MAX),
        (u16::MAX, 1),
        (1, u16::MAX),
        (120, 30),
    ] {
        let size = PtySize {
            rows,
            cols: columns,
            ..PtySize::default()
        };
        session.master.resize(size).unwrap();
        // output is discarded because this test's terminal is smaller
        let until = Instant::now() + Duration::from_secs(1);
        while let Ok(bytes) = session
            .bytes
            .recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            session.raw.extend(bytes);
        }
    }
    session.type_keys("\x03");
    let (code, raw) = session.end();
    assert_eq!(code, 0);
    assert!(raw.ends_with("\x1b[?25h"), "the terminal is restored");
    // a terminal that starts out oversized
    let mut session = Session::start(&["snapshots/js-ordered-consume.nettrace"], &[], 120, 30);
    let size = PtySize {
        rows: u16::MAX,
        cols: u16::MAX,
        ..PtySize::default()
    };
    session.master.resize(size).unwrap();
    std::thread::sleep(Duration::from_secs(1));
    session.type_keys("\x03");
    assert_eq!(session.end().0, 0);
}

#[test]
fn suspending_works_while_loading_and_after_a_failed_open() {
    let folder = tempfile::tempdir().unwrap();
    let (broken, pipe) = (
        folder.path().join("broken.nettrace"),
        folder.path().join("pipe"),
    );
    std::fs::write(&broken, "Nettrace, or not").unwrap();
    make_pipe(&pipe);
    for (file, shown) in [(&broken, "broken.nettrace"), (&pipe, "pipe")] {
        let mut session = Session::start(&[file.to_str().unwrap()], &[], 100, 30);
        session.wait_for(shown);
        let pid = session.child.process_id().unwrap();
        for _ in 0..2 {
            session.type_keys("\x1a");
            wait("the stop", || is_stopped(pid));
            session.wait_until(shown, false);
            send("CONT", pid);
            session.wait_for(shown);
        }
        session.type_keys("\x03");
        let (_, raw) = session.end();
        assert!(raw.contains("\x1b[?1049l"), "the terminal is restored");
    }
}

/// Opening a pipe waits for a reader, and quitting waits for the export.
#[test]
fn exports_go_to_files_and_never_wait_for_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("p.json");
    make_pipe(&pipe);
    let mut session = Session::start(&[], &[], 140, 40);
    session.wait_for("PriceRules.Discount");
    session.type_keys("x");
    session.wait_for("xport");
    // clears the suggested name
    session.type_keys("\x15");
    session.type_keys(&format!("{}\r", pipe.display()));
    session.wait_for("is not a regular file");
    session.type_keys("\x03\x03");
    assert_eq!(session.end().0, 0);
}

/// The process runs out of memory while reading.
#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_too_large_for_the_memory_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.folded");
    let stacks: String = (0..300_000)
        .map(|row| format!("a{};b{};c{row};d;e;f;g;h 1\n", row % 7, row % 999))
        .collect();
    std::fs::write(&file, stacks).unwrap();
    let mut command = CommandBuilder::new("sh");
    command.args([
        "-c",
        "ulimit -v 140000; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_dotspot"),
        file.to_str().unwrap(),
    ]);
    command.env("MALLOC_ARENA_MAX", "1");
    command.env("DOTSPOT_CONFIG", "");
    let mut session = Session::of(command, 100, 30);
    session.wait_for("memory");
    session.type_keys("q");
    let (code, raw) = session.end();
    assert_eq!(code, 1);
    assert!(raw.contains("\x1b[?1049l"), "the terminal is restored");
}

/// A program in its own session is not signaled when its terminal goes away: reads return end of file.
#[test]
fn a_closed_terminal_ends_the_explorer() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let size = PtySize {
        rows: 30,
        cols: 100,
        ..PtySize::default()
    };
    let pair = portable_pty::native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new("sh");
    let script = "exec 3<&0; setsid \"$@\" <&3 & echo $! > \"$0.new\"; mv \"$0.new\" \"$0\"; wait";
    command.args(["-c", script, pid_file.to_str().unwrap()]);
    command.env("DOTSPOT_CONFIG", "");
    command.arg(env!("CARGO_BIN_EXE_dotspot"));
    command.cwd(env!("CARGO_MANIFEST_DIR"));
    let mut shell = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let (mut parser, mut buffer) = (vt100::Parser::new(cells(30), cells(100), 0), [0; 4096]);
    while !parser.screen().contents().contains("q quit") {
        let count = reader.read(&mut buffer).unwrap();
        parser.process(&buffer[..count]);
    }
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    // drains the rest of the screen
    std::thread::sleep(Duration::from_millis(200));
    assert!(is_alive(pid.trim()));
    drop((reader, pair.master));
    let closed_at = Instant::now();
    while is_alive(pid.trim()) {
        let is_late = closed_at.elapsed() > Duration::from_secs(10);
        if is_late {
            send("KILL", pid.trim().parse().unwrap());
        }
        assert!(!is_late, "dotspot keeps running without a terminal");
        std::thread::sleep(Duration::from_millis(20));
    }
    shell.wait().unwrap();
}

/// `cat app.nettrace | dotspot` opens its standard input; keys come from the terminal.
#[cfg(unix)]
#[test]
fn standard_input_opens_without_a_file_name() {
    let mut command = CommandBuilder::new("sh");
    let program = env!("CARGO_BIN_EXE_dotspot");
    command.args(["-c", &format!("cat snapshots/two-threads.pb | {program}")]);
    command.env("DOTSPOT_CONFIG", "");
    command.cwd(env!("CARGO_MANIFEST_DIR"));
    let mut session = Session::of(command, 100, 30);
    session.wait_for("standard input");
    session.wait_for("2,262.6 ms");
    session.type_keys("q");
    assert_eq!(session.end().0, 0);
}
