//! Profiles in gzip files and zip archives.

use crate::common::packing::{Member, gzip, zip, zip_of};
use crate::common::profiles::{self, fact, open_file, read_bytes, read_file};
use crate::common::random::Random;
use crate::common::run::SAMPLE;
use crate::common::shared;
use crate::common::text::assert_contains_all;
use dotspot::testing::diagnostics::{ContainerStop, Diagnostic};
use dotspot::testing::importers::{FORMATS, ReadOptions, import, import_with};
use dotspot::testing::input::{ImportError, Input, Progress};
use dotspot::testing::model::{MetricId, NodeId, Recording, View};

/// A profile with one method of 7 ms, small enough to be damaged at every byte.
const TREE: &str = r#"{"schema":"dotspot.call-tree/1","snapshot":{"payload_type":"tracing","time_unit":"ms"},"thread_roots":[],"call_tree":{"id":"0","name":"All","kind":"root","inclusive_time":7,"exclusive_time":0,"call_count":0,"children":[{"id":"1","name":"Acme!Acme.Shop.Sell","kind":"method","inclusive_time":7,"exclusive_time":7,"call_count":3,"children":[]}]}}"#;

fn from_stream(bytes: &[u8]) -> Result<View, ImportError> {
    read_bytes("pipe", bytes.to_vec())
}

fn written(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn import_as(bytes: &[u8], options: &ReadOptions) -> Result<View, ImportError> {
    let input = profiles::stream("pipe", bytes.to_vec())?;
    let read = import_with(input, options, |format, input| {
        (format.read)(input, options)
    });
    read.map(Recording::into_view)
}

fn choosing(bytes: &[u8], members: &[&str]) -> Result<View, ImportError> {
    let options = ReadOptions {
        members: members.iter().map(|name| name.to_string()).collect(),
        ..ReadOptions::default()
    };
    import_as(bytes, &options)
}

/// Opens a container from a stream and from a file, and compares the profile with [`TREE`].
#[track_caller]
fn check(bytes: &[u8], inside: &str) {
    let (_folder, path) = written("x.packed", bytes);
    for profile in [from_stream(bytes).unwrap(), open_file(&path).unwrap()] {
        assert_eq!(profile.tree.inclusive(MetricId(0), NodeId::ROOT), 7_000_000);
        assert_eq!(profile.name(NodeId(1)), "Acme!Acme.Shop.Sell");
        assert_eq!(fact(&profile, "inside"), inside);
        assert_eq!(profile.codes(), [""; 0]);
    }
}

/// Asserts that reading a stream fails with a sentence that contains all words.
#[track_caller]
fn refused(bytes: &[u8], words: &[&str]) {
    says(from_stream(bytes), words);
}

#[track_caller]
fn says(result: Result<View, ImportError>, words: &[&str]) {
    assert_contains_all(result.expect_err("it is not opened").to_string(), words);
}

#[test]
fn containers_are_searched() {
    let tree = TREE.as_bytes();
    check(&gzip(tree), "gzip");
    check(&zip(&[("a/x.json", tree)]), "zip archive (member a/x.json)");
    check(
        &gzip(&zip(&[("x.json", tree)])),
        "gzip, zip archive (member x.json)",
    );
    check(
        &zip(&[("x.json.gz", &gzip(tree))]),
        "zip archive (member x.json.gz), gzip",
    );
    check(
        &zip(&[("in.zip", &zip(&[("x.json", tree)]))]),
        "zip archive (member in.zip), zip archive (member x.json)",
    );
    let four = gzip(&gzip(&gzip(&gzip(tree))));
    check(&four, "gzip, gzip, gzip, gzip");
    refused(&gzip(&four), &["more than 4 levels deep", "limit"]);
}

#[test]
fn zip_archives_of_other_tools_open() {
    for (file, format, member) in [
        (
            "nettrace/HeartRateMonitor.10068.nettrace.zip",
            "nettrace",
            "HeartRateMonitor.10068.nettrace",
        ),
        ("etl/gcevents.etl.zip", "etl", "gcevents/PerfViewData.etl"),
        // with a log
        ("etl/net.4.5.2.x64.etl.zip", "etl", "net.4.5.2.x64.etl"),
    ] {
        let path = present!(shared(file));
        let source = &read_file(&path).recording.source;
        assert_eq!(
            (&*source.format, &*source.name),
            (format, path.to_str().unwrap())
        );
        let inside = format!("zip archive (member {member})");
        assert_eq!(source.fact("inside"), Some(&*inside));
    }
}

#[test]
fn the_best_member_is_selected() {
    let tree = TREE.as_bytes();
    let plain = std::fs::read(SAMPLE).unwrap();
    let likely = TREE.replace(r#""schema":"dotspot.call-tree/1","#, "");
    check(
        &zip(&[
            ("__MACOSX/._x.json", tree),
            ("readme.md", b"# hello"),
            ("likely.json", likely.as_bytes()),
            ("x.json", tree),
        ]),
        "zip archive (member x.json)",
    );
    let both = zip(&[
        ("a/x.json", tree),
        ("b/x.json", tree),
        ("r.nettrace", &plain),
    ]);
    let all = "a/x.json, b/x.json, r.nettrace";
    refused(&both, &["3 members", "equally likely", "--member", all]);
    let nested = zip(&[("1.zip", &both), ("2.zip", &both)]);
    refused(
        &nested,
        &[
            "2 members that look equally likely",
            "--member NAME",
            "1.zip, 2.zip",
        ],
    );
    // the only member must be named, too
    let single = zip(&[("all of it.zip", &both)]);
    let path = r#"choose one with --member "all of it.zip" --member NAME: a/x.json"#;
    refused(&single, &[path]);
    for (archive, members, words) in [
        (
            &both[..],
            &["x.json"][..],
            ["2 members named x.json", "a/x.json, b/x.json"],
        ),
        (&both, &["y.json"], ["no member y.json", "r.nettrace"]),
        (
            &both,
            &["r.nettrace", "more"],
            ["--member more", "not a zip archive"],
        ),
        (tree, &["more"], ["--member more", "not a zip archive"]),
        (
            &nested,
            &["2.zip"],
            ["choose one with --member 2.zip --member NAME: a/x.json", ""],
        ),
    ] {
        says(choosing(archive, members), &words);
    }
    let inside = |archive, members| choosing(archive, members).unwrap().recording;
    for (archive, members) in [
        (&both, &["r.nettrace"][..]),
        (&single, &["all of it.zip", "r.nettrace"]),
        (&nested, &["2.zip", "r.nettrace"]),
    ] {
        assert_eq!(inside(archive, members).source.format, "nettrace");
    }
    let second = inside(&both, &["b/x.json"]);
    let member = "zip archive (member b/x.json)";
    assert_eq!(second.source.fact("inside"), Some(member));
    // a requested format takes precedence
    let options = ReadOptions {
        format: FORMATS.iter().find(|format| format.name == "calltree"),
        ..ReadOptions::default()
    };
    let mixed = zip(&[("r.nettrace", &plain), ("x.json", tree)]);
    let profile = import_as(&mixed, &options).unwrap();
    assert_eq!(profile.recording.source.format, "calltree");
}

/// Files that are not profiles. The sentence names a program that can convert them.
#[test]
fn files_of_other_programs_are_refused_with_advice() {
    let objects = |type_name: &str| {
        let mut bytes = b"\x14\0\0\0!FastSerialization.1\x04\x04\x01\x0a\0\0\0\x08\0\0\0".to_vec();
        bytes.extend((type_name.len() as u32).to_le_bytes());
        [&bytes, type_name.as_bytes(), &[6; 100]].concat()
    };
    for (type_name, words) in [
        ("GCHeapDump", ["(.gcdump)", "dotnet-gcdump report"]),
        (
            "Microsoft.Diagnostics.Tracing.Etlx.TraceLog",
            ["(.etlx)", "open the .nettrace or .etl"],
        ),
    ] {
        let bytes = objects(type_name);
        refused(&bytes, &words);
        let archive = zip(&[("a", &bytes), ("b.txt", b"hello")]);
        refused(&archive, &[words[0], "unpack a: ", words[1]]);
    }
    let lttng = zip(&[
        ("a.trace/perfinfo-7.map", b"ImageLoad;/a.dll;{1};\n"),
        (
            "a.trace/lttngTrace/auto-1/ust/uid/0/64-bit/metadata",
            &[0xC1, 0],
        ),
    ]);
    // all traces in a session are read, since any of them may contain the samples
    let mut trace = vec![0; 100];
    trace[54..56].copy_from_slice(&[4, 0]);
    trace[72..76].copy_from_slice(&[2, 0, 2, 0xC0]);
    let traces = zip(&[
        ("metadata.xml", b"<?xml?>"),
        ("sc.user_aux.etl", &trace),
        ("sc.kernel.etl", &trace),
    ]);
    let session = zip(&[("metadata.xml", b"<?xml?>"), ("counters.bin", &[0])]);
    let dot_memory = ["dotMemory workspace", "dotTrace or `dotnet-trace collect"];
    let perf = "install perf and run perfcollect again";
    let tcmalloc = [0u64, 3, 0, 10_000, 0].map(u64::to_le_bytes).concat();
    for (name, bytes, words) in [
        ("a.dmw", vec![1, 0, 2], dot_memory),
        ("a.dmw", zip(&[("a", &[0, 1]), ("b", &[2, 0])]), dot_memory),
        ("a.btl", vec![1, 0, 2], ["BPerf", ".perfView.xml.zip"]),
        (
            "a.trace.zip",
            lttng,
            ["a perfcollect archive with only LTTng events", perf],
        ),
        ("cpu.prof", tcmalloc, ["gperftools", "pprof -proto"]),
        (
            "Report.diagsession",
            session,
            ["Visual Studio diagnostic session", ".perfView.xml.zip"],
        ),
        (
            "Report.diagsession",
            traces,
            ["2 members", "sc.user_aux.etl, sc.kernel.etl"],
        ),
    ] {
        let (_folder, path) = written(name, &bytes);
        says(open_file(&path), &words);
    }
}

#[test]
fn archives_without_a_profile_are_refused() {
    let many: Vec<Member> = (0..20)
        .map(|n| Member::new(&format!("{n}.txt"), b"hello"))
        .collect();
    // snapshots that consist of several files
    let snapshot = zip(&[
        ("a.dtp", &b"MFDTPF\x01\0\0\0"[..]),
        ("a.dtp.0000", b"sections"),
        ("a.dtp.State", b""),
    ]);
    let two = zip(&[("a.txt", b"hello"), ("b.bin", &[0, 1, 2])]);
    for (bytes, words) in [
        (&zip(&[])[..], ["zip archive", "has no files"]),
        (&zip(&[("folder/", b"")]), ["zip archive", "has no files"]),
        (&two, ["a.txt is a text file", "b.bin is a binary file"]),
        (&zip_of(&many), ["7.txt is a text file and 12 more", ""]),
        (&gzip(b"hello"), ["pipe, unpacked", "a text file"]),
        (&gzip(b""), ["pipe, unpacked", "empty"]),
        (b"PK\x03\x04", ["zip archive", "incomplete"]),
        (b"\x1f\x8b", ["gzip header", "ends unexpectedly"]),
        (b"\x1f\x8b\x07\0\0\0\0\0\0\0\0", ["gzip header", "1F 8B 08"]),
        (
            &snapshot,
            ["member a.dtp: ", "within an archive; unpack it"],
        ),
    ] {
        refused(bytes, &words);
    }
}

#[test]
fn members_that_cannot_be_unpacked_are_named() {
    let tree = TREE.as_bytes();
    let encrypted = Member {
        flags: 1,
        ..Member::new("x.json", tree)
    };
    let text = Member::new("a.txt", b"hello");
    let words = ["x.json is encrypted", "a.txt is a text"];
    refused(&zip_of(&[encrypted.clone(), text]), &words);
    for (method, name) in [
        (9, "Deflate64"),
        (12, "bzip2"),
        (14, "LZMA"),
        (93, "Zstandard"),
        (77, "an unsupported method"),
    ] {
        let member = Member {
            method,
            ..Member::new("x.json", tree)
        };
        refused(&zip_of(&[member]), &["x.json is compressed with", name]);
    }
    // the other members are still found
    let other = Member::new("y.json", tree);
    check(&zip_of(&[encrypted, other]), "zip archive (member y.json)");
}

#[test]
fn variants_of_gzip_and_zip_are_read() {
    let tree = TREE.as_bytes();
    let inside = "zip archive (member x.json)";
    let member = Member::new("x.json", tree);
    for (method, flags, is_zip64) in [(0, 0, false), (8, 0, true), (8, 8, false), (8, 8, true)] {
        let member = Member {
            method,
            flags,
            is_zip64,
            ..member.clone()
        };
        check(&zip_of(&[member]), inside);
    }
    // of two members with the same name, the last in the directory counts
    let old = Member::new("x.json", b"old");
    check(&zip_of(&[old, member.clone()]), inside);
    // paths are not followed
    for name in ["../../x.json", "/etc/x.json"] {
        let inside = format!("zip archive (member {name})");
        check(&zip(&[(name, tree)]), &inside);
    }
    // a comment after the directory, and a program before the first member
    let mut with_comment = zip_of(&[member]);
    let at = with_comment.len() - 2;
    with_comment[at] = 5;
    with_comment.extend(b"hello");
    check(&with_comment, inside);
    // gzip in several parts, with all header variants, and followed by zeros
    let (first, second) = tree.split_at(100);
    check(&[gzip(first), gzip(b""), gzip(second)].concat(), "gzip");
    check(&[gzip(tree), vec![0; 700]].concat(), "gzip");
    let plain = gzip(tree);
    let header = b"\x1f\x8b\x08\x1e\0\0\0\0\0\x03\x04\0abcdname\0comment\0";
    let sum = (crc32fast::hash(header) as u16).to_le_bytes();
    check(&[&header[..], &sum, &plain[10..]].concat(), "gzip");
}

#[test]
fn the_inner_name_decides_when_the_content_is_ambiguous() {
    // a file too short to be recognized
    let (cut, words) = (
        b"Nett",
        ["dotnet-trace recording", "ends within its header"],
    );
    let (_folder, path) = written("x.nettrace.gz", &gzip(cut));
    says(open_file(&path), &words);
    refused(&zip(&[("x.nettrace", cut), ("a.txt", b"hello")]), &words);
    let named = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03x.nettrace\0";
    refused(&[&named[..], &gzip(cut)[10..]].concat(), &words);
}

/// Asserts that a profile from a stream has this warning, among others.
#[track_caller]
fn warned(bytes: &[u8], expect: Diagnostic) {
    let warnings = from_stream(bytes).unwrap().warnings();
    assert!(warnings.contains(&expect), "{warnings:?}");
}

#[test]
fn damage_is_reported() {
    let tree = TREE.as_bytes();
    let packed = gzip(tree);
    let stopped = |reason, offset: usize| Diagnostic::GzipStopped {
        reason,
        offset_bytes: offset as u64,
    };
    let end = packed.len() - 3;
    warned(&packed[..end], stopped(ContainerStop::EndsEarly, end));
    let behind = Diagnostic::GzipTrailingBytes {
        offset_bytes: packed.len() as u64,
    };
    warned(&[&packed[..], b"rubbish and more"].concat(), behind);
    let mut wrong_sum = packed.clone();
    let at = wrong_sum.len() - 8;
    wrong_sum[at] ^= 1;
    warned(&wrong_sum, Diagnostic::GzipChecksumWrong {});
    // stored blocks can be cut anywhere
    let stored = |first: u8, bytes: &[u8]| {
        let length = (bytes.len() as u16).to_le_bytes();
        let (head, inverted) = (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", length.map(|byte| !byte));
        [&head[..], &[first], &length, &inverted, bytes].concat()
    };
    let long = [tree, &[b' '; 2000]].concat();
    // a block of the nonexistent type 3 after a complete one
    let blocks = stored(0, &long);
    let damaged = [&blocks[..], &[7]].concat();
    warned(&damaged, stopped(ContainerStop::IsDamaged, damaged.len()));
    let stored = stored(1, tree);
    let cut = stored.len() - 10;
    warned(&stored[..cut], stopped(ContainerStop::EndsEarly, cut));
    // the inner file is truncated, too
    let codes = from_stream(&stored[..cut]).unwrap().codes();
    assert!(codes.contains(&"broken-off"));
    refused(
        &stored[..60],
        &["ends unexpectedly at byte 60", "incomplete"],
    );
    let archive = zip_of(&[Member::new("x.json", tree)]);
    let mut wrong_sum = archive.clone();
    let mut windows = archive.windows(4);
    let row = windows.rposition(|four| four == b"PK\x01\x02").unwrap();
    wrong_sum[row + 16] ^= 1;
    let member = "x.json".into();
    warned(&wrong_sum, Diagnostic::ZipChecksumWrong { member });
    let mut short = archive.clone();
    short[row + 20] -= 5;
    let warnings = from_stream(&short).unwrap().warnings();
    let stopped = |warning: &Diagnostic| match warning {
        Diagnostic::ZipStopped { reason, .. } => Some(*reason),
        _ => None,
    };
    let reason = warnings.iter().find_map(stopped);
    assert_eq!(reason, Some(ContainerStop::EndsEarly));
}

#[test]
fn every_prefix_of_a_container_gives_a_profile_or_an_error() {
    let tree = TREE.as_bytes();
    for whole in [
        gzip(tree),
        zip(&[("x.json", tree)]),
        zip(&[("a.txt", b"hello"), ("x.json.gz", &gzip(tree))]),
    ] {
        for length in 0..whole.len() {
            match from_stream(&whole[..length]) {
                Ok(profile) => assert!(!profile.warnings().is_empty(), "cut at {length}"),
                Err(error) => assert!(error.to_string().len() > 30, "{error}"),
            }
        }
    }
}

#[test]
fn changed_bytes_are_harmless() {
    let tree = TREE.as_bytes();
    let mut random = Random(7);
    let zip64 = Member {
        is_zip64: true,
        flags: 8,
        ..Member::new("x.json", tree)
    };
    for whole in [
        gzip(tree),
        zip(&[("a.txt", b"hello"), ("x.json", tree)]),
        zip_of(&[zip64]),
    ] {
        for _ in 0..1000 {
            let mut changed = whole.clone();
            random.change_bytes(&mut changed);
            let _ = from_stream(&changed);
        }
    }
}

/// A call tree followed by blanks, which JSON parsers skip.
fn blanks(megabytes: usize) -> Vec<u8> {
    let blanks = vec![b' '; megabytes << 20];
    [&TREE.as_bytes()[..TREE.len() - 1], &blanks].concat()
}

#[test]
fn bombs_are_refused() {
    let limit = ["250.0 MB", "400 times", "limit", "unpack it"];
    let parts = [gzip(&blanks(0)), gzip(&vec![b' '; 1 << 20]).repeat(260)].concat();
    let twice = gzip(&parts);
    assert!(twice.len() < 20_000, "{} bytes", twice.len());
    refused(&twice, &limit);
    let archive = zip(&[("x.json", &blanks(260))]);
    let (_folder, path) = written("bomb.zip", &archive);
    says(open_file(&path), &limit);
}

#[test]
fn progress_counts_bytes_of_the_file_on_disk() {
    let plain = std::fs::read(SAMPLE).unwrap();
    let other = vec![7; 100_000];
    let mixed = zip(&[("r.nettrace.gz", &gzip(&plain)), ("other.bin", &other)]);
    for (name, bytes) in [
        ("x.nettrace.gz", gzip(&plain)),
        ("x.zip", mixed),
        ("y.zip.gz", gzip(&zip(&[("r", &plain)]))),
    ] {
        let (_folder, path) = written(name, &bytes);
        let progress = Progress::default();
        import(Input::open(&path, progress.clone()).unwrap()).unwrap();
        let (read, total, _) = progress.now();
        assert_eq!(total, bytes.len() as u64, "{name}");
        // bytes after the end of the profile need not be read
        assert!((total - 63..=total).contains(&read), "{name}: {read}");
    }
    let progress = Progress::default();
    progress.cancel();
    let (_folder, path) = written("x.nettrace.gz", &gzip(&plain));
    let result = import(Input::open(&path, progress).unwrap());
    assert_eq!(result.err(), Some(ImportError::Cancelled));
}
