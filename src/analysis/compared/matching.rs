//! Matches the frames of several profiles.
//!
//! Equal full names match first. The rest match if they are equal without what changes from build to build ([`Key`]);
//! then without module, without arguments, and without both, but only if one side's source lacks what is ignored.
//! Formats may spell modules and arguments differently, so between formats, both are ignored in the end. Methods that
//! share a name are paired in name order if both sides have equally many; otherwise they are summed and listed.

use super::keys::Key;
use crate::model::{FrameId, Frames};
use crate::names::FrameKind;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A part of methods' names before and after the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    pub old: String,
    pub new: String,
}

impl Rename {
    /// The part must begin and end at word boundaries.
    pub(super) fn apply(&self, name: &str) -> String {
        let is_inner = |c: char| c.is_alphanumeric() || c == '_';
        let (starts, ends) = (self.old.starts_with(is_inner), self.old.ends_with(is_inner));
        let (mut renamed, mut rest) = (String::with_capacity(name.len()), name);
        while let Some(at) = rest.find(&self.old).filter(|_| !self.old.is_empty()) {
            let (before, found) = rest.split_at(at);
            let after = &found[self.old.len()..];
            renamed.push_str(before);
            let is_part =
                starts && renamed.ends_with(is_inner) || ends && after.starts_with(is_inner);
            renamed.push_str(if is_part { &self.old } else { &self.new });
            rest = after;
        }
        renamed + rest
    }
}

/// Ambiguous methods summed into one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummedMethods {
    pub name: String,
    pub methods: (usize, usize),
}

#[derive(Default)]
pub(super) struct FrameUnion {
    pub frames: Frames,
    /// What each frame was merged into, usually itself.
    alias: Vec<FrameId>,
    pub summed: Vec<SummedMethods>,
}

pub(super) type MergedFrames = Vec<FrameId>;

impl FrameUnion {
    pub(super) fn resolve(&self, mut frame: FrameId) -> FrameId {
        while self.alias[frame.index()] != frame {
            frame = self.alias[frame.index()];
        }
        frame
    }

    /// Adds the frames that occur in a profile, and matches them with known ones.
    pub(super) fn add(
        &mut self,
        frames: &Frames,
        occurs: impl Fn(FrameId) -> bool,
        rename: impl Fn(&str) -> String,
        is_one_format: bool,
    ) -> MergedFrames {
        let known = self.frames.len();
        let mut places: Vec<Option<FrameId>> = vec![None; frames.len()];
        let mut unmatched = Vec::new();
        for (id, frame) in frames.iter() {
            if !frame.kind.is_code() || !occurs(id) {
                continue;
            }
            let name = rename(frames.name(id));
            match self.frames.lookup(frame.kind, &name, frames.signature(id)) {
                Some(same) => places[id.index()] = Some(same),
                None => unmatched.push((id, name)),
            }
        }
        if known > 0 {
            self.match_normalized(frames, &mut unmatched, &mut places, is_one_format);
        }
        for (id, name) in &unmatched {
            places[id.index()].get_or_insert_with(|| self.frames.adopt(frames, *id, name));
        }
        let root = self.root();
        places
            .into_iter()
            .map(|place| place.unwrap_or(root))
            .collect()
    }

    /// Also represents everything that is not a method.
    pub(super) fn root(&mut self) -> FrameId {
        let root = self.frames.intern(FrameKind::Root, "All threads", "");
        self.alias
            .extend((self.alias.len()..self.frames.len()).map(FrameId::at));
        root
    }

    fn match_normalized(
        &mut self,
        frames: &Frames,
        unmatched: &mut [(FrameId, String)],
        places: &mut [Option<FrameId>],
        is_one_format: bool,
    ) {
        // compares numbers by value: b__2 before b__10
        unmatched.sort_by_cached_key(|(_, name)| natural(name));
        let mut new: Vec<(FrameId, Key)> = unmatched
            .iter()
            .map(|(id, name)| (*id, Key::of(frames, *id, name)))
            .filter(|(_, key)| key.kind == FrameKind::Method)
            .collect();
        let matched: HashSet<FrameId> = places.iter().copied().flatten().collect();
        let known = self.frames.iter().filter(|(id, frame)| {
            let is_free = !matched.contains(id) && self.alias[id.index()] == *id;
            is_free && frame.kind == FrameKind::Method
        });
        let mut known: Vec<FrameId> = known.map(|(id, _)| id).collect();
        known.sort_by_cached_key(|&id| natural(self.frames.name(id)));
        let mut known: Vec<(FrameId, Key)> = known
            .into_iter()
            .map(|id| (id, Key::of(&self.frames, id, self.frames.name(id))))
            .collect();
        for (with_module, with_parameters, allows_all) in [
            (true, true, true),
            (false, true, false),
            (true, false, false),
            (false, false, false),
            (false, false, !is_one_format),
        ] {
            let is_allowed = |key: &Key| {
                allows_all
                    || !with_module && key.module.is_empty()
                    || !with_parameters && key.parameters.is_none()
            };
            let part = |key: &Key| {
                let module = with_module.then(|| key.module.clone());
                let parameters = with_parameters.then(|| key.parameters.clone());
                (key.path.clone(), module, parameters)
            };
            self.match_by(&mut known, &mut new, places, part, is_allowed);
        }
    }

    /// Matches methods with equal parts of their keys if `is_allowed` holds for all of them on at least one side.
    fn match_by<T: Eq + Hash>(
        &mut self,
        known: &mut Vec<(FrameId, Key)>,
        new: &mut Vec<(FrameId, Key)>,
        places: &mut [Option<FrameId>],
        part: impl Fn(&Key) -> T,
        is_allowed: impl Fn(&Key) -> bool,
    ) {
        let mut groups: HashMap<T, MatchGroup, foldhash::fast::RandomState> = HashMap::default();
        for (id, key) in &*known {
            let group = groups.entry(part(key)).or_default();
            group.known.push(*id);
            group.is_excluded[0] |= !is_allowed(key);
        }
        for (id, key) in &*new {
            if let Some(group) = groups.get_mut(&part(key)) {
                group.new.push(*id);
                group.is_excluded[1] |= !is_allowed(key);
            }
        }
        let is_match = |group: &MatchGroup| !group.new.is_empty() && group.is_excluded != [true; 2];
        let mut groups: Vec<MatchGroup> = groups.into_values().filter(is_match).collect();
        groups.sort_unstable_by_key(|group| group.known[0]);
        for MatchGroup { known, new, .. } in &groups {
            if known.len() == new.len() {
                for (id, &place) in new.iter().zip(known) {
                    places[id.index()] = Some(place);
                }
                continue;
            }
            for id in known {
                self.alias[id.index()] = known[0];
            }
            for id in new {
                places[id.index()] = Some(known[0]);
            }
            self.summed.push(SummedMethods {
                name: self.frames.display_name(known[0]).to_string(),
                methods: (known.len(), new.len()),
            });
        }
        let matched: HashSet<FrameId> = groups.into_iter().flat_map(|group| group.known).collect();
        known.retain(|(id, _)| !matched.contains(id));
        new.retain(|(id, _)| places[id.index()].is_none());
    }
}

#[derive(Default)]
struct MatchGroup {
    known: Vec<FrameId>,
    new: Vec<FrameId>,
    /// Whether the rule excludes any known, or any new method.
    is_excluded: [bool; 2],
}

fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = vec![(String::new(), 0u64)];
    let mut in_number = false;
    for c in name.chars() {
        if in_number && !c.is_ascii_digit() {
            parts.push((String::new(), 0));
        }
        in_number = c.is_ascii_digit();
        // never empty
        let Some((text, number)) = parts.last_mut() else {
            break;
        };
        match c.to_digit(10) {
            Some(digit) => *number = number.saturating_mul(10).saturating_add(digit.into()),
            None => text.push(c),
        }
    }
    parts
}

#[cfg(test)]
mod tests;
