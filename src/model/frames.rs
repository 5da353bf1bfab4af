//! Frames: the methods and pseudo methods of a profile.

use super::{FrameId, NameId, Names, category_of, shown_name, split_module};
use std::collections::HashMap;

/// What a frame stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// The synthetic root above all threads.
    Root,
    /// A thread.
    Thread,
    /// A method.
    Method,
    /// No method of the program: garbage collection, native code, what could not be resolved.
    Special,
}

impl FrameKind {
    /// The kind's name in call-tree JSON: `root`, `thread`, `method` or `special`.
    pub fn name(self) -> &'static str {
        match self {
            FrameKind::Root => "root",
            FrameKind::Thread => "thread",
            FrameKind::Method => "method",
            FrameKind::Special => "special",
        }
    }

    /// The kind that [`FrameKind::name`] calls `name`.
    pub fn from_name(name: &str) -> Option<FrameKind> {
        [FrameKind::Root, FrameKind::Thread, FrameKind::Method, FrameKind::Special]
            .into_iter()
            .find(|kind| kind.name() == name)
    }

    /// Whether frames of this kind belong into lists of hotspots: roots and threads do not.
    pub fn is_hotspot(self) -> bool {
        matches!(self, FrameKind::Method | FrameKind::Special)
    }
}

/// Whose code a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// The user's own code, or a library that does not come with .NET.
    Own,
    /// .NET itself: the base class library, ASP.NET, runtime modules.
    System,
    /// Native code and what the runtime does on its own.
    Native,
    /// No code: roots and threads.
    Pseudo,
}

impl Category {
    /// The words for people: `own code`, `system code`, `native`, `pseudo`.
    pub fn name(self) -> &'static str {
        match self {
            Category::Own => "own code",
            Category::System => "system code",
            Category::Native => "native",
            Category::Pseudo => "pseudo",
        }
    }
}

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
    /// Method, thread, root or special.
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
            kind,
            category,
        };
        let id = FrameId::at(self.rows.len());
        self.rows.push(frame);
        self.by_identity.insert(key, id);
        id
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

    /// The frames whose raw name, shown name, or raw name without module is `text`: what a user can mean by a method
    /// that is named on the command line. An exact raw name beats all others. O(frames).
    pub fn find(&self, text: &str) -> Vec<FrameId> {
        let exact: Vec<FrameId> = self.iter().filter(|(id, _)| self.name(*id) == text).map(|(id, _)| id).collect();
        if !exact.is_empty() {
            return exact;
        }
        self.iter()
            .filter(|(id, frame)| {
                let full = split_module(self.name(*id)).1;
                frame.kind != FrameKind::Root
                    && (self.shown(*id) == text
                        || full == text
                        || full.split('(').next().is_some_and(|bare| bare == text))
            })
            .map(|(id, _)| id)
            .collect()
    }
}
