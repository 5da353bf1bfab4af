//! What the user prefers to see at first, from the configuration.

use crate::query::MethodOrder;
use crate::units::Scale;

/// How things are shown until the user changes it.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    /// The unit of times; by default one that suits the largest.
    pub unit: Option<Scale>,
    /// The order of the method list.
    pub order: Option<MethodOrder>,
    /// The columns of trees.
    pub columns: Columns,
    /// Whether the timeline strip is hidden.
    pub hides_strip: bool,
    /// The token budget of reports.
    pub budget: Option<usize>,
    /// Problems with the configuration.
    pub problems: Vec<String>,
}

/// Which columns of trees are shown if they fit. The inclusive value, its percentage and the name always are.
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
