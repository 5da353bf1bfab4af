//! The helper's sources, embedded in this program.

/// Every file of the folder `helper/` that a build takes part in: its name and its text. A test holds the list against the folder.
pub(super) const SOURCES: &[(&str, &str)] = &[
    (
        "AssemblyInfo.cs",
        include_str!("../../../helper/AssemblyInfo.cs"),
    ),
    (
        "AssemblyResolver.cs",
        include_str!("../../../helper/AssemblyResolver.cs"),
    ),
    ("Binder.cs", include_str!("../../../helper/Binder.cs")),
    ("Bindings.cs", include_str!("../../../helper/Bindings.cs")),
    (
        "CallException.cs",
        include_str!("../../../helper/CallException.cs"),
    ),
    (
        "ClosedPipeException.cs",
        include_str!("../../../helper/ClosedPipeException.cs"),
    ),
    ("Contract.cs", include_str!("../../../helper/Contract.cs")),
    (
        "Directory.Build.props",
        include_str!("../../../helper/Directory.Build.props"),
    ),
    (
        "Directory.Build.rsp",
        include_str!("../../../helper/Directory.Build.rsp"),
    ),
    (
        "Directory.Build.targets",
        include_str!("../../../helper/Directory.Build.targets"),
    ),
    (
        "Directory.Packages.props",
        include_str!("../../../helper/Directory.Packages.props"),
    ),
    (
        "ErrorStream.cs",
        include_str!("../../../helper/ErrorStream.cs"),
    ),
    ("Files.cs", include_str!("../../../helper/Files.cs")),
    ("Frame.cs", include_str!("../../../helper/Frame.cs")),
    ("Frames.cs", include_str!("../../../helper/Frames.cs")),
    ("Getters.cs", include_str!("../../../helper/Getters.cs")),
    (
        "InfoMembers.cs",
        include_str!("../../../helper/InfoMembers.cs"),
    ),
    ("Install.cs", include_str!("../../../helper/Install.cs")),
    (
        "InstallSearch.cs",
        include_str!("../../../helper/InstallSearch.cs"),
    ),
    ("Invariant.cs", include_str!("../../../helper/Invariant.cs")),
    (
        "JsonWriter.cs",
        include_str!("../../../helper/JsonWriter.cs"),
    ),
    ("Library.cs", include_str!("../../../helper/Library.cs")),
    ("Lookup.cs", include_str!("../../../helper/Lookup.cs")),
    ("Machine.cs", include_str!("../../../helper/Machine.cs")),
    (
        "MetadataNames.cs",
        include_str!("../../../helper/MetadataNames.cs"),
    ),
    ("Names.cs", include_str!("../../../helper/Names.cs")),
    (
        "NodeMembers.cs",
        include_str!("../../../helper/NodeMembers.cs"),
    ),
    (
        "NodeReader.cs",
        include_str!("../../../helper/NodeReader.cs"),
    ),
    (
        "NodeValues.cs",
        include_str!("../../../helper/NodeValues.cs"),
    ),
    ("Options.cs", include_str!("../../../helper/Options.cs")),
    ("Output.cs", include_str!("../../../helper/Output.cs")),
    ("Places.cs", include_str!("../../../helper/Places.cs")),
    ("Probe.cs", include_str!("../../../helper/Probe.cs")),
    ("Program.cs", include_str!("../../../helper/Program.cs")),
    ("Reflect.cs", include_str!("../../../helper/Reflect.cs")),
    (
        "RuntimeName.cs",
        include_str!("../../../helper/RuntimeName.cs"),
    ),
    ("Session.cs", include_str!("../../../helper/Session.cs")),
    (
        "SignatureMembers.cs",
        include_str!("../../../helper/SignatureMembers.cs"),
    ),
    (
        "SnapshotFile.cs",
        include_str!("../../../helper/SnapshotFile.cs"),
    ),
    ("Stage.cs", include_str!("../../../helper/Stage.cs")),
    (
        "StageException.cs",
        include_str!("../../../helper/StageException.cs"),
    ),
    (
        "TargetFramework.cs",
        include_str!("../../../helper/TargetFramework.cs"),
    ),
    (
        "ThreadRoot.cs",
        include_str!("../../../helper/ThreadRoot.cs"),
    ),
    (
        "TreeWalker.cs",
        include_str!("../../../helper/TreeWalker.cs"),
    ),
    (
        "TreeWriter.cs",
        include_str!("../../../helper/TreeWriter.cs"),
    ),
    ("TypeName.cs", include_str!("../../../helper/TypeName.cs")),
    ("Use.cs", include_str!("../../../helper/Use.cs")),
    (
        "dotspot-dtp.csproj",
        include_str!("../../../helper/dotspot-dtp.csproj"),
    ),
    ("global.json", include_str!("../../../helper/global.json")),
    ("nuget.config", include_str!("../../../helper/nuget.config")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn all_files_of_the_folder_are_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("helper");
        let mut there: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|item| item.unwrap())
            .filter(|item| item.file_type().unwrap().is_file())
            .map(|item| item.file_name().into_string().unwrap())
            .filter(|name| !name.ends_with(".md") && !name.starts_with('.'))
            .collect();
        there.sort();
        let listed: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
        assert_eq!(
            listed, there,
            "src/decoders/helper/sources.rs lists what is embedded, in the order of names"
        );
    }
}
