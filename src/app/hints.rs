//! The keys that are most useful now, each of which can be clicked.

use super::{
    Action, AnyPanel, Command, Context, Explorer, Keymap, ListKind, Overlay, PageKind, messages,
};
use crate::text::width;

pub struct Hint {
    pub action: Action,
    pub key: String,
    pub label: String,
}

impl Hint {
    fn of(keymap: &Keymap, command: &Command, words: &str) -> Hint {
        let key = best_key(&command.keys).map_or(String::new(), |key| keymap.label(key));
        Hint {
            action: command.action.clone(),
            key: format!(" {key}"),
            label: format!(" {words} "),
        }
    }

    fn cells(&self) -> usize {
        width(&self.key) + width(&self.label)
    }
}

/// Prefers an arrow to a letter.
fn best_key(keys: &[String]) -> Option<&String> {
    let is_arrow = |key: &&String| matches!(key.as_str(), "left" | "right" | "down");
    keys.iter().find(is_arrow).or(keys.first())
}

pub fn hints_of(
    keymap: &Keymap,
    context: Context,
    room: u16,
    is_useful: impl Fn(&Command) -> bool,
) -> Vec<Hint> {
    let commands = keymap.with_hints(context).filter(|row| is_useful(row));
    let all = commands.map(|command| Hint::of(keymap, command, command.hint));
    fitting(all.collect(), room, [].iter())
}

/// As many as fit. Those in `drop_order` matter least, the first of them least of all, and earlier ones more than later
/// ones.
fn fitting<'a>(
    hints: Vec<Hint>,
    room: u16,
    drop_order: impl Iterator<Item = &'a Action>,
) -> Vec<Hint> {
    let drop_order: Vec<&Action> = drop_order.collect();
    let rank = |hint: &Hint| match drop_order.iter().position(|&action| *action == hint.action) {
        _ if matches!(hint.action, Action::Help | Action::Quit) => 0,
        None => 1,
        Some(at) => 1 + drop_order.len() - at,
    };
    let mut hints: Vec<(usize, Hint)> = hints.into_iter().enumerate().collect();
    hints.sort_by_key(|(_, hint)| rank(hint));
    let mut left = usize::from(room);
    hints.retain(|(_, hint)| {
        let rest = left.checked_sub(hint.cells());
        left = rest.unwrap_or(left);
        rest.is_some()
    });
    hints.sort_by_key(|&(at, _)| at);
    hints.into_iter().map(|(_, hint)| hint).collect()
}

/// The least useful in the panels and in the list of threads first. Help and quit stay, as do notes if there are
/// warnings.
const DROPPED_FIRST: [Action; 20] = [
    Action::Views,
    Action::TogglePin,
    Action::NextSort,
    Action::NextMetric,
    Action::Close,
    Action::Threads,
    Action::Export,
    Action::ToggleRepair,
    Action::Focus,
    Action::Notes,
    Action::Enter,
    Action::Open,
    Action::Timeline,
    Action::Flame,
    Action::Method,
    Action::Methods,
    Action::Search,
    Action::ToggleAll,
    Action::Isolate,
    Action::Merge,
];

const IN_LANES: &[(&str, &str)] = &[
    ("open", messages::HINT_LATER),
    ("close", messages::HINT_EARLIER),
    ("go-to-peak", "peak"),
    ("next-occurrence", messages::HINT_NEXT_EVENT),
    ("zoom-in", "zoom in"),
    ("range-start", messages::HINT_FROM_HERE),
    ("range-end", messages::HINT_TO_HERE),
    ("help", "help"),
    ("back", "back"),
];

/// Letters find commands on the page of help.
const IN_HELP: &[(&str, &str)] = &[("next-match", "scroll"), ("list-all", "back")];

impl Explorer {
    pub fn hints(&self) -> Vec<Hint> {
        let (context, room, keymap) = (self.context(), self.layout.hints.width, &*self.keymap);
        let named = match (context, self.overlay.page()) {
            (Context::Explorer, _) if matches!(self.page().focused(), AnyPanel::Lanes(_)) => {
                Some(IN_LANES)
            }
            (Context::Filter, Some(_)) => Some(IN_HELP),
            _ => None,
        };
        let enter = keymap.command(&Action::Enter).zip(self.enter_hint());
        let enter = enter.map(|(command, words)| Hint::of(keymap, command, words));
        if let Some(named) = named {
            let hint =
                |&(name, words): &(&str, &str)| Some(Hint::of(keymap, keymap.named(name)?, words));
            let has_notable_markers = self.time.has_notable_markers;
            let is_useful =
                |hint: &Hint| has_notable_markers || !matches!(hint.action, Action::Occurrence(_));
            let hints = named.iter().filter_map(hint).filter(is_useful);
            return fitting(enter.into_iter().chain(hints).collect(), room, [].iter());
        }
        let hints = keymap.with_hints(context);
        let hints = hints.filter(|command| self.is_useful(command));
        let hints = hints.map(|command| Hint::of(keymap, command, command.hint));
        let drop_order = match context {
            Context::Explorer | Context::Threads => &DROPPED_FIRST[..],
            _ => &[],
        };
        let has_warnings = self.warning_count() > 0;
        let may_be_dropped = |action: &&Action| !has_warnings || **action != Action::Notes;
        let drop_order = drop_order.iter().filter(may_be_dropped);
        fitting(enter.into_iter().chain(hints).collect(), room, drop_order)
    }

    /// What ⏎ does if there is nothing to open.
    fn enter_hint(&self) -> Option<&'static str> {
        match self.page().focused() {
            _ if self.context() != Context::Explorer => None,
            AnyPanel::Lanes(panel) => panel.enter_hint(),
            AnyPanel::Hotspots(_) => Some(messages::HINT_GO_TO_HEAVIEST),
            _ if self.has_flame() || self.has_chart() => Some(messages::HINT_ZOOM),
            _ => None,
        }
    }

    fn is_useful(&self, command: &Command) -> bool {
        let context = self.context();
        let is_page = self.top_page().is_some() && context == Context::Explorer;
        match command.action {
            Action::ToggleRepair => self.view().recording.repaired.is_some() && !is_page,
            Action::Focus | Action::TogglePin => !is_page,
            Action::Remove => !matches!(self.overlay, Overlay::List(ListKind::Views, _)),
            Action::Freeze => self.is_live(),
            Action::Search if context == Context::Page => self.overlay.filter().is_some(),
            Action::CopyName if context == Context::Page => {
                let page = self.overlay.page();
                page.is_some_and(|page| matches!(page.kind, PageKind::CommandLine { .. }))
            }
            Action::Open | Action::Close | Action::Enter => self.enter_hint().is_none(),
            Action::Threads => self.whole.threads.len() > 1 && !self.lens().is_comparison(),
            Action::NextMetric => {
                self.view().recording.metrics.len() > 1 && !self.lens().is_comparison()
            }
            Action::Timeline => self.view().recording.samples.is_ok(),
            Action::NextSort => !self.has_flame() && !self.has_chart(),
            Action::Flame => !self.has_flame() && !self.has_chart(),
            _ => true,
        }
    }

    /// The action of the hint at a column of the line; `None` if the line shows a message.
    pub(super) fn hint_at(&self, x: u16) -> Option<Action> {
        if self.notice.is_some() || self.progress_percent().is_some() {
            return None;
        }
        let mut to = 0;
        let hit = self.hints().into_iter().find(|hint| {
            to += hint.cells();
            usize::from(x) < to
        });
        hit.map(|hint| hint.action)
    }
}
