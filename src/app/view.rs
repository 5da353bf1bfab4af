//! What is shown of the profile that was read.

use crate::analysis::threads::{ThreadChoice, choose};
use crate::model::{Profile, TooLarge};
use std::sync::Arc;

/// What is shown of the profile that was read. The worker makes a profile of it, which [`super::Explorer::show`] takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Which threads, and whether they are one tree.
    pub threads: ThreadChoice,
    /// Whether truncated stacks are shown mended, if there are any, and not as they were recorded. Threads are the same in
    /// both.
    pub is_repaired: bool,
}

impl View {
    /// A profile as it was read: mended.
    pub fn all(profile: &Profile) -> View {
        View { threads: ThreadChoice::all(profile), is_repaired: true }
    }

    /// Whether this is the profile that was read, or that with its stacks as they were recorded: nothing is to be made.
    pub fn is_whole(&self) -> bool {
        self.threads.is_everything()
    }

    /// The profile of which threads are chosen.
    fn base<'a>(&self, read: &'a Arc<Profile>) -> &'a Arc<Profile> {
        match &read.unrepaired {
            Some(unrepaired) if !self.is_repaired => unrepaired,
            _ => read,
        }
    }

    /// What is to be shown of the profile that was read. O(nodes), but O(1) if it is whole.
    ///
    /// # Errors
    /// The tree got too large.
    pub fn of(&self, read: &Arc<Profile>) -> Result<Arc<Profile>, TooLarge> {
        let base = self.base(read);
        if self.is_whole() { Ok(Arc::clone(base)) } else { Ok(Arc::new(choose(base, &self.threads)?)) }
    }

    /// The same where nothing is to be made for it.
    pub fn at_hand(&self, read: &Arc<Profile>) -> Option<Arc<Profile>> {
        self.is_whole().then(|| Arc::clone(self.base(read)))
    }
}
