//! What a user prefers to see at first, as a configuration says.

use crate::query::MethodOrder;
use crate::units::Scale;

/// What is shown in which way until the user changes it.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    /// The unit of times; one that suits the largest where nothing is said.
    pub unit: Option<Scale>,
    /// The order of the list of methods.
    pub order: Option<MethodOrder>,
    /// The columns of trees.
    pub columns: Columns,
    /// Whether the strip of time is hidden.
    pub hides_strip: bool,
    /// How many tokens a report may have.
    pub budget: Option<usize>,
    /// What is wrong with the configuration.
    pub problems: Vec<String>,
}

/// Which columns of trees are shown where they have room. The inclusive value, its percentage and the name always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    pub waiting: bool,
    pub bar: bool,
    pub exclusive: bool,
    pub count: bool,
}

impl Default for Columns {
    fn default() -> Columns {
        Columns {
            waiting: true,
            bar: true,
            exclusive: true,
            count: true,
        }
    }
}

impl Columns {
    /// The names of the columns in a configuration.
    pub const NAMES: [&str; 4] = ["waiting", "bar", "exclusive", "count"];

    /// The columns with these names.
    pub fn named(names: &[String]) -> Columns {
        let [waiting, bar, exclusive, count] =
            Columns::NAMES.map(|name| names.iter().any(|known| known == name));
        Columns {
            waiting,
            bar,
            exclusive,
            count,
        }
    }
}
