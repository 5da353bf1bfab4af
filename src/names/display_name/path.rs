//! Splits a path into namespace, types and method, and formats them for display.

use crate::names::display_name::generated;
use crate::names::display_name::generated::{Generated, Role, StateMachineKind};
use crate::names::display_name::spelling::{
    Arguments, NamePart, Separator, Spelling, closing, items, parts,
};
use crate::names::display_name::types;
use crate::names::display_name::types::TypeContext;
use crate::names::display_name::{CONSTRUCTED, TypeParameters};
use std::borrow::Cow;

/// Longer names are not parsed, as parts take many times their size.
pub(super) const MAX_PARSED_BYTES: usize = 16 * 1024;

struct Segment<'a> {
    part: NamePart<'a>,
    generated: Option<Generated<'a>>,
}

impl Segment<'_> {
    fn role(&self) -> Option<Role> {
        self.generated.as_ref().map(|generated| generated.role)
    }

    fn is_within_type(&self) -> bool {
        matches!(self.role(), Some(Role::Holder | Role::StateMachine(_)))
    }
}

/// `None` if the text is not a .NET name.
pub(super) fn shown(spelling: &Spelling, names: TypeParameters) -> Option<String> {
    let (segments, _) = segments(spelling, spelling.full)?;
    if let [only] = segments.as_slice()
        && only.generated.is_none()
        && spelling.module.is_empty()
    {
        // every method has a type: this is a C function or a label, and its brackets are part of the name
        return None;
    }
    let (types, member) = split(&segments);
    let mut pieces = Pieces::default();
    let own_types = &segments[types.clone()];
    for segment in own_types {
        pieces.push_type(segment, TypeContext::TOP);
    }
    let machine = match own_types.last().and_then(Segment::role) {
        Some(Role::StateMachine(pausing)) => Some(pausing),
        _ => None,
    };
    let method = &segments[member];
    let is_constructor = method.part.name == ".ctor" && types.start < member;
    let mut mark = "";
    match machine {
        Some(pausing) if method.part.name == "MoveNext" => {
            mark = by_result(pausing, spelling.result).name()
        }
        Some(pausing) if is_constructor => mark = pausing.name(),
        // a state machine's compiler-generated interface implementation: which interface does not matter
        Some(_) => pieces.push_member(method),
        None => {
            if types.end < member {
                pieces.push_type(&segments[member - 1], TypeContext::TOP);
            }
            if method.generated.is_none() {
                pieces.push_closure(own_types.last());
            }
            if !is_constructor {
                pieces.push_member(method);
            }
        }
    }
    let shown = pieces.join(names.of_types);
    let new = if is_constructor { CONSTRUCTED } else { "" };
    let text = format!("{new}{shown}{mark}");
    // a class of lambdas on its own has no name in the source
    (!text.is_empty()).then_some(text)
}

/// The namespace, which may be empty, and the outermost types as in the source, without type arguments.
pub(super) fn namespace_and_types(spelling: &Spelling) -> Option<(String, String)> {
    let (segments, _) = segments(spelling, spelling.full)?;
    let (types, _) = split(&segments);
    let names = |segments: &[Segment]| {
        let names: Vec<&str> = segments.iter().map(|segment| segment.part.name).collect();
        names.join(".")
    };
    let namespace = names(&segments[..types.start]);
    let types = &segments[types];
    let written = types
        .iter()
        .position(|segment| segment.generated.is_some())
        .unwrap_or(types.len());
    (written > 0).then(|| (namespace, names(&types[..written])))
}

pub(super) fn parameters(spelling: &Spelling, names: TypeParameters) -> Option<String> {
    let (segments, rest) = segments(spelling, spelling.full)?;
    let list = &rest.strip_prefix('(')?[..closing(rest, b'(', b')')? - 1];
    let (types, _) = split(&segments);
    let arities = segments[types].iter().map(|segment| segment.part.arity);
    let arity = arities.fold(0, usize::saturating_add);
    let of_types = Some(names.of_types).filter(|names| items(names).count() == arity);
    let context = TypeContext {
        depth: 0,
        arity,
        names: TypeParameters {
            of_types: of_types.unwrap_or_default(),
            ..names
        },
    };
    let shown: Vec<String> = items(list)
        .map(|item| types::shown(item, context))
        .collect();
    Some(format!("({})", shown.join(", ")))
}

pub(crate) fn raw_arguments(name: &str) -> Option<&str> {
    let from = &name[name.find('(')?..];
    Some(&from[..=closing(from, b'(', b')')?])
}

pub(super) fn shown_type(text: &str, context: TypeContext) -> Option<String> {
    let (parts, _) = parts(text, false)?;
    let segments: Vec<Segment> = parts
        .into_iter()
        .map(|part| segment(part, context.depth))
        .collect();
    let last = segments.len() - 1;
    let mut pieces = Pieces::default();
    for segment in &segments[first_type(&segments, last)..] {
        pieces.push_type(segment, context);
    }
    pieces.push_closure(segments.last());
    Some(pieces.join(""))
}

/// `IEnumerable.GetEnumerator` from `System.Collections.IEnumerable.GetEnumerator`, or with `-` for `.`, as state
/// machines spell it.
pub(super) fn member_of_interface(name: &str, depth: usize) -> Option<String> {
    if depth > types::MAX_DEPTH || !name.contains(['.', '-']) || name.starts_with(['.', '<']) {
        return None;
    }
    let dotted = name.replace('-', ".");
    let (parts, _) = parts(&dotted, false)?;
    let [.., interface, member] = parts.as_slice() else {
        return None;
    };
    let mut pieces = Pieces::default();
    let interface = Segment {
        part: *interface,
        generated: None,
    };
    let context = TypeContext {
        depth: depth + 1,
        ..TypeContext::TOP
    };
    pieces.push_type(&interface, context);
    pieces.push(member.text.to_string().into());
    Some(pieces.join(""))
}

fn segments<'a>(spelling: &Spelling, full: &'a str) -> Option<(Vec<Segment<'a>>, &'a str)> {
    if full.len() > MAX_PARSED_BYTES {
        return None;
    }
    // names in F# and of tests may have spaces, but only names with a module are accepted as such
    let (parts, rest) = parts(full, spelling.module.is_empty())?;
    if full.starts_with(['[', '?']) {
        return None;
    }
    let colons = parts
        .iter()
        .filter(|part| part.separator == Separator::Colons)
        .count();
    let is_cpp = colons > 1
        || colons == 1 && spelling.result.is_none() && !full[..full.find("::")?].contains('.');
    (!is_cpp).then(|| {
        (
            parts.into_iter().map(|part| segment(part, 0)).collect(),
            rest,
        )
    })
}

fn segment(part: NamePart<'_>, depth: usize) -> Segment<'_> {
    Segment {
        part,
        generated: generated::read(part.name, depth),
    }
}

/// The range of the types, and the index of the member, which is last. An implemented interface may be in between.
fn split(segments: &[Segment]) -> (std::ops::Range<usize>, usize) {
    let member = segments.len() - 1;
    let is_type = |at: usize| {
        let Segment { part, .. } = &segments[at];
        part.arity > 0
            || matches!(part.arguments, Arguments::Square(_))
            || part.separator == Separator::Plus
            || segments[at + 1].part.separator != Separator::Dot
            || matches!(
                segments[at].role(),
                Some(Role::Type | Role::Holder | Role::StateMachine(_))
            )
    };
    let last_type = (0..member)
        .rev()
        .find(|&at| is_type(at))
        .or_else(|| type_before_interface(segments))
        .or_else(|| member.checked_sub(1));
    match last_type {
        Some(last) => (first_type(segments, last)..last + 1, member),
        None => (0..0, member),
    }
}

/// The first of the types that end with `last`: namespaces come before it.
fn first_type(segments: &[Segment], last: usize) -> usize {
    let first = (0..=last).find(|&at| {
        let Segment { part, .. } = &segments[at];
        let nests_next = segments
            .get(at + 1)
            .is_some_and(|next| next.part.separator == Separator::Plus);
        part.arity > 0
            || part.arguments != Arguments::None
            || nests_next
            || segments[at].is_within_type()
    });
    match first {
        Some(at) if segments[at].is_within_type() => at.saturating_sub(1),
        Some(at) => at,
        None => last,
    }
}

/// The type in `Ns.Type.System.IDisposable.Dispose`: before an interface whose namespace starts like .NET's or the
/// type's own.
fn type_before_interface(segments: &[Segment]) -> Option<usize> {
    let interface = segments.len().checked_sub(2)?;
    let mut chars = segments[interface].part.name.chars();
    if chars.next() != Some('I') || !chars.next().is_some_and(char::is_uppercase) {
        return None;
    }
    let own = segments[0].part.name;
    let starts_namespace = |name: &str| name == "System" || name == "Microsoft" || name == own;
    (1..interface)
        .rev()
        .find(|&at| starts_namespace(segments[at].part.name))
        .map(|at| at - 1)
}

fn by_result(pausing: StateMachineKind, result: Option<&str>) -> StateMachineKind {
    match result {
        Some("bool") => StateMachineKind::Iterator,
        Some("void") => StateMachineKind::Async,
        _ => pausing,
    }
}

#[derive(Default)]
struct Pieces<'a> {
    texts: Vec<Cow<'a, str>>,
    /// Type parameters not yet named by an argument list: the piece, if it is shown, and their number.
    open: Vec<(Option<usize>, usize)>,
    open_arity: u128,
}

impl<'a> Pieces<'a> {
    fn push(&mut self, text: Cow<'a, str>) {
        self.texts.push(text);
    }

    fn append(&mut self, piece: usize, text: &str) {
        self.texts[piece].to_mut().push_str(text);
    }

    fn push_type(&mut self, segment: &Segment<'a>, context: TypeContext) {
        let NamePart {
            name,
            arity,
            arguments,
            ..
        } = segment.part;
        let piece = match &segment.generated {
            None => {
                self.push(name.into());
                Some(self.texts.len() - 1)
            }
            Some(Generated { names, role }) => {
                for name in names {
                    // Mono names the method in the closure and in nested types
                    if self.texts.last() != Some(name) {
                        self.push(name.clone());
                    }
                }
                (*role == Role::Type).then(|| self.texts.len() - 1)
            }
        };
        self.open.push((piece, arity));
        self.open_arity += arity as u128;
        match arguments {
            Arguments::None => {}
            Arguments::Square(list) => self.name_arguments(list, context),
            Arguments::Angle(list) => {
                self.pop_open();
                if let Some(piece) = piece {
                    self.append(piece, &types::arguments(items(list), arity, context));
                }
            }
        }
    }

    /// Removes the last type with unnamed type parameters, and returns its piece, if it is shown.
    fn pop_open(&mut self) -> Option<usize> {
        let (piece, arity) = self.open.pop()?;
        self.open_arity -= arity as u128;
        piece
    }

    /// Names a class of lambdas that no lambda follows.
    fn push_closure(&mut self, last_type: Option<&Segment<'a>>) {
        if last_type.and_then(Segment::role) == Some(Role::Holder) {
            self.push("closure".into());
        }
    }

    /// Distributes arguments over the types so far, outermost first.
    fn name_arguments(&mut self, list: &str, context: TypeContext) {
        let given: Vec<&str> = items(list).collect();
        let mut next = given.as_slice();
        if self.open_arity == given.len() as u128 {
            self.open_arity = 0;
            for (piece, arity) in std::mem::take(&mut self.open) {
                let (own, others) = next.split_at(arity);
                next = others;
                if let Some(piece) = piece.filter(|_| arity > 0) {
                    let own = own.iter().copied();
                    self.append(piece, &types::arguments(own, arity, context));
                }
            }
        } else if let Some(piece) = self.pop_open() {
            let (arity, given) = (given.len(), given.iter().copied());
            self.append(piece, &types::arguments(given, arity, context));
        }
    }

    fn push_member(&mut self, segment: &Segment<'a>) {
        let NamePart {
            name, arguments, ..
        } = segment.part;
        match &segment.generated {
            Some(Generated { names, .. }) => names.iter().for_each(|name| self.push(name.clone())),
            None => self.push(name.into()),
        }
        if let (Arguments::Square(list) | Arguments::Angle(list), Some(last)) =
            (arguments, self.texts.last_mut())
        {
            let arguments = types::arguments(items(list), items(list).count(), TypeContext::TOP);
            last.to_mut().push_str(&arguments);
        }
    }

    /// `names` are those of the type parameters, if there are as many as are still unnamed.
    fn join(mut self, names: &str) -> String {
        let names: Vec<&str> = items(names).collect();
        let are_named = self.open_arity == names.len() as u128;
        let mut names = if are_named { &names[..] } else { &[] };
        for (piece, arity) in std::mem::take(&mut self.open) {
            let (own, others) = names.split_at(arity.min(names.len()));
            names = others;
            if let Some(piece) = piece {
                self.append(piece, &types::parameters(arity, own));
            }
        }
        self.texts.join(".")
    }
}
