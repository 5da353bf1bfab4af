//! Files that are no snapshots, and command lines that are none.

use super::{Bench, assert_fails, small};
use crate::common::dottrace::run;
use crate::common::text::has;
use std::fs;

#[test]
fn a_file_that_is_no_snapshot() {
    let bench = present!(Bench::new());
    let check = |name: &str, bytes: &[u8], words: &[&str]| {
        let path = bench.path(name);
        fs::write(&path, bytes).unwrap();
        assert_fails(&run(&mut bench.command(&path)), "input", words);
    };
    check(
        "a.json",
        b"{\"x\":1}",
        &[
            "a.json is not the index of a dotTrace snapshot",
            "looks like JSON",
        ],
    );
    check(
        "a.dtp",
        b"PK\x03\x04....",
        &["looks like a zip archive; give the .dtp file of a snapshot"],
    );
    check("b.dtp", b"\x1f\x8b\x08", &["looks like a gzip file"]);
    check(
        "c.nettrace",
        b"Nettrace\x14\0",
        &["looks like a recording of dotnet-trace"],
    );
    check("d.xml", b"\xEF\xBB\xBF<Report/>", &["looks like XML"]);
    check("e.dtp", b"", &["e.dtp is empty"]);
    check("f.dtp", b"\x01\x02\x03", &["the bytes 01 02 03 were found"]);
    check("g.dtp", b"MFDTP", &["the bytes 4D 46 44 54 50 were found"]);
    check(
        "h.dtp.0000",
        b"whatever",
        &["is a part of a snapshot", "give its index, h.dtp"],
    );
    check(
        "h.DTP.State",
        b"whatever",
        &["is a part of a snapshot", "give its index, h.DTP"],
    );
    check(
        "i.dtp",
        b"MFDTPF\n",
        &[
            "the sections i.dtp.0000… are missing beside",
            "copy all files",
        ],
    );
    check(
        "j.dtp",
        b"MFDTEM\n",
        &["the sections j.dtp.0000… are missing beside"],
    );
}

#[test]
fn a_file_that_is_not_there() {
    let bench = present!(Bench::new());
    assert_fails(
        &run(&mut bench.command(&bench.path("no.dtp"))),
        "input",
        &["there is no file", "no.dtp"],
    );
    assert_fails(
        &run(&mut bench.command(&bench.path("no/no.dtp"))),
        "input",
        &["there is no file", "no.dtp"],
    );
    assert_fails(
        &run(&mut bench.command(&bench.path("rider"))),
        "input",
        &["rider is a folder", "give the .dtp file in it"],
    );
}

/// The window of dotTrace saves all in one file; snapshots come from systems that don't mind the case of names.
#[test]
fn the_containers_that_are_read() {
    let bench = present!(Bench::new());
    let index = small().save(bench.folder.path(), "s.dtp");
    fs::rename(bench.path("s.dtp.0000"), bench.path("S.DTP.0000")).unwrap();
    assert_eq!(run(&mut bench.command(&index)).code, Some(0));
    fs::remove_file(bench.path("S.DTP.0000")).unwrap();
    let one_file = [
        b"\xEEGDTPF",
        fs::read(&index).unwrap().strip_prefix(b"MFDTPF").unwrap(),
    ]
    .concat();
    fs::write(&index, one_file).unwrap();
    assert_eq!(run(&mut bench.command(&index)).code, Some(0));
}

#[test]
fn a_timeline_that_the_libraries_refuse() {
    let bench = present!(Bench::new());
    let index = small()
        .at("OpenSnapshot", 1, "throw", "No.")
        .save(bench.folder.path(), "s.dtp");
    let text = fs::read_to_string(&index).unwrap();
    fs::write(&index, text.replace("MFDTPF", "MFDTEM")).unwrap();
    assert_fails(
        &run(&mut bench.command(&index)),
        "layout",
        &["can't open the timeline snapshot", "s.dtp"],
    );
}

#[test]
fn a_path_beside_the_working_folder() {
    let bench = present!(Bench::new());
    fs::create_dir(bench.path("Ünï çödé")).unwrap();
    small().save(&bench.path("Ünï çödé"), "snäp shot.dtp");
    let mut command = bench.mono.helper_command();
    command.current_dir(bench.folder.path()).args([
        "Ünï çödé/snäp shot.dtp",
        "--dottrace-dir",
        "rider",
    ]);
    let outcome = run(&mut command);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let json = String::from_utf8(outcome.stdout).unwrap();
    has(&json, r#""source":"Ünï çödé/snäp shot.dtp""#);
}

#[test]
fn command_lines() {
    let bench = present!(Bench::new());
    let said = |arguments: &[&str]| run(bench.mono.helper_command().args(arguments));
    assert_fails(&said(&[]), "input", &["names no snapshot", "--help"]);
    assert_fails(
        &said(&["a.dtp", "b.dtp"]),
        "input",
        &["names two snapshots, a.dtp and b.dtp"],
    );
    assert_fails(
        &said(&["a.dtp", "--verbose"]),
        "input",
        &["the option --verbose is unknown"],
    );
    assert_fails(
        &said(&["a.dtp", "--output"]),
        "input",
        &["the option --output needs a value"],
    );
    assert_fails(
        &said(&["a.dtp", "--max-depth", "-3"]),
        "input",
        &["--max-depth needs a number above 0, not -3"],
    );
    let help = said(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""));
    let help = String::from_utf8(help.stdout).unwrap();
    for option in [
        "--dottrace-dir",
        "--output",
        "--probe",
        "--max-depth",
        "--max-nodes",
        "--version",
        "JETBRAINS_PROFILER_PATH",
    ] {
        assert!(help.contains(option), "{option}");
    }
    // the helper is a part of this program and has its version
    let version = String::from_utf8(said(&["--version"]).stdout).unwrap();
    assert_eq!(
        version,
        format!("dotspot-dtp {}\n", env!("CARGO_PKG_VERSION"))
    );
}
