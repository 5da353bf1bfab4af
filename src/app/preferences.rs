//! What is shown at first, from the configuration.

use crate::query::MethodOrder;
use crate::units::Scale;

#[derive(Clone, Debug, Default)]
pub struct Preferences {
    pub unit: Option<Scale>,
    pub order: Option<MethodOrder>,
    pub columns: Columns,
    pub hides_strip: bool,
    pub budget: Option<usize>,
    pub problems: Vec<String>,
}

/// Columns to show if they fit. The inclusive value, its percentage and the name are always shown.
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
    pub const NAMES: [&str; 4] = ["waiting", "bar", "exclusive", "count"];

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
