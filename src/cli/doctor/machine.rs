//! The decoders and tools on this machine.

use crate::cli::messages;
use crate::decoders::assemblies::probe;
use crate::decoders::reporter::ReporterSearch;
use crate::decoders::toolchain::{
    CompilerKind, FoundToolchain, Toolchain, look_for_all, what_to_install,
};
use crate::decoders::{Decoder, DecoderSettings, System, cache, helper, reporter};
use crate::input::{Failure, ImportError, Progress, Stage, plain};
use serde::{Deserialize, Serialize};

pub(super) struct MachineInfo {
    pub system: System,
    pub assemblies: Assemblies,
    pub reporter: ReporterSearch,
    pub no_reporter: Option<Failure>,
    pub is_reporter_named: bool,
    pub cache: CacheState,
}

#[derive(Default)]
pub(super) struct Assemblies {
    pub toolchains: Vec<(CompilerKind, FoundToolchain)>,
    /// The helper's file, and whether it was just built.
    pub helper: Option<(String, bool)>,
    pub probe: Probe,
    pub failure: Option<Failure>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Probe {
    pub looked_at: Vec<String>,
    pub installs: Vec<InstallRow>,
    assemblies: Vec<FoundLibrary>,
    members: Vec<MissingMember>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct InstallRow {
    pub root: String,
    pub version: String,
    pub used: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FoundLibrary {
    name: String,
    problem: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MissingMember {
    problem: Option<String>,
    needed_for: String,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct CacheState {
    pub folder: Option<String>,
    pub helpers: usize,
    pub trees: usize,
    pub size_bytes: u64,
    pub problem: Option<String>,
}

impl MachineInfo {
    /// The helper is built if it is missing, since only it knows what it needs.
    pub(super) fn detect(
        settings: &DecoderSettings,
        progress: &Progress,
    ) -> Result<MachineInfo, ImportError> {
        progress.begin(messages::PHASE_FIND_DECODERS);
        let assemblies = Assemblies::detect(settings, progress)?;
        let reporter = reporter::look(settings);
        Ok(MachineInfo {
            system: settings.environment.system,
            assemblies,
            no_reporter: reporter.chosen.is_none().then(|| reporter.failure("")),
            reporter,
            is_reporter_named: reporter::is_named(settings),
            cache: CacheState::detect(settings),
        })
    }

    pub(super) fn available(&self) -> impl Iterator<Item = Decoder> {
        let decoders = [Decoder::Reporter, Decoder::Assemblies].into_iter();
        decoders.filter(|&decoder| self.why_unavailable(decoder).is_none())
    }

    pub(super) fn why_unavailable(&self, decoder: Decoder) -> Option<&Failure> {
        match decoder {
            Decoder::Native => None,
            Decoder::Assemblies => self.assemblies.failure.as_ref(),
            Decoder::Reporter => self.no_reporter.as_ref(),
        }
    }
}

impl Assemblies {
    fn detect(settings: &DecoderSettings, progress: &Progress) -> Result<Assemblies, ImportError> {
        let environment = &settings.environment;
        let toolchains = look_for_all(environment, progress)?;
        let found = toolchains
            .iter()
            .filter_map(|(_, found)| found.as_ref().ok());
        let was_built = |toolchain: &&Toolchain| helper::built(environment, toolchain).is_some();
        let built: Vec<Toolchain> = found.clone().filter(was_built).cloned().collect();
        let has_none = found.count() == 0;
        let mut assemblies = Assemblies {
            toolchains,
            ..Assemblies::default()
        };
        assemblies.failure = match probe(settings, progress) {
            Ok(report) => {
                let program = report.helper.program.display().to_string();
                let is_new = !built.contains(&report.helper.toolchain);
                assemblies.helper = Some((program, is_new));
                let probe = serde_json::from_str(&report.json);
                assemblies.probe = probe.unwrap_or_else(|error| Probe {
                    warnings: vec![messages::helper_report_unreadable(&error)],
                    ..Probe::default()
                });
                report.failure
            }
            Err(error) => Some(error.failure()?),
        };
        if let Some(failure) = &mut assemblies.failure {
            if failure.stage == Some(Stage::Decoder) {
                failure.advice = messages::INSTALL_DOTTRACE.into();
            }
            if has_none {
                failure.problem = messages::NO_TOOLCHAIN.into();
                failure.advice = what_to_install(settings.environment.system).into();
            }
        }
        Ok(assemblies)
    }

    pub(super) fn unbound(&self) -> Vec<String> {
        let library = |library: &FoundLibrary| {
            Some(format!("{}: {}", library.name, library.problem.as_ref()?))
        };
        let libraries = self.probe.assemblies.iter().filter_map(library);
        let members = self.probe.members.iter();
        let members = members.filter(|member| member.needed_for == "reading");
        let members = members.filter_map(|member| member.problem.clone());
        libraries.chain(members).collect()
    }
}

impl CacheState {
    pub(super) fn detect(settings: &DecoderSettings) -> CacheState {
        let mut state = CacheState::default();
        state.problem = state.examine(settings).err();
        state
    }

    fn examine(&mut self, settings: &DecoderSettings) -> Result<(), String> {
        let folder = cache::folder(&settings.environment)?;
        self.folder = Some(folder.display().to_string());
        if let Some(problem) = cache::why_not_writable(&folder) {
            return Err(problem);
        }
        let contents = cache::contents(&folder).map_err(|error| plain(&error))?;
        let is_own = |entry: &&cache::CacheEntry| {
            let extension = entry.path.extension();
            extension.is_none_or(|extension| extension != "lock" && extension != "log")
        };
        let count = |kind| {
            let entries = contents.entries.iter().filter(|entry| entry.kind == kind);
            entries.filter(is_own).count()
        };
        self.helpers = count(cache::EntryKind::Helper);
        self.trees = count(cache::EntryKind::Index);
        self.size_bytes = contents.size_bytes();
        Ok(())
    }
}
