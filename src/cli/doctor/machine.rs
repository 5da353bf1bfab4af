//! The decoders and tools on this machine.

use crate::cli::messages;
use crate::decoders::assemblies::{ProbeReport, probe};
use crate::decoders::toolchain::{Toolchain, look_for_all, what_to_install};
use crate::decoders::{Decoder, DecoderSettings, System, cache, helper, reporter};
use crate::input::{Failure, ImportError, Progress, Stage, plain};
use serde::{Deserialize, Serialize};

/// What there is besides decoder native, which is always there.
#[derive(Debug, Serialize)]
pub(super) struct MachineInfo {
    /// The system's name for people.
    pub system: &'static str,
    pub assemblies: Assemblies,
    pub reporter: FoundReporter,
    pub cache: CacheState,
    #[serde(skip)]
    of: System,
    #[serde(skip)]
    is_reporter_named: bool,
}

/// What decoder assemblies has.
#[derive(Debug, Serialize)]
pub(super) struct Assemblies {
    /// Whether all that it needs is there.
    pub at_hand: bool,
    pub toolchains: Vec<ToolchainRow>,
    /// The helper's file, and whether it was there or has just been built.
    pub helper: Option<HelperRow>,
    /// What the helper found, the one that is used first.
    pub installs: Vec<InstallRow>,
    pub looked_at: Vec<String>,
    /// Assemblies, types and members that are missing in the install.
    pub unbound: Vec<String>,
    pub warnings: Vec<String>,
    pub problem: Option<String>,
    pub advice: Option<String>,
    /// More about the problem, a line each.
    pub detail: Vec<String>,
    #[serde(skip)]
    failed_at: Option<Stage>,
}

#[derive(Debug, Serialize)]
pub(super) struct ToolchainRow {
    pub name: &'static str,
    pub version: Option<String>,
    pub compiler: Option<String>,
    pub problem: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct HelperRow {
    pub program: String,
    pub built_now: bool,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct InstallRow {
    pub root: String,
    pub version: String,
    pub used: bool,
}

/// What decoder reporter has.
#[derive(Debug, Serialize)]
pub(super) struct FoundReporter {
    pub at_hand: bool,
    pub path: Option<String>,
    pub version: Option<String>,
    pub places: Vec<PlaceRow>,
    pub problem: Option<String>,
    pub advice: Option<String>,
    /// More about the problem, a line each.
    pub detail: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct PlaceRow {
    pub path: String,
    pub what: &'static str,
    pub found: bool,
}

/// The content of the cache.
#[derive(Debug, Serialize)]
pub(super) struct CacheState {
    pub folder: Option<String>,
    pub helpers: usize,
    pub trees: usize,
    pub size_bytes: u64,
    pub problem: Option<String>,
}

impl MachineInfo {
    /// Looks around. The helper is built if it is not there, since it alone knows what it needs.
    ///
    /// # Errors
    /// A wish to stop.
    pub(super) fn look(
        settings: &DecoderSettings,
        progress: &Progress,
    ) -> Result<MachineInfo, ImportError> {
        progress.begin(messages::PHASE_FIND_DECODERS);
        let assemblies = Assemblies::look(settings, progress)?;
        let of = settings.environment.system;
        let (reporter, cache) = (FoundReporter::look(settings), CacheState::look(settings));
        Ok(MachineInfo {
            system: of.name(),
            assemblies,
            reporter,
            cache,
            of,
            is_reporter_named: reporter::is_named(settings),
        })
    }

    /// The decoders besides native that are at hand, in the order in which they are tried.
    pub(super) fn at_hand(&self) -> Vec<Decoder> {
        let all = [
            (Decoder::Reporter, self.reporter.at_hand),
            (Decoder::Assemblies, self.assemblies.at_hand),
        ];
        all.into_iter()
            .filter(|(_, at_hand)| *at_hand)
            .map(|(decoder, _)| decoder)
            .collect()
    }

    /// Why a decoder is not at hand, and what to do about it; nothing if it is.
    pub(super) fn lacks(&self, decoder: Decoder) -> Option<(&str, &str)> {
        let (at_hand, problem, advice) = match decoder {
            Decoder::Native => return None,
            Decoder::Assemblies => (
                self.assemblies.at_hand,
                &self.assemblies.problem,
                &self.assemblies.advice,
            ),
            Decoder::Reporter => (
                self.reporter.at_hand,
                &self.reporter.problem,
                &self.reporter.advice,
            ),
        };
        let text = |text: &'_ Option<String>| text.as_deref().unwrap_or_default().len();
        debug_assert!(
            at_hand || text(problem) > 0,
            "what is not at hand has a reason"
        );
        (!at_hand).then(|| {
            (
                problem.as_deref().unwrap_or_default(),
                advice.as_deref().unwrap_or_default(),
            )
        })
    }

    /// At which stage a decoder fails that is not at hand.
    pub(super) fn lacks_at(&self, decoder: Decoder) -> Option<Stage> {
        match decoder {
            Decoder::Native => None,
            Decoder::Assemblies => self.assemblies.failed_at,
            Decoder::Reporter => Some(Stage::Decoder),
        }
    }

    /// Whether the user names a Reporter.
    pub(super) fn is_reporter_named(&self) -> bool {
        self.is_reporter_named
    }

    pub(super) fn of(&self) -> System {
        self.of
    }
}

/// The helper's report, as far as it is of use here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Probe {
    looked_at: Vec<String>,
    installs: Vec<InstallRow>,
    assemblies: Vec<FoundLibrary>,
    members: Vec<MissingMember>,
    warnings: Vec<String>,
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

impl Assemblies {
    fn look(settings: &DecoderSettings, progress: &Progress) -> Result<Assemblies, ImportError> {
        let toolchains = look_for_all(&settings.environment, progress)?;
        let found: Vec<&Toolchain> = toolchains
            .iter()
            .filter_map(|(_, found)| found.as_ref().ok())
            .collect();
        let is_built =
            |toolchain: &&Toolchain| helper::built(&settings.environment, toolchain).is_some();
        let built: Vec<Toolchain> = found.iter().copied().filter(is_built).cloned().collect();
        let none = found.is_empty();
        let rows = toolchains.iter().map(|(kind, found)| ToolchainRow {
            name: kind.title(),
            version: found
                .as_ref()
                .ok()
                .map(|toolchain| toolchain.version.clone()),
            compiler: found
                .as_ref()
                .ok()
                .map(|toolchain| toolchain.compiler.display().to_string()),
            problem: found.as_ref().err().cloned(),
        });
        let mut assemblies = Assemblies {
            at_hand: false,
            toolchains: rows.collect(),
            helper: None,
            installs: Vec::new(),
            looked_at: Vec::new(),
            unbound: Vec::new(),
            warnings: Vec::new(),
            problem: None,
            advice: None,
            detail: Vec::new(),
            failed_at: None,
        };
        match probe(settings, progress) {
            Ok(report) => assemblies.take_report(report, &built),
            Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
            Err(ImportError::Failed(failure)) => assemblies.take_failure(&failure),
        }
        if none {
            assemblies.problem = Some(messages::NO_TOOLCHAIN.into());
            assemblies.advice = Some(what_to_install(settings.environment.system).into());
        }
        Ok(assemblies)
    }

    /// Takes in what the helper found; these toolchains had built it before.
    fn take_report(&mut self, report: ProbeReport, built: &[Toolchain]) {
        let was_built = built.contains(&report.helper.toolchain);
        let program = report.helper.program.display().to_string();
        self.helper = Some(HelperRow {
            program,
            built_now: !was_built,
        });
        self.at_hand = report.failure.is_none();
        match serde_json::from_str::<Probe>(&report.json) {
            Ok(probe) => {
                let libraries = probe.assemblies.into_iter().filter_map(|library| {
                    library
                        .problem
                        .map(|problem| format!("{}: {problem}", library.name))
                });
                let members = probe
                    .members
                    .into_iter()
                    .filter(|member| member.needed_for == "reading");
                self.unbound = libraries
                    .chain(members.filter_map(|member| member.problem))
                    .collect();
                (self.installs, self.looked_at, self.warnings) =
                    (probe.installs, probe.looked_at, probe.warnings);
            }
            Err(error) => self
                .warnings
                .push(messages::helper_report_unreadable(&error)),
        }
        if let Some(failure) = &report.failure {
            self.take_failure(failure);
        }
    }

    fn take_failure(&mut self, failure: &Failure) {
        self.problem = Some(failure.problem.clone());
        self.failed_at = failure.stage;
        let advice = match failure.stage {
            Some(Stage::Decoder) => messages::INSTALL_DOTTRACE,
            _ => &failure.advice,
        };
        self.advice = Some(advice.to_string());
        self.detail.clone_from(&failure.detail);
    }
}

impl FoundReporter {
    fn look(settings: &DecoderSettings) -> FoundReporter {
        let search = reporter::look(settings);
        let failure = search.chosen.is_none().then(|| search.failure(""));
        let place = |place: &reporter::ReporterPlace| PlaceRow {
            path: place.path.display().to_string(),
            what: place.what,
            found: place.found,
        };
        FoundReporter {
            at_hand: search.chosen.is_some(),
            path: search
                .chosen
                .as_ref()
                .map(|chosen| chosen.path.display().to_string()),
            version: search
                .chosen
                .as_ref()
                .map(|chosen| chosen.version.clone())
                .filter(|version| !version.is_empty()),
            places: search.places.iter().map(place).collect(),
            problem: failure.as_ref().map(|failure| failure.problem.clone()),
            advice: failure.as_ref().map(|failure| failure.advice.clone()),
            detail: failure.map_or_else(Vec::new, |failure| failure.detail),
        }
    }
}

impl CacheState {
    /// Examines the cache.
    pub(super) fn look(settings: &DecoderSettings) -> CacheState {
        let none = CacheState {
            folder: None,
            helpers: 0,
            trees: 0,
            size_bytes: 0,
            problem: None,
        };
        let folder = match cache::folder(&settings.environment) {
            Ok(folder) => folder,
            Err(missing) => {
                return CacheState {
                    problem: Some(missing),
                    ..none
                };
            }
        };
        if let Some(problem) = cache::why_not_writable(&folder) {
            return CacheState {
                folder: Some(folder.display().to_string()),
                problem: Some(problem),
                ..none
            };
        }
        let shown = Some(folder.display().to_string());
        match cache::contents(&folder) {
            Ok(contents) => {
                let count = |kind| {
                    contents
                        .entries
                        .iter()
                        .filter(|entry| entry.kind == kind && !is_lock_or_log(entry))
                        .count()
                };
                CacheState {
                    folder: shown,
                    helpers: count(cache::EntryKind::Helper),
                    trees: count(cache::EntryKind::Tree),
                    size_bytes: contents.size_bytes(),
                    problem: None,
                }
            }
            Err(error) => CacheState {
                folder: shown,
                problem: Some(plain(&error)),
                ..none
            },
        }
    }
}

/// Whether an entry is no helper itself.
fn is_lock_or_log(entry: &cache::CacheEntry) -> bool {
    entry
        .path
        .extension()
        .is_some_and(|extension| extension == "lock" || extension == "log")
}
