//! The table of all entries: what `dotspot config --default` prints, and docs/config.md.

use super::Config;
use crate::app::Columns;
use crate::cli::messages;
use crate::model::{Collapsible, Merging};
use crate::query::MethodOrder;
use crate::settings::{Entry, Value, unknown};
use crate::units::{Scale, thousands};

pub(super) struct EntryKind {
    pub name: &'static str,
    pub example: &'static str,
    pub default: &'static str,
    pub doc: &'static str,
    pub apply: Apply,
    pub is_for_folders: bool,
}

type Apply = fn(&mut Config, &Entry) -> Result<(), String>;

const fn kind(
    name: &'static str,
    [example, default, doc]: [&'static str; 3],
    apply: Apply,
) -> EntryKind {
    EntryKind {
        name,
        example,
        default,
        doc,
        apply,
        is_for_folders: false,
    }
}

const fn for_folders(name: &'static str, texts: [&'static str; 3], apply: Apply) -> EntryKind {
    EntryKind {
        is_for_folders: true,
        ..kind(name, texts, apply)
    }
}

/// Every name is compared with each of them.
const MAX_PREFIXES: usize = 200;

pub(super) const ENTRIES: [EntryKind; 12] = [
    kind(
        "theme",
        ["\"light\"", "by background", messages::ENTRY_THEME],
        |config, entry| {
            config.palette = Some(config.read_theme(entry.text()?)?);
            Ok(())
        },
    ),
    kind(
        "ascii",
        ["true", "by locale", messages::ENTRY_ASCII],
        |config, entry| {
            entry
                .boolean()
                .map(|is_ascii| config.ascii = Some(is_ascii))
        },
    ),
    kind(
        "strip",
        ["false", "true", messages::ENTRY_STRIP],
        |config, entry| {
            config.preferences.hides_strip = !entry.boolean()?;
            Ok(())
        },
    ),
    kind(
        "columns",
        [
            "[\"bar\", \"exclusive\"]",
            "[\"waiting\", \"bar\", \"exclusive\", \"count\"]",
            messages::ENTRY_COLUMNS,
        ],
        |config, entry| {
            let names = entry.texts()?;
            let is_known = |name: &&String| Columns::NAMES.contains(&name.as_str());
            if let Some(name) = names.iter().find(|name| !is_known(name)) {
                return Err(unknown(name, &Columns::NAMES));
            }
            config.preferences.columns = Columns::named(&names);
            Ok(())
        },
    ),
    kind(
        "metric",
        ["\"CPU\"", "by profile", messages::ENTRY_METRIC],
        |config, entry| entry.text().map(|name| config.metric = Some(name.into())),
    ),
    kind(
        "order",
        ["\"inclusive\"", "\"exclusive\"", messages::ENTRY_ORDER],
        |config, entry| {
            let orders = MethodOrder::ALL.map(|order| (order.name(), order));
            config.preferences.order = Some(entry.choice(&orders)?);
            Ok(())
        },
    ),
    kind(
        "merge-threads",
        ["\"none\"", "\"pool\"", messages::ENTRY_MERGE_THREADS],
        |config, entry| {
            let mergings = Merging::ALL.map(|merging| (merging.name(), merging));
            config.merging = Some(entry.choice(&mergings)?);
            Ok(())
        },
    ),
    kind(
        "budget",
        ["4000", "2000", messages::ENTRY_BUDGET],
        |config, entry| match entry.value {
            Value::Number(tokens @ 500..=16_000) => {
                config.preferences.budget = Some(tokens as usize);
                Ok(())
            }
            _ => Err(messages::BUDGET_EXPECTED.into()),
        },
    ),
    for_folders(
        "unit",
        ["\"ms\"", "by size", messages::ENTRY_UNIT],
        |config, entry| {
            config.preferences.unit = Some(entry.choice(&UNITS)?);
            Ok(())
        },
    ),
    for_folders(
        "fold",
        ["\"system\"", "\"plumbing\"", messages::ENTRY_FOLD],
        |config, entry| {
            let [plumbing, system] = Collapsible::ALL.map(Collapsible::name);
            let folds = [plumbing, system, "none"].map(|fold| (fold, fold));
            config.fold = Some(entry.choice(&folds)?.into());
            Ok(())
        },
    ),
    for_folders(
        "user-code",
        ["[\"Acme\"]", "[]", messages::ENTRY_USER_CODE],
        |config, entry| prefixes(entry).map(|own| config.user_code.own.extend(own)),
    ),
    for_folders(
        "not-user-code",
        ["[\"Acme.Vendored\"]", "[]", messages::ENTRY_NOT_USER_CODE],
        |config, entry| prefixes(entry).map(|foreign| config.user_code.foreign.extend(foreign)),
    ),
];

fn prefixes(entry: &Entry) -> Result<Vec<String>, String> {
    let prefixes = entry.texts()?;
    let found = thousands(prefixes.len() as u64);
    match prefixes.len() {
        ..=MAX_PREFIXES => Ok(prefixes),
        _ => Err(messages::too_many_prefixes(&found, &MAX_PREFIXES)),
    }
}

/// Rows for the docs: name, example, doc, and whether a folder's file may contain it.
pub fn table() -> impl Iterator<Item = (&'static str, &'static str, &'static str, bool)> {
    let entries = ENTRIES.iter();
    entries.map(|kind| (kind.name, kind.example, kind.doc, kind.is_for_folders))
}

const UNITS: [(&str, Scale); 3] = [
    ("s", Scale::SECONDS),
    ("ms", Scale::MILLISECONDS),
    ("us", Scale::MICROSECONDS),
];
