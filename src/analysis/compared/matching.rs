//! Matches the frames of several profiles.
//!
//! Equal full names match first. Among the rest, names match if they are equal without the parts that change from build
//! to build ([`Key`]); then, but only if one side's source lacks them, without module, without arguments, and without
//! both; and between different formats without either, as they may spell these differently. If several methods share a
//! name, they are paired in name order if both sides have equally many. Otherwise they are summed and listed.

use super::keys::Key;
use crate::model::{FrameId, Frames};
use crate::names::FrameKind;
use std::collections::HashMap;
use std::hash::Hash;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    Exact,
    #[default]
    Normalized,
}

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
pub struct Summed {
    pub name: String,
    /// Before and after.
    pub methods: (usize, usize),
}

pub(super) struct Union {
    pub frames: Frames,
    /// The frame that each frame was merged into, usually itself.
    alias: Vec<FrameId>,
    pub summed: Vec<Summed>,
    is_one_format: bool,
}

pub(super) type MatchPlaces = Vec<FrameId>;

impl Union {
    pub(super) fn new() -> Union {
        Union {
            frames: Frames::default(),
            alias: Vec::new(),
            summed: Vec::new(),
            is_one_format: true,
        }
    }

    pub(super) fn settled(&self, mut frame: FrameId) -> FrameId {
        while self.alias[frame.index()] != frame {
            frame = self.alias[frame.index()];
        }
        frame
    }

    /// Adds the occurring frames of a profile and matches them with the existing ones.
    pub(super) fn add(
        &mut self,
        frames: &Frames,
        occurs: impl Fn(FrameId) -> bool,
        rename: impl Fn(&str) -> String,
        (matching, is_one_format): (Matching, bool),
    ) -> MatchPlaces {
        self.is_one_format = is_one_format;
        let known = self.frames.len();
        let mut places: Vec<Option<FrameId>> = vec![None; frames.len()];
        let mut left = Vec::new();
        for (id, frame) in frames.iter() {
            if !frame.kind.is_hotspot() || !occurs(id) {
                continue;
            }
            let name = rename(frames.name(id));
            match self.frames.known(frame.kind, &name, frames.signature(id)) {
                Some(same) => places[id.index()] = Some(same),
                None => left.push((id, name)),
            }
        }
        if matching == Matching::Normalized && known > 0 {
            let is_taken = self.taken(&places, known);
            self.match_normalized(frames, &mut left, &is_taken, &mut places);
        }
        for (id, name) in &left {
            places[id.index()].get_or_insert_with(|| self.frames.adopt(frames, *id, name));
        }
        self.alias
            .extend((self.alias.len()..self.frames.len()).map(FrameId::at));
        let root = self.root();
        places
            .into_iter()
            .map(|place| place.unwrap_or(root))
            .collect()
    }

    /// The frame of the root, which also represents everything that is not a method.
    pub(super) fn root(&mut self) -> FrameId {
        let root = self.frames.intern(FrameKind::Root, "All threads", "");
        self.alias
            .extend((self.alias.len()..self.frames.len()).map(FrameId::at));
        root
    }

    fn taken(&self, places: &[Option<FrameId>], known: usize) -> Vec<bool> {
        let mut is_taken = vec![false; known];
        places
            .iter()
            .flatten()
            .filter(|place| place.index() < known)
            .for_each(|place| is_taken[place.index()] = true);
        is_taken
    }

    fn match_normalized(
        &mut self,
        frames: &Frames,
        left: &mut [(FrameId, String)],
        is_taken: &[bool],
        places: &mut [Option<FrameId>],
    ) {
        // numbers in names are compared by value: b__2 before b__10
        left.sort_by_cached_key(|(_, name)| natural(name));
        let mut theirs: Vec<(FrameId, Key)> = left
            .iter()
            .map(|(id, name)| (*id, Key::of(frames, *id, name)))
            .filter(|(_, key)| key.kind == FrameKind::Method)
            .collect();
        let own = self.frames.iter().filter(|(id, frame)| {
            frame.kind == FrameKind::Method
                && !is_taken[id.index()]
                && self.alias[id.index()] == *id
        });
        let mut own: Vec<FrameId> = own.map(|(id, _)| id).collect();
        own.sort_by_cached_key(|&id| natural(self.frames.name(id)));
        let mut ours: Vec<(FrameId, Key)> = own
            .into_iter()
            .map(|id| (id, Key::of(&self.frames, id, self.frames.name(id))))
            .collect();
        let lacks_module = |key: &Key| key.module.is_empty();
        let lacks_parameters = |key: &Key| key.parameters.is_none();
        self.level(&mut ours, &mut theirs, places, Key::clone, |_| true);
        self.level(
            &mut ours,
            &mut theirs,
            places,
            |key| (key.path.clone(), key.parameters.clone()),
            lacks_module,
        );
        self.level(
            &mut ours,
            &mut theirs,
            places,
            |key| (key.path.clone(), key.module.clone()),
            lacks_parameters,
        );
        self.level(
            &mut ours,
            &mut theirs,
            places,
            |key| key.path.clone(),
            |key| lacks_module(key) || lacks_parameters(key),
        );
        if !self.is_one_format {
            self.level(
                &mut ours,
                &mut theirs,
                places,
                |key| key.path.clone(),
                |_| true,
            );
        }
    }

    /// Matches methods with equal `part`s if `may` holds for all of them on at least one side.
    fn level<P: Hash + Eq>(
        &mut self,
        ours: &mut Vec<(FrameId, Key)>,
        theirs: &mut Vec<(FrameId, Key)>,
        places: &mut [Option<FrameId>],
        part: impl Fn(&Key) -> P,
        may: impl Fn(&Key) -> bool,
    ) {
        type Group = (Vec<FrameId>, Vec<FrameId>, (bool, bool));
        let mut groups: HashMap<P, Group, foldhash::fast::RandomState> = HashMap::default();
        for (id, key) in &*ours {
            let group = groups
                .entry(part(key))
                .or_insert_with(|| (Vec::new(), Vec::new(), (true, true)));
            group.0.push(*id);
            group.2.0 &= may(key);
        }
        for (id, key) in &*theirs {
            if let Some(group) = groups.get_mut(&part(key)) {
                group.1.push(*id);
                group.2.1 &= may(key);
            }
        }
        let is_match = |group: &Group| !group.1.is_empty() && (group.2.0 || group.2.1);
        let mut matched: Vec<Group> = groups.into_values().filter(is_match).collect();
        matched.sort_unstable_by_key(|group| group.0[0]);
        for (own, other, _) in &matched {
            if own.len() == other.len() {
                other
                    .iter()
                    .zip(own)
                    .for_each(|(id, &place)| places[id.index()] = Some(place));
                continue;
            }
            own.iter().for_each(|id| self.alias[id.index()] = own[0]);
            other
                .iter()
                .for_each(|id| places[id.index()] = Some(own[0]));
            let name = self.frames.display_name(own[0]).to_string();
            self.summed.push(Summed {
                name,
                methods: (own.len(), other.len()),
            });
        }
        let done: std::collections::HashSet<FrameId> =
            matched.iter().flat_map(|(own, ..)| own).copied().collect();
        ours.retain(|(id, _)| !done.contains(id));
        theirs.retain(|(id, _)| places[id.index()].is_none());
    }
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
