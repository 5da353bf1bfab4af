//! Members that are shaped otherwise than those of the stand-ins: what public sources don't tell may be one or the other.

use super::{Change, rebuild, small, unsigned};
use crate::common::dottrace::{ALL, Script, lay_out, mono, run};
use crate::common::text::has;

const INTERFACE: &str = "JetBrains.Profiler.Snapshot.Interface";
const SNAPSHOT: &str = "JetBrains.Profiler.Snapshot";
const PERFORMANCE: &str = "JetBrains.dotTrace.Snapshot.Performance";
const API: &str = "JetBrains.dotTrace.SnapShotApi";

/// Reads a snapshot with changed libraries; its tree has a node of this name.
#[track_caller]
fn check(changes: &[(&str, Change)], snapshot: &Script, name: &str) {
    let mono = present!(mono());
    let folder = tempfile::tempdir().unwrap();
    lay_out(&mono.libraries(), folder.path(), &[("", ALL)]);
    rebuild(folder.path(), changes);
    let index = snapshot.save(folder.path(), "s.dtp");
    let outcome = run(mono
        .helper_command()
        .arg(&index)
        .arg("--dottrace-dir")
        .arg(folder.path()));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let json = String::from_utf8(outcome.stdout).unwrap();
    has(
        &json,
        format!(r#""name":"{name}","kind":"method","inclusive_time":20,"#),
    );
}

/// A change that replaces texts, each of which must be there.
fn replace(pairs: &[(&str, &str)]) -> impl Fn(&str) -> String {
    move |text| {
        pairs.iter().fold(text.to_string(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
    }
}

#[test]
fn members_of_the_type_itself() {
    let public = replace(&[
        (
            "IEnumerable<CallTreeNode> ICallTreeNode<CallTreeNode>.GetChildren()",
            "public IEnumerable<CallTreeNode> GetChildren()",
        ),
        (
            "FunctionSignature ICallTreeNodeInfo.Signature",
            "public FunctionSignature Signature",
        ),
    ]);
    check(&[(API, &public)], &small(), "Acme.Orders.Book.Match");
}

#[test]
fn nodes_that_are_structures() {
    let structure = replace(&[
        (
            "    // a node of another type",
            "    public struct StructNode
    {
        private readonly CallTreeNode node;
        public readonly NodeInfo Info;

        public StructNode(CallTreeNode node)
        {
            this.node = node;
            Info = node.Info;
        }

        public string PresentableName => node.PresentableName;

        public FunctionSignature Signature => ((ICallTreeNodeInfo)node).Signature;

        public IEnumerable<StructNode> GetChildren()
        {
            return ((ICallTreeNode<CallTreeNode>)node).GetChildren()?.Select(each => new StructNode(each));
        }
    }

    // a node of another type",
        ),
        ("public CallTreeNode RootNodeAllThreads", "public StructNode RootNodeAllThreads"),
        (
            "return Script.Current.HasRoot ? new CallTreeNode(Script.Current.Root) : null;",
            "return new StructNode(new CallTreeNode(Script.Current.Root));",
        ),
    ]);
    check(&[(API, &structure)], &small(), "Acme.Orders.Book.Match");
}

#[test]
fn the_way_to_a_name() {
    let field = replace(&[
        (
            "this.value = value;\n",
            "this.value = value;\n            Id = new FunctionId(value);\n",
        ),
        (
            "public FunctionId FunctionId => new FunctionId(value);",
            "public readonly FunctionId Id;",
        ),
    ]);
    check(&[(INTERFACE, &field)], &unsigned(), "A.B");
    let from_section = replace(&[(
        "Converter(IWriteableSnapshotStorage storage)",
        "Converter(IMetadataSection section, DayOfWeek? day = DayOfWeek.Friday)",
    )]);
    check(&[(SNAPSHOT, &from_section)], &unsigned(), "A.B");
    let nullable = replace(&[(
        "public MetadataId Convert(FunctionId function)\n        {",
        "public MetadataId? Convert(FunctionId? maybe, int flags = 3)\n        {\n            var function = maybe.Value;",
    )]);
    check(&[(SNAPSHOT, &nullable)], &unsigned(), "A.B");
    let section = replace(&[(
        "public IMetadataSection MetadataSection\n",
        "public readonly IMetadataSection Metadata = new MetadataSection();\n\n        private IMetadataSection Other\n",
    )]);
    check(&[(PERFORMANCE, &section)], &unsigned(), "A.B");
    let items = replace(&[
        (
            "GetFunctionItemsLight(IMetadataSectionAssemblyProvider provider, MetadataId id)",
            "GetFunctionItemsLight(IMetadataSectionAssemblyProvider provider, MetadataId? id, bool all = false)",
        ),
        (
            "return new FunctionResult(provider, id, null);",
            "return new FunctionResult(provider, id.Value, null);",
        ),
    ]);
    check(&[(INTERFACE, &items)], &unsigned(), "A.B");
}
