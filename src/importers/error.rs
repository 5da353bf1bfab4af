//! Why a file could not be read.

use std::fmt;

/// A stage of decoding a dotTrace snapshot; each has an exit code of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// No such file, not a dotTrace index, sections missing, unreadable.
    Input,
    /// A family or version of the layout that this decoder does not know, or bytes that contradict it.
    Layout,
}

impl Stage {
    /// The stage's name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Input => "input",
            Stage::Layout => "layout",
        }
    }

    /// The exit code of a command that fails at this stage.
    pub fn exit_code(self) -> u8 {
        match self {
            Stage::Input => 10,
            Stage::Layout => 11,
        }
    }
}

/// What went wrong, in the parts of one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The file, as the user named it or as it was found beside that one.
    pub file: String,
    /// The format's name for people, with the section where there is one: `dotTrace snapshot, section 0x1100`.
    pub place: String,
    /// Where in the file, if that is known.
    pub offset: Option<u64>,
    /// What was expected and what was found.
    pub problem: String,
    /// What to do about it.
    pub advice: String,
    /// The stage, for dotTrace snapshots.
    pub stage: Option<Stage>,
}

impl Failure {
    /// A failure in `file` while reading `place`, a format's name with the part of it where that helps.
    pub fn new(file: impl Into<String>, place: impl Into<String>, problem: impl Into<String>) -> Failure {
        Failure {
            file: file.into(),
            place: place.into(),
            offset: None,
            problem: problem.into(),
            advice: String::new(),
            stage: None,
        }
    }

    /// The same with the offset in the file.
    pub fn at(mut self, offset: u64) -> Failure {
        self.offset = Some(offset);
        self
    }

    /// The same with what to do.
    pub fn advice(mut self, advice: impl Into<String>) -> Failure {
        self.advice = advice.into();
        self
    }

    /// The same at a stage of decoding a snapshot.
    pub fn stage(mut self, stage: Stage) -> Failure {
        self.stage = Some(stage);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(stage) = self.stage {
            write!(f, ": stage {}", stage.name())?;
        }
        if !self.place.is_empty() {
            write!(f, ": {}", self.place)?;
        }
        if let Some(offset) = self.offset {
            write!(f, " at byte {offset} ({offset:#x})")?;
        }
        write!(f, ": {}", self.problem)?;
        if !self.advice.is_empty() {
            write!(f, "; {}", self.advice)?;
        }
        Ok(())
    }
}

/// Why a reader gave no profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// Someone asked it to stop.
    Cancelled,
    /// Something is wrong with the file.
    Failed(Box<Failure>),
}

impl ImportError {
    /// The exit code of a command that fails with this.
    pub fn exit_code(&self) -> u8 {
        match self {
            ImportError::Cancelled => 1,
            ImportError::Failed(failure) => failure.stage.map_or(1, Stage::exit_code),
        }
    }

    /// A failure at a stage of decoding a snapshot; a wish to stop has none.
    pub fn stage(self, stage: Stage) -> ImportError {
        match self {
            ImportError::Cancelled => ImportError::Cancelled,
            ImportError::Failed(failure) => failure.stage(stage).into(),
        }
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
