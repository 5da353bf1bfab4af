//! Steps that change the tree: dropping, folding, grouping. Each can be undone on its own.

use crate::analysis::{Pattern, nodes_to_open};
use crate::app::{Action, Explorer, Overlay, messages, next_in, next_or_none};
use crate::model::{
    Collapsible, FilterAction, FrameId, GroupBy, NodeRef, Recursion, Step, Synthetic, ViewSpec,
};
use crate::text::visible;
use std::sync::Arc;

/// A step on the way to the current view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crumb {
    Root,
    Range,
    /// By its index among the changes.
    Change(usize),
    Focus(usize),
    Page(usize),
}

/// More methods are not counted while a pattern is typed.
const MAX_COUNTED: usize = 20_000;

impl Explorer {
    /// The requested changes to the tree, or else the shown ones, without focuses.
    pub(super) fn changes(&self) -> &[Step] {
        &self.wanted_steps().transforms
    }

    pub(super) fn ask_for_changes(&mut self, transforms: Vec<Step>) {
        let scope = self.wanted_scope().clone();
        self.ask_for(ViewSpec { scope, transforms })
    }

    fn replace(&mut self, is_of_kind: impl Fn(&Step) -> bool, change: Option<Step>) {
        let mut transforms = self.changes().to_vec();
        let at = transforms.iter().position(&is_of_kind);
        transforms.retain(|step| !is_of_kind(step));
        if let Some(change) = change {
            let end = transforms.len();
            transforms.insert(at.unwrap_or(end).min(end), change);
        }
        self.ask_for_changes(transforms)
    }

    /// Cycles through the changes of one kind: from none to the first, and from the last to none.
    fn next_change<T: Copy + PartialEq>(
        &mut self,
        all: &[T],
        value: impl Fn(&Step) -> Option<T>,
        step: impl Fn(T) -> Step,
    ) {
        let current = self.changes().iter().find_map(&value);
        let next = next_or_none(all, current);
        self.replace(|step| value(step).is_some(), next.map(step))
    }

    pub(super) fn next_collapse(&mut self) {
        if let Some(subject) = self.page().subject() {
            return self.toggle_user_callers(subject);
        }
        let frames = |step: &Step| match step {
            Step::Collapse { frames, .. } => Some(*frames),
            _ => None,
        };
        self.next_change(&Collapsible::ALL, frames, |frames| Step::Collapse {
            frames,
            opened: Vec::new(),
        })
    }

    pub(super) fn next_recursion(&mut self) {
        let recursion = |step: &Step| match step {
            Step::CollapseRecursion(recursion) => Some(*recursion),
            _ => None,
        };
        self.next_change(&Recursion::ALL, recursion, Step::CollapseRecursion)
    }

    pub(super) fn next_group(&mut self) {
        let grouping = |step: &Step| match step {
            Step::Group { by, .. } => Some(*by),
            _ => None,
        };
        self.next_change(&GroupBy::ALL, grouping, |by| Step::Group {
            by,
            opened: Vec::new(),
        })
    }

    /// Expands the selected row, or collapses again what was expanded around the selection.
    pub(super) fn toggle_frames(&mut self) {
        let (view, selected) = (self.view(), self.tree().shown.selected);
        let transforms = match view.frames.synthetic(view.tree.frame(selected)) {
            Some(Synthetic::Collapsed { .. }) => self.changes_expanding_row(false),
            Some(Synthetic::Group { .. }) => self.changes_expanding_row(true),
            _ => self.changes_collapsing_row(),
        };
        match transforms {
            Some(transforms) => self.ask_for_changes(transforms),
            None => self.show_message(messages::NOTHING_COLLAPSED),
        }
    }

    fn changes_expanding_row(&self, is_group: bool) -> Option<Vec<Step>> {
        let mut transforms = self.changes().to_vec();
        let is_of_kind = |step: &&mut Step| matches!(step, Step::Group { .. }) == is_group;
        let mut steps = transforms.iter_mut().rev().filter(is_of_kind);
        let opened = steps.find_map(Step::opened_mut)?;
        let mut new = nodes_to_open(self.view(), self.tree().shown.selected);
        new.retain(|node| !opened.contains(node));
        opened.extend_from_slice(&new);
        (!new.is_empty()).then_some(transforms)
    }

    fn changes_collapsing_row(&self) -> Option<Vec<Step>> {
        let mut transforms = self.changes().to_vec();
        let (view, node) = (self.view(), self.tree().shown.selected);
        let around = std::iter::once(node).chain(view.tree.ancestors(node));
        let around: Vec<NodeRef> = around.map(|at| view.node_ref(at)).collect();
        let opened_around = |opened: &Vec<NodeRef>| {
            around
                .iter()
                .find_map(|node| opened.iter().position(|known| known == node))
        };
        let (opened, at) = transforms.iter_mut().rev().find_map(|step| {
            let opened = step.opened_mut()?;
            opened_around(opened).map(|at| (opened, at))
        })?;
        opened.remove(at);
        Some(transforms)
    }

    pub(super) fn drop_method(&mut self, frame: FrameId) {
        if !self.lens().is_method(frame) {
            return self.show_message(match self.lens().is_comparison() {
                true => messages::NOT_A_METHOD_FOR_DROP,
                false => messages::THREAD_CANT_BE_DROPPED,
            });
        }
        self.drop(Step::Drop(vec![self.view().frames.key(frame)]))
    }

    fn drop(&mut self, step: Step) {
        if self.changes().contains(&step) {
            return self.show_message(messages::ALREADY_DROPPED);
        }
        self.ask_for_changes([self.changes(), &[step]].concat())
    }

    pub(super) fn drop_subtree(&mut self) {
        let node = self.subject();
        if node == self.tree().shown.root() {
            return self.show_message(messages::NOTHING_WOULD_BE_LEFT);
        }
        // a row of a collapsed tree can be several subtrees
        let nodes = match self.view().is_collapsed() {
            true => nodes_to_open(self.view(), node),
            false => vec![self.view().node_ref(node)],
        };
        self.drop(Step::DropNodes(nodes))
    }

    pub(super) fn act_in_filter_prompt(&mut self, action: Action) {
        // collapsed methods count, too
        let view = Arc::clone(self.view());
        let view = view.uncollapsed();
        let Overlay::Filter(prompt) = &mut self.overlay else {
            return;
        };
        match action {
            Action::Back => self.overlay = Overlay::None,
            Action::NextPane(step) => {
                prompt.action = next_in(&FilterAction::ALL, prompt.action, step);
            }
            Action::Accept => {
                let (pattern, action) = (prompt.field.text().to_string(), prompt.action);
                let matches = Pattern::new(&pattern).map(|pattern| pattern.count(view));
                if pattern.is_empty() {
                    prompt.error = Some(messages::PATTERN_NEEDED.into());
                } else if let Err(reason) = matches {
                    prompt.error = Some(reason);
                } else if matches == Ok(0) {
                    prompt.error = Some(messages::NO_METHOD_MATCHES.into());
                } else {
                    self.overlay = Overlay::None;
                    let transforms = [self.changes(), &[Step::Filter { action, pattern }]].concat();
                    self.ask_for_changes(transforms);
                }
            }
            typed => {
                prompt.error = None;
                prompt.field.edit(typed);
                let text = prompt.field.text();
                let counts = !text.is_empty() && view.frames.len() <= MAX_COUNTED;
                let pattern = counts.then(|| Pattern::new(text).ok()).flatten();
                prompt.matches = pattern.map(|pattern| pattern.count(view));
            }
        }
    }

    /// Collapsing and grouping have keys of their own.
    pub(super) fn last_change(&self) -> Option<usize> {
        self.undoable_changes().last()
    }

    pub(super) fn undoable_changes(&self) -> impl Iterator<Item = usize> {
        let changes = self.changes().iter().enumerate();
        changes.filter_map(|(at, step)| (!step.keeps_totals()).then_some(at))
    }

    pub(super) fn undo_change(&mut self, at: usize) {
        let mut steps = self.wanted_steps().clone();
        steps.transforms.remove(at);
        self.go_back_to_steps(steps)
    }

    pub fn crumbs(&self) -> Vec<(Crumb, String)> {
        let name = |node| visible(self.lens().node_name(node)).into_owned();
        let mut roots = self.tree().panes().map(|pane| name(pane.root()));
        let root = roots.next().map(|name| (Crumb::Root, name));
        let changes = self.view().step_words().iter().enumerate();
        let changes = changes.map(|(at, words)| (Crumb::Change(at), visible(words).into_owned()));
        let focuses = roots.enumerate();
        let focuses = focuses.map(|(at, name)| (Crumb::Focus(at), name));
        let pages = self.pages[1..].iter().enumerate();
        let pages = pages.map(|(at, page)| (Crumb::Page(at), self.page_name(page)));
        let range = self.view().range();
        let range = range.map(|range| (Crumb::Range, range.bounds()));
        root.into_iter()
            .chain(range)
            .chain(changes)
            .chain(focuses)
            .chain(pages)
            .collect()
    }

    /// Drops the later steps.
    pub(super) fn go_back_to(&mut self, crumb: Crumb) {
        let (focuses, pages) = match crumb {
            Crumb::Root | Crumb::Range | Crumb::Change(_) => (0, 0),
            Crumb::Focus(at) => (at + 1, 0),
            Crumb::Page(at) => (self.tree().outer.len(), at + 1),
        };
        self.truncate_pages(1 + pages);
        while self.tree().outer.len() > focuses {
            self.tree_mut().leave_focus();
        }
        match crumb {
            // collapsing and grouping only change how the tree is shown
            Crumb::Root | Crumb::Range => {
                let mut steps = self.wanted_steps().clone();
                steps.transforms.retain(Step::keeps_totals);
                if crumb == Crumb::Root {
                    steps.scope.range = None;
                }
                self.ask_for(steps)
            }
            Crumb::Change(at) => {
                if let Some(at) = self.position_in_changes(at) {
                    self.ask_for_changes(self.changes()[..=at].to_vec());
                }
            }
            Crumb::Focus(_) | Crumb::Page(_) => {}
        }
    }

    fn position_in_changes(&self, shown: usize) -> Option<usize> {
        let step = self.view().steps.transforms.get(shown)?;
        self.changes().iter().position(|other| other == step)
    }

    /// Keeps the later steps.
    pub(super) fn undo(&mut self, crumb: Crumb) {
        match crumb {
            Crumb::Root => self.show_message(messages::AT_FIRST_STEP),
            Crumb::Range => self.return_to_range(None),
            Crumb::Change(at) => {
                if let Some(at) = self.position_in_changes(at) {
                    self.undo_change(at);
                }
            }
            Crumb::Page(at) => {
                self.pages.remove(1 + at);
                self.set_focus(0);
            }
            Crumb::Focus(at) if at + 1 == self.tree().outer.len() => {
                self.leave_pages();
                self.tree_mut().leave_focus();
            }
            // the first tree is the root's, so focus `at` is the next one
            Crumb::Focus(at) => {
                self.leave_pages();
                self.tree_mut().outer.remove(at + 1);
            }
        }
    }

    pub(super) fn show_changes_message(&mut self, before: &[Step]) {
        let steps = &self.view().steps.transforms;
        let new = steps.iter().rposition(|step| !before.contains(step));
        let words = new.map(|at| visible(&self.view().step_words()[at]).into_owned());
        let undone = before.iter().rfind(|step| !steps.contains(step));
        let undone_words = || {
            let words = undone.map(|step| step.words(self.scope(), &self.view().recording));
            messages::undone(&visible(&words.unwrap_or_default()))
        };
        let words = words.unwrap_or_else(|| match before.len().saturating_sub(steps.len()) {
            0 | 1 => undone_words(),
            count => messages::steps_undone(&count),
        });
        let new = new.map(|at| &steps[at]);
        let former = new.and_then(|new| Some((new, before.iter().find(|step| step.matches(new))?)));
        if let Some((new, former)) = former {
            return self.show_message(match new.opened().len() > former.opened().len() {
                true => messages::ROW_EXPANDED,
                false => messages::ROW_COLLAPSED,
            });
        }
        let message = match (new, self.lens().part_words()) {
            (Some(Step::Collapse { .. }), _) => messages::collapsed(&words),
            (Some(Step::Group { .. }), _) => messages::grouped(&words),
            (Some(Step::CollapseRecursion(_)), _) => messages::recursion_collapsed(&words),
            // what other steps leave is not news
            (None, Some(_)) if undone.is_some_and(Step::keeps_totals) => words,
            // numbers first: names may be longer than the screen
            (Some(Step::Drop(_) | Step::DropNodes(_)), Some(part)) => format!("{part} {words}"),
            (Some(_), Some(part)) => format!("{part}: {words}"),
            (None, Some(part)) => format!("{words}: {part}"),
            (_, None) => words,
        };
        self.show_message(message);
    }
}
