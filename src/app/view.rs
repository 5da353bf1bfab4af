//! What is shown of the profile that was read.

use crate::analysis::threads::{ThreadChoice, choose};
use crate::model::{Profile, TooLarge};
use std::sync::Arc;

/// What is shown of the profile that was read. The worker makes a profile of it, which [`super::Explorer::show`] takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Which threads, and whether they are one tree.
    pub threads: ThreadChoice,
}

impl View {
    /// A profile as it was read.
    pub fn all(profile: &Profile) -> View {
        View { threads: ThreadChoice::all(profile) }
    }

    /// Whether the profile is shown as it was read.
    pub fn is_everything(&self) -> bool {
        self.threads.is_everything()
    }

    /// What is to be shown of the profile that was read; that itself if it is everything. O(nodes).
    ///
    /// # Errors
    /// The tree got too large.
    pub fn of(&self, read: &Arc<Profile>) -> Result<Arc<Profile>, TooLarge> {
        if self.is_everything() { Ok(Arc::clone(read)) } else { Ok(Arc::new(choose(read, &self.threads)?)) }
    }
}
