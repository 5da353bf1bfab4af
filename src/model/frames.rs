//! Frames: the methods and pseudo methods of a profile.

use super::{Category, FrameId, FrameKind, NameId, Names, category_of, shown_name, split_module};
use std::collections::HashMap;

/// A method or pseudo method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The full name as the source spells it, `Module!Namespace.Type.Method`, where the format has them with arguments.
    pub name: NameId,
    /// The short name for people, made from `name` once.
    pub shown: NameId,
    /// The module (assembly) without extension; the empty string if the source does not say.
    pub module: NameId,
    /// Parameter types and result for the detail line where `name` does not hold them, else the empty string.
    /// Two overloads differ in it.
    pub signature: NameId,
    /// Where its source is, `file:line` or `file`; the empty string if the profile does not say.
    pub location: NameId,
    /// What it stands for.
    pub kind: FrameKind,
    /// Whose code it is.
    pub category: Category,
}

/// The frames of a profile with their strings.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    names: Names,
    rows: Vec<Frame>,
    by_identity: HashMap<(NameId, NameId, FrameKind), FrameId, foldhash::fast::RandomState>,
}

impl Frames {
    /// The frame of this kind, raw name and signature (empty where the name says it all), made if it is new.
    /// Amortised O(length of the strings).
    pub fn intern(&mut self, kind: FrameKind, name: &str, signature: &str) -> FrameId {
        let key = (self.names.intern(name), self.names.intern(signature), kind);
        if let Some(&known) = self.by_identity.get(&key) {
            return known;
        }
        let module = match kind {
            FrameKind::Method => split_module(name).0,
            _ => "",
        };
        let category = category_of(kind, name);
        let shown = shown_name(kind, name);
        let frame = Frame {
            name: key.0,
            shown: self.names.intern(&shown),
            module: self.names.intern(module),
            signature: key.1,
            location: self.names.intern(""),
            kind,
            category,
        };
        let id = FrameId::at(self.rows.len());
        self.rows.push(frame);
        self.by_identity.insert(key, id);
        id
    }

    /// The frame of this kind, raw name and signature, if there is one. O(length of the strings).
    pub fn known(&self, kind: FrameKind, name: &str, signature: &str) -> Option<FrameId> {
        let key = (self.names.known(name)?, self.names.known(signature)?, kind);
        self.by_identity.get(&key).copied()
    }

    /// The frame behind a handle.
    pub fn get(&self, id: FrameId) -> &Frame {
        &self.rows[id.index()]
    }

    /// The raw name of a frame.
    pub fn name(&self, id: FrameId) -> &str {
        self.names.get(self.get(id).name)
    }

    /// The name of a frame for people.
    pub fn shown(&self, id: FrameId) -> &str {
        self.names.get(self.get(id).shown)
    }

    /// The module of a frame, or the empty string.
    pub fn module(&self, id: FrameId) -> &str {
        self.names.get(self.get(id).module)
    }

    /// Parameters and result of a frame where its name does not hold them, or the empty string.
    pub fn signature(&self, id: FrameId) -> &str {
        self.names.get(self.get(id).signature)
    }

    /// Says where the source of a frame is: a file, and a line unless that is 0. What was said first stays.
    pub fn set_location(&mut self, id: FrameId, file: &str, line: u64) {
        if self.location(id).is_empty() && !file.is_empty() {
            let text = if line == 0 { file.to_string() } else { format!("{file}:{line}") };
            self.rows[id.index()].location = self.names.intern(&text);
        }
    }

    /// Where the source of a frame is, `file:line` or `file`, or the empty string.
    pub fn location(&self, id: FrameId) -> &str {
        self.names.get(self.get(id).location)
    }

    /// How many frames there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All frames in the order in which they were made.
    pub fn iter(&self) -> impl Iterator<Item = (FrameId, &Frame)> {
        self.rows.iter().enumerate().map(|(index, frame)| (FrameId::at(index), frame))
    }

    /// All interned strings.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The frames that a user can mean by a method's name on the command line: the raw name with or without module,
    /// namespace, arguments or signature, or the shown name. A raw name beats all others, and the right case beats the
    /// wrong one. O(frames).
    pub fn find(&self, text: &str) -> Vec<FrameId> {
        let all = |fits: &dyn Fn(FrameId) -> bool| -> Vec<FrameId> {
            self.iter().filter(|(id, frame)| frame.kind != FrameKind::Root && fits(*id)).map(|(id, _)| id).collect()
        };
        let with_signature = |id| format!("{}{}", self.name(id), self.signature(id));
        let ways: [&dyn Fn(FrameId) -> bool; 3] = [
            &|id| self.name(id) == text || (text.contains('(') && with_signature(id) == text),
            &|id| self.is_called(id, text, str::eq),
            &|id| self.is_called(id, text, str::eq_ignore_ascii_case),
        ];
        ways.into_iter().map(all).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Whether a frame is called `text` in short, as `same` compares.
    fn is_called(&self, id: FrameId, text: &str, same: fn(&str, &str) -> bool) -> bool {
        let full = split_module(self.name(id)).1;
        let (bare, arguments) = full.split_at(full.find('(').unwrap_or(full.len()));
        let shown = self.shown(id);
        // `List<T>.Add(!0)` is the shown name with the arguments of the raw one
        let shown_with_arguments = || text.contains('(') && same(&format!("{shown}{arguments}"), text);
        same(shown, text) || same(full, text) || same(bare, text) || shown_with_arguments()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_found_as_people_name_them() {
        let mut frames = Frames::default();
        let names =
            ["Acme!Acme.Book.Match(int32)", "Acme!Acme.Book.Match(class System.String)", "Acme!Acme.Book.match()"];
        let ids = names.map(|name| frames.intern(FrameKind::Method, name, ""));
        let signed = frames.intern(FrameKind::Method, "Acme!Acme.Shop.Sell", "(int32) : bool");
        for (text, expect) in [
            ("Acme!Acme.Book.Match(int32)", &ids[..1]),
            ("Acme.Book.Match(int32)", &ids[..1]),
            ("Book.Match(int32)", &ids[..1]),
            ("Book.Match", &ids[..2]),
            ("Acme.Book.Match", &ids[..2]),
            ("book.match", &ids[..]),
            ("Book.match", &ids[2..]),
            ("Acme!Acme.Shop.Sell(int32) : bool", &[signed]),
            ("shop.sell", &[signed]),
            ("Match", &[]),
            ("", &[]),
        ] {
            assert_eq!(frames.find(text), expect, "{text}");
        }
    }
}
