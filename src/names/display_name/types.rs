//! Type names for display: `class System.String[]` becomes `String[]`, `` List`1[System.__Canon] `` becomes `List<T>`.

use crate::names::display_name::TypeParameters;
use crate::names::display_name::path;
use crate::names::display_name::spelling::items;
use std::borrow::Cow;

/// Deeper levels of nested type arguments become `…`.
pub(super) const MAX_DEPTH: usize = 12;

#[derive(Clone, Copy, Debug)]
pub(super) struct TypeContext<'a> {
    pub depth: usize,
    /// The number of type parameters of the method's type; `!0` is the first.
    pub arity: usize,
    /// Includes those of the method's type parameters.
    pub names: TypeParameters<'a>,
}

impl<'a> TypeContext<'a> {
    pub(super) const TOP: TypeContext<'static> = TypeContext {
        depth: 0,
        arity: 0,
        names: TypeParameters::UNKNOWN,
    };

    pub(super) fn below(self) -> TypeContext<'a> {
        TypeContext {
            depth: self.depth + 1,
            ..self
        }
    }
}

/// IL's built-in types by their names in the runtime's signatures.
const BUILT_IN: [(&str, &str); 26] = [
    ("void", "Void"),
    ("bool", "Boolean"),
    ("char", "Char"),
    ("wchar", "Char"),
    ("int8", "SByte"),
    ("unsigned int8", "Byte"),
    ("uint8", "Byte"),
    ("int16", "Int16"),
    ("unsigned int16", "UInt16"),
    ("uint16", "UInt16"),
    ("int32", "Int32"),
    ("unsigned int32", "UInt32"),
    ("uint32", "UInt32"),
    ("int64", "Int64"),
    ("unsigned int64", "UInt64"),
    ("uint64", "UInt64"),
    ("float32", "Single"),
    ("float64", "Double"),
    ("int", "IntPtr"),
    ("native int", "IntPtr"),
    ("unsigned int", "UIntPtr"),
    ("native uint", "UIntPtr"),
    ("uint", "UIntPtr"),
    ("string", "String"),
    ("object", "Object"),
    ("refany", "TypedReference"),
];

/// A type parameter whose argument is unknown: `T` for a single one, otherwise `T1`, `T2`…
pub(super) fn parameter(index: usize, arity: usize) -> Cow<'static, str> {
    if arity <= 1 && index == 0 {
        "T".into()
    } else {
        format!("T{}", index.saturating_add(1)).into()
    }
}

/// `<T>`, `<T1,T2>`, or with the names if known; of more than four only the ends.
pub(super) fn parameters(arity: usize, names: &[&str]) -> String {
    match (arity, names) {
        (0, _) => String::new(),
        (1..=4, []) => {
            let names: Vec<_> = (0..arity).map(|index| parameter(index, arity)).collect();
            format!("<{}>", names.join(","))
        }
        (_, []) => format!("<T1…T{arity}>"),
        (1..=4, names) => format!("<{}>", names.join(",")),
        (_, [first, .., last]) => format!("<{first}…{last}>"),
        (_, [only]) => format!("<{only}…>"),
    }
}

/// `System.__Canon` is code shared by all reference types, so the type parameter is written.
pub(super) fn arguments<'a>(
    list: impl Iterator<Item = &'a str>,
    arity: usize,
    context: TypeContext,
) -> String {
    let mut text = String::from("<");
    for (index, item) in list.enumerate() {
        if index > 0 {
            text.push(',');
        }
        match item {
            "System.__Canon" | "__Canon" => text.push_str(&parameter(index, arity)),
            _ => text.push_str(&shown(argument_type(item), context.below())),
        }
    }
    text.push('>');
    text
}

/// The type in `[Type, Assembly, Version=…]`, as reflection spells arguments.
fn argument_type(item: &str) -> &str {
    let inside = item
        .strip_prefix('[')
        .and_then(|item| item.strip_suffix(']'));
    let first = inside.and_then(|inside| items(inside).next());
    first.unwrap_or(item)
}

pub(super) fn shown(text: &str, context: TypeContext) -> String {
    if context.depth > MAX_DEPTH {
        return "…".into();
    }
    let mut text = text.trim();
    let words = ["class ", "value class ", "valuetype "];
    while let Some(rest) = words.iter().find_map(|word| text.strip_prefix(word)) {
        text = rest.trim_start();
    }
    let (text, suffix) = text.split_at(suffix_start(text));
    // the assembly in front of a type, `[System.Runtime]System.String`
    let text = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((_, rest)) if !rest.is_empty() => rest,
        _ => text,
    };
    let core: Cow<str> = if let Some((_, name)) = BUILT_IN.iter().find(|(il, _)| *il == text) {
        (*name).into()
    } else if let Some(name) = type_parameter(text, context) {
        name
    } else {
        path::shown_type(text, context).map_or(text.into(), Cow::Owned)
    };
    format!("{core}{suffix}")
}

/// Where `[]`, `[,]`, `*` and `&` at the end of a type start.
fn suffix_start(text: &str) -> usize {
    let mut core = text;
    loop {
        let shorter = core.strip_suffix(['*', '&']).or_else(|| {
            let (rest, rank) = core.strip_suffix(']')?.rsplit_once('[')?;
            rank.bytes()
                .all(|b| matches!(b, b',' | b'.' | b'0'..=b'9'))
                .then_some(rest)
        });
        match shorter {
            Some(shorter) if !shorter.is_empty() => core = shorter,
            _ => return core.len(),
        }
    }
}

/// `!0` is the first type parameter of the type, `!!0` the first of the method.
fn type_parameter<'a>(text: &str, context: TypeContext<'a>) -> Option<Cow<'a, str>> {
    let number = text.strip_prefix('!')?;
    let (names, index, is_of_method) = match number.strip_prefix('!') {
        Some(number) => (context.names.of_method, number.parse::<usize>().ok()?, true),
        None => (context.names.of_types, number.parse().ok()?, false),
    };
    Some(match items(names).nth(index) {
        Some(name) => name.into(),
        None if is_of_method => format!("M{}", index.saturating_add(1)).into(),
        None => parameter(index, context.arity),
    })
}

#[cfg(test)]
mod tests;
