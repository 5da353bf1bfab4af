//! One thing broken at a time, and the sentence that says which.

use super::{assert_fails, rebuild, small, unsigned};
use crate::common::dottrace::{ALL, Script, lay_out, mono, run};
use Change::{Garbage, Remove, Rename, Replace, Serve};
use std::fs;
use std::path::Path;

/// What is not as it should be.
enum Change {
    /// A library is not there.
    Remove(&'static str),
    /// A library's file is something else.
    Garbage(&'static str, &'static [u8]),
    /// In a library something has another name.
    Rename(&'static str, &'static str),
    /// In a library's source this text is that one.
    Replace(&'static str, &'static str, &'static str),
    /// The snapshot is this one.
    Serve(Script),
}

const LIFETIMES: &str = "JetBrains.Lifetimes";
const CORE: &str = "JetBrains.Platform.Core";
const INTERFACE: &str = "JetBrains.Profiler.Snapshot.Interface";
const SNAPSHOT: &str = "JetBrains.Profiler.Snapshot";
const PERFORMANCE: &str = "JetBrains.dotTrace.Snapshot.Performance";
const DAL: &str = "JetBrains.DotTrace.Dal";
const WINDOWS: &str = "JetBrains.Profiler.Windows";
const API: &str = "JetBrains.dotTrace.SnapShotApi";

/// `text` with every occurrence of a whole word replaced.
fn rename(text: &str, word: &str, to: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        out.push_str(before);
        let is_whole = !out.ends_with(is_part) && !after.starts_with(is_part);
        out.push_str(if is_whole { to } else { word });
        rest = after;
    }
    out + rest
}

/// Breaks one thing and reads a snapshot.
#[track_caller]
fn check(change: &Change, snapshot: &Script, stage: &str, words: &[&str]) {
    let Some(mono) = mono() else { return };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let files = root.join("lib/ReSharperHost");
    let kept: Vec<&str> = ALL
        .iter()
        .copied()
        .filter(|name| !matches!(change, Remove(gone) if gone == name))
        .collect();
    lay_out(&mono.libraries(), root, &[("lib/ReSharperHost", &kept)]);
    match change {
        Remove(_) | Serve(_) => {}
        Garbage(library, bytes) => {
            let file = files.join(format!("{library}.dll"));
            fs::remove_file(&file).unwrap();
            fs::write(file, bytes).unwrap();
        }
        Rename(library, word) => {
            mono.build_changed(library, |text| rename(text, word, "Renamed"), &files)
        }
        Replace(library, from, to) => {
            mono.build_changed(library, |text| text.replace(from, to), &files)
        }
    }
    let snapshot = if let Serve(script) = change {
        script
    } else {
        snapshot
    };
    let index = snapshot.save(root, "s.dtp");
    let outcome = run(mono
        .helper_command()
        .arg(&index)
        .arg("--dottrace-dir")
        .arg(root));
    let error = assert_fails(&outcome, stage, words);
    let folder_named = |path: &Path| error.message.contains(path.to_str().unwrap());
    // whoever misses something is told where it was looked for
    assert!(stage != "bind" || folder_named(&files), "{}", error.message);
}

#[track_caller]
fn check_all(snapshot: &Script, stage: &str, rows: &[(Change, &[&str])]) {
    for (change, words) in rows {
        check(change, snapshot, stage, words);
    }
}

#[test]
fn a_library_that_is_missing() {
    check_all(
        &small(),
        "bind",
        &[
            (
                Remove(LIFETIMES),
                &[
                    "the type JetBrains.Lifetimes.Lifetime is missing",
                    "its assembly JetBrains.Lifetimes is in none of the folders",
                ],
            ),
            (
                Remove(CORE),
                &[
                    "the type JetBrains.Util.FileSystemPath is missing",
                    "its assembly JetBrains.Platform.Core is in none",
                ],
            ),
            (
                Remove(INTERFACE),
                &[
                    "the type JetBrains.Profiler.Snapshot.Storage.IWriteableSnapshotStorage is missing",
                    "its assembly JetBrains.Profiler.Snapshot.Interface is in none",
                ],
            ),
            (
                Remove(SNAPSHOT),
                &[
                    "OpenSnapshot",
                    "JetBrains.Profiler.Snapshot was needed and is in none of the folders",
                ],
            ),
            (
                Remove(PERFORMANCE),
                &[
                    "PerformanceSnapshotReader is missing",
                    "its assembly JetBrains.dotTrace.Snapshot.Performance is in none",
                ],
            ),
            (
                Remove(DAL),
                &[
                    "OpenSnapshotWithRealtimeData is missing",
                    "its assembly JetBrains.DotTrace.Dal is in none",
                ],
            ),
            (
                Remove(WINDOWS),
                &[
                    "the type JetBrains.Profiler.Windows.Info.PerformanceInfo is missing",
                    "its assembly JetBrains.Profiler.Windows is in none",
                ],
            ),
            (
                Remove(API),
                &[
                    "PerformanceSnapshot is missing",
                    "its assembly JetBrains.dotTrace.SnapShotApi is in none",
                ],
            ),
            // what the libraries need themselves is on no list
            (
                Remove("Dotspot.StandIn"),
                &["Dotspot.StandIn was needed and is in none of the folders"],
            ),
        ],
    );
}

#[test]
fn a_file_that_is_no_library() {
    check_all(
        &small(),
        "bind",
        &[
            (
                Garbage(DAL, b"no assembly"),
                &["the library", "JetBrains.DotTrace.Dal.dll can't be loaded"],
            ),
            (
                Garbage(API, b""),
                &[
                    "the library",
                    "JetBrains.dotTrace.SnapShotApi.dll can't be loaded",
                ],
            ),
            (
                Garbage(INTERFACE, b"MZ\x90\0"),
                &[
                    "the library",
                    "JetBrains.Profiler.Snapshot.Interface.dll can't be loaded",
                ],
            ),
        ],
    );
}

#[test]
fn a_type_that_is_missing() {
    check_all(
        &small(),
        "bind",
        &[
            (
                Rename(LIFETIMES, "Lifetime"),
                &[
                    "the type JetBrains.Lifetimes.Lifetime is missing in JetBrains.Lifetimes 777.0.0.0 (file version 2024.3.5.1, ",
                ],
            ),
            (
                Rename(CORE, "FileSystemPath"),
                &[
                    "the type JetBrains.Util.FileSystemPath is missing in JetBrains.Platform.Core 777.0.0.0",
                ],
            ),
            (
                Rename(DAL, "OpenSnapshotWithRealtimeData"),
                &[
                    "the type JetBrains.dotTrace.Snapshot.Performance.OpenSnapshotWithRealtimeData is missing in JetBrains.DotTrace.Dal 777.0.0.0",
                ],
            ),
            (
                Rename(INTERFACE, "IWriteableSnapshotStorage"),
                &[
                    "the type JetBrains.Profiler.Snapshot.Storage.IWriteableSnapshotStorage is missing in JetBrains.Profiler.Snapshot.Interface 777.0.0.0",
                ],
            ),
            (
                Rename(PERFORMANCE, "PerformanceSnapshotReader"),
                &[
                    "the type JetBrains.dotTrace.Snapshot.Performance.PerformanceSnapshotReader is missing in JetBrains.dotTrace.Snapshot.Performance 777.0.0.0",
                ],
            ),
            (
                Rename(WINDOWS, "PerformanceInfo"),
                &[
                    "the type JetBrains.Profiler.Windows.Info.PerformanceInfo is missing in JetBrains.Profiler.Windows 777.0.0.0",
                ],
            ),
            (
                Rename(API, "PerformanceSnapshot"),
                &[
                    "the type JetBrains.dotTrace.SnapShotApi.Performance.PerformanceSnapshot is missing in JetBrains.dotTrace.SnapShotApi 777.0.0.0",
                ],
            ),
        ],
    );
}

#[test]
fn a_member_that_is_missing() {
    check_all(
        &small(),
        "bind",
        &[
            (
                Replace(
                    CORE,
                    "explicit operator FileSystemPath(string path)",
                    "FileSystemPath Parse(string path)",
                ),
                &[
                    "the conversion from System.String of JetBrains.Util.FileSystemPath is missing in JetBrains.Platform.Core 777.0.0.0 (file version 2024.3.5.1, ",
                ],
            ),
            (
                Rename(DAL, "OpenSnapshot"),
                &[
                    "OpenSnapshot(FileSystemPath) of JetBrains.dotTrace.Snapshot.Performance.OpenSnapshotWithRealtimeData is missing in JetBrains.DotTrace.Dal 777.0.0.0",
                ],
            ),
            (
                Replace(
                    PERFORMANCE,
                    "Reader(IWriteableSnapshotStorage storage)",
                    "Reader(string storage)",
                ),
                &[
                    "the constructor that takes IWriteableSnapshotStorage of JetBrains.dotTrace.Snapshot.Performance.PerformanceSnapshotReader is missing",
                ],
            ),
            (
                Rename(LIFETIMES, "Define"),
                &[
                    "Define(Lifetime, …) of JetBrains.Lifetimes.Lifetime is missing in JetBrains.Lifetimes 777.0.0.0",
                ],
            ),
            (
                Replace(
                    LIFETIMES,
                    "public Lifetime Lifetime",
                    "public Lifetime Other",
                ),
                &["Lifetime of JetBrains.Lifetimes.LifetimeDefinition is missing"],
            ),
            (
                Replace(
                    LIFETIMES,
                    "public Lifetime Lifetime => new Lifetime(this)",
                    "public string Lifetime => null",
                ),
                &[
                    "Lifetime of JetBrains.Lifetimes.LifetimeDefinition",
                    "is of type System.String, expected JetBrains.Lifetimes.Lifetime",
                ],
            ),
            (
                Rename(LIFETIMES, "Terminate"),
                &["Terminate() of JetBrains.Lifetimes.LifetimeDefinition is missing"],
            ),
            (
                Replace(
                    WINDOWS,
                    "public PerformanceInfo(",
                    "internal PerformanceInfo(",
                ),
                &[
                    "PerformanceSnapshot..ctor in JetBrains.dotTrace.SnapShotApi",
                    "wants a JetBrains.Profiler.Windows.Info.PerformanceInfo, which has no public constructor",
                ],
            ),
            (
                Replace(
                    API,
                    "string name,\n            string origin)",
                    "string name)",
                ),
                &[
                    "the constructor (Lifetime, FileSystemPath, PerformanceSnapshotReader, PerformanceInfo, String, String) of JetBrains.dotTrace.SnapShotApi.Performance.PerformanceSnapshot is missing",
                ],
            ),
            (
                Rename(API, "TimeResolution"),
                &[
                    "TimeResolution of JetBrains.dotTrace.SnapShotApi.Performance.PerformanceSnapshot is missing",
                ],
            ),
            (
                Replace(
                    API,
                    "public long TimeResolution\n",
                    "public System.Version TimeResolution => null;\n\n        private long Other\n",
                ),
                &[
                    "TimeResolution of JetBrains.dotTrace.SnapShotApi.Performance.PerformanceSnapshot",
                    "is of type System.Version, expected a number",
                ],
            ),
            (
                Rename(API, "RootNodeAllThreads"),
                &[
                    "RootNodeAllThreads of JetBrains.dotTrace.SnapShotApi.Performance.PerformanceSnapshot is missing",
                ],
            ),
        ],
    );
}

#[test]
fn a_member_of_nodes_that_is_missing() {
    check_all(
        &small(),
        "bind",
        &[
            (
                Rename(API, "GetChildren"),
                &[
                    "GetChildren() of JetBrains.dotTrace.SnapShotApi.Nodes.CallTreeNode is missing in JetBrains.dotTrace.SnapShotApi 777.0.0.0",
                ],
            ),
            (
                Rename(API, "PresentableName"),
                &[
                    "PresentableName of JetBrains.dotTrace.SnapShotApi.Nodes.CallTreeNode is missing",
                ],
            ),
            (
                Replace(API, "string PresentableName", "object PresentableName"),
                &[
                    "PresentableName of JetBrains.dotTrace.SnapShotApi.Nodes.CallTreeNode",
                    "is of type System.Object, expected System.String",
                ],
            ),
            (
                Rename(API, "Signature"),
                &["Signature of JetBrains.dotTrace.SnapShotApi.Nodes.CallTreeNode is missing"],
            ),
            (
                Rename(API, "Time"),
                &["Time of JetBrains.dotTrace.SnapShotApi.Nodes.NodeInfo is missing"],
            ),
            (
                Rename(API, "OwnTime"),
                &["OwnTime of JetBrains.dotTrace.SnapShotApi.Nodes.NodeInfo is missing"],
            ),
            (
                Rename(API, "Calls"),
                &["Calls of JetBrains.dotTrace.SnapShotApi.Nodes.NodeInfo is missing"],
            ),
            (
                Replace(
                    API,
                    "public long Calls { get; }",
                    "public double Calls { get; }",
                ),
                &[
                    "Calls of JetBrains.dotTrace.SnapShotApi.Nodes.NodeInfo",
                    "is of type System.Double, expected a whole number",
                ],
            ),
            (
                Rename(API, "FunctionName"),
                &["FunctionName of JetBrains.dotTrace.SnapShotApi.FunctionSignature is missing"],
            ),
            (
                Rename(API, "OwnerFullyQualifiedName"),
                &[
                    "OwnerFullyQualifiedName of JetBrains.dotTrace.SnapShotApi.FunctionSignature is missing",
                ],
            ),
        ],
    );
}

/// Libraries of two releases in one folder: the versions are in the sentence.
#[test]
fn libraries_that_do_not_fit_together() {
    let other = |text: &str| text.replace("2024.3.5.1", "2021.1.0.7");
    let Some(mono) = mono() else { return };
    for (library, change, words) in [
        (
            DAL,
            "OpenSnapshot",
            &[
                "OpenSnapshot(FileSystemPath)",
                "JetBrains.DotTrace.Dal 777.0.0.0 (file version 2021.1.0.7",
            ][..],
        ),
        // found only when it is called: the reader wants a member that this release lacks
        (
            SNAPSHOT,
            "SnapshotStorage",
            &[
                "OpenSnapshot in JetBrains.DotTrace.Dal 777.0.0.0",
                "does not fit the libraries beside it",
                "JetBrains.Profiler.Snapshot.Storage.Impl.SnapshotStorage",
            ],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        lay_out(&mono.libraries(), folder.path(), &[("", ALL)]);
        mono.build_changed(
            library,
            |text| other(&rename(text, change, "Renamed")),
            folder.path(),
        );
        let index = small().save(folder.path(), "s.dtp");
        let outcome = run(mono
            .helper_command()
            .arg(&index)
            .arg("--dottrace-dir")
            .arg(folder.path()));
        let error = assert_fails(&outcome, "bind", words);
        assert!(
            error
                .detail
                .contains(&format!("{library} 777.0.0.0 (file version 2021.1.0.7")),
            "{}",
            error.detail
        );
    }
}

#[test]
fn a_snapshot_that_the_libraries_refuse() {
    let fails = |member: &str| Serve(small().at(member, 1, "throw", "Section 0x42\\nis unknown."));
    let said =
        "InvalidOperationException: Section 0x42 is unknown; a newer dotTrace or Rider may read it";
    check_all(
        &small(),
        "layout",
        &[
            (
                fails("FileSystemPath"),
                &[
                    "FileSystemPath.op_Explicit in JetBrains.Platform.Core 777.0.0.0",
                    said,
                ],
            ),
            (
                fails("OpenSnapshot"),
                &[
                    "OpenSnapshotWithRealtimeData.OpenSnapshot in JetBrains.DotTrace.Dal 777.0.0.0",
                    "s.dtp",
                    said,
                ],
            ),
            (
                fails("PerformanceSnapshotReader"),
                &[
                    "PerformanceSnapshotReader..ctor in JetBrains.dotTrace.Snapshot.Performance",
                    said,
                ],
            ),
            (
                fails("PerformanceSnapshot"),
                &[
                    "PerformanceSnapshot..ctor in JetBrains.dotTrace.SnapShotApi",
                    said,
                ],
            ),
            (
                fails("TimeResolution"),
                &[
                    "PerformanceSnapshot.TimeResolution in JetBrains.dotTrace.SnapShotApi",
                    said,
                ],
            ),
            (
                fails("RootNodeAllThreads"),
                &[
                    "PerformanceSnapshot.RootNodeAllThreads in JetBrains.dotTrace.SnapShotApi",
                    said,
                ],
            ),
            (
                Serve(Script::new(0)),
                &["TimeResolution is 0, expected the ticks in a second"],
            ),
            (
                Serve(Script::new(-1000)),
                &["TimeResolution is -1000, expected the ticks in a second"],
            ),
            (
                Serve(small().line(&[&"no-root"])),
                &["RootNodeAllThreads gives no tree"],
            ),
        ],
    );
}

/// What is made before the snapshot is looked at, of nothing but defaults.
#[test]
fn defaults_that_the_libraries_refuse() {
    let fails = |member: &str| Serve(small().at(member, 1, "throw", "Not so."));
    let said = "refuses its default arguments: InvalidOperationException: Not so; give the folder of a complete Rider";
    check_all(
        &small(),
        "bind",
        &[
            (
                fails("Define"),
                &["Lifetime.Define in JetBrains.Lifetimes", said],
            ),
            (
                fails("PerformanceInfo"),
                &["PerformanceInfo..ctor in JetBrains.Profiler.Windows", said],
            ),
        ],
    );
}

/// A type is there, and what it derives from is not.
#[test]
fn a_base_type_that_is_missing() {
    let Some(mono) = mono() else { return };
    let folder = tempfile::tempdir().unwrap();
    lay_out(&mono.libraries(), folder.path(), &[("", ALL)]);
    let with_base = "public class ReaderBase { }\n    public sealed class";
    let base = |text: &str| text.replacen("public sealed class", with_base, 1);
    let change = |text: &str| {
        let text = text.replace(
            "using Dotspot.StandIn;",
            "using Dotspot.StandIn;\nusing JetBrains.Profiler.Snapshot.Converters;",
        );
        text.replace(
            "class PerformanceSnapshotReader",
            "class PerformanceSnapshotReader : ReaderBase",
        )
    };
    rebuild(folder.path(), &[(SNAPSHOT, &base), (PERFORMANCE, &change)]);
    mono.build_changed(
        SNAPSHOT,
        |text| text.replace("2024.3.5.1", "2021.1.0.7"),
        folder.path(),
    );
    let index = small().save(folder.path(), "s.dtp");
    let outcome = run(mono
        .helper_command()
        .arg(&index)
        .arg("--dottrace-dir")
        .arg(folder.path()));
    assert_fails(
        &outcome,
        "bind",
        &[
            "the type JetBrains.dotTrace.Snapshot.Performance.PerformanceSnapshotReader in",
            "can't be loaded",
            "ReaderBase",
        ],
    );
}

/// A file that no type is needed from may be broken.
#[test]
fn a_broken_library_that_nothing_needs() {
    let Some(bench) = super::Bench::new() else {
        return;
    };
    fs::write(
        bench.libraries().join("JetBrains.DotTrace.Sdk.dll"),
        "no assembly",
    )
    .unwrap();
    bench.json(&small());
    // where a type is missing it may have been in there
    bench.mono.build_changed(
        DAL,
        |text| rename(text, "OpenSnapshotWithRealtimeData", "Renamed"),
        &bench.libraries(),
    );
    assert_fails(
        &bench.decode(&small()),
        "bind",
        &[
            "OpenSnapshotWithRealtimeData is missing in JetBrains.DotTrace.Dal",
            "JetBrains.DotTrace.Sdk.dll can't be loaded",
        ],
    );
}

/// No other folder would help then, so another runtime is asked for.
#[test]
fn libraries_for_another_runtime() {
    let Some(mono) = mono() else { return };
    let framework = |name: &str| {
        let attribute = format!(
            "[assembly: System.Runtime.Versioning.TargetFramework(\"{name}\")]\n\nnamespace"
        );
        move |text: &str| text.replacen("\nnamespace", &format!("\n{attribute}"), 1)
    };
    let check = |name: &str, words: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        lay_out(&mono.libraries(), folder.path(), &[("", &ALL[1..])]);
        mono.build_changed(API, framework(name), folder.path());
        let index = small().save(folder.path(), "s.dtp");
        let outcome = run(mono
            .helper_command()
            .arg(&index)
            .arg("--dottrace-dir")
            .arg(folder.path()));
        assert_fails(&outcome, "bind", words);
    };
    let here = "and this runs on Mono 6.8 (";
    check(
        ".NETCoreApp,Version=v9.0",
        &[
            "these libraries need .NET 9, ",
            here,
            "; install the .NET SDK 9",
        ],
    );
    check(
        ".NETCoreApp,Version=v3.1",
        &[
            "these libraries need .NET Core 3.1, ",
            "; install the .NET SDK 3.1",
        ],
    );
    // made for what this is
    check(
        ".NETFramework,Version=v4.7.2",
        &[
            "Dotspot.StandIn was needed",
            "; give the folder of a complete Rider",
        ],
    );
}

/// The runtime lacks something, which no snapshot is to blame for.
#[test]
fn what_the_runtime_does_not_support() {
    let broken =
        |member: &str| Serve(small().at(member, 1, "throw-unsupported", "No registry here."));
    check_all(
        &small(),
        "bind",
        &[
            (
                broken("OpenSnapshot"),
                &[
                    "OpenSnapshot in JetBrains.DotTrace.Dal 777.0.0.0",
                    "No registry here",
                ],
            ),
            (
                broken("Signature"),
                &["Signature of a node failed: PlatformNotSupportedException: No registry here"],
            ),
        ],
    );
}

#[test]
fn a_snapshot_that_the_libraries_cannot_read_from_the_disk() {
    let broken = small().at("OpenSnapshot", 1, "throw-io", "The sector is bad.");
    check(
        &Serve(broken),
        &small(),
        "input",
        &[
            "OpenSnapshot in JetBrains.DotTrace.Dal",
            "can't read",
            "s.dtp: The sector is bad; check the files",
        ],
    );
}

#[test]
fn a_call_that_finds_another_release() {
    let broken = small().at(
        "OpenSnapshot",
        1,
        "throw-missing-method",
        "Method not found: X.Y.",
    );
    check(
        &Serve(broken),
        &small(),
        "bind",
        &[
            "OpenSnapshot in JetBrains.DotTrace.Dal 777.0.0.0",
            "Method not found: X.Y",
        ],
    );
}

#[test]
fn names_that_cannot_be_resolved() {
    let throws = |member: &str| Serve(unsigned().at(member, 1, "throw", "The heap is empty."));
    let why = "a method has no name but that in the metadata, and it can't be looked up: ";
    check_all(
        &unsigned(),
        "metadata",
        &[
            (
                Serve(unsigned().line(&[&"no-metadata"])),
                &[why, "the snapshot has no metadata section"],
            ),
            (
                throws("MetadataSection"),
                &[
                    "PerformanceSnapshotReader.MetadataSection failed: InvalidOperationException: The heap is empty",
                ],
            ),
            (
                throws("FuidToMetadataIdConverter"),
                &[
                    "FuidToMetadataIdConverter can't be made: InvalidOperationException: The heap is empty",
                ],
            ),
            (
                throws("ExecuteWithMetadataAssemblyProvider"),
                &[
                    "the name of function 0x1f00000004 can't be read",
                    "ExecuteWithMetadataAssemblyProvider",
                    "The heap is empty",
                ],
            ),
            (
                throws("GetFunctionItemsLight"),
                &[
                    "the name of function 0x1f00000004 can't be read",
                    "The heap is empty",
                ],
            ),
            (
                Rename(SNAPSHOT, "FuidToMetadataIdConverter"),
                &[
                    why,
                    "the type JetBrains.Profiler.Snapshot.Converters.FuidToMetadataIdConverter is missing",
                ],
            ),
            (
                Rename(INTERFACE, "MetadataSectionHelpers"),
                &[
                    "MetadataSectionHelpers is missing in JetBrains.Profiler.Snapshot.Interface 777.0.0.0",
                ],
            ),
            (
                Rename(INTERFACE, "GetFunctionItemsLight"),
                &["GetFunctionItemsLight(provider, id) of"],
            ),
            (
                Replace(INTERFACE, "string FunctionName =>", "string Renamed =>"),
                &[
                    "FunctionName of JetBrains.Profiler.Snapshot.Section.Metadata.Helpers.FunctionResult is missing",
                ],
            ),
            (
                Replace(
                    SNAPSHOT,
                    "MetadataId Convert(FunctionId function)",
                    "MetadataId Convert(FunctionId function, int more)",
                ),
                &[
                    "no member of JetBrains.Profiler.Snapshot.Converters.FuidToMetadataIdConverter leads from JetBrains.Profiler.Snapshot.Section.FunctionUID to",
                ],
            ),
            (
                Replace(
                    SNAPSHOT,
                    "Converter(IWriteableSnapshotStorage storage)",
                    "Converter(System.Version storage)",
                ),
                &[
                    "no constructor of JetBrains.Profiler.Snapshot.Converters.FuidToMetadataIdConverter takes what is at hand",
                ],
            ),
            (
                Replace(
                    PERFORMANCE,
                    "public IMetadataSection MetadataSection",
                    "internal IMetadataSection MetadataSection",
                ),
                &["the snapshot has no metadata section"],
            ),
        ],
    );
}

/// The converter says that it does not know a function by one kind of exception; others tell of something else.
#[test]
fn a_converter_that_fails() {
    check_all(
        &unsigned(),
        "metadata",
        &[
            (
                Serve(unsigned().at("Convert", 1, "throw-io", "The sector is bad.")),
                &[
                    "the name of function 0x1f00000004 can't be read",
                    "IOException: The sector is bad",
                ],
            ),
            (
                Serve(unsigned().at("Convert", 1, "throw", "The table is torn.")),
                &[
                    "the name of function 0x1f00000004 can't be read",
                    "Convert",
                    "The table is torn",
                ],
            ),
        ],
    );
}

/// Where dotTrace shows a name for the node, what is wrong with the metadata does not matter.
#[test]
fn a_label_will_do() {
    let labelled = || {
        Script::new(1000)
            .thread("Main", [30, 10, 1])
            .labelled_function(2, [20, 20, 2], 4, "Waiting")
    };
    let Some(bench) = super::Bench::new() else {
        return;
    };
    for script in [
        labelled().line(&[&"no-metadata"]),
        labelled().at("Convert", 1, "throw-io", "The sector is bad."),
        labelled().at("FuidToMetadataIdConverter", 1, "throw", "no"),
    ] {
        let json = bench.json(&script);
        assert!(
            json.contains(r#""name":"[Waiting]","kind":"special""#),
            "{json}"
        );
    }
}

/// A few functions may well be unknown, and are labelled; ten of ten are not.
#[test]
fn functions_of_which_none_is_known() {
    let unknown = |count: u64| {
        (0..count).fold(Script::new(1000).thread("T", [99, 0, 1]), |script, uid| {
            script.function(2, [1, 1, 1], 0x70 + uid)
        })
    };
    let Some(bench) = super::Bench::new() else {
        return;
    };
    assert!(
        bench
            .json(&unknown(9))
            .contains("[Unresolved function 0x78]")
    );
    let words = ["none of the 10 functions without a signature is in the metadata"];
    assert_fails(&bench.decode(&unknown(10)), "metadata", &words);
    bench.json(&unknown(10).function(2, [1, 1, 1], 5).name(5, "A", "B"));
}

/// The libraries don't fit together, which shows only when a name or a node is read.
#[test]
fn a_late_call_that_finds_another_release() {
    for member in ["Convert", "Signature"] {
        let broken = unsigned().at(member, 1, "throw-missing-method", "Method not found: X.Y.");
        let Some(bench) = super::Bench::new() else {
            return;
        };
        let outcome = bench.decode(&broken);
        assert_fails(
            &outcome,
            "bind",
            &[
                "the tree can't be read to its end",
                "MissingMethodException: Method not found: X.Y",
            ],
        );
    }
}

/// Where every node has a name of its own, what only names without one need may be missing.
#[test]
fn signatures_need_no_metadata() {
    let Some(mono) = mono() else { return };
    let folder = tempfile::tempdir().unwrap();
    lay_out(&mono.libraries(), folder.path(), &[("", ALL)]);
    mono.build_changed(
        SNAPSHOT,
        |text| rename(text, "FuidToMetadataIdConverter", "Renamed"),
        folder.path(),
    );
    let script = small()
        .labelled_function(3, [1, 1, 1], 2, "Garbage collection")
        .line(&[&"no-metadata"]);
    let index = script.save(folder.path(), "s.dtp");
    let outcome = run(mono
        .helper_command()
        .arg(&index)
        .arg("--dottrace-dir")
        .arg(folder.path()));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let json = String::from_utf8(outcome.stdout).unwrap();
    assert!(
        json.contains(r#""name":"[Garbage collection]","kind":"special""#),
        "{json}"
    );
}

/// The tree breaks off: 2 threads, 3 nodes, and the member that failed.
#[test]
fn a_tree_that_breaks_off() {
    let tree = || {
        Script::new(1000)
            .thread("Main", [30, 0, 1])
            .method(2, [30, 0, 1], "X", "A")
            .method(3, [30, 30, 1], "X", "B")
            .thread("Worker", [5, 5, 1])
            .method(2, [5, 5, 1], "X", "C")
    };
    let throws =
        |member: &str, nth: u32| Serve(tree().at(member, nth, "throw", "The page is torn."));
    let said = "InvalidOperationException: The page is torn; ";
    check_all(
        &small(),
        "walk",
        &[
            // the root, Main, A, B, Worker, C
            (
                throws("GetChildren", 1),
                &[
                    "GetChildren of a node failed",
                    said,
                    "0 nodes were read until then",
                ],
            ),
            (
                throws("GetChildren", 2),
                &[
                    "GetChildren of a node failed",
                    said,
                    "2 nodes were read until then",
                ],
            ),
            (
                throws("GetChildren", 4),
                &[
                    "GetChildren of a node failed",
                    said,
                    "4 nodes were read until then, the last at depth 2 in thread 1 (Main)",
                ],
            ),
            (
                throws("GetChildren", 6),
                &[
                    "GetChildren of a node failed",
                    said,
                    "5 nodes were read until then, the last at depth 1 in thread 2 (Worker)",
                ],
            ),
            // Main, Worker, A, B, C
            (throws("Info", 1), &["Info of a node failed", said]),
            (
                throws("Info", 4),
                &[
                    "Info of a node failed",
                    said,
                    "3 nodes were read until then, the last at depth 2 in thread 1 (Main)",
                ],
            ),
            (
                Serve(tree().line(&[&"null", &2, &0, &0, &0])),
                &[
                    "GetChildren of a node failed: InvalidOperationException: a child is null",
                    "5 nodes were read",
                ],
            ),
            (
                throws("PresentableName", 2),
                &["PresentableName of a node failed", said],
            ),
            (
                throws("Signature", 3),
                &[
                    "Signature of a node failed",
                    said,
                    "4 nodes were read until then, the last at depth 1 in thread 2 (Worker)",
                ],
            ),
        ],
    );
}
