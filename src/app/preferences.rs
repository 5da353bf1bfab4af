//! What is shown at first, from the configuration.

use crate::query::MethodOrder;
use crate::units::Scale;

#[derive(Clone, Debug, Default)]
pub struct Preferences {
    pub unit: Option<Scale>,
    pub order: Option<MethodOrder>,
    pub hidden: HiddenColumns,
    pub hides_strip: bool,
    pub budget: Option<usize>,
    pub problems: Vec<String>,
}

/// Columns that are not shown even if they fit. The inclusive value, its percentage and the name are always shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HiddenColumns {
    pub waiting: bool,
    pub bar: bool,
    pub exclusive: bool,
    pub count: bool,
}

impl HiddenColumns {
    pub const NAMES: [&str; 4] = ["waiting", "bar", "exclusive", "count"];

    pub fn all_but(names: &[String]) -> HiddenColumns {
        let [waiting, bar, exclusive, count] =
            HiddenColumns::NAMES.map(|name| names.iter().all(|known| known != name));
        HiddenColumns {
            waiting,
            bar,
            exclusive,
            count,
        }
    }
}
