//! What is recorded: profiles by name, and providers in dotnet-trace's syntax.

use super::message::RecordedProvider;
use crate::record::messages;

const SAMPLER: &str = "Microsoft-DotNETCore-SampleProfiler";
const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
/// Modules (8), compiled methods (10 hexadecimal) and precompiled images (20): method names as they come up.
const NAMES: u64 = 0x38;
/// Garbage collections and, at the verbose level, a tick for each 100 kB allocated.
const COLLECTIONS: u64 = 0x1;
const EXCEPTIONS: u64 = 0x8000;
const INFORMATIONAL: u32 = 4;
const VERBOSE: u32 = 5;

#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordProfile {
    pub name: &'static str,
    pub shows: &'static str,
    pub costs: &'static str,
    providers: &'static [(&'static str, u64, u32)],
}

pub(crate) const PROFILES: &[RecordProfile] = &[
    RecordProfile {
        name: "cpu",
        shows: messages::ABOUT_CPU,
        costs: messages::COST_OF_CPU,
        providers: &[(SAMPLER, 0, INFORMATIONAL), (RUNTIME, NAMES, VERBOSE)],
    },
    RecordProfile {
        name: "gc",
        shows: messages::ABOUT_GC,
        costs: messages::COST_OF_GC,
        providers: &[
            (SAMPLER, 0, INFORMATIONAL),
            (RUNTIME, NAMES | COLLECTIONS, INFORMATIONAL),
        ],
    },
    RecordProfile {
        name: "alloc",
        shows: messages::ABOUT_ALLOC,
        costs: messages::COST_OF_ALLOC,
        providers: &[(RUNTIME, NAMES | COLLECTIONS, VERBOSE)],
    },
    RecordProfile {
        name: "exceptions",
        shows: messages::ABOUT_EXCEPTIONS,
        costs: messages::COST_OF_EXCEPTIONS,
        providers: &[
            (SAMPLER, 0, INFORMATIONAL),
            (RUNTIME, NAMES | EXCEPTIONS, VERBOSE),
        ],
    },
];

/// Merges providers with the same name, because runtimes only use the first: all keywords, the highest level. A
/// profile never adds allocation ticks to the collections that others request: its level is at most theirs.
pub(crate) fn providers(
    profiles: &[&RecordProfile],
    named: &[RecordedProvider],
) -> Vec<RecordedProvider> {
    let profiled = profiles.iter().flat_map(|profile| profile.providers);
    let profiled = profiled.map(|&(name, keywords, level)| RecordedProvider {
        name: name.into(),
        keywords,
        level,
        arguments: String::new(),
    });
    let mut profiled: Vec<RecordedProvider> = profiled.collect();
    let requests_collections = |provider: &&RecordedProvider| {
        provider.name.eq_ignore_ascii_case(RUNTIME) && provider.keywords & COLLECTIONS != 0
    };
    let collecting = profiled.iter().chain(named).filter(requests_collections);
    let levels = collecting.map(|provider| provider.level.max(INFORMATIONAL));
    let max_level = levels.max().unwrap_or(VERBOSE);
    for provider in &mut profiled {
        provider.level = provider.level.min(max_level);
    }
    let mut merged: Vec<RecordedProvider> = Vec::new();
    for provider in profiled.into_iter().chain(named.iter().cloned()) {
        let mut earlier = merged.iter_mut();
        match earlier.find(|earlier| earlier.name.eq_ignore_ascii_case(&provider.name)) {
            Some(earlier) => {
                earlier.keywords |= provider.keywords;
                earlier.level = earlier.level.max(provider.level);
                if earlier.arguments.is_empty() {
                    earlier.arguments = provider.arguments;
                }
            }
            None => merged.push(provider),
        }
    }
    merged
}

/// dotnet-trace's syntax: `NAME[:KEYWORDS[:LEVEL[:KEY=VALUE;…]]]`, separated by commas. Keywords are hexadecimal, by
/// default all; a level is a number or its name, by default verbose.
pub(crate) fn parse(text: &str) -> Result<Vec<RecordedProvider>, String> {
    // commas in quotes are not separators
    let mut is_quoted = false;
    let specs = text.split(|c: char| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    });
    specs.map(|spec| parse_one(spec.trim())).collect()
}

fn parse_one(spec: &str) -> Result<RecordedProvider, String> {
    let mut parts = spec.splitn(4, ':');
    let mut next_part = || parts.next().map(str::trim).filter(|part| !part.is_empty());
    let name = next_part()
        .ok_or_else(|| messages::provider_without_name(&format_args!("{spec:?}")))?
        .to_string();
    let keywords = match next_part() {
        None => u64::MAX,
        Some(text) => {
            let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let number = u64::from_str_radix(digits.unwrap_or(text), 16);
            number.map_err(|_| messages::bad_keywords(&text, &name))?
        }
    };
    let level = match next_part() {
        None => VERBOSE,
        Some(text) => level(text).ok_or_else(|| messages::bad_level(&text, &name))?,
    };
    let arguments = next_part().unwrap_or_default().to_string();
    Ok(RecordedProvider {
        name,
        keywords,
        level,
        arguments,
    })
}

fn level(text: &str) -> Option<u32> {
    const LEVELS: &str = "logalways critical error warning informational verbose";
    let mut names = LEVELS.split(' ').zip(0..);
    let named = names.find(|(name, _)| name.eq_ignore_ascii_case(text));
    let number = || text.parse().ok().filter(|&level| level <= VERBOSE);
    named.map(|(_, level)| level).or_else(number)
}

#[cfg(test)]
mod tests;
