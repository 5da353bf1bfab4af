//! All entries: what `dotspot config --default` prints, and docs/config.md.

use super::Config;
use crate::app::HiddenColumns;
use crate::cli::messages;
use crate::model::{Collapsible, Merging};
use crate::query::MethodOrder;
use crate::settings::{Entry, Value, unknown};
use crate::units::{Scale, thousands};

pub struct EntryKind {
    pub name: &'static str,
    pub example: &'static str,
    pub(super) default: &'static str,
    pub doc: &'static str,
    pub is_for_folders: bool,
}

macro_rules! entries {
    ($($name:literal $example:literal $default:literal $doc:ident $is_for_folders:literal;)*) => {
        pub const ENTRIES: &[EntryKind] = &[$(EntryKind {
            name: $name,
            example: $example,
            default: $default,
            doc: messages::$doc,
            is_for_folders: $is_for_folders,
        }),*];
    };
}

// name, example, default, what it does, whether a folder's file may contain it
entries! {
    "theme" r#""light""# "by background" ENTRY_THEME false;
    "ascii" "true" "by locale" ENTRY_ASCII false;
    "strip" "false" "true" ENTRY_STRIP false;
    "columns" r#"["bar", "exclusive"]"# r#"["waiting", "bar", "exclusive", "count"]"# ENTRY_COLUMNS false;
    "metric" r#""CPU""# "by profile" ENTRY_METRIC false;
    "order" r#""inclusive""# r#""exclusive""# ENTRY_ORDER false;
    "merge-threads" r#""none""# r#""pool""# ENTRY_MERGE_THREADS false;
    "budget" "4000" "2000" ENTRY_BUDGET false;
    "unit" r#""ms""# "by size" ENTRY_UNIT true;
    "fold" r#""system""# r#""plumbing""# ENTRY_FOLD true;
    "user-code" r#"["Acme"]"# "[]" ENTRY_USER_CODE true;
    "not-user-code" r#"["Acme.Vendored"]"# "[]" ENTRY_NOT_USER_CODE true;
}

const MAX_PREFIXES: usize = 200;

const UNITS: [(&str, Scale); 3] = [
    ("s", Scale::SECONDS),
    ("ms", Scale::MILLISECONDS),
    ("us", Scale::MICROSECONDS),
];

impl Config {
    pub(super) fn set(&mut self, entry: &Entry) -> Result<(), String> {
        let preferences = &mut self.preferences;
        match entry.key.as_str() {
            "theme" => self.palette = Some(self.read_theme(entry.text()?)?),
            "ascii" => self.ascii = Some(entry.boolean()?),
            "strip" => preferences.hides_strip = !entry.boolean()?,
            "columns" => {
                let names = entry.texts()?;
                let is_known = |name: &&String| HiddenColumns::NAMES.contains(&name.as_str());
                if let Some(name) = names.iter().find(|name| !is_known(name)) {
                    return Err(unknown(name, &HiddenColumns::NAMES));
                }
                preferences.hidden = HiddenColumns::all_but(&names);
            }
            "metric" => self.metric = Some(entry.text()?.into()),
            "order" => {
                let orders = MethodOrder::ALL.map(|order| (order.name(), order));
                preferences.order = Some(entry.choice(&orders)?);
            }
            "merge-threads" => {
                let mergings = Merging::ALL.map(|merging| (merging.name(), merging));
                self.merging = Some(entry.choice(&mergings)?);
            }
            "budget" => match entry.value {
                Value::Number(tokens @ 500..=16_000) => preferences.budget = Some(tokens as usize),
                _ => return Err(messages::BUDGET_EXPECTED.into()),
            },
            "unit" => preferences.unit = Some(entry.choice(&UNITS)?),
            "fold" => {
                let [plumbing, system] = Collapsible::ALL.map(Collapsible::name);
                let folds = [plumbing, system, "none"].map(|fold| (fold, fold));
                self.fold = Some(entry.choice(&folds)?.into());
            }
            "user-code" => self.user_code.own.extend(prefixes(entry)?),
            "not-user-code" => self.user_code.foreign.extend(prefixes(entry)?),
            _ => {}
        }
        Ok(())
    }
}

fn prefixes(entry: &Entry) -> Result<Vec<String>, String> {
    let prefixes = entry.texts()?;
    let found = thousands(prefixes.len() as u64);
    match prefixes.len() {
        ..=MAX_PREFIXES => Ok(prefixes),
        _ => Err(messages::too_many_prefixes(&found, &MAX_PREFIXES)),
    }
}
