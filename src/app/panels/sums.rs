//! A method's values in each thread, and through each user method that calls it.

use super::{Panel, PanelHelp, Reply, Selection};
use crate::analysis::CallerTreeSums;
use crate::app::{Action, Area, ButterflyParts, Lens, ListCursor, SumsRow, messages};
use crate::model::NodeId;
use crate::names::NO_USER_CALLER;
use std::borrow::Cow;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumsKind {
    Threads,
    /// The nearest user code above the method.
    UserCode,
}

pub struct SumsPanel {
    pub kind: SumsKind,
    pub parts: Arc<ButterflyParts>,
    pub cursor: ListCursor,
    area: Area,
}

impl SumsPanel {
    pub(in crate::app) fn new(kind: SumsKind, parts: Arc<ButterflyParts>) -> SumsPanel {
        SumsPanel {
            kind,
            parts,
            cursor: ListCursor::default(),
            area: Area::default(),
        }
    }

    pub fn rows(&self, main: &Lens) -> &[(SumsRow, CallerTreeSums)] {
        let by_metric = match self.kind {
            SumsKind::Threads => &self.parts.threads,
            SumsKind::UserCode => &self.parts.user_callers,
        };
        &by_metric[main.metric.index()]
    }

    pub fn name<'a>(&self, main: &'a Lens, row: &'a SumsRow) -> Cow<'a, str> {
        match row {
            SumsRow::Thread(name) => name.into(),
            SumsRow::UserCaller(node) => main.list_name(main.view.uncollapsed().tree.frame(*node)),
            SumsRow::NoUserCaller => NO_USER_CALLER.into(),
        }
    }

    /// A node of the tree without collapsed rows.
    fn selected_user(&self, main: &Lens) -> Option<NodeId> {
        match self.rows(main).get(self.cursor.selected)?.0 {
            SumsRow::UserCaller(node) => Some(node),
            SumsRow::Thread(_) | SumsRow::NoUserCaller => None,
        }
    }
}

impl Panel for SumsPanel {
    fn tab(&self) -> &'static str {
        match self.kind {
            SumsKind::Threads => "Threads",
            SumsKind::UserCode => "User",
        }
    }

    fn title(&self, _: &Lens) -> String {
        match self.kind {
            SumsKind::Threads => self.tab().into(),
            SumsKind::UserCode => messages::USER_CODE_TITLE.into(),
        }
    }

    fn help(&self) -> PanelHelp {
        match self.kind {
            SumsKind::Threads => PanelHelp {
                heading: messages::IN_THREADS_OF_METHOD,
                commands: &[
                    ("next-panel", messages::TAB_FROM_THREADS),
                    ("next-metric", ""),
                    ("back", messages::HERE_BACK_TO_TREE),
                ],
            },
            SumsKind::UserCode => PanelHelp {
                heading: messages::IN_USER_CODE_OF_METHOD,
                commands: &[
                    ("open-hot-path", messages::HERE_GO_TO_HEAVIEST),
                    ("show-callers", messages::HERE_FOLLOW_METHOD),
                    ("next-panel", messages::TAB_FROM_USER_CODE),
                    ("back", messages::HERE_BACK_TO_TREE),
                ],
            },
        }
    }

    fn act(&mut self, action: &Action, main: &Lens) -> Reply {
        let len = self.rows(main).len();
        match self.cursor.act(action, len, self.area) {
            Some(Action::Accept | Action::Enter | Action::Open) => {
                let frame = |node| main.view.uncollapsed().tree.frame(node);
                let go = |node| Reply::GoTo(frame(node), self.parts.subject.within);
                self.selected_user(main).map_or(Reply::Done, go)
            }
            Some(
                Action::NextSort | Action::ReverseSort | Action::NextUserCode | Action::NextSplit,
            ) => Reply::ShowMessage(messages::LISTED_BY_TIME.into()),
            _ => Reply::Done,
        }
    }

    /// The user code, or else the method itself.
    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>> {
        let user = self.selected_user(main);
        let node = user.and_then(|node| main.view.from_uncollapsed(node));
        let node = node.unwrap_or(self.parts.heaviest);
        let frame = match user {
            Some(user) => main.view.uncollapsed().tree.frame(user),
            None => main.view.tree.frame(node),
        };
        Some(Selection::of(main, node, frame))
    }

    fn set_area(&mut self, content: Area) {
        self.area = content.below(1);
    }
}
