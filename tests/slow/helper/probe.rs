//! `--probe`: what is there and what is missing.

use super::{Bench, assert_fails};
use crate::common::dottrace::{ALL, Outcome, run};
use serde::Deserialize;

#[derive(Deserialize)]
struct Report {
    looked_at: Vec<String>,
    installs: Vec<Install>,
    assemblies: Vec<Assembly>,
    members: Vec<Member>,
    error: Option<super::ErrorOf>,
}

#[derive(Deserialize)]
struct Install {
    root: String,
    origin: String,
    used: bool,
    folders: Vec<String>,
    version: String,
}

#[derive(Deserialize)]
struct Assembly {
    name: String,
    path: Option<String>,
    version: Option<String>,
    file_version: Option<String>,
}

#[derive(Deserialize)]
struct Member {
    r#type: String,
    member: Option<String>,
    assembly: Option<String>,
    bound: bool,
    problem: Option<String>,
}

impl Member {
    fn name(&self) -> String {
        let short = self.r#type.rsplit('.').next().unwrap();
        self.member
            .as_ref()
            .map_or(short.to_string(), |member| format!("{short}: {member}"))
    }
}

fn probe(bench: &Bench) -> (Outcome, Report) {
    let outcome = run(bench
        .mono
        .helper_command()
        .arg("--probe")
        .arg("--dottrace-dir")
        .arg(bench.path("rider")));
    let report = serde_json::from_slice(&outcome.stdout).unwrap();
    (outcome, report)
}

#[test]
fn everything_is_there() {
    let bench = present!(Bench::new());
    let (outcome, report) = probe(&bench);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let (root, folder) = (bench.path("rider"), bench.libraries());
    assert_eq!(report.looked_at, [root.to_str().unwrap()]);
    assert_eq!(report.installs.len(), 1);
    let install = &report.installs[0];
    assert_eq!(
        (install.root.as_str(), install.origin.as_str(), install.used),
        (root.to_str().unwrap(), "--dottrace-dir", true)
    );
    assert_eq!(
        (install.folders.as_slice(), install.version.as_str()),
        (&[folder.display().to_string()][..], "2024.3.5.1")
    );
    let mut names: Vec<&str> = report
        .assemblies
        .iter()
        .filter(|each| each.path.is_some())
        .map(|each| each.name.as_str())
        .collect();
    names.sort_unstable();
    let mut expect = ALL[1..].to_vec();
    expect.sort_unstable();
    assert_eq!(names, expect);
    for each in report.assemblies.iter().filter(|each| each.path.is_some()) {
        assert_eq!(
            (each.version.as_deref(), each.file_version.as_deref()),
            (Some("777.0.0.0"), Some("2024.3.5.1"))
        );
    }
    assert!(report.error.is_none());
    // all of the documented contract
    let members: Vec<String> = report.members.iter().map(Member::name).collect();
    let expect = "
        FileSystemPath | IWriteableSnapshotStorage | OpenSnapshotWithRealtimeData | PerformanceSnapshotReader
        Lifetime | PerformanceInfo | PerformanceSnapshot | FileSystemPath: the conversion from System.String
        OpenSnapshotWithRealtimeData: OpenSnapshot(FileSystemPath) | PerformanceSnapshotReader: the constructor that takes IWriteableSnapshotStorage | Lifetime: Define(Lifetime, …) | LifetimeDefinition: Lifetime
        LifetimeDefinition: Terminate() | PerformanceInfo: a public constructor | PerformanceSnapshot: the constructor (Lifetime, FileSystemPath, PerformanceSnapshotReader, PerformanceInfo, String, String) | PerformanceSnapshot: TimeResolution
        PerformanceSnapshot: RootNodeAllThreads | CallTreeNode: GetChildren() | CallTreeNode: PresentableName | CallTreeNode: Info
        CallTreeNode: Signature | NodeInfo: Time | NodeInfo: OwnTime | NodeInfo: Calls
        FunctionSignature: FunctionName | FunctionSignature: OwnerFullyQualifiedName | FuidToMetadataIdConverter | IMetadataSection
        IMetadataSection: ExecuteWithMetadataAssemblyProvider(func, argument) | MetadataSectionHelpers | MetadataSectionHelpers: GetFunctionItemsLight(provider, id) | FunctionResult: FunctionName
        FunctionResult: OwnerFullyQualifiedName";
    let expect: Vec<&str> = expect
        .lines()
        .flat_map(|line| line.split(" | "))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(members, expect);
    assert!(
        report
            .members
            .iter()
            .all(|each| each.bound && each.problem.is_none() && each.assembly.is_some())
    );
}

#[test]
fn a_member_is_missing() {
    let bench = present!(Bench::new());
    let api = "JetBrains.dotTrace.SnapShotApi";
    bench.mono.build_changed(
        api,
        |text| text.replace("PresentableName", "Renamed"),
        &bench.libraries(),
    );
    let (outcome, report) = probe(&bench);
    assert_fails(
        &outcome,
        "bind",
        &["PresentableName of JetBrains.dotTrace.SnapShotApi.Nodes.CallTreeNode is missing"],
    );
    assert_eq!(report.error.unwrap().stage, "bind");
    let missing: Vec<String> = report
        .members
        .iter()
        .filter(|each| !each.bound)
        .map(Member::name)
        .collect();
    assert_eq!(missing, ["CallTreeNode: PresentableName"]);
    assert!(
        report
            .members
            .iter()
            .filter(|each| !each.bound)
            .all(|each| each.problem.is_some())
    );
}
