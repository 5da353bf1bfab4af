//! Compiler-generated names, and what the programmer wrote. C# writes `<Method>k__rest`, where `k` says what it is
//! (Roslyn's `GeneratedNameKind`) and the end of `rest` numbers it; Mono's old compiler used the same shape, Visual
//! Basic uses `$`. F# names its closures `name@line`, which stays.

use crate::names::display_name::path;
use crate::names::display_name::spelling::closing;
use crate::words::words;
use std::borrow::Cow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Generated<'a> {
    /// What replaces it between dots; empty for a class that only has variables.
    pub names: Vec<Cow<'a, str>>,
    pub role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Is also in the source, or stands for an expression.
    Type,
    Holder,
    /// A class or struct within a type whose `MoveNext` is the body of a method that can pause.
    StateMachine(StateMachineKind),
    Member,
}

words! {
    /// What makes a method pause, and the suffix of its name. Roslyn names both kinds of state machines alike.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum StateMachineKind {
        Async = " (async)",
        Iterator = " (iterator)",
        Either = " (async/iterator)",
    }
}

/// `Book.Load` for `Book.Load (async)`.
pub fn paused_method(shown: &str) -> Option<&str> {
    StateMachineKind::ALL
        .into_iter()
        .find_map(|pausing| shown.strip_suffix(pausing.name()))
}

/// `None` for a name that a programmer wrote. `depth` counts the levels of type arguments above it.
pub(super) fn read(name: &str, depth: usize) -> Option<Generated<'_>> {
    let shape = GeneratedShape::of(name, depth)?;
    let GeneratedShape { within, label, .. } = shape;
    let member = |text: String| generated(Role::Member, [text.into()]);
    let machine = |pausing| generated(Role::StateMachine(pausing), shape.method());
    let is_numbered = |prefix: &str| {
        let number = label.strip_prefix(prefix);
        number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    Some(match (shape.kind, within.is_empty()) {
        // class of lambdas: left out, its type comes before the lambda; otherwise named `closure`
        (Some('c'), true) => generated(Role::Holder, []),
        (Some('b'), false) => shape.lambda(label),
        // local function: after the method that it is in
        (Some('g'), false) => {
            let mut names = shape.method();
            names.push(local_function(label).into());
            generated(Role::Member, names)
        }
        // state machine: its `MoveNext` is the method, marked (async), (iterator), or (async/iterator)
        (Some('d'), false) => machine(pausing_of(&shape.method())),
        (Some('m'), _) if label.starts_with("Finally") => {
            member(format!("finally {}", &label["Finally".len()..]))
        }
        (Some('n'), true) => member(format!("base call {}", last_number(label))),
        // Mono's C# compiler: lambdas, closures, async methods, iterators
        (Some('m'), _) if is_numbered("") => shape.lambda(label),
        (Some('c'), false) if is_numbered("AnonStorey") => generated(Role::Holder, shape.method()),
        (Some('c'), false) if is_numbered("async") => machine(StateMachineKind::Async),
        (Some('c'), false) if is_numbered("Iterator") => machine(StateMachineKind::Iterator),
        // type that stands for an expression: anonymous types, collection expressions
        (Some(_), true) if label.starts_with(char::is_uppercase) => {
            generated(Role::Type, [label.into()])
        }
        // entry point and record members: without the brackets
        (None, false) if matches!(label, "" | "$") => {
            let is_special = matches!(within, "Module" | "PrivateImplementationDetails");
            return (!is_special).then(|| generated(Role::Member, shape.method()));
        }
        (None, false) => {
            let (hash, name) = label.strip_prefix('F')?.split_once("__")?;
            let is_hash = hash.bytes().all(|b| b.is_ascii_hexdigit());
            return is_hash.then(|| generated(Role::Type, [name.into()]));
        }
        (None, true) => return visual_basic(&shape),
        _ => return None,
    })
}

/// `<within>k__label`, or a name with a `$`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GeneratedShape<'a> {
    name: &'a str,
    /// Empty without brackets.
    within: &'a str,
    /// The letter between `>` and `__` or the end.
    kind: Option<char>,
    /// What follows `__`; without a letter, what follows the brackets.
    label: &'a str,
    depth: usize,
}

impl<'a> GeneratedShape<'a> {
    fn of(name: &'a str, depth: usize) -> Option<GeneratedShape<'a>> {
        let shape = |within, kind, label| GeneratedShape {
            name,
            within,
            kind,
            label,
            depth,
        };
        if !name.starts_with('<') {
            return name.contains('$').then(|| shape("", None, ""));
        }
        let end = closing(name, b'<', b'>')? + 1;
        let (within, rest) = (&name[1..end - 1], &name[end..]);
        let mut letters = rest.chars();
        let kind = letters.next().filter(char::is_ascii_alphabetic);
        let after = letters.as_str();
        Some(match (kind, after.strip_prefix("__")) {
            (Some(_), Some(label)) => shape(within, kind, label),
            (Some(_), None) if after.is_empty() => shape(within, kind, ""),
            _ => shape(within, None, rest),
        })
    }

    fn method(&self) -> Vec<Cow<'a, str>> {
        source_names(self.within, self.depth)
    }

    fn lambda(&self, label: &str) -> Generated<'a> {
        let mut names = match self.within {
            "" => Vec::new(),
            _ => self.method(),
        };
        names.push(format!("lambda {}", last_number(label)).into());
        generated(Role::Member, names)
    }
}

fn generated<'a>(role: Role, names: impl Into<Vec<Cow<'a, str>>>) -> Generated<'a> {
    let names = names.into();
    Generated { names, role }
}

fn visual_basic<'a>(shape: &GeneratedShape<'a>) -> Option<Generated<'a>> {
    if shape.name.starts_with("_Closure$__") {
        return Some(generated(Role::Holder, Vec::new()));
    }
    if let Some(number) = shape.name.strip_prefix("_Lambda$__") {
        return Some(shape.lambda(number));
    }
    let (number, method) = shape
        .name
        .strip_prefix("VB$StateMachine_")?
        .split_once('_')?;
    let names: Vec<Cow<str>> = vec![method.into()];
    let role = Role::StateMachine(pausing_of(&names));
    let is_number = number.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| generated(role, names))
}

/// Outermost first: the method's part of a generated name may itself be generated, as in `<<Run>b__3>d`.
fn source_names(method: &str, depth: usize) -> Vec<Cow<'_, str>> {
    const MAX_DEPTH: usize = 8;
    let mut inside_out: Vec<Cow<str>> = Vec::new();
    let mut inner = method;
    for _ in 0..MAX_DEPTH {
        let Some(shape) = GeneratedShape::of(inner, depth).filter(|shape| !shape.within.is_empty())
        else {
            break;
        };
        match (shape.kind, shape.label) {
            (Some('b'), label) => inside_out.push(format!("lambda {}", last_number(label)).into()),
            (Some('g'), label) => inside_out.push(local_function(label).into()),
            (None, "" | "$") => {}
            _ => break,
        }
        inner = shape.within;
    }
    inside_out.push(path::member_of_interface(inner, depth).map_or(inner.into(), Cow::Owned));
    inside_out.reverse();
    inside_out
}

/// `Parse` from `Parse|0_1`.
fn local_function(label: &str) -> &str {
    label.split('|').next().unwrap_or(label)
}

/// `1` from `0_1`, `7-1` and `0_1#2`, where the number after `#` counts edits while debugging.
fn last_number(label: &str) -> &str {
    let before_edits = label.split('#').next().unwrap_or(label);
    before_edits
        .rsplit(['_', '-'])
        .next()
        .unwrap_or(before_edits)
}

/// C# has no iterator lambdas; `Async` is .NET's convention, and .NET names ending in `…Iterator` are iterators.
fn pausing_of(names: &[Cow<str>]) -> StateMachineKind {
    match names.last() {
        Some(name) if name.starts_with("lambda ") || name.contains("Async") || name == "Main" => {
            StateMachineKind::Async
        }
        Some(name) if name.ends_with("GetEnumerator") || name.ends_with("Iterator") => {
            StateMachineKind::Iterator
        }
        _ => StateMachineKind::Either,
    }
}
