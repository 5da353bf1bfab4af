//! Finds the missing callers of a track's truncated stacks.

use super::anchors::AnchorOccurrence;
use super::cuts::CutStack;
use super::ends::NOWHERE;
use super::fit::{Fit, Scratch, fit};
use super::outcome::RepairOutcome;
use super::rebuild::{Rebuild, StackRun};
use super::route::Route;
use crate::model::{FrameId, RawNode, TooLarge};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::RangeInclusive;

/// How many runs before and after a truncated one are compared: first the nearest, then more.
const NEIGHBORS: [usize; 2] = [2, 8];
/// An overlap of at least this share of the limit is accepted, even if there may be a longer one elsewhere.
const MIN_SHARE: (u64, u64) = (2, 5);
/// Like [`MIN_SHARE`], for anchors that occur in too many places to compare them all.
const MIN_SHARE_EVERYWHERE: (u64, u64) = (3, 4);
/// Each round adds repaired stacks to compare with.
const MAX_ROUNDS: usize = 16;

/// Frames compared per run, plus a fixed number. Real recordings need a tenth of this; a crafted file can force
/// one stack to be compared with many.
const STEPS_PER_RUN: u64 = 8192;
const BASE_STEPS: u64 = 1 << 26;
/// Nodes in the repaired tree per original node, plus a fixed number.
const NODES_PER_NODE: usize = 4;
const BASE_NODES: usize = 1 << 20;
const MAX_CACHED_FITS: usize = 1 << 18;

type SuffixMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

#[derive(Clone, Copy)]
struct CallerCandidate {
    fit: Fit,
    distance: usize,
}

type Rank = (u32, bool, Reverse<usize>);

impl CallerCandidate {
    fn rank(&self) -> Rank {
        (self.fit.overlap, self.fit.is_sure, Reverse(self.distance))
    }

    fn or(self, other: CallerCandidate) -> CallerCandidate {
        let (mut better, worse) = match self.rank() >= other.rank() {
            true => (self, other),
            false => (other, self),
        };
        // both fit equally well but disagree about the callers
        better.fit.is_tied |=
            better.rank() == worse.rank() && better.fit.prefix != worse.fit.prefix;
        better
    }
}

#[derive(Clone, Copy)]
enum SearchResult {
    Nowhere,
    /// Several places fit equally well, with this many frames.
    Several(u32),
    One(Fit),
}

pub(super) struct TrackRepair<'a, 'r> {
    rebuild: &'a mut Rebuild<'r>,
    track: u32,
    pub runs: Vec<StackRun>,
    limit: u32,
    neighbors: usize,
    remaining_steps: u64,
    /// The last loaded truncated stack and its end.
    frames: Vec<FrameId>,
    frames_of: Option<RawNode>,
    scratch: Scratch,
    route: Route,
    /// Results of [`fit`] for anchors that are everywhere, by the truncated stack's id and the end of the other stack.
    fits: SuffixMap<(u32, RawNode), Option<Fit>>,
    best: SuffixMap<usize, CallerCandidate>,
    queue: BinaryHeap<(Rank, Reverse<usize>)>,
}

impl<'a, 'r> TrackRepair<'a, 'r> {
    pub(super) fn new(rebuild: &'a mut Rebuild<'r>, track: u32, runs: Vec<StackRun>) -> Self {
        TrackRepair {
            limit: rebuild.cuts.limit,
            rebuild,
            track,
            neighbors: 0,
            remaining_steps: BASE_STEPS
                .saturating_add(STEPS_PER_RUN.saturating_mul(runs.len() as u64)),
            runs,
            frames: Vec::new(),
            frames_of: None,
            scratch: Scratch::default(),
            route: Route::default(),
            fits: SuffixMap::default(),
            best: SuffixMap::default(),
            queue: BinaryHeap::new(),
        }
    }

    /// Neighbors are compared only if runs are in time order.
    pub(super) fn find_callers(&mut self, is_in_order: bool) -> Result<(), TooLarge> {
        if is_in_order {
            for at in 1..self.runs.len() {
                self.place_next_to(at, at - 1)?;
            }
            for at in (1..self.runs.len()).rev() {
                self.place_next_to(at - 1, at)?;
            }
        }
        for neighbors in NEIGHBORS.into_iter().filter(|_| is_in_order) {
            self.neighbors = neighbors;
            for at in 0..self.runs.len() {
                if self.cut(at).is_some() {
                    self.compare_with(at, self.neighbors_of(at));
                }
            }
            self.place_by_neighbors()?;
        }
        for _ in 0..MAX_ROUNDS {
            if !self.place_by_all_stacks()? {
                break;
            }
            self.place_by_neighbors()?;
        }
        Ok(())
    }

    fn cut(&self, at: usize) -> Option<(u32, CutStack)> {
        let StackRun {
            raw,
            place: NOWHERE,
            ..
        } = self.runs[at]
        else {
            return None;
        };
        let number = self.rebuild.stacks.number(raw)?;
        Some((number, self.rebuild.stacks.get(number)))
    }

    fn neighbors_of(&self, at: usize) -> RangeInclusive<usize> {
        at.saturating_sub(self.neighbors)..=(at + self.neighbors).min(self.runs.len() - 1)
    }

    fn spend_steps(&mut self, frames: u64) -> bool {
        let is_affordable = self.remaining_steps >= frames;
        if is_affordable {
            self.remaining_steps -= frames;
        }
        is_affordable
    }

    fn go(&mut self, place: RawNode) -> bool {
        if self.remaining_steps < u64::from(self.rebuild.trie.depth(place)) {
            return false;
        }
        let steps = self.route.go(&self.rebuild.trie, place);
        self.remaining_steps -= u64::from(steps);
        true
    }

    fn load_frames(&mut self, at: usize) {
        let raw = self.runs[at].raw;
        if self.frames_of != Some(raw) {
            self.frames_of = Some(raw);
            self.rebuild
                .stacks
                .frames(self.rebuild.raw, raw, &mut self.frames);
        }
    }

    /// Places a truncated stack if at least half the limit overlaps the adjacent run's, in only one place. Returns
    /// whether it did.
    fn place_next_to(&mut self, at: usize, neighbor: usize) -> Result<bool, TooLarge> {
        let (Some((_, cut)), Some(place)) = (self.cut(at), self.runs[neighbor].place()) else {
            return Ok(false);
        };
        match self.fit(at, place) {
            Some(fit) if fit.overlap * 2 >= self.limit && self.is_acceptable(cut, fit) => {
                self.put(at, fit)
            }
            _ => Ok(false),
        }
    }

    /// Whether a fit is in only one place and, if its anchor is everywhere, long enough.
    fn is_acceptable(&self, cut: CutStack, fit: Fit) -> bool {
        // in recursion, all places look alike
        let (part, of) = match cut.recurs.is_recursion(self.limit) {
            true => MIN_SHARE,
            false => MIN_SHARE_EVERYWHERE,
        };
        let is_long = u64::from(fit.overlap) * of >= part * u64::from(self.limit);
        !fit.is_tied && (is_long || !self.rebuild.trie.anchors.get(cut.anchor).is_everywhere)
    }

    fn fit(&mut self, at: usize, place: RawNode) -> Option<Fit> {
        let (number, cut) = self.cut(at)?;
        let is_everywhere = self.rebuild.trie.anchors.get(cut.anchor).is_everywhere;
        if let Some(&known) = self.fits.get(&(number, place)).filter(|_| is_everywhere) {
            return known;
        }
        if !self.go(place) {
            return None;
        }
        let anchor = self.rebuild.trie.anchors.get(cut.anchor);
        let mut occurrences = anchor.occurrences.iter();
        let goes_through = is_everywhere
            || occurrences.any(|found| self.route.goes_through(found.end, found.depth));
        if !goes_through || !self.spend_steps(2 * u64::from(self.limit)) {
            return None;
        }
        self.load_frames(at);
        let cut = (&*self.frames, cut);
        let fit = fit(&self.rebuild.trie, cut, &self.route, &mut self.scratch);
        if is_everywhere {
            if self.fits.len() >= MAX_CACHED_FITS {
                self.fits.clear();
            }
            self.fits.insert((number, place), fit);
        }
        fit
    }

    fn compare_with(&mut self, at: usize, neighbors: RangeInclusive<usize>) {
        let mut best: Option<CallerCandidate> = None;
        for neighbor in neighbors {
            let Some(fit) = self.runs[neighbor]
                .place()
                .and_then(|place| self.fit(at, place))
            else {
                continue;
            };
            let new = CallerCandidate {
                fit,
                distance: at.abs_diff(neighbor),
            };
            let old = best.or_else(|| self.best.get(&at).copied());
            best = Some(old.map_or(new, |old| old.or(new)));
        }
        if let Some(best) = best {
            self.best.insert(at, best);
            self.queue.push((best.rank(), Reverse(at)));
        }
    }

    fn place_by_neighbors(&mut self) -> Result<(), TooLarge> {
        while let Some((rank, Reverse(at))) = self.queue.pop() {
            let is_unplaced = self.runs[at].place().is_none();
            let Some(&best) = self
                .best
                .get(&at)
                .filter(|best| is_unplaced && best.rank() == rank)
            else {
                continue;
            };
            match self.accepted_fit(at, best) {
                Some(fit) => self.attach_and_spread(at, fit)?,
                None => self.runs[at].outcome = RepairOutcome::Ambiguous,
            }
        }
        Ok(())
    }

    /// The fit to use if `best` is the best among the neighbors; `None` if others are as good. If it is short, all
    /// stacks are compared.
    fn accepted_fit(&mut self, at: usize, best: CallerCandidate) -> Option<Fit> {
        let fit = Some(best.fit).filter(|fit| !fit.is_tied);
        let (_, cut) = self.cut(at)?;
        if self.rebuild.trie.anchors.get(cut.anchor).is_everywhere {
            return fit.filter(|&fit| self.is_acceptable(cut, fit));
        }
        if u64::from(best.fit.overlap) * MIN_SHARE.1 >= MIN_SHARE.0 * u64::from(self.limit) {
            return fit;
        }
        self.load_frames(at);
        match self.find_anywhere(cut) {
            SearchResult::One(longer) if longer.overlap > best.fit.overlap => Some(longer),
            SearchResult::Several(longer) if longer > best.fit.overlap => None,
            _ => fit,
        }
    }

    fn attach_and_spread(&mut self, at: usize, fit: Fit) -> Result<(), TooLarge> {
        if !self.put(at, fit)? {
            return Ok(());
        }
        let (mut first, mut last) = (at, at);
        while first > 0 && self.place_next_to(first - 1, first)? {
            first -= 1;
        }
        while last + 1 < self.runs.len() && self.place_next_to(last + 1, last)? {
            last += 1;
        }
        for end in [first, last] {
            for open in self
                .neighbors_of(end)
                .filter(|open| !(first..=last).contains(open))
            {
                if self.cut(open).is_some() {
                    let near = self.neighbors_of(open);
                    self.compare_with(open, first.max(*near.start())..=last.min(*near.end()));
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, at: usize, fit: Fit) -> Result<bool, TooLarge> {
        let (raw, more) = (self.runs[at].raw, self.limit - fit.overlap);
        if self.is_full() && !self.rebuild.placements.has(raw, fit.prefix) {
            return Ok(false);
        }
        let Rebuild {
            raw: original,
            trie,
            placements,
            ..
        } = self.rebuild;
        let place = placements.put(
            trie,
            original,
            (self.track, fit.is_sure),
            (raw, more),
            (fit.prefix, fit.end),
        )?;
        let run = &mut self.runs[at];
        run.place = place;
        run.outcome = match fit.is_sure {
            true => RepairOutcome::Repaired,
            false => RepairOutcome::RepairedSomewhere,
        };
        Ok(true)
    }

    fn is_full(&self) -> bool {
        let limit = self.rebuild.raw.len().saturating_mul(NODES_PER_NODE);
        self.rebuild.trie.builder.len() > limit.saturating_add(BASE_NODES)
    }

    /// Compares the remaining truncated stacks with all stacks of the track. Returns whether any was repaired.
    fn place_by_all_stacks(&mut self) -> Result<bool, TooLarge> {
        let mut found = Vec::new();
        let mut answers: SuffixMap<u32, SearchResult> = SuffixMap::default();
        for at in 0..self.runs.len() {
            let Some((number, cut)) = self.cut(at) else {
                continue;
            };
            let known = answers.get(&number).copied();
            let answer = known.unwrap_or_else(|| {
                self.load_frames(at);
                self.find_anywhere(cut)
            });
            answers.insert(number, answer);
            match answer {
                SearchResult::Nowhere => {}
                SearchResult::Several(_) => self.runs[at].outcome = RepairOutcome::Ambiguous,
                SearchResult::One(fit) => {
                    found.push((Reverse(fit.is_sure), Reverse(fit.overlap), at, fit))
                }
            }
        }
        found.sort_unstable_by_key(|&(sure, overlap, at, _)| (sure, overlap, at));
        let mut has_attached = false;
        for (_, _, at, fit) in found {
            self.attach_and_spread(at, fit)?;
            has_attached |= self.runs[at].place().is_some();
        }
        Ok(has_attached)
    }

    /// Where the truncated stack in `self.frames` fits best in the repaired tree.
    fn find_anywhere(&mut self, cut: CutStack) -> SearchResult {
        let anchor = cut.anchor;
        let length = self.rebuild.trie.anchors.length;
        let row = self.rebuild.trie.anchors.get(anchor);
        let (is_everywhere, places) = (row.is_everywhere, row.occurrences.len() as u64);
        if is_everywhere || !self.spend_steps(places * u64::from(self.limit)) {
            return SearchResult::Several(length);
        }
        let anchor = self.rebuild.trie.anchors.get(anchor);
        let fit = |found: AnchorOccurrence| {
            let (mut node, mut overlap) = (found.end, length);
            for &frame in &self.frames[length as usize..] {
                match self.rebuild.trie.builder.find(node, frame) {
                    Some(callee) => node = callee,
                    None => break,
                }
                overlap += 1;
            }
            (found, node, overlap)
        };
        let fits: Vec<(AnchorOccurrence, RawNode, u32)> =
            anchor.occurrences.iter().copied().map(fit).collect();
        let Some(longest) = fits.iter().map(|(.., overlap)| *overlap).max() else {
            return SearchResult::Nowhere;
        };
        let mut longest_fits = fits.iter().filter(|(.., overlap)| *overlap == longest);
        let (Some(&(best, end, _)), None) = (longest_fits.next(), longest_fits.next()) else {
            return SearchResult::Several(longest);
        };
        let recurs = |other: RawNode| {
            other != best.end
                && (self.rebuild.trie.is_above(other, best.end)
                    || self.rebuild.trie.is_above(best.end, other))
        };
        let is_deeper = cut.recurs.may_be_deeper(longest, self.limit)
            || anchor.occurrences.iter().any(|other| recurs(other.end));
        let is_sure = self.rebuild.trie.is_sure(best.end) && !is_deeper;
        SearchResult::One(Fit {
            prefix: best.prefix,
            end,
            overlap: longest,
            is_sure,
            is_tied: false,
        })
    }
}
