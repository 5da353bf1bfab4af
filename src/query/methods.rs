//! Resolves a method name from the command line, and suggests similar names.
//!
//! The first of these rules to find any methods wins. Each is tried case-sensitively first, then ignoring case:
//!
//! 1. the whole name, raw or displayed, with or without module, namespace and arguments;
//! 2. the same without type arguments: `Parser.Parse` finds `Parser<TIn,TOut>.Parse`;
//! 3. a suffix of that, `Parse` or `Orders.Parser.Parse`;
//! 4. `Type.*`: all methods of a type and of its nested types.
//!
//! A partial or wrongly cased name must be unambiguous. Overloads and instances of a generic count as one method, and
//! so do an async method or iterator and its state machine. `Book.LoadAsync (async)` is the state machine alone.

use super::QueryError;
use crate::analysis::search::SearchIndex;
use crate::model::{FrameId, TreeForm, View};
use crate::names::{CONSTRUCTED, Category, FrameKind, paused_method, split_module};
use crate::query::messages;
use std::collections::BTreeSet;

/// Of a part of a name that is searched for alone.
const MIN_PART_LENGTH: usize = 4;
const MAX_NAMED: usize = 3;
const MAX_COMPARED_CHARS: usize = 120;
const CONSTRUCTOR: &str = ".ctor";

/// `Type.*`: all methods of a type.
pub(super) fn is_type_pattern(name: &str) -> bool {
    name.ends_with(".*")
}

/// `option` is where the name comes from. O(length of all names).
pub fn frames_named(view: &View, option: &str, name: &str) -> Result<Vec<FrameId>, QueryError> {
    frames_in(view, option, name).map_err(|error| {
        let whole = View::whole(&view.recording, TreeForm::Original);
        match frames_in(&whole, option, name) {
            Ok(_) => QueryError::not_in_part(option, name),
            Err(_) => error,
        }
    })
}

fn frames_in(view: &View, option: &str, name: &str) -> Result<Vec<FrameId>, QueryError> {
    if name.trim().is_empty() {
        return Err(QueryError::usage(messages::method_name_expected(&option)));
    }
    let exact = view.frames.find(name);
    if !exact.is_empty() {
        if exact.iter().any(|&id| view.frames.name(id) == name) {
            return Ok(exact);
        }
        let full = exact.iter().map(|&id| MethodNames::of(view, id).full);
        let full: BTreeSet<String> = full.collect();
        if full.len() > 1 {
            return Err(ambiguous(view, option, name, &exact));
        }
        let is_machine = |&id: &FrameId| paused_method(view.frames.display_name(id)).is_some();
        let machines = methods(view).filter(is_machine);
        let machines = machines.filter(|&id| full.contains(&MethodNames::of(view, id).method));
        return Ok(exact.iter().copied().chain(machines).collect());
    }
    let methods: Vec<_> = methods(view).map(|id| MethodNames::of(view, id)).collect();
    let (requested, arguments) = name_and_arguments(name);
    let mut found =
        named(&methods, &requested).map_err(|several| ambiguous(view, option, name, &several))?;
    if paused_method(name).is_some() {
        found.retain(|&id| paused_method(view.frames.display_name(id)).is_some());
    }
    if let Some(arguments) = arguments {
        found.retain(|&id| has_arguments(view, id, arguments));
    }
    match found.is_empty() {
        true => Err(unknown(view, &methods, option, name, &requested)),
        false => Ok(found),
    }
}

struct MethodNames {
    id: FrameId,
    /// The displayed name without marks; constructors end in `.ctor`.
    shown: String,
    short: String,
    /// With its namespace, parts joined by dots.
    full: String,
    /// For a state machine, the full name of its method.
    method: String,
}

fn methods(view: &View) -> impl Iterator<Item = FrameId> {
    let is_method = |id, kind| kind == FrameKind::Method && view.occurs(id);
    let frames = view.frames.iter();
    let methods = frames.filter(move |(id, frame)| is_method(*id, frame.kind));
    methods.map(|(id, _)| id)
}

impl MethodNames {
    fn of(view: &View, id: FrameId) -> MethodNames {
        let full = split_module(view.frames.name(id)).1;
        let arguments = full.find('(').filter(|&at| at > 0);
        let bare = &full[..arguments.unwrap_or(full.len())];
        let full = without_type_arguments(&bare.replace("::", ".").replace('+', "."));
        let display = view.frames.display_name(id);
        let shown = comparable(display);
        MethodNames {
            id,
            method: paused_method(display).map_or_else(|| full.clone(), |_| method_of(&full)),
            short: without_type_arguments(&shown),
            shown,
            full,
        }
    }
}

/// `Acme.Book.LoadAsync` from `Acme.Book.<LoadAsync>d__3.MoveNext`.
fn method_of(state_machine: &str) -> String {
    let parts = state_machine.rsplit_once(".<");
    let method = parts
        .and_then(|(type_name, name)| Some(format!("{type_name}.{}", name.split_once('>')?.0)));
    method.unwrap_or_else(|| state_machine.into())
}

fn comparable(shown: &str) -> String {
    let mark = shown.strip_suffix(')').and_then(|shown| shown.rfind(" ("));
    let name = &shown[..mark.unwrap_or(shown.len())];
    match name.strip_prefix(CONSTRUCTED) {
        Some(type_name) => format!("{type_name}.{CONSTRUCTOR}"),
        None => name.to_string(),
    }
}

fn name_and_arguments(name: &str) -> (String, Option<&str>) {
    let at = name.find('(');
    let at = at.filter(|&at| at > 0 && !name[..at].ends_with(' '));
    let (bare, arguments) = name.split_at(at.unwrap_or(name.len()));
    let bare = bare.replace("::", ".").replace('+', ".");
    let requested = match bare.contains('<') {
        true => bare,
        false => without_type_arguments(&bare),
    };
    (comparable(&requested), at.map(|_| arguments))
}

/// Turns `` Cache`1.Slot[System.__Canon].Get `` and `Cache<T>.Slot.Get` into `Cache.Slot.Get`. Brackets at the start of
/// a part belong to compiler-generated names, and stay.
fn without_type_arguments(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let (mut depth, mut in_arity) = (0usize, false);
    for c in name.chars() {
        in_arity = in_arity && c.is_ascii_digit();
        let follows_name = kept.ends_with(|before: char| before.is_alphanumeric() || before == '_');
        match c {
            '<' | '[' if depth > 0 || follows_name => depth += 1,
            '>' | ']' if depth > 0 => depth -= 1,
            _ if depth > 0 || in_arity => {}
            '`' if follows_name => in_arity = true,
            _ => kept.push(c),
        }
    }
    kept
}

type SameName = fn(&str, &str) -> bool;

/// Applies the rules in order. The error contains the methods of an ambiguous name.
fn named(methods: &[MethodNames], requested: &str) -> Result<Vec<FrameId>, Vec<FrameId>> {
    let cases: [SameName; 2] = [str::eq, str::eq_ignore_ascii_case];
    if requested.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(type_name) = requested.strip_suffix(".*") {
        let found = cases.map(|same| members(methods, type_name, same));
        let found = found.into_iter().find(|found| !found.is_empty());
        return Ok(found.unwrap_or_default());
    }
    for same in cases {
        let is_full = |method: &&MethodNames| {
            same(&method.full, requested) || same(&method.method, requested)
        };
        let mut found: Vec<&MethodNames> = methods.iter().filter(is_full).collect();
        if found.is_empty() {
            found = matching(methods, |name| same(name, requested));
        }
        if found.is_empty() {
            found = matching(methods, |name| ends_with_part(name, requested, same));
        }
        if let Some(first) = found.first() {
            let ids = found.iter().map(|method| method.id).collect();
            // two types in different namespaces may have the same name
            return match found.iter().all(|method| method.method == first.method) {
                true => Ok(ids),
                false => Err(ids),
            };
        }
    }
    Ok(Vec::new())
}

fn matching(methods: &[MethodNames], is_called: impl Fn(&str) -> bool) -> Vec<&MethodNames> {
    let names = |method: &MethodNames| {
        [&method.short, &method.full, &method.shown]
            .into_iter()
            .any(|name| is_called(name))
    };
    methods.iter().filter(|method| names(method)).collect()
}

/// Whether a proper suffix of a name's parts equals `requested`.
fn ends_with_part(name: &str, requested: &str, same: SameName) -> bool {
    let start = name.len().checked_sub(requested.len());
    let parts = start.and_then(|at| name.split_at_checked(at));
    parts.is_some_and(|(before, end)| {
        before.ends_with('.') && !requested.starts_with('.') && same(end, requested)
    })
}

/// The methods of a type. Its name may include enclosing types and namespaces.
fn members(methods: &[MethodNames], type_name: &str, same: SameName) -> Vec<FrameId> {
    let is_within = |name: &str| {
        let mut ends = name.match_indices('.').map(|(at, _)| at);
        ends.any(|end| {
            same(&name[..end], type_name) || ends_with_part(&name[..end], type_name, same)
        })
    };
    let found = matching(methods, is_within);
    found.into_iter().map(|method| method.id).collect()
}

/// Whether a method has these arguments, raw or displayed, ignoring spaces.
fn has_arguments(view: &View, id: FrameId, requested: &str) -> bool {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| !c.is_whitespace());
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    let raw = split_module(view.frames.name(id)).1.to_string() + view.frames.signature(id);
    let shown = view.frames.parameters(id);
    plain(&raw).contains(&plain(requested))
        || shown.is_some_and(|shown| plain(&shown) == plain(requested))
}

fn listed(view: &View, ids: impl IntoIterator<Item = FrameId>) -> Vec<String> {
    let is_user = |id: &FrameId| view.frames.get(*id).category == Category::User;
    let (user, others): (Vec<FrameId>, Vec<FrameId>) = ids.into_iter().partition(is_user);
    let mut seen = BTreeSet::new();
    let ids = user.into_iter().chain(others);
    let names = ids.map(|id| view.frames.list_name(id).into_owned());
    names.filter(|name| seen.insert(name.clone())).collect()
}

fn ambiguous(view: &View, option: &str, name: &str, several: &[FrameId]) -> QueryError {
    let mut ids = several.to_vec();
    ids.sort_by(|&a, &b| view.frames.display_name(a).cmp(view.frames.display_name(b)));
    let mut names = listed(view, ids.iter().copied());
    if names.len() < 2 {
        let full = |&id: &FrameId| format!("{}{}", view.frames.name(id), view.frames.signature(id));
        names = ids.iter().map(full).collect();
    }
    let more = match names.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = names[..names.len().min(MAX_NAMED)].join(", ");
    QueryError::usage(messages::ambiguous_name(&option, &name, &names, &more))
        .advice(messages::GIVE_MORE_OF_NAME)
}

fn unknown(
    view: &View,
    methods: &[MethodNames],
    option: &str,
    name: &str,
    requested: &str,
) -> QueryError {
    let names = nearest(view, methods, &without_type_arguments(requested));
    let nearest = match &names[..] {
        [] => String::new(),
        [name] => messages::nearest_one(name),
        names => messages::nearest(&names.join(", ")),
    };
    QueryError::usage(messages::no_such_method(&option, &name)).advice(nearest)
}

/// The most similar names: by edit distance, or else by omitted letters.
fn nearest(view: &View, methods: &[MethodNames], requested: &str) -> Vec<String> {
    let lowercase = |text: &str| -> String {
        let letters = text.chars().flat_map(char::to_lowercase);
        letters.take(MAX_COMPARED_CHARS).collect()
    };
    let typed = lowercase(requested);
    let length = typed.chars().count();
    let max_distance = (length / 3).max(2);
    let distance = |name: &str| {
        let name = lowercase(name);
        let is_near = name.chars().count().abs_diff(length) <= max_distance;
        is_near.then(|| strsim::osa_distance(&typed, &name))
    };
    // for longer names, also compare as many parts as were typed
    let dots = requested.matches('.').count();
    let distance_of = |method: &MethodNames| {
        let end = method.short.rmatch_indices('.').nth(dots);
        let end = end.map_or(&*method.short, |(at, _)| &method.short[at + 1..]);
        let distances = [distance(&method.short), distance(end)];
        distances
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(max_distance + 1)
    };
    let mut near: Vec<(usize, &str, FrameId)> = methods
        .iter()
        .map(|method| (distance_of(method), method.short.as_str(), method.id))
        .filter(|(distance, ..)| *distance <= max_distance)
        .collect();
    near.sort_unstable();
    let mut names = listed(view, near.into_iter().map(|(.., id)| id));
    if names.is_empty() {
        let index = SearchIndex::of(&view.frames, |id| view.occurs(id));
        let search = |text: &str| {
            let rows = index.search(text, |_| 0, 10 * MAX_NAMED).rows;
            listed(view, rows.into_iter().map(|row| row.frame))
        };
        names = search(requested);
        let last_part = requested.rsplit('.').next().unwrap_or(requested);
        if names.is_empty() && last_part.len() >= MIN_PART_LENGTH {
            names = search(last_part);
            names.retain(|name| lowercase(name).contains(&lowercase(last_part)));
        }
    }
    names.truncate(MAX_NAMED);
    names
}

#[cfg(test)]
mod tests;
