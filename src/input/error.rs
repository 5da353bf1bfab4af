use crate::input::messages;
use crate::model::Cancelled;
use crate::words::words;
use std::borrow::Cow;
use std::path::Path;
use std::{fmt, io};

words! {
    /// A stage of decoding a dotTrace snapshot, in the helper's order. Each has its own exit code.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Stage {
        Input = "input",
        Layout = "layout",
        Decoder = "decoder",
        Build = "build",
        Launch = "launch",
        Bind = "bind",
        Metadata = "metadata",
        Walk = "walk",
        Output = "output",
    }
}

impl Stage {
    pub fn exit_code(self) -> u8 {
        10 + self as u8
    }

    pub fn doc(self) -> &'static str {
        match self {
            Stage::Input => messages::EXIT_SNAPSHOT,
            Stage::Layout => messages::EXIT_LAYOUT,
            Stage::Decoder => messages::EXIT_DOTTRACE,
            Stage::Build => messages::EXIT_TOOLCHAIN,
            Stage::Launch => messages::EXIT_PROCESS,
            Stage::Bind => messages::EXIT_ASSEMBLIES,
            Stage::Metadata => messages::EXIT_METADATA,
            Stage::Walk => messages::EXIT_TREE,
            Stage::Output => messages::EXIT_WRITE,
        }
    }
}

/// What went wrong, in the parts of one sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    pub file: String,
    /// The format's title, with the section if any: `dotTrace snapshot, section 0x1100`.
    pub place: String,
    pub offset: Option<u64>,
    pub problem: String,
    /// The problem in a few words, for sentences about several; empty if `problem` is short.
    pub short: String,
    pub advice: String,
    pub advises_option: bool,
    /// A `dotspot doctor` command that could find another way to read the file.
    pub doctor_command: Option<Cow<'static, str>>,
    pub stage: Option<Stage>,
    /// Details for `--verbose` or a key: another program's output, the places searched.
    pub detail: Vec<String>,
}

impl Failure {
    pub fn new(
        file: impl Into<String>,
        place: impl Into<String>,
        problem: impl Into<String>,
    ) -> Failure {
        Failure {
            file: file.into(),
            place: place.into(),
            problem: problem.into(),
            ..Failure::default()
        }
    }

    pub fn at(mut self, offset: u64) -> Failure {
        self.offset = Some(offset);
        self
    }

    pub fn short(mut self, short: impl Into<String>) -> Failure {
        self.short = short.into();
        self
    }

    pub fn advice(mut self, advice: impl Into<String>) -> Failure {
        self.advice = advice.into();
        self
    }

    pub fn option_advice(self, advice: impl Into<String>) -> Failure {
        Failure {
            advises_option: true,
            ..self.advice(advice)
        }
    }

    /// Suggests `dotspot doctor`; `FILE` is replaced once the path is known.
    pub fn suggest_doctor(mut self) -> Failure {
        self.doctor_command = Some(Cow::Borrowed("dotspot doctor FILE"));
        self
    }

    pub fn detail(mut self, lines: impl IntoIterator<Item = String>) -> Failure {
        self.detail.extend(lines);
        self
    }

    pub fn stage(mut self, stage: Stage) -> Failure {
        self.stage = Some(stage);
        self
    }

    /// Without the file and the advice.
    pub fn reason(&self) -> String {
        match self.stage {
            Some(stage) => format!("stage {}: {}", stage.name(), self.finding()),
            None => self.finding(),
        }
    }

    /// Including `dotspot doctor`; may be empty.
    pub fn full_advice(&self) -> Cow<'_, str> {
        let Some(command) = &self.doctor_command else {
            return Cow::Borrowed(&self.advice);
        };
        let before = match self.advice.as_str() {
            "" => String::new(),
            advice => format!("{advice}, and "),
        };
        Cow::Owned(messages::suggest_command(&before, &command))
    }

    pub fn finding(&self) -> String {
        let at = self.offset.map_or(String::new(), |offset| {
            format!(" at byte {offset} ({offset:#x})")
        });
        match format!("{}{at}", self.place).as_str() {
            "" => self.problem.clone(),
            place => format!("{place}: {}", self.problem),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.reason())?;
        let advice = self.full_advice();
        if !advice.is_empty() {
            write!(f, "; {advice}")?;
        }
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    Cancelled,
    Failed(Box<Failure>),
}

impl ImportError {
    pub fn exit_code(&self) -> u8 {
        match self {
            ImportError::Cancelled => 1,
            ImportError::Failed(failure) => failure.stage.map_or(1, Stage::exit_code),
        }
    }

    pub fn stage(self, stage: Stage) -> ImportError {
        self.map(|failure| failure.stage(stage))
    }

    pub fn map(self, change: impl FnOnce(Failure) -> Failure) -> ImportError {
        match self {
            ImportError::Cancelled => ImportError::Cancelled,
            ImportError::Failed(failure) => change(*failure).into(),
        }
    }

    /// The failure, for callers that can continue after it; cancellation stays an error.
    pub fn failure(self) -> Result<Failure, ImportError> {
        match self {
            ImportError::Cancelled => Err(ImportError::Cancelled),
            ImportError::Failed(failure) => Ok(*failure),
        }
    }
}

impl From<Cancelled> for ImportError {
    fn from(Cancelled: Cancelled) -> ImportError {
        ImportError::Cancelled
    }
}

impl From<Failure> for ImportError {
    fn from(failure: Failure) -> Self {
        ImportError::Failed(Box::new(failure))
    }
}

impl From<Box<Failure>> for ImportError {
    fn from(failure: Box<Failure>) -> Self {
        ImportError::Failed(failure)
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Cancelled => write!(f, "cancelled"),
            ImportError::Failed(failure) => failure.fmt(f),
        }
    }
}

impl std::error::Error for ImportError {}

pub(crate) use crate::model::BuildError as TreeBuildError;

impl TreeBuildError {
    pub(crate) fn for_file(self, name: &str, title: &str) -> ImportError {
        match self {
            TreeBuildError::Cancelled => ImportError::Cancelled,
            TreeBuildError::TooLarge => too_large(name, title).into(),
        }
    }
}

/// A file has more nodes than a tree, or a file of its size, may have.
pub(crate) fn too_large(name: &str, title: &str) -> Failure {
    Failure::new(name, title, messages::EXPECTED_FEWER_NODES).advice(messages::DAMAGED_OR_UNUSUAL)
}

/// The file name of a path, for sentences.
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Windows' `ERROR_SHARING_VIOLATION`: another program has the file open exclusively.
fn is_open_elsewhere(error: &io::Error) -> bool {
    cfg!(windows) && error.to_string().contains("(os error 32)")
}

/// A system error without `(os error 2)`, worded alike on all systems.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    // even if a library has appended the path
    let Some((text, _)) = text.split_once(" (os error ") else {
        return text;
    };
    match error.kind() {
        _ if is_open_elsewhere(error) => messages::OPEN_ELSEWHERE.into(),
        io::ErrorKind::NotFound => messages::NO_SUCH_FILE.into(),
        io::ErrorKind::PermissionDenied if cfg!(windows) => messages::ACCESS_DENIED.into(),
        io::ErrorKind::StorageFull => messages::DISK_FULL.into(),
        // Windows' messages end with a period; ours continue
        _ => text.trim_end_matches(['.', '\r', '\n']).to_lowercase(),
    }
}

#[cfg(test)]
mod tests;
