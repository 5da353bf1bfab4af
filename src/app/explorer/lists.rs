//! List overlays, and the command that prints what is on the screen.

use super::Crumb;
use crate::analysis::compared::BEFORE;
use crate::app::{
    Action, AnyPanel, Explorer, ListCursor, ListKind, Overlay, PageKind, SumsKind, TreeKind,
    messages,
};
use crate::model::{NodeId, Step, StepFlags, ViewSpec};
use crate::query::measure_flags;
use crate::text::quoted;

macro_rules! views {
    ($($name:literal $about:ident $action:ident $(($pane:literal))?;)*) => {
        &[$(($name, messages::$about, Action::$action $(($pane))?)),*]
    };
}

const VIEWS: &[(&str, &str, Action)] = views! {
    "Call tree" ABOUT_CALL_TREE Pane(1);
    "Hotspots by exclusive value" ABOUT_OWN_HOTSPOTS Pane(2);
    "Hotspots by inclusive value" ABOUT_TOTAL_HOTSPOTS Pane(3);
    "Method: callers, callees" ABOUT_METHOD Method;
    "Methods" ABOUT_METHODS Methods;
    "Waits" ABOUT_WAITS Waits;
    "Flame graph" ABOUT_FLAME Flame;
    "Timeline" ABOUT_TIMELINE Timeline;
    "Inverted tree" ABOUT_INVERTED Invert;
    "Focus" ABOUT_FOCUS Focus;
    "Threads" ABOUT_THREADS Threads;
    "Collapsed" ABOUT_COLLAPSED NextCollapse;
    "Recursion collapsed" ABOUT_RECURSION NextRecursion;
    "Grouped" ABOUT_GROUPED NextGroup;
    "Without a method" ABOUT_DROPPED DropMethod;
    "Filtered" ABOUT_FILTERED Filter;
    "Steps" ABOUT_STEPS Breadcrumbs;
    "Command line" ABOUT_COMMAND_LINE CommandLine;
};

pub struct ListRow {
    pub name: String,
    pub about: String,
}

impl Explorer {
    pub(super) fn open_list(&mut self, kind: ListKind) {
        let mut cursor = ListCursor::default();
        if kind == ListKind::Breadcrumbs {
            let len = self.crumbs().len();
            cursor.select(len, len, usize::from(self.layout.body.inner().height));
        }
        self.overlay = Overlay::List(kind, cursor);
    }

    /// A comparison has no times, waits or threads.
    fn views(&self) -> impl Iterator<Item = &'static (&'static str, &'static str, Action)> {
        let is_comparison = self.lens().is_comparison();
        let unavailable = [Action::Waits, Action::Timeline, Action::Threads];
        VIEWS
            .iter()
            .filter(move |(.., action)| !is_comparison || !unavailable.contains(action))
    }

    pub fn list_rows(&self, kind: ListKind) -> Vec<ListRow> {
        match kind {
            ListKind::Views => {
                let row = |(name, about, action): &(&str, &str, Action)| {
                    let keys = self.keymap.command(action).map(|command| &command.keys);
                    let key = keys.and_then(|keys| keys.first());
                    let key = key.map_or(String::new(), |key| self.keymap.label(key));
                    ListRow {
                        name: format!("{key:<4}{name}"),
                        about: (*about).into(),
                    }
                };
                self.views().map(row).collect()
            }
            ListKind::Breadcrumbs => {
                let about = |crumb| match crumb {
                    Crumb::Root => "the tree",
                    Crumb::Range => messages::RANGE_OF_TIME,
                    Crumb::Change(_) => messages::CHANGE_TREE,
                    Crumb::Focus(_) => "a focus",
                    Crumb::Page(_) => "a page",
                };
                let row = |(crumb, name)| ListRow {
                    name,
                    about: about(crumb).into(),
                };
                self.crumbs().into_iter().map(row).collect()
            }
        }
    }

    pub(super) fn act_in_list(&mut self, action: Action) {
        let Overlay::List(kind, mut cursor) = self.overlay else {
            return;
        };
        let len = self.list_rows(kind).len();
        let action = cursor.act(&action, len, self.layout.body.inner());
        self.overlay = Overlay::List(kind, cursor);
        match action {
            Some(Action::Back) => self.overlay = Overlay::None,
            Some(Action::Help) => self.open_help(),
            Some(Action::Remove) if kind == ListKind::Breadcrumbs => {
                self.overlay = Overlay::None;
                if let Some((crumb, _)) = self.crumbs().get(cursor.selected) {
                    self.undo(*crumb);
                }
            }
            Some(Action::Accept) => self.choose_from_list(kind, cursor.selected),
            _ => {}
        }
    }

    fn choose_from_list(&mut self, kind: ListKind, row: usize) {
        self.overlay = Overlay::None;
        match kind {
            ListKind::Views => {
                let Some((_, _, action)) = self.views().nth(row) else {
                    return;
                };
                if matches!(action, Action::Pane(_)) {
                    self.leave_pages();
                }
                self.act_in_panels(action.clone());
            }
            ListKind::Breadcrumbs => {
                if let Some((crumb, _)) = self.crumbs().get(row) {
                    self.go_back_to(*crumb);
                }
            }
        }
    }

    /// The command that prints what is on the screen, and the parts of the screen that no command prints.
    pub(super) fn command_line(&self) -> PageKind {
        let (lens, page) = (self.lens(), self.page());
        let focus = Some(self.tree().shown.root()).filter(|_| !self.tree().outer.is_empty());
        let method = page.subject().and_then(|subject| subject.method);
        let only_user_code = page.subject().is_some_and(|subject| subject.only_user_code);
        let (mut arguments, mut without, mut node) = (Vec::new(), Vec::new(), None);
        arguments.extend(method.map(|frame| quoted(&lens.full_frame_name(frame))));
        let command = match page.focused() {
            AnyPanel::Tree(tree) if tree.kind == TreeKind::Callees => "callees",
            AnyPanel::Sums(sums) if sums.kind == SumsKind::UserCode => {
                arguments.push("--user".into());
                "callers"
            }
            _ if method.is_some() => {
                arguments.extend(only_user_code.then(|| "--user".into()));
                "callers"
            }
            AnyPanel::Hotspots(list) => {
                arguments.extend(["--by".into(), list.order.name().into()]);
                if self.hot_scope() != NodeId::ROOT {
                    without.push(format!("only below {}", lens.node_name(self.hot_scope())));
                }
                "hotspots"
            }
            AnyPanel::Lanes(lanes) => {
                let is_one = |&node: &NodeId| lens.view.to_uncollapsed(node).len() == 1;
                node = lanes.within.filter(is_one);
                let several = lanes.within.filter(|node| !is_one(node));
                without.extend(several.map(|node| messages::only_lanes_of(&lens.node_name(node))));
                "timeline"
            }
            AnyPanel::Waits(_) => "waits",
            _ => {
                if page.subject().is_some() {
                    arguments.push("--inverted".into());
                }
                without.extend(only_user_code.then(|| messages::OTHER_CALLERS.into()));
                node = focus;
                "tree"
            }
        };
        if matches!(command, "callers" | "callees" | "waits") {
            without.extend(focus.map(|root| messages::focus_on(&lens.node_name(root))));
        }
        if let Some(node) = node {
            arguments.extend(["--node".into(), quoted(&lens.view.node_label(node))]);
        }
        self.with_view(command, arguments, without)
    }

    pub(super) fn command_line_of_methods(&self) -> Option<PageKind> {
        let Overlay::Methods(table) = &self.overlay else {
            return None;
        };
        let mut arguments = vec!["--sort".into(), table.settings.order.name().into()];
        if let Some(by) = table.sums.request.group {
            arguments.extend(["--group".into(), by.name().into()]);
        }
        if table.settings.only_user_code {
            arguments.push("--only-user-code".into());
        }
        if !table.settings.filter.text().is_empty() {
            arguments.extend(["--filter".into(), quoted(table.settings.filter.text())]);
        }
        let focus = (table.within() != NodeId::ROOT)
            .then(|| format!("only below {}", self.lens().node_name(table.within())));
        Some(self.with_view("methods", arguments, focus.into_iter().collect()))
    }

    fn with_view(
        &self,
        command: &str,
        arguments: Vec<String>,
        mut without: Vec<String>,
    ) -> PageKind {
        let (lens, view) = (self.lens(), self.view());
        let is_comparison = lens.is_comparison();
        // collapsing hides no method from a list of methods, and callers are frames
        let prints_tree = command == "tree" && (!is_comparison || arguments.is_empty());
        let transforms = view.steps.transforms.iter();
        let transforms = transforms.filter(|step| prints_tree || !step.is_display());
        let transforms: Vec<Step> = transforms.cloned().collect();
        let scope = match is_comparison {
            true => self.whole.steps.scope.clone(),
            false => self.scope().clone(),
        };
        if transforms.iter().any(|step| !step.opened().is_empty()) {
            without.push(messages::OPEN_ROWS.into());
        }
        let StepFlags {
            flags,
            inexpressible,
        } = ViewSpec { scope, transforms }.flags(&view.recording);
        let flags = flags.iter().map(|flag| quoted(flag));
        let words = match is_comparison {
            true => {
                let words = self.words_of_comparison(command, &arguments, &mut without);
                words.into_iter().chain(flags).collect::<Vec<_>>()
            }
            false => {
                let file = self.from.file.as_deref();
                if file.is_none() {
                    without.push(messages::SAMPLE_HAS_NO_FILE.into());
                }
                let file = file.map_or_else(|| "FILE".into(), quoted);
                let mut words = vec!["dotspot".to_string(), command.into(), file];
                words.extend(arguments);
                words.extend(flags);
                let metric = (lens.metric != view.recording.default_metric)
                    .then(|| view.recording.metric(lens.metric).name.as_str());
                // waits are listed in the metric with the most waiting
                if command != "waits" {
                    words.extend(measure_flags(metric, lens.counts_waiting));
                }
                words
            }
        };
        without.splice(0..0, inexpressible);
        PageKind::CommandLine {
            command: words.join(" "),
            without,
        }
    }

    fn words_of_comparison(
        &self,
        command: &str,
        arguments: &[String],
        without: &mut Vec<String>,
    ) -> Vec<String> {
        let files = self.from.file.clone();
        let files = files.unwrap_or_else(|| "BEFORE AFTER".into());
        let mut words = vec!["dotspot".to_string(), "compare".into(), files];
        let recording = &self.view().recording;
        let metric = Some(&*recording.measured(BEFORE).name);
        let waiting = recording.leaves_out_waiting().then_some(false);
        words.extend(measure_flags(metric, waiting));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match (command, arguments.as_slice()) {
            ("tree", []) => words.push("--tree".into()),
            ("tree", ["--inverted"]) => words.extend(["--tree".into(), "--inverted".into()]),
            ("callers", [method]) => {
                words.extend(["--tree".into(), "--callers".into(), (*method).into()]);
            }
            ("hotspots", ["--by", by]) => words.extend(["--by".into(), (*by).into()]),
            ("methods", ["--sort", by, rest @ ..]) => {
                let order = match *by {
                    "name" => "own-system",
                    order => order,
                };
                words.extend(["--by".into(), order.into()]);
                let (supported, others): (Vec<&str>, Vec<&str>) =
                    rest.iter().partition(|word| **word == "--only-user-code");
                words.extend(supported.into_iter().map(String::from));
                without.extend((!others.is_empty()).then(|| others.join(" ")));
            }
            (command, _) => without.push(messages::command_of_screen(&command)),
        }
        words
    }
}
