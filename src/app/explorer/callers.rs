//! Pages of callers: a method with its callees and threads, and the inverted tree.

use crate::analysis::{ReadyView, occurrences_within};
use crate::app::{
    AnyPanel, ButterflyParts, ButterflySubject, Effect, Explorer, Page, PageOrigin, SumsKind,
    TreePanel, WaitsPanel, messages,
};
use crate::model::{FrameId, MetricId, NodeId, Synthetic};
use crate::query::Waits;
use crate::text::visible;
use crate::units::counted;
use std::sync::Arc;

impl Explorer {
    /// The name of a page over the call tree: `PriceRules.Discount (37 occurrences)`, `inverted`.
    pub(super) fn page_name(&self, page: &Page) -> String {
        let name = || page.focused().get().tab().to_lowercase();
        let Some(parts) = &page.parts else {
            return name();
        };
        let users = match parts.subject.only_user_code {
            true => messages::BY_USER_CODE,
            false => "",
        };
        let Some(frame) = parts.subject.method else {
            return name() + users;
        };
        let occurrences = counted(parts.occurrences as u64, "occurrence");
        let name = visible(&self.lens().list_name(frame)).into_owned();
        format!("{name} ({occurrences}){users}")
    }

    pub(super) fn open_method(&mut self) {
        if matches!(self.page().focused(), AnyPanel::Sums(panel) if panel.kind == SumsKind::Threads)
        {
            return self.show_message(messages::THREADS_HAVE_NO_CALLERS);
        }
        self.ask_for_method(self.subject_frame())
    }

    pub(super) fn ask_for_method(&mut self, frame: FrameId) {
        let view = Arc::clone(self.view());
        let is_row_of_frames = matches!(
            view.frames.synthetic(frame),
            Some(Synthetic::Collapsed { .. } | Synthetic::Group { .. })
        );
        if is_row_of_frames || !view.frames.get(frame).kind.is_code() {
            return self.show_message(messages::NOT_A_METHOD_FOR_CALLERS);
        }
        let root = self.single_subtree();
        // collapsed methods are found only in the uncollapsed tree
        let uncollapsed = view.to_single_uncollapsed(root).unwrap_or(NodeId::ROOT);
        let is_here = !occurrences_within(view.uncollapsed(), uncollapsed, frame).is_empty();
        self.ask_for_callers(ButterflySubject {
            method: Some(frame),
            within: if is_here { root } else { NodeId::ROOT },
            only_user_code: false,
        })
    }

    pub(super) fn open_inverted(&mut self) {
        let within = self.single_subtree();
        self.ask_for_callers(ButterflySubject {
            method: None,
            within,
            only_user_code: false,
        })
    }

    /// The shown subtree; the whole tree, with a notice, if its root merges several subtrees.
    pub(super) fn single_subtree(&mut self) -> NodeId {
        self.shown_subtree().unwrap_or_else(|| {
            self.show_message(messages::ROW_MERGES_SUBTREES);
            NodeId::ROOT
        })
    }

    /// The shown subtree, unless its root merges several.
    pub(super) fn shown_subtree(&self) -> Option<NodeId> {
        let root = self.tree().shown.root();
        self.view().to_single_uncollapsed(root).map(|_| root)
    }

    pub(super) fn ask_for_callers(&mut self, subject: ButterflySubject) {
        if self.page().subject() == Some(subject) {
            return self.show_message(messages::ALREADY_SHOWN);
        }
        self.wait_for(Effect::CallerTree(subject))
    }

    pub(super) fn toggle_user_callers(&mut self, subject: ButterflySubject) {
        let origin = self.page().origin;
        self.ask_for_callers(subject.toggled());
        self.pending.page_origin = Some(origin);
    }

    pub(super) fn ask_for_waits(&mut self) {
        if matches!(self.page().focused(), AnyPanel::Waits(_)) {
            return self.show_message(messages::ALREADY_SHOWN);
        }
        let within = self.single_subtree();
        self.wait_for(Effect::Waits(within))
    }

    pub fn receive_waits(&mut self, within: NodeId, waits: Waits) {
        if !self.is_answered(&Effect::Waits(within)) {
            return;
        }
        let row = std::mem::take(&mut self.pending.row);
        let panel = WaitsPanel::new(waits, self.lens(), row);
        let page = Page::alone(AnyPanel::Waits(Box::new(panel)));
        let origin = self.take_page_origin();
        self.open(origin, page);
    }

    pub(super) fn go_to_wait(&mut self, node: NodeId, metric: MetricId) {
        self.leave_pages();
        if self.lens().metric != metric {
            let name = self.lens().metric_name(metric).into_owned();
            self.tree_mut().show_metric(metric);
            self.show_message(format!("metric: {name}"));
        }
        let Some(row) = self.view().from_uncollapsed(node) else {
            return self.show_message(messages::METHOD_NOT_IN_TREE);
        };
        self.go_to_node(row);
    }

    pub(super) fn go_to_node(&mut self, node: NodeId) {
        self.leave_pages();
        if !self.view().tree.contains(self.tree().shown.root(), node) {
            self.tree_mut().leave_all_focuses();
        }
        self.tree_mut().go_to(node);
        self.lay_out();
    }

    pub(super) fn page_origin(&self) -> PageOrigin {
        PageOrigin {
            depth: self.depth(),
            listed: None,
        }
    }

    fn take_page_origin(&mut self) -> PageOrigin {
        let origin = self.pending.page_origin.take();
        origin.unwrap_or_else(|| self.page_origin())
    }

    pub fn receive_page(&mut self, parts: Arc<ButterflyParts>) {
        let subject = parts.subject;
        if !self.is_answered(&Effect::CallerTree(subject)) {
            return;
        }
        let origin = self.take_page_origin();
        if self.page().subject() == Some(subject.toggled()) {
            self.pages.pop();
            self.show_message(match subject.only_user_code {
                true => messages::USER_CODE_CALLS,
                false => messages::ALL_CALL,
            });
        }
        self.open(origin, Page::of_callers(parts, self.lens()));
    }

    fn callers_of(&mut self, subject: ButterflySubject) -> Option<&mut TreePanel> {
        let page = self.page_mut();
        let is_shown = page.subject() == Some(subject);
        page.first_mut().filter(|_| is_shown)
    }

    pub fn receive_callers(&mut self, subject: ButterflySubject, view: &ReadyView) {
        if let Some(callers) = self.callers_of(subject) {
            let reply = callers.receive_callers(view);
            self.do_for_panel(reply, Some(subject));
            self.refresh();
        }
    }

    pub(super) fn forget_callers(&mut self, subject: ButterflySubject) {
        if let Some(callers) = self.callers_of(subject) {
            callers.forget_callers();
        }
    }
}
