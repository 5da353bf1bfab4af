//! The names that compilers make up, and what the programmer wrote instead.
//!
//! C# writes `<Method>k__rest`, where the letter `k` says what it is (Roslyn's `GeneratedNameKind`) and the end of `rest`
//! numbers it; Mono's old C# compiler used the same shape with other words, Visual Basic uses `$`. F# names its
//! closures `name@line`, which says more than a translation would, so it stays.

use crate::names::display_name::path;
use crate::names::display_name::spelling::balanced;
use std::borrow::Cow;

/// How a made-up name reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Generated<'a> {
    /// What stands for it between dots; nothing for a class that only holds variables.
    pub names: Vec<Cow<'a, str>>,
    pub role: Role,
}

/// What a made-up name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A type that the source has too, or that stands for an expression.
    Type,
    /// A class within a type that holds the variables of lambdas.
    Holder,
    /// A class or struct within a type whose `MoveNext` is the body of a method that can pause.
    StateMachine(Pausing),
    /// A method.
    Member,
}

/// What makes a method pause. Roslyn names the state machines of both kinds alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pausing {
    Async,
    Iterator,
    Either,
}

/// The method whose state machine a shown name is of: `Book.Load` of `Book.Load (async)`.
pub fn paused_method(shown: &str) -> Option<&str> {
    [Pausing::Async, Pausing::Iterator, Pausing::Either]
        .into_iter()
        .find_map(|pausing| shown.strip_suffix(pausing.mark()))
}

impl Pausing {
    /// What is put after the method's name.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Pausing::Async => " (async)",
            Pausing::Iterator => " (iterator)",
            Pausing::Either => " (async/iterator)",
        }
    }
}

/// A rule: how it reads the made-up names that it knows.
type Rule = for<'a> fn(&GeneratedShape<'a>) -> Option<Generated<'a>>;

/// All rules; the first that knows a name wins. The tests have examples of each.
const RULES: &[Rule] = &[
    // class of lambdas: left out, its type is in front of the lambda; else called `closure`
    |shape| (shape.within.is_empty() && shape.is('c')).then(|| generated(Role::Holder, Vec::new())),
    // lambda: its method, and its number within the method
    |shape| (shape.is('b') && !shape.within.is_empty()).then(|| shape.lambda(shape.label)),
    // local function: after the method that it is in
    |shape| {
        (shape.is('g') && !shape.within.is_empty()).then(|| {
            let mut names = shape.method();
            names.push(local_function(shape.label).into());
            generated(Role::Member, names)
        })
    },
    // state machine: its `MoveNext` is the method, marked (async), (iterator), or (async/iterator) where the name can be both
    |shape| {
        (shape.is('d') && !shape.within.is_empty()).then(|| {
            let names = shape.method();
            let pausing = pausing_of(&names);
            generated(Role::StateMachine(pausing), names)
        })
    },
    // `finally` block of an iterator
    |shape| {
        let number = shape
            .is('m')
            .then_some(shape.label)?
            .strip_prefix("Finally")?;
        Some(generated(
            Role::Member,
            [format!("finally {number}").into()],
        ))
    },
    // call of a base method out of a lambda or state machine
    |shape| {
        (shape.within.is_empty() && shape.is('n')).then(|| {
            generated(
                Role::Member,
                [format!("base call {}", last_number(shape.label)).into()],
            )
        })
    },
    // Mono's C# compiler: closures, async methods, iterators, lambdas
    mono,
    // type that only one file sees: its own name
    |shape| {
        let hash = shape.label_after_letter('F')?;
        let (_, name) = hash
            .split_once("__")
            .filter(|(hash, _)| hash.bytes().all(|b| b.is_ascii_hexdigit()))?;
        Some(generated(Role::Type, [name.into()]))
    },
    // type that stands for an expression: anonymous types, collection expressions
    |shape| {
        let is_type = shape.within.is_empty() && shape.kind.is_some() && starts_upper(shape.label);
        is_type.then(|| generated(Role::Type, [shape.label.into()]))
    },
    // entry point and record members: without the brackets
    |shape| {
        let is_plain =
            shape.kind.is_none() && matches!(shape.label, "" | "$") && !shape.within.is_empty();
        let is_special = matches!(shape.within, "Module" | "PrivateImplementationDetails");
        (is_plain && !is_special).then(|| generated(Role::Member, shape.method()))
    },
    // Visual Basic: closures, lambdas (which do not know their method), state machines
    visual_basic,
];

/// How a made-up name reads, or `None` for a name that a programmer wrote.
/// `depth` counts the levels of type arguments above it.
pub(super) fn read(name: &str, depth: usize) -> Option<Generated<'_>> {
    let shape = GeneratedShape::of(name, depth)?;
    RULES.iter().find_map(|rule| rule(&shape))
}

/// A made-up name in its parts: `<within>k__label`, or one with a `$`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct GeneratedShape<'a> {
    /// all of it
    name: &'a str,
    /// what is in the brackets; empty without brackets
    within: &'a str,
    /// the letter between `>` and `__` or the end
    kind: Option<char>,
    /// what follows `__`; without a letter what follows the brackets
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
        let end = balanced(name)?;
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

    fn is(&self, kind: char) -> bool {
        self.kind == Some(kind)
    }

    /// The names in the source after what is in the brackets.
    fn method(&self) -> Vec<Cow<'a, str>> {
        source_names(self.within, self.depth)
    }

    /// The lambda that `label` numbers, after its method if that is known.
    fn lambda(&self, label: &str) -> Generated<'a> {
        let mut names = if self.within.is_empty() {
            Vec::new()
        } else {
            self.method()
        };
        names.push(format!("lambda {}", last_number(label)).into());
        generated(Role::Member, names)
    }

    /// What follows a letter that has no `__` after it.
    fn label_after_letter(&self, letter: char) -> Option<&'a str> {
        self.label
            .strip_prefix(letter)
            .filter(|_| self.kind.is_none() && !self.within.is_empty())
    }
}

fn generated<'a>(role: Role, names: impl Into<Vec<Cow<'a, str>>>) -> Generated<'a> {
    let names = names.into();
    Generated { names, role }
}

fn mono<'a>(shape: &GeneratedShape<'a>) -> Option<Generated<'a>> {
    let is_numbered = |prefix: &str| {
        let number = shape.label.strip_prefix(prefix);
        number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    let role = match shape.kind? {
        'm' if is_numbered("") => return Some(shape.lambda(shape.label)),
        'c' if is_numbered("AnonStorey") => Role::Holder,
        'c' if is_numbered("async") => Role::StateMachine(Pausing::Async),
        'c' if is_numbered("Iterator") => Role::StateMachine(Pausing::Iterator),
        _ => return None,
    };
    (!shape.within.is_empty()).then(|| generated(role, shape.method()))
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
    let pausing = pausing_of(&names);
    number
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| generated(Role::StateMachine(pausing), names))
}

/// The names in the source after the method's part of a made-up name, outermost first: that part may be made up itself,
/// as in `<<Run>b__3>d`.
fn source_names(method: &str, depth: usize) -> Vec<Cow<'_, str>> {
    /// How many names a method may be nested in; a compiler needs three
    const DEEPEST: usize = 8;
    let mut inside_out: Vec<Cow<str>> = Vec::new();
    let mut inner = method;
    for _ in 0..DEEPEST {
        match GeneratedShape::of(inner, depth) {
            Some(shape) if shape.is('b') && !shape.within.is_empty() => {
                inside_out.push(format!("lambda {}", last_number(shape.label)).into());
                inner = shape.within;
            }
            Some(shape) if shape.is('g') && !shape.within.is_empty() => {
                inside_out.push(local_function(shape.label).into());
                inner = shape.within;
            }
            Some(shape)
                if shape.kind.is_none()
                    && matches!(shape.label, "" | "$")
                    && !shape.within.is_empty() =>
            {
                inner = shape.within;
            }
            _ => break,
        }
    }
    inside_out.push(path::member_of_interface(inner, depth).map_or(inner.into(), Cow::Owned));
    inside_out.reverse();
    inside_out
}

/// `Parse` of `Parse|0_1`.
fn local_function(label: &str) -> &str {
    label.split('|').next().unwrap_or(label)
}

/// `1` of `0_1`, of `7-1` and of `0_1#2`, where the number after `#` counts edits while debugging.
fn last_number(label: &str) -> &str {
    let before_edits = label.split('#').next().unwrap_or(label);
    before_edits
        .rsplit(['_', '-'])
        .next()
        .unwrap_or(before_edits)
}

fn starts_upper(text: &str) -> bool {
    text.starts_with(|c: char| c.is_uppercase())
}

/// A lambda that pauses is async, since C# has no iterator lambdas. A name with `Async` in it keeps .NET's convention, and
/// an entry point cannot be an iterator, while `GetEnumerator` must be one, and what is called `…Iterator` in .NET is one. For
/// all other names it cannot be known.
fn pausing_of(names: &[Cow<str>]) -> Pausing {
    match names.last() {
        Some(name) if name.starts_with("lambda ") || name.contains("Async") || name == "Main" => {
            Pausing::Async
        }
        Some(name) if name.ends_with("GetEnumerator") || name.ends_with("Iterator") => {
            Pausing::Iterator
        }
        _ => Pausing::Either,
    }
}
