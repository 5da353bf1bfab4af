//! Finds the missing callers of the truncated stacks of one track.

use super::Fate;
use super::fit::{Cut, Fit, Scratch, fit, recurs_for};
use super::trie::Trie;
use crate::model::{FrameId, RawNode, TooLarge, TreeBuilder};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// So many stretches before and after a truncated one are looked at.
const NEIGHBOURS: usize = 8;
/// An overlap with a neighbour of at least this share of the limit is taken though a longer one may be elsewhere.
const SURE: (u64, u64) = (2, 5);
/// The same where the head occurs in so many places that these are not compared.
const SURE_EVERYWHERE: (u64, u64) = (3, 4);
/// How often neighbours and then all stacks are asked; each time there are more stacks to ask.
const MAX_ROUNDS: usize = 16;

/// So many frames may be compared for each stretch, and this many more in all. Real recordings need a tenth of it; few bytes
/// can make a stack that is compared with many others.
const STEPS_PER_STRETCH: u64 = 4096;
const MORE_STEPS: u64 = 1 << 26;
/// The mended tree may have so many times the nodes of the unmended one, and this many more.
const NODES_PER_NODE: usize = 4;
const MORE_NODES: usize = 1 << 20;

/// Moments of a track that follow each other and have one stack.
pub(super) struct Stretch {
    /// Where the stack ends in the unmended tree.
    pub raw: RawNode,
    /// Where it ends in the mended one, once that is known.
    pub place: Option<RawNode>,
    /// The number of its head, if it is truncated.
    pub head: Option<u32>,
    pub fate: Fate,
    best: Option<Candidate>,
}

impl Stretch {
    /// A stack that is whole, at its place.
    pub fn whole(raw: RawNode, place: RawNode) -> Stretch {
        Stretch { raw, place: Some(place), head: None, fate: Fate::Whole, best: None }
    }

    /// A truncated stack.
    pub fn truncated(raw: RawNode, head: Option<u32>) -> Stretch {
        Stretch { raw, place: None, head, fate: Fate::Unmatched, best: None }
    }
}

/// A fit into a neighbour.
#[derive(Clone, Copy)]
struct Candidate {
    fit: Fit,
    /// How many stretches lie between.
    distance: usize,
    /// Whether another fits as well, with other callers.
    is_tied: bool,
}

impl Candidate {
    fn rank(&self) -> (u32, bool, Reverse<usize>) {
        (self.fit.overlap, self.fit.is_sure, Reverse(self.distance))
    }

    /// The better of two.
    fn or(self, other: Candidate) -> Candidate {
        let (mut better, worse) = if self.rank() >= other.rank() { (self, other) } else { (other, self) };
        if better.rank() == worse.rank() && better.fit.prefix != worse.fit.prefix {
            better.is_tied = true;
        }
        better
    }
}

/// Works on one track.
pub(super) struct Stitcher<'a> {
    pub raw: &'a TreeBuilder,
    pub trie: &'a mut Trie,
    pub track: u32,
    pub stretches: Vec<Stretch>,
    /// The frames of the truncated stack that was looked at last.
    frames: Vec<FrameId>,
    frames_of: Option<RawNode>,
    recurs_for: u32,
    limit: u32,
    neighbours: usize,
    steps_left: u64,
    scratch: Scratch,
    queue: BinaryHeap<((u32, bool, Reverse<usize>), Reverse<usize>)>,
    /// Where truncated stacks were put before, by where they end in the unmended tree and below which node.
    known: HashMap<(RawNode, RawNode), RawNode, foldhash::fast::RandomState>,
}

impl<'a> Stitcher<'a> {
    pub fn new(raw: &'a TreeBuilder, trie: &'a mut Trie, track: u32, limit: u32, stretches: Vec<Stretch>) -> Self {
        Stitcher {
            raw,
            trie,
            track,
            frames: Vec::new(),
            frames_of: None,
            recurs_for: 0,
            limit,
            neighbours: NEIGHBOURS,
            steps_left: MORE_STEPS.saturating_add(STEPS_PER_STRETCH.saturating_mul(stretches.len() as u64)),
            stretches,
            scratch: Scratch::default(),
            queue: BinaryHeap::new(),
            known: HashMap::default(),
        }
    }

    /// Gives every truncated stretch its place, as far as it can be found, and its fate. Neighbours are only asked if stretches
    /// are in order of time.
    ///
    /// # Errors
    /// The tree is full.
    pub fn stitch(&mut self, is_in_order: bool) -> Result<(), TooLarge> {
        self.neighbours = if is_in_order { NEIGHBOURS } else { 0 };
        for at in 0..self.stretches.len() {
            self.offer_to_neighbours(at);
        }
        for _ in 0..MAX_ROUNDS {
            self.ask_neighbours()?;
            if !self.ask_all()? {
                break;
            }
        }
        Ok(())
    }

    /// Whether so many times the limit of frames may be compared.
    fn may_compare(&mut self, times: usize) -> bool {
        let steps = times as u64 * u64::from(self.limit);
        match self.steps_left.checked_sub(steps) {
            Some(left) => self.steps_left = left,
            None => return false,
        }
        true
    }

    /// Puts the frames of the truncated stack of a stretch into `self.frames`.
    fn load(&mut self, at: usize) {
        let raw = self.stretches[at].raw;
        if self.frames_of == Some(raw) {
            return;
        }
        self.frames_of = Some(raw);
        self.frames.clear();
        let mut node = raw;
        for _ in 0..self.limit {
            let (above, frame) = self.raw.node(node);
            self.frames.push(frame);
            node = above;
        }
        self.frames.reverse();
        self.recurs_for = recurs_for(&self.frames, self.trie.heads.length(), &mut self.scratch);
    }

    /// Has the truncated stretches near one that has its place look whether they fit.
    fn offer_to_neighbours(&mut self, at: usize) {
        let Some(place) = self.stretches[at].place else { return };
        let first = at.saturating_sub(self.neighbours);
        let last = (at + self.neighbours).min(self.stretches.len() - 1);
        for other in first..=last {
            let Stretch { place: None, head: Some(head), .. } = self.stretches[other] else { continue };
            let known = self.trie.heads.get(head);
            if known.places.is_empty() || !self.may_compare(2) {
                continue;
            }
            self.load(other);
            let cut = Cut { frames: &self.frames, head, recurs_for: self.recurs_for };
            let Some(fit) = fit(self.trie, &cut, place, &mut self.scratch) else { continue };
            let new = Candidate { fit, distance: at.abs_diff(other), is_tied: fit.is_tied };
            let better = self.stretches[other].best.map_or(new, |old| old.or(new));
            self.stretches[other].best = Some(better);
            self.queue.push((better.rank(), Reverse(other)));
        }
    }

    /// Mends by neighbours in time, the longest overlaps first, until none is left that fits.
    fn ask_neighbours(&mut self) -> Result<(), TooLarge> {
        while let Some((rank, Reverse(at))) = self.queue.pop() {
            let stretch = &self.stretches[at];
            let Some(best) = stretch.best.filter(|best| stretch.place.is_none() && best.rank() == rank) else {
                continue;
            };
            match self.judged(at, best) {
                Some(fit) => self.put(at, fit)?,
                None => self.stretches[at].fate = Fate::Ambiguous,
            }
        }
        Ok(())
    }

    /// The fit to be taken where `best` is that of the neighbours; `None` if others are as good. A short overlap may be that
    /// of a library's methods, which are called from many places: then all stacks are asked.
    fn judged(&mut self, at: usize, best: Candidate) -> Option<Fit> {
        let fit = Some(best.fit).filter(|_| !best.is_tied);
        let overlap = u64::from(best.fit.overlap);
        let is_less_than = |(part, of): (u64, u64)| overlap * of < part * u64::from(self.limit);
        let head = self.stretches[at].head?;
        if self.trie.heads.get(head).is_everywhere {
            return fit.filter(|_| !is_less_than(SURE_EVERYWHERE));
        }
        if !is_less_than(SURE) {
            return fit;
        }
        self.load(at);
        match self.find_anywhere(head) {
            Found::One(longer) if longer.overlap > best.fit.overlap => Some(longer),
            Found::Several(longer) if longer > best.fit.overlap => None,
            _ => fit,
        }
    }

    /// Puts a truncated stack below its callers.
    fn put(&mut self, at: usize, fit: Fit) -> Result<(), TooLarge> {
        if self.trie.builder.len() > self.raw.len().saturating_mul(NODES_PER_NODE).saturating_add(MORE_NODES) {
            return Ok(());
        }
        self.load(at);
        let key = (self.stretches[at].raw, fit.prefix);
        let known = self.known.get(&key).copied().filter(|&place| self.trie.is_sure(place) || !fit.is_sure);
        let place = match known {
            Some(known) => known,
            None => {
                let mut node = fit.prefix;
                for &frame in &self.frames {
                    node = self.trie.merge(self.track, node, frame, fit.is_sure)?;
                }
                self.known.insert(key, node);
                node
            }
        };
        let stretch = &mut self.stretches[at];
        stretch.place = Some(place);
        stretch.fate = if fit.is_sure { Fate::Mended } else { Fate::MendedSomewhere };
        self.offer_to_neighbours(at);
        Ok(())
    }

    /// Looks for the truncated stacks that are left in all stacks of the track. Says whether any was mended.
    fn ask_all(&mut self) -> Result<bool, TooLarge> {
        let mut found = Vec::new();
        let mut by_raw: HashMap<RawNode, Found, foldhash::fast::RandomState> = HashMap::default();
        for at in 0..self.stretches.len() {
            let Stretch { place: None, head: Some(head), raw, .. } = self.stretches[at] else { continue };
            let answer = match by_raw.get(&raw) {
                Some(&known) => known,
                None => {
                    self.load(at);
                    let answer = self.find_anywhere(head);
                    by_raw.insert(raw, answer);
                    answer
                }
            };
            match answer {
                Found::Nowhere => {}
                Found::Several(_) => self.stretches[at].fate = Fate::Ambiguous,
                Found::One(fit) => found.push((Reverse(fit.is_sure), Reverse(fit.overlap), at, fit)),
            }
        }
        found.sort_unstable_by_key(|&(sure, overlap, at, _)| (sure, overlap, at));
        let before = found.len();
        let mut left = 0;
        for (_, _, at, fit) in found {
            self.put(at, fit)?;
            left += usize::from(self.stretches[at].place.is_none());
        }
        Ok(left < before)
    }

    /// Where the truncated stack in `self.frames` fits best of all places in the mended tree.
    fn find_anywhere(&mut self, head: u32) -> Found {
        let length = self.trie.heads.length();
        let (is_everywhere, places) = (self.trie.heads.get(head).is_everywhere, self.trie.heads.get(head).places.len());
        if is_everywhere || !self.may_compare(places) {
            return Found::Several(length);
        }
        let head = self.trie.heads.get(head);
        let overlap = |end: RawNode| {
            let (mut node, mut overlap) = (end, length);
            for &frame in &self.frames[length as usize..] {
                match self.trie.builder.find(node, frame) {
                    Some(callee) => node = callee,
                    None => break,
                }
                overlap += 1;
            }
            overlap
        };
        let overlaps: Vec<(u32, RawNode)> = head.places.iter().map(|&end| (overlap(end), end)).collect();
        let Some(&(longest, end)) = overlaps.iter().max_by_key(|(overlap, _)| *overlap) else { return Found::Nowhere };
        if overlaps.iter().filter(|(overlap, _)| *overlap == longest).count() > 1 {
            return Found::Several(longest);
        }
        let recurs =
            |&&other: &&RawNode| other != end && (self.trie.is_above(other, end) || self.trie.is_above(end, other));
        let is_sure = self.trie.is_sure(end) && head.places.iter().find(recurs).is_none();
        let prefix = self.trie.ancestor(end, self.trie.depth(end) - length);
        Found::One(Fit { prefix, overlap: longest, is_sure, is_tied: false })
    }
}

#[derive(Clone, Copy)]
enum Found {
    Nowhere,
    /// In several places equally well, with so many frames.
    Several(u32),
    One(Fit),
}
