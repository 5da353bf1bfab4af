//! One thing broken at a time, and the sentence that says which.

use super::{Bench, assert_fails, small, unsigned};
use crate::common::dottrace::{ALL, Script, lay_out, mono, run};
use crate::common::text::has;
use std::fs;

const SNAPSHOT: &str = "JetBrains.Profiler.Snapshot";
const DAL: &str = "JetBrains.DotTrace.Dal";
const API: &str = "JetBrains.dotTrace.SnapShotApi";

/// The library of a short name.
fn library(name: &str) -> &'static str {
    let is_meant = |library: &&&str| library.ends_with(&format!(".{name}"));
    ALL.iter().find(is_meant).expect("it is one of them")
}

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

/// Breaks one thing after another and reads a snapshot. Each row of `table` is what is broken, and words of the sentence, apart
/// by ` | `. Broken is `-Library` (it is not there), `Library/Word` (which has another name), `Library: text → other text`,
/// `@Member 1 throw Text` (at the first call), or `+line` of the snapshot.
#[track_caller]
fn check_all(snapshot: &Script, stage: &str, table: &str) {
    let mono = present!(mono());
    for row in table.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let mut cells = row.split(" | ");
        let change = cells.next().expect("a row has cells");
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let files = root.join("lib/ReSharperHost");
        let removed = change.strip_prefix('-').map(library);
        let left: Vec<&str> = ALL
            .iter()
            .copied()
            .filter(|name| Some(*name) != removed)
            .collect();
        lay_out(&mono.libraries(), root, &[("lib/ReSharperHost", &left)]);
        let mut snapshot = snapshot.clone();
        if let Some(line) = change.strip_prefix('+') {
            snapshot = snapshot.line(&[&line.replace(' ', "\t")]);
        } else if let Some(event) = change.strip_prefix('@') {
            let [member, nth, what, text] = event.splitn(4, ' ').collect::<Vec<_>>()[..] else {
                panic!("{row}");
            };
            snapshot = snapshot.at(member, nth.parse().unwrap(), what, text);
        } else if let Some((name, texts)) = change.split_once(": ") {
            let (from, to) = texts.split_once(" → ").expect("what it becomes");
            let (from, to) = (from.replace('¶', "\n"), to.replace('¶', "\n"));
            mono.build_changed(library(name), |text| text.replace(&from, &to), &files);
        } else if let Some((name, word)) = change.split_once('/') {
            mono.build_changed(library(name), |text| rename(text, word, "Renamed"), &files);
        }
        let index = snapshot.save(root, "s.dtp");
        let mut helper = mono.helper_command();
        let outcome = run(helper.arg(&index).arg("--dottrace-dir").arg(root));
        let error = assert_fails(&outcome, stage, &cells.collect::<Vec<_>>());
        // who misses something is told where it was looked for
        if stage == "bind" {
            has(&error.message, files.to_str().unwrap());
        }
    }
}

#[test]
fn a_library_that_is_missing() {
    let table = "
        -Lifetimes | the type JetBrains.Lifetimes.Lifetime is missing | its assembly JetBrains.Lifetimes is in none of the folders
        -Interface | IWriteableSnapshotStorage is missing | its assembly JetBrains.Profiler.Snapshot.Interface is in none
        -Snapshot | OpenSnapshot | JetBrains.Profiler.Snapshot was needed and is in none of the folders
        -SnapShotApi | PerformanceSnapshot is missing | its assembly JetBrains.dotTrace.SnapShotApi is in none
        -StandIn | Dotspot.StandIn was needed and is in none of the folders";
    check_all(&small(), "bind", table);
}

#[test]
fn a_file_that_is_no_library() {
    for bytes in [&b"no assembly"[..], b"", b"MZ\x90\0"] {
        let bench = present!(Bench::new());
        let file = bench.libraries().join(format!("{DAL}.dll"));
        fs::remove_file(&file).unwrap();
        fs::write(file, bytes).unwrap();
        let words = ["the library", "JetBrains.DotTrace.Dal.dll can't be loaded"];
        assert_fails(&bench.decode(&small()), "bind", &words);
    }
}

#[test]
fn a_type_that_is_missing() {
    let table = "
        Lifetimes/Lifetime | the type JetBrains.Lifetimes.Lifetime is missing in JetBrains.Lifetimes 777.0.0.0 (file version 2024.3.5.1, 
        Core/FileSystemPath | the type JetBrains.Util.FileSystemPath is missing in JetBrains.Platform.Core 777.0.0.0
        Performance/PerformanceSnapshotReader | .PerformanceSnapshotReader is missing in JetBrains.dotTrace.Snapshot.Performance 777.0.0.0
        Windows/PerformanceInfo | the type JetBrains.Profiler.Windows.Info.PerformanceInfo is missing in JetBrains.Profiler.Windows 777.0.0.0";
    check_all(&small(), "bind", table);
}

#[test]
fn a_member_that_is_missing() {
    let table = "
        Core: explicit operator FileSystemPath(string path) → FileSystemPath Parse(string path) | the conversion from System.String of JetBrains.Util.FileSystemPath is missing
        Dal/OpenSnapshot | OpenSnapshot(FileSystemPath) of | .OpenSnapshotWithRealtimeData is missing in JetBrains.DotTrace.Dal 777.0.0.0
        Performance: Reader(IWriteableSnapshotStorage storage) → Reader(string storage) | the constructor that takes IWriteableSnapshotStorage of | .PerformanceSnapshotReader is missing
        Lifetimes/Define | Define(Lifetime, …) of JetBrains.Lifetimes.Lifetime is missing
        Lifetimes: public Lifetime Lifetime → public Lifetime Other | Lifetime of JetBrains.Lifetimes.LifetimeDefinition is missing
        Lifetimes: public Lifetime Lifetime => new Lifetime(this) → public string Lifetime => null | Lifetime of JetBrains.Lifetimes.LifetimeDefinition | is of type System.String, expected JetBrains.Lifetimes.Lifetime
        Lifetimes/Terminate | Terminate() of JetBrains.Lifetimes.LifetimeDefinition is missing
        Windows: public PerformanceInfo( → internal PerformanceInfo( | PerformanceSnapshot..ctor | wants a JetBrains.Profiler.Windows.Info.PerformanceInfo, which has no public constructor
        SnapShotApi: string name,¶            string origin) → string name) | the constructor (Lifetime, FileSystemPath, PerformanceSnapshotReader, PerformanceInfo, String, String) of
        SnapShotApi/TimeResolution | TimeResolution of | .PerformanceSnapshot is missing
        SnapShotApi: public long TimeResolution¶ → public System.Version TimeResolution => null;¶¶        private long Other¶ | TimeResolution of | is of type System.Version, expected a number
        SnapShotApi/RootNodeAllThreads | RootNodeAllThreads of | .PerformanceSnapshot is missing";
    check_all(&small(), "bind", table);
}

#[test]
fn a_member_of_nodes_that_is_missing() {
    let table = "
        SnapShotApi/GetChildren | GetChildren() of JetBrains.dotTrace.SnapShotApi.Nodes.CallTreeNode is missing in JetBrains.dotTrace.SnapShotApi 777.0.0.0
        SnapShotApi: string PresentableName → object PresentableName | PresentableName of | is of type System.Object, expected System.String
        SnapShotApi/Signature | Signature of JetBrains.dotTrace.SnapShotApi.Nodes.CallTreeNode is missing
        SnapShotApi/OwnTime | OwnTime of JetBrains.dotTrace.SnapShotApi.Nodes.NodeInfo is missing
        SnapShotApi: public long Calls { get; } → public double Calls { get; } | Calls of | is of type System.Double, expected a whole number
        SnapShotApi/OwnerFullyQualifiedName | OwnerFullyQualifiedName of JetBrains.dotTrace.SnapShotApi.FunctionSignature is missing";
    check_all(&small(), "bind", table);
}

/// Libraries of two releases in one folder: the versions are in the sentence. The second is found only when it is called: the
/// reader wants a member that this release lacks.
#[test]
fn libraries_that_do_not_fit_together() {
    let rows = [
        (DAL, "OpenSnapshot", "OpenSnapshot(FileSystemPath)"),
        (
            SNAPSHOT,
            "SnapshotStorage",
            "does not fit the libraries beside it",
        ),
    ];
    for (library, word, words) in rows {
        let bench = present!(Bench::new());
        let change = |text: &str| rename(text, word, "Renamed").replace("2024.3.5.1", "2021.1.0.7");
        bench
            .mono
            .build_changed(library, change, &bench.libraries());
        let error = assert_fails(&bench.decode(&small()), "bind", &[words]);
        let version = format!("{library} 777.0.0.0 (file version 2021.1.0.7");
        has(&error.detail, version);
    }
}

#[test]
fn a_snapshot_that_the_libraries_refuse() {
    let said =
        "InvalidOperationException: Section 0x42 is unknown; a newer dotTrace or Rider may read it";
    let members = [
        (
            "FileSystemPath",
            "FileSystemPath.op_Explicit in JetBrains.Platform.Core 777.0.0.0",
        ),
        (
            "OpenSnapshot",
            "OpenSnapshotWithRealtimeData.OpenSnapshot in JetBrains.DotTrace.Dal 777.0.0.0",
        ),
        (
            "PerformanceSnapshotReader",
            "PerformanceSnapshotReader..ctor in",
        ),
        ("PerformanceSnapshot", "PerformanceSnapshot..ctor in"),
        ("TimeResolution", "PerformanceSnapshot.TimeResolution in"),
        (
            "RootNodeAllThreads",
            "PerformanceSnapshot.RootNodeAllThreads in",
        ),
    ];
    for (member, place) in members {
        let row = format!("@{member} 1 throw Section 0x42\\nis unknown. | {place} | {said}");
        check_all(&small(), "layout", &row);
    }
    let root = "+no-root | RootNodeAllThreads gives no tree";
    check_all(&small(), "layout", root);
    for ticks in [0, -1000] {
        let bench = present!(Bench::new());
        let words = format!("TimeResolution is {ticks}, expected the ticks in a second");
        assert_fails(&bench.decode(&Script::new(ticks)), "layout", &[&words]);
    }
}

/// What is made before the snapshot is looked at, of nothing but defaults; what the runtime lacks, which no snapshot is to blame
/// for; and a call that finds another release.
#[test]
fn defaults_that_the_libraries_refuse() {
    let table = "
        @Define 1 throw Not so. | Lifetime.Define in JetBrains.Lifetimes | refuses its default arguments: InvalidOperationException: Not so; give the folder of a complete Rider
        @PerformanceInfo 1 throw Not so. | PerformanceInfo..ctor in JetBrains.Profiler.Windows | refuses its default arguments
        @OpenSnapshot 1 throw-unsupported No registry here. | OpenSnapshot in JetBrains.DotTrace.Dal 777.0.0.0 | No registry here
        @Signature 1 throw-unsupported No registry here. | Signature of a node failed: PlatformNotSupportedException: No registry here
        @OpenSnapshot 1 throw-missing-method Method not found: X.Y. | OpenSnapshot in JetBrains.DotTrace.Dal 777.0.0.0 | Method not found: X.Y";
    check_all(&small(), "bind", table);
    let table = "@OpenSnapshot 1 throw-io The sector is bad. | OpenSnapshot in JetBrains.DotTrace.Dal | s.dtp: The sector is bad; check the files";
    check_all(&small(), "input", table);
}

/// A file that no type is needed from may be broken.
#[test]
fn a_broken_library_that_nothing_needs() {
    let bench = present!(Bench::new());
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
    let mono = present!(mono());
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

/// The converter says that it does not know a function by one kind of exception; others tell of something else.
#[test]
fn names_that_cannot_be_resolved() {
    let table = "
        +no-metadata | a method has no name but that in the metadata, and it can't be looked up: the snapshot has no metadata section
        @MetadataSection 1 throw The heap is empty. | PerformanceSnapshotReader.MetadataSection failed: InvalidOperationException: The heap is empty
        @FuidToMetadataIdConverter 1 throw The heap is empty. | FuidToMetadataIdConverter can't be made: InvalidOperationException: The heap is empty
        @ExecuteWithMetadataAssemblyProvider 1 throw The heap is empty. | the name of function 0x1f00000004 can't be read | ExecuteWithMetadataAssemblyProvider | The heap is empty
        @GetFunctionItemsLight 1 throw The heap is empty. | the name of function 0x1f00000004 can't be read | The heap is empty
        @Convert 1 throw-io The sector is bad. | the name of function 0x1f00000004 can't be read | IOException: The sector is bad
        @Convert 1 throw The table is torn. | the name of function 0x1f00000004 can't be read | Convert | The table is torn
        Snapshot/FuidToMetadataIdConverter | the type JetBrains.Profiler.Snapshot.Converters.FuidToMetadataIdConverter is missing
        Interface/GetFunctionItemsLight | GetFunctionItemsLight(provider, id) of
        Interface: string FunctionName => → string Renamed => | FunctionName of JetBrains.Profiler.Snapshot.Section.Metadata.Helpers.FunctionResult is missing
        Snapshot: MetadataId Convert(FunctionId function) → MetadataId Convert(FunctionId function, int more) | no member of JetBrains.Profiler.Snapshot.Converters.FuidToMetadataIdConverter leads from
        Snapshot: Converter(IWriteableSnapshotStorage storage) → Converter(System.Version storage) | no constructor of | FuidToMetadataIdConverter takes what is at hand
        Performance: public IMetadataSection MetadataSection → internal IMetadataSection MetadataSection | the snapshot has no metadata section";
    check_all(&unsigned(), "metadata", table);
    let late = "
        @Convert 1 throw-missing-method Method not found: X.Y. | the tree can't be read to its end | MissingMethodException: Method not found: X.Y
        @Signature 1 throw-missing-method Method not found: X.Y. | the tree can't be read to its end";
    check_all(&unsigned(), "bind", late);
}

/// A few functions may well be unknown, and are labeled; ten of ten are not.
#[test]
fn functions_of_which_none_is_known() {
    let unknown = |count: u64| {
        (0..count).fold(Script::new(1000).thread("T", [99, 0, 1]), |script, uid| {
            script.function(2, [1, 1, 1], 0x70 + uid)
        })
    };
    let bench = present!(Bench::new());
    has(bench.json(&unknown(9)), "[Unresolved function 0x78]");
    let words = ["none of the 10 functions without a signature is in the metadata"];
    assert_fails(&bench.decode(&unknown(10)), "metadata", &words);
    bench.json(&unknown(10).function(2, [1, 1, 1], 5).name(5, "A", "B"));
}

/// The tree breaks off: 2 threads, 3 nodes, and the member that failed. Children are asked for of the root, Main, A, B, Worker, C;
/// the rest of Main, Worker, A, B, C.
#[test]
fn a_tree_that_breaks_off() {
    let tree = Script::new(1000)
        .thread("Main", [30, 0, 1])
        .method(2, [30, 0, 1], "X", "A")
        .method(3, [30, 30, 1], "X", "B")
        .thread("Worker", [5, 5, 1])
        .method(2, [5, 5, 1], "X", "C");
    let table = "
        @GetChildren 1 throw The page is torn. | GetChildren of a node failed | InvalidOperationException: The page is torn; | 0 nodes were read until then
        @GetChildren 4 throw The page is torn. | 4 nodes were read until then, the last at depth 2 in thread 1 (Main)
        @GetChildren 6 throw The page is torn. | 5 nodes were read until then, the last at depth 1 in thread 2 (Worker)
        @Info 1 throw The page is torn. | Info of a node failed | The page is torn;
        @Info 4 throw The page is torn. | 3 nodes were read until then, the last at depth 2 in thread 1 (Main)
        +null 2 0 0 0 | GetChildren of a node failed: InvalidOperationException: a child is null | 5 nodes were read
        @PresentableName 2 throw The page is torn. | PresentableName of a node failed
        @Signature 3 throw The page is torn. | Signature of a node failed | 4 nodes were read until then, the last at depth 1 in thread 2 (Worker)";
    check_all(&tree, "walk", table);
}
