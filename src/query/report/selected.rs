//! What a plan selects of a report's contents, for both of its forms.

use super::callers::{ReportCaller, ReportCallers};
use super::contents::{Contents, FACTS, LeftOut, Note, PLUMBING};
use super::plan::{Plan, Section};
use super::question_text;
use super::rows::{Chain, RowChoice, TreeLine};
use crate::analysis::{GroupId, Hotspot, HotspotOrder, Wait, sum};
use crate::model::{FrameId, NodeId};
use crate::names::FrameKind;
use crate::text::visible;
use serde::Serialize;
use std::borrow::Cow;

pub(super) struct Selected<'a> {
    pub contents: &'a Contents<'a>,
    pub choice: &'a RowChoice,
    pub plan: &'a Plan,
}

/// A call in a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Call<M> {
    Method(M),
    /// Everything, a thread, or a run of plumbing.
    Word(String),
    Unnamed {
        unnamed: usize,
    },
}

/// The first methods of a list. Its sums cover the whole part, except for what belongs to no method.
pub(super) struct SelectedMethods<'a> {
    pub is_user_code: bool,
    pub rows: &'a [Hotspot],
    pub left_out: LeftOut,
    pub of_no_method: u64,
    pub most_of_no_method: Vec<(FrameId, u64)>,
}

pub(super) struct SelectedCallers<'a> {
    pub method: FrameId,
    pub through: &'a [FrameId],
    pub rows: &'a [ReportCaller],
    pub left_out: LeftOut,
}

fn first<T>(rows: &[T], count: usize) -> (&[T], &[T]) {
    rows.split_at(count.min(rows.len()))
}

impl<'a> Selected<'a> {
    pub(super) fn facts(&self) -> impl Iterator<Item = (&'static str, Cow<'a, str>)> {
        let source = &self.contents.view.recording.source;
        let (facts, _) = first(&FACTS, self.plan.of(Section::Facts));
        let facts = facts.iter();
        facts.filter_map(|&what| Some((what, visible(source.fact(what)?))))
    }

    pub(super) fn threads(&self) -> Option<String> {
        let view = self.contents.view;
        let threads = &view.steps.scope.threads;
        (!threads.has_all()).then(|| threads.words(&view.recording))
    }

    pub(super) fn caveats(&self) -> (&'a [String], usize) {
        let (caveats, rest) = first(&self.contents.caveats, self.plan.of(Section::Caveats));
        (caveats, rest.len())
    }

    pub(super) fn conditions(&self) -> &'a [String] {
        first(&self.contents.conditions, self.plan.of(Section::Conditions)).0
    }

    pub(super) fn notes(&self) -> (&'a [Note<'a>], usize) {
        let (notes, rest) = first(&self.contents.notes, self.plan.of(Section::Notes));
        (notes, rest.len())
    }

    pub(super) fn waits(&self) -> (&'a [Wait], LeftOut) {
        let waits = self.contents.waits.as_ref();
        let all = waits.map_or(&[][..], |waits| &waits.rows);
        let (shown, rest) = first(all, self.plan.of(Section::Waits));
        match shown {
            [] => (shown, LeftOut::default()),
            _ => (shown, LeftOut::of(rest.iter().map(|row| row.waiting))),
        }
    }

    /// `None` without any.
    pub(super) fn methods(&self, section: Section) -> Option<SelectedMethods<'a>> {
        let contents = self.contents;
        let is_user_code = section == Section::User;
        let all = match is_user_code {
            true => &contents.user.rows,
            false => &contents.all.rows,
        };
        let weight = |row: &Hotspot| match is_user_code {
            true => contents.own_and_system(row.frame).unwrap_or(0),
            false => row.weight(HotspotOrder::Exclusive),
        };
        let (rows, rest) = first(all, self.plan.of(section));
        let listed = sum(all.iter().map(weight));
        let names_uncalled = is_user_code && self.plan.of(Section::Explanations) > 0;
        (!rows.is_empty()).then(|| SelectedMethods {
            is_user_code,
            rows,
            left_out: LeftOut::of(rest.iter().map(weight)),
            of_no_method: contents.total.saturating_sub(listed),
            most_of_no_method: match names_uncalled {
                true => contents.most_without_user_code(),
                false => Vec::new(),
            },
        })
    }

    pub(super) fn callers(&self) -> Vec<SelectedCallers<'a>> {
        let all = self.contents.callers.iter().zip(self.plan.callers());
        let shown = all.filter(|(_, max_callers)| **max_callers > 0);
        let row = |((method, callers), &max_callers): (&'a (FrameId, ReportCallers), &usize)| {
            let (rows, rest) = first(&callers.rows, max_callers);
            SelectedCallers {
                method: *method,
                through: &callers.through,
                rows,
                left_out: LeftOut::of(rest.iter().map(|caller| caller.inclusive)),
            }
        };
        shown.map(row).collect()
    }

    pub(super) fn tree(&self) -> Vec<(usize, TreeLine<'a>)> {
        self.choice.rows(self.contents, self.plan.of(Section::Tree))
    }

    pub(super) fn question(&self) -> Option<Cow<'a, str>> {
        let question = self.contents.request.question?;
        Some(visible(question_text(question)))
    }

    /// The calls that lead to a node, outermost first. Runs of async infrastructure are merged.
    pub(super) fn calls_above(&self, node: NodeId) -> Vec<Call<FrameId>> {
        let view = self.contents.view;
        let plumbing = |frame: FrameId| view.frames.get(frame).is_plumbing;
        let above = view.tree.ancestors(node);
        let frames = above.map(|above| view.tree.frame(above));
        let calls = frames.filter(|&frame| view.frames.get(frame).kind.is_code());
        let mut frames: Vec<FrameId> = calls.collect();
        frames.dedup_by(|a, b| a == b || plumbing(*a) && plumbing(*b));
        frames.reverse();
        shortened(&frames, self.choice.max_chain, |&frame| {
            match plumbing(frame) {
                true => Call::Word(PLUMBING.into()),
                false => Call::Method(frame),
            }
        })
    }

    pub(super) fn call(&self, id: GroupId) -> Call<FrameId> {
        let group = self.contents.summary.group(id);
        match self.contents.view.frames.get(group.frame).kind {
            FrameKind::Method | FrameKind::Special if !group.is_plumbing => {
                Call::Method(group.frame)
            }
            _ => Call::Word(self.contents.group_name(id)),
        }
    }

    /// The calls of a row, and which of their methods are recursive.
    pub(super) fn calls(&self, chain: &Chain) -> (Vec<Call<FrameId>>, Vec<FrameId>) {
        let calls = shortened(&chain.calls, chain.named, |&id| self.call(id));
        let is_recursive = |id: &&GroupId| self.contents.summary.group(**id).is_recursive;
        let recursive = chain.calls.iter().filter(is_recursive);
        let recursive = recursive.filter_map(|&id| match self.call(id) {
            Call::Method(frame) if calls.contains(&Call::Method(frame)) => Some(frame),
            _ => None,
        });
        let recursive = recursive.collect();
        (calls, recursive)
    }
}

/// A chain of at most `max_calls` calls, without those in the middle.
fn shortened<T>(
    chain: &[T],
    max_calls: usize,
    call: impl Fn(&T) -> Call<FrameId>,
) -> Vec<Call<FrameId>> {
    if chain.len() <= max_calls {
        return chain.iter().map(call).collect();
    }
    let half = max_calls / 2;
    let unnamed = chain.len() - 2 * half;
    let mut calls: Vec<_> = chain[..half].iter().map(&call).collect();
    calls.push(Call::Unnamed { unnamed });
    calls.extend(chain[half + unnamed..].iter().map(call));
    calls
}
