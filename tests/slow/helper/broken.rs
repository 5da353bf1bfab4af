//! One change at a time to the stand-in libraries or the snapshot, and the resulting error message or tree.

use super::{Bench, assert_fails, small, stdout_of, without_signature};
use crate::common::dottrace::{ALL, Script};
use crate::common::text::assert_contains;
use std::fs;

/// The full name of a library.
fn library(name: &str) -> &'static str {
    let has_short_name = |library: &&&str| library.ends_with(&format!(".{name}"));
    ALL.iter().find(has_short_name).expect("a known library")
}

/// Replaces every whole-word occurrence of `word`.
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

/// Makes one change at a time and reads a snapshot. Each row of `table` is a change and parts of the message, separated by ` | `.
/// A change is `-Library` (delete it), `Library/Word` (rename it), `Library: text → other text`, `@Member 1 throw Text` (at the
/// first call), or `+line` in the snapshot. Without a stage the snapshot must be readable.
#[track_caller]
fn check_all(snapshot: &Script, stage: Option<&str>, table: &str) {
    for row in table.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let (change, words) = row.split_once(" | ").expect("two columns");
        let bench = present!(Bench::new());
        let files = bench.path("rider/lib/ReSharperHost");
        let mut snapshot = snapshot.clone();
        if let Some(name) = change.strip_prefix('-') {
            fs::remove_file(files.join(format!("{}.dll", library(name)))).unwrap();
        } else if let Some(line) = change.strip_prefix('+') {
            snapshot = snapshot.line(&[&line.replace(' ', "\t")]);
        } else if let Some(event) = change.strip_prefix('@') {
            let [member, nth, what, text] = event.splitn(4, ' ').collect::<Vec<_>>()[..] else {
                panic!("{row}");
            };
            snapshot = snapshot.at(member, nth.parse().unwrap(), what, text);
        } else if let Some((name, texts)) = change.split_once(": ") {
            let (from, to) = texts.split_once(" → ").expect("an arrow");
            let (from, to) = (from.replace('¶', "\n"), to.replace('¶', "\n"));
            bench
                .mono
                .build_changed(library(name), |text| text.replace(&from, &to), &files);
        } else if let Some((name, word)) = change.split_once('/') {
            let change = |text: &str| rename(text, word, "Renamed");
            bench.mono.build_changed(library(name), change, &files);
        }
        let outcome = bench.decode(&snapshot);
        let Some(stage) = stage else {
            let node = format!(r#""name":"{words}","kind":"method","inclusive_time":20,"#);
            assert_contains(stdout_of(outcome), node);
            continue;
        };
        let message = assert_fails(&outcome, stage, &words.split(" | ").collect::<Vec<_>>());
        // the message names the folder searched
        if stage == "bind" {
            assert_contains(message, files.to_str().unwrap());
        }
    }
}

/// Details that public sources leave open may have either form.
#[test]
fn members_of_either_shape() {
    let table = "
        SnapShotApi: IEnumerable<CallTreeNode> ICallTreeNode<CallTreeNode>.GetChildren() → public IEnumerable<CallTreeNode> GetChildren() | Acme.Orders.Book.Match
        SnapShotApi: FunctionSignature ICallTreeNodeInfo.Signature → public FunctionSignature Signature | Acme.Orders.Book.Match";
    check_all(&small(), None, table);
    let table = "
        Snapshot: Converter(IWriteableSnapshotStorage storage) → Converter(IMetadataSection section, DayOfWeek? day = DayOfWeek.Friday) | A.B
        Snapshot: public MetadataId Convert(FunctionId function)¶        { → public MetadataId? Convert(FunctionId? maybe, int flags = 3)¶        {¶ var function = maybe.Value; | A.B
        Performance: public IMetadataSection MetadataSection¶ → public readonly IMetadataSection Metadata = new MetadataSection();¶ private IMetadataSection Other¶ | A.B";
    check_all(&without_signature(), None, table);
}

#[test]
fn missing_library_members() {
    let table = "
        -Interface | IWriteableSnapshotStorage is missing | its assembly JetBrains.Profiler.Snapshot.Interface is in none
        -Snapshot | OpenSnapshot | JetBrains.Profiler.Snapshot was needed and is in none of the folders
        -StandIn | Dotspot.StandIn was needed and is in none of the folders
        Lifetimes/Lifetime | the type JetBrains.Lifetimes.Lifetime is missing in JetBrains.Lifetimes 777.0.0.0 (file version 2024.3.5.1, 
        Core: explicit operator FileSystemPath(string path) → FileSystemPath Parse(string path) | the conversion from System.String of JetBrains.Util.FileSystemPath is missing
        Dal/OpenSnapshot | OpenSnapshot(FileSystemPath) of | .OpenSnapshotWithRealtimeData is missing in JetBrains.DotTrace.Dal 777.0.0.0
        Performance: Reader(IWriteableSnapshotStorage storage) → Reader(string storage) | the constructor that takes IWriteableSnapshotStorage of | .PerformanceSnapshotReader is missing
        Lifetimes/Define | Define(Lifetime, …) of JetBrains.Lifetimes.Lifetime is missing
        Lifetimes: public Lifetime Lifetime => new Lifetime(this) → public string Lifetime => null | Lifetime of JetBrains.Lifetimes.LifetimeDefinition | is of type System.String, expected JetBrains.Lifetimes.Lifetime
        Windows: public PerformanceInfo( → internal PerformanceInfo( | PerformanceSnapshot..ctor | wants a JetBrains.Profiler.Windows.Info.PerformanceInfo, which has no public constructor
        SnapShotApi: string name,¶            string origin) → string name) | the constructor (Lifetime, FileSystemPath, PerformanceSnapshotReader, PerformanceInfo, String, String) of
        SnapShotApi: public long TimeResolution¶ → public System.Version TimeResolution => null;¶¶        private long Other¶ | TimeResolution of | is of type System.Version, expected a number
        SnapShotApi/RootNodeAllThreads | RootNodeAllThreads of | .PerformanceSnapshot is missing
        SnapShotApi/GetChildren | GetChildren() of JetBrains.dotTrace.SnapShotApi.Nodes.CallTreeNode is missing in JetBrains.dotTrace.SnapShotApi 777.0.0.0
        SnapShotApi: public long Calls { get; } → public double Calls { get; } | Calls of | is of type System.Double, expected a whole number
        SnapShotApi/OwnerFullyQualifiedName | OwnerFullyQualifiedName of JetBrains.dotTrace.SnapShotApi.FunctionSignature is missing
        Snapshot/SnapshotStorage | does not fit the libraries beside it";
    check_all(&small(), Some("bind"), table);
}

/// A broken file is harmless if no type is needed from it.
#[test]
fn a_file_that_is_not_a_library() {
    for (name, words) in [
        (
            "JetBrains.DotTrace.Dal",
            Some("JetBrains.DotTrace.Dal.dll can't be loaded"),
        ),
        ("JetBrains.DotTrace.Sdk", None),
    ] {
        let bench = present!(Bench::new());
        let file = bench.path(&format!("rider/lib/ReSharperHost/{name}.dll"));
        let _ = fs::remove_file(&file);
        fs::write(file, "no assembly").unwrap();
        let outcome = bench.decode(&small());
        match words {
            Some(words) => drop(assert_fails(&outcome, "bind", &["the library", words])),
            None => drop(stdout_of(outcome)),
        }
    }
}

#[test]
fn library_exceptions() {
    let table = "
        @FileSystemPath 1 throw It\\nis unknown. | FileSystemPath.op_Explicit in JetBrains.Platform.Core 777.0.0.0 | InvalidOperationException: It is unknown; a newer dotTrace or Rider may read it
        @OpenSnapshot 1 throw It is unknown. | OpenSnapshotWithRealtimeData.OpenSnapshot in JetBrains.DotTrace.Dal 777.0.0.0
        @PerformanceSnapshotReader 1 throw It is unknown. | PerformanceSnapshotReader..ctor in
        @PerformanceSnapshot 1 throw It is unknown. | PerformanceSnapshot..ctor in
        @TimeResolution 1 throw It is unknown. | PerformanceSnapshot.TimeResolution in
        @RootNodeAllThreads 1 throw It is unknown. | PerformanceSnapshot.RootNodeAllThreads in
        +no-root | RootNodeAllThreads gives no tree";
    check_all(&small(), Some("layout"), table);
    let bench = present!(Bench::new());
    let words = ["TimeResolution is 0, expected the ticks in a second"];
    assert_fails(&bench.decode(&Script::new(0)), "layout", &words);
    // default values, features missing from the runtime, and a call resolved to another release
    let table = "
        @Define 1 throw Not so. | Lifetime.Define in JetBrains.Lifetimes | refuses its default arguments: InvalidOperationException: Not so; give the folder of a complete Rider
        @OpenSnapshot 1 throw-unsupported No registry here. | OpenSnapshot in JetBrains.DotTrace.Dal 777.0.0.0 | No registry here
        @OpenSnapshot 1 throw-missing-method Method not found: X.Y. | OpenSnapshot in JetBrains.DotTrace.Dal 777.0.0.0 | Method not found: X.Y";
    check_all(&small(), Some("bind"), table);
    let table = "@OpenSnapshot 1 throw-io The sector is bad. | OpenSnapshot in JetBrains.DotTrace.Dal | s.dtp: The sector is bad; check the files";
    check_all(&small(), Some("input"), table);
}

/// No other folder would help, so the message suggests another runtime.
#[test]
fn libraries_for_another_runtime() {
    for (name, words) in [
        (
            ".NETCoreApp,Version=v9.0",
            "need .NET 9, and this runs on Mono 6.8 (",
        ),
        (".NETCoreApp,Version=v3.1", "; install the .NET SDK 3.1"),
        (
            ".NETFramework,Version=v4.7.2",
            "; give the folder of a complete Rider",
        ),
    ] {
        let bench = present!(Bench::with(&[("rider", &ALL[1..])]));
        let attribute = format!(
            "\n[assembly: System.Runtime.Versioning.TargetFramework(\"{name}\")]\n\nnamespace"
        );
        let change = |text: &str| text.replacen("\nnamespace", &attribute, 1);
        let rider = bench.path("rider");
        bench
            .mono
            .build_changed(library("SnapShotApi"), change, &rider);
        assert_fails(&bench.decode(&small()), "bind", &[words]);
    }
}

/// The converter reports unknown functions with one exception type; all other exceptions are failures.
#[test]
fn names_that_cannot_be_resolved() {
    let table = "
        +no-metadata | the only name of a method is in the metadata, where it can't be looked up: the snapshot has no metadata section
        @MetadataSection 1 throw The heap is empty. | PerformanceSnapshotReader.MetadataSection failed: InvalidOperationException: The heap is empty
        @FuidToMetadataIdConverter 1 throw The heap is empty. | FuidToMetadataIdConverter can't be made: InvalidOperationException: The heap is empty
        @GetFunctionItemsLight 1 throw The heap is empty. | the name of function 0x1f00000004 can't be read | The heap is empty
        @Convert 1 throw The table is torn. | the name of function 0x1f00000004 can't be read | Convert | The table is torn
        Snapshot/FuidToMetadataIdConverter | the type JetBrains.Profiler.Snapshot.Converters.FuidToMetadataIdConverter is missing
        Interface: string FunctionName => → string Renamed => | FunctionName of JetBrains.Profiler.Snapshot.Section.Metadata.Helpers.FunctionResult is missing
        Snapshot: MetadataId Convert(FunctionId function) → MetadataId Convert(FunctionId function, int more) | no member of JetBrains.Profiler.Snapshot.Converters.FuidToMetadataIdConverter leads from
        Snapshot: Converter(IWriteableSnapshotStorage storage) → Converter(System.Version storage) | no constructor of | FuidToMetadataIdConverter takes the arguments that dotspot has
        Performance: public IMetadataSection MetadataSection → internal IMetadataSection MetadataSection | the snapshot has no metadata section";
    check_all(&without_signature(), Some("metadata"), table);
    let late = "@Convert 1 throw-missing-method Method not found: X.Y. | the tree can't be read to its end | MissingMethodException: Method not found: X.Y";
    check_all(&without_signature(), Some("bind"), late);
    // a few unknown functions are plausible and get labels; ten out of ten are a failure
    let unknown = |count: u64| {
        (0..count).fold(Script::new(1000).thread("T", [99, 0, 1]), |script, uid| {
            script.function(2, [1, 1, 1], 0x70 + uid)
        })
    };
    let bench = present!(Bench::new());
    assert_contains(bench.json(&unknown(9)), "[Unresolved function 0x78]");
    let words = ["none of the 10 functions without a signature is in the metadata"];
    assert_fails(&bench.decode(&unknown(10)), "metadata", &words);
    bench.json(&unknown(10).function(2, [1, 1, 1], 5).name(5, "A", "B"));
}

/// 2 threads and 3 methods. Child lists are requested for the root, Main, A, B, Worker, C; other members for Main,
/// Worker, A, B, C.
#[test]
fn a_truncated_tree() {
    let tree = Script::new(1000)
        .thread("Main", [30, 0, 1])
        .method(2, [30, 0, 1], "X", "A")
        .method(3, [30, 30, 1], "X", "B")
        .thread("Worker", [5, 5, 1])
        .method(2, [5, 5, 1], "X", "C");
    let table = "
        @GetChildren 1 throw The page is torn. | GetChildren of a node failed | InvalidOperationException: The page is torn; | 0 nodes were read before
        @GetChildren 6 throw The page is torn. | 5 nodes were read before, the last at depth 1 in thread 2 (Worker)
        @Info 4 throw The page is torn. | Info of a node failed | 3 nodes were read before, the last at depth 2 in thread 1 (Main)
        +null 2 0 0 0 | GetChildren of a node failed: InvalidOperationException: a child is null | 5 nodes were read
        @PresentableName 2 throw The page is torn. | PresentableName of a node failed
        @Signature 3 throw The page is torn. | Signature of a node failed | 4 nodes were read before, the last at depth 1 in thread 2 (Worker)
        @Info 2 overflow - | Info of a node failed: StackOverflowException";
    check_all(&tree, Some("walk"), table);
}
