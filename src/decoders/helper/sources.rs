//! The helper's sources, embedded in this program.

/// Files of the folder `helper/`, each with its text.
macro_rules! sources {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../../helper/", $name)))),*]
    };
}

/// Every file of the folder `helper/` that a build takes part in: its name and its text. A test holds the list against the folder.
pub(super) const SOURCES: &[(&str, &str)] = sources![
    "AssemblyInfo.cs",
    "AssemblyResolver.cs",
    "Binder.cs",
    "Bindings.cs",
    "CallException.cs",
    "ClosedPipeException.cs",
    "Contract.cs",
    "Directory.Build.props",
    "Directory.Build.rsp",
    "Directory.Build.targets",
    "Directory.Packages.props",
    "ErrorStream.cs",
    "Files.cs",
    "Frame.cs",
    "Frames.cs",
    "Getters.cs",
    "InfoMembers.cs",
    "Install.cs",
    "InstallSearch.cs",
    "Invariant.cs",
    "JsonWriter.cs",
    "Library.cs",
    "Lookup.cs",
    "Machine.cs",
    "MetadataNames.cs",
    "Names.cs",
    "NodeMembers.cs",
    "NodeReader.cs",
    "NodeValues.cs",
    "Options.cs",
    "Output.cs",
    "Places.cs",
    "Probe.cs",
    "Program.cs",
    "Reflect.cs",
    "RuntimeName.cs",
    "Session.cs",
    "SignatureMembers.cs",
    "SnapshotFile.cs",
    "Stage.cs",
    "StageException.cs",
    "TargetFramework.cs",
    "ThreadRoot.cs",
    "TreeWalker.cs",
    "TreeWriter.cs",
    "TypeName.cs",
    "Use.cs",
    "dotspot-dtp.csproj",
    "global.json",
    "nuget.config",
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
