//! The table of all commands. The keymap, the hints, the `?` page and the README's table come from it.

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Move the selection by rows; positive is down.
    Rows(isize),
    /// Move the selection by half screens: 2 is a screen down, -1 half a screen up.
    HalfScreens(isize),
    First,
    Last,
    Sibling(isize),
    Parent,
    Open,
    Close,
    Toggle,
    OpenSiblings,
    CloseSiblings,
    OpenSubtree,
    CloseSubtree,
    Enter,
    NextUserCode,
    Center,
    Occurrence(isize),
    NextSort,
    ReverseSort,
    NextMetric,
    ToggleWaiting,
    ToggleNames,
    ToggleRepair,
    TogglePin,
    Method,
    Methods,
    Waits,
    Flame,
    Invert,
    NextCollapse,
    ToggleFrames,
    NextRecursion,
    NextGroup,
    DropMethod,
    DropSubtree,
    Filter,
    Views,
    Commands,
    Breadcrumbs,
    CommandLine,
    Remove,
    /// Go to the first node none of whose callees has 90% of its time.
    NextSplit,
    Focus,
    Back,
    NextPane(isize),
    /// Counted from 1.
    Pane(u8),
    Threads,
    Processes,
    ToggleAll,
    Isolate,
    Merge,
    Search,
    SearchSelected,
    Export,
    CopyReport,
    NextContent(isize),
    NextBudget(isize),
    ToggleOccurrences,
    CopyName,
    CopyPath,
    Note,
    Notes,
    Help,
    Suspend,
    Quit,
    Interrupt,
    Freeze,
    Type(char),
    Paste(String),
    Backspace,
    DeleteWord,
    DeleteLine,
    Cursor(isize),
    Accept,
    Refuse,
    Details,
    /// Spelled as in the command table.
    Unbound(String),
    Click(u16, u16),
    DoubleClick(u16, u16),
    Drag(u16, u16),
    Release(u16, u16),
    /// By cells.
    Time(isize),
    /// The start (`false`) or end (`true`) of the time range is moved to the cursor.
    RangeEnd(bool),
    ZoomTime(bool),
    Peak,
    ToggleStrip,
    SideFlame,
    Timeline,
    /// The mouse wheel at a column and row; positive is down.
    Wheel(u16, u16, isize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    Explorer,
    Search,
    Prompt,
    Writing,
    Confirm,
    Threads,
    Filter,
    Methods,
    Pattern,
    Note,
    /// The question of whether notes may be written next to the profile.
    Consent,
    Command,
    List,
    Page,
    Loading,
    Failed,
}

impl Context {
    pub fn takes_text(self) -> bool {
        matches!(
            self,
            Context::Search
                | Context::Prompt
                | Context::Filter
                | Context::Pattern
                | Context::Note
                | Context::Command
        )
    }
}

#[derive(Clone, Debug)]
pub struct Command {
    /// Users bind keys to it. The same action has the same name in every context.
    pub name: &'static str,
    pub context: Context,
    pub action: Action,
    /// Written as `ctrl-d` or `G`; a sequence of two keys as `z z`.
    pub keys: Vec<String>,
    pub hint: &'static str,
    /// It may name other commands: see [`Keymap::fill`](super::Keymap::fill).
    pub doc: &'static str,
}

struct CommandRow(
    &'static str,
    Action,
    &'static [&'static str],
    &'static str,
    &'static str,
);

macro_rules! rows {
    ($($name:literal $action:ident $(($value:expr))? [$($key:literal),+] $doc:literal $(, hint $hint:literal)?;)*) => {
        &[$(CommandRow($name, Action::$action $(($value))?, &[$($key),+], concat!($($hint)?), $doc)),*]
    };
}

macro_rules! contexts {
    ($($context:ident: $($($shared:ident)? $({ $($rows:tt)* })?),+;)*) => {
        &[$((Context::$context, &[$($($shared)? $(rows! { $($rows)* })?),+])),*]
    };
}

const TYPING: &[CommandRow] = rows! {
    "delete-character" Backspace ["backspace", "ctrl-h"] "remove a character";
    "delete-word" DeleteWord ["ctrl-w"] "remove a word";
    "delete-line" DeleteLine ["ctrl-u"] "delete to the start";
    "cursor-left" Cursor(-1) ["left", "ctrl-b"] "move the cursor left";
    "cursor-right" Cursor(1) ["right", "ctrl-f"] "move the cursor right";
};

const LIST_ROWS: &[CommandRow] = rows! {
    "next-row" Rows(1) ["j", "down"] "next row";
    "previous-row" Rows(-1) ["k", "up"] "previous row";
};

const LIST_SCREENS: &[CommandRow] = rows! {
    "half-screen-down" HalfScreens(1) ["ctrl-d"] "half a screen down";
    "half-screen-up" HalfScreens(-1) ["ctrl-u"] "half a screen up";
    "screen-down" HalfScreens(2) ["pagedown", "ctrl-f"] "a screen down";
    "screen-up" HalfScreens(-2) ["pageup", "ctrl-b"] "a screen up";
};

const LIST_ENDS: &[CommandRow] = rows! {
    "first-row" First ["g", "home"] "first row";
    "last-row" Last ["G", "end"] "last row";
};

const LIST_HELP: &[CommandRow] = rows! {
    "help" Help ["?", "f1"] "show these keys", hint "help";
};

const SCROLLING: &[CommandRow] = rows! {
    "scroll-down" Rows(1) ["j", "down"] "scroll down", hint "scroll";
    "scroll-up" Rows(-1) ["k", "up"] "scroll up";
    "half-page-down" HalfScreens(1) ["ctrl-d"] "half a screen down";
    "half-page-up" HalfScreens(-1) ["ctrl-u"] "half a screen up";
    "page-down" HalfScreens(2) ["pagedown", "space", "ctrl-f"] "a screen down";
    "page-up" HalfScreens(-2) ["pageup", "ctrl-b"] "a screen up";
    "top" First ["g", "home"] "to the top";
    "end" Last ["G", "end"] "to the end";
};

const SUSPEND: &[CommandRow] = rows! {
    "suspend" Suspend ["ctrl-z"] "suspend and return to the shell; `fg` resumes";
};

/// In the order of the `?` page.
const TABLE: &[(Context, &[&[CommandRow]])] = contexts! {
    Explorer: LIST_ROWS, {
        "open" Open ["l", "right"] "open the node; if it is open, go to its first callee", hint "open";
        "close" Close ["h", "left"] "close the node; if it is closed, go to its caller", hint "close";
        "toggle-row" Toggle ["space"] "open or close the node";
        "open-hot-path" Enter ["enter"] "open the hot path below; on a hotspot, go to its heaviest occurrence", hint "hot path";
        "next-sibling" Sibling(1) ["J", "shift-down"] "next sibling";
        "previous-sibling" Sibling(-1) ["K", "shift-up"] "previous sibling";
        "caller" Parent ["H"] "go to the caller";
        "next-user-code" NextUserCode ["ctrl-right", "o"] "expand to the next frame of user code";
        "next-split" NextSplit ["}"] "expand to the next split, where no callee has 90 % of its caller's time";
        "open-siblings" OpenSiblings ["e"] "open the node and its siblings by one level";
        "close-siblings" CloseSiblings ["c"] "close the node and its siblings";
        "open-subtree" OpenSubtree ["E"] "open the whole subtree";
        "close-subtree" CloseSubtree ["C"] "close the whole subtree";
    }, LIST_SCREENS, LIST_ENDS, {
        "center" Center ["z z"] "scroll the selection to the middle";
        "next-panel" NextPane(1) ["tab"] "next panel";
        "previous-panel" NextPane(-1) ["shift-tab"] "previous panel";
        "first-panel" Pane(1) ["1"] "the call tree";
        "second-panel" Pane(2) ["2"] "the hotspots by exclusive time";
        "third-panel" Pane(3) ["3"] "the hotspots by inclusive time";
        "fourth-panel" Pane(4) ["4"] "the user code that calls the method (callers page only)";
        "search" Search ["/"] "search methods: fuzzy, 'exact, ^start, end$", hint "search";
        "search-selected" SearchSelected ["*", "#"] "search for the selected method";
        "next-occurrence" Occurrence(1) ["n"] "next occurrence of the method, heaviest first";
        "previous-occurrence" Occurrence(-1) ["N"] "previous occurrence of the method";
        "show-callers" Method ["b"] "callers, callees and threads of the method (all call sites merged)", hint "callers";
        "list-methods" Methods ["L"] "list all methods with times, calls and occurrences; ⟦next-order⟧ sorts, ⟦filter-list⟧ filters", hint "methods";
        "list-waits" Waits ["I"] "list waits: which user method, how long, in which call, on which threads";
        "show-flame" Flame ["F"] "flame graph: width is value, callees below; press again for the flame chart: one thread in time order", hint "flame";
        "flame-beside" SideFlame ["\\"] "show the selection's flame graph next to the tree instead of the hotspots, or switch back (needs 160 columns)";
        "show-timeline" Timeline ["T"] "timeline: threads over time, and garbage collections, exceptions, lock contention", hint "timeline";
        "invert" Invert ["i"] "invert the tree: methods by their exclusive time, with their callers below";
        "focus" Focus ["f"] "focus on the selected subtree", hint "focus";
        "back" Back ["esc", "backspace"] "go back one step: leave a focus, panel, pin or thread selection";
        "time-right" Time(1) ["shift-right"] "move the time cursor right";
        "time-left" Time(-1) ["shift-left"] "move the time cursor left";
        "range-start" RangeEnd(false) ["["] "start the time range at the cursor";
        "range-end" RangeEnd(true) ["]"] "end the time range at the cursor";
        "zoom-in" ZoomTime(true) ["+"] "zoom in around the cursor";
        "zoom-out" ZoomTime(false) ["-"] "zoom out";
        "go-to-peak" Peak ["^"] "move the time cursor to the peak of the selected row";
        "toggle-strip" ToggleStrip ["|"] "show or hide the timeline strip";
        "collapse" NextCollapse ["u"] "cycle: collapse async infrastructure, all system code, off";
        "expand" ToggleFrames ["U"] "expand a collapsed row or group, or collapse it again";
        "collapse-recursion" NextRecursion ["@"] "cycle: direct recursion as one row, all recursion, off";
        "group" NextGroup ["B"] "cycle: group frames by module, namespace, type, off";
        "drop-method" DropMethod ["d"] "leave out all stacks through the method: what if it were free?";
        "drop-subtree" DropSubtree ["D"] "leave out the subtree";
        "filter" Filter ["&"] "filter by a pattern: focus, ignore, hide or show from";
        "list-views" Views ["v"] "list the views", hint "views";
        "list-steps" Breadcrumbs ["V"] "list the steps that led here: go back to one, undo one";
        "show-command-line" CommandLine ["="] "show the command that prints what is on the screen";
        "export" Export ["x"] "write the subtree to a file, or a report on it for a prompt", hint "export";
        "copy-report" CopyReport ["X"] "copy a report on the selected subtree, for a prompt (through the terminal, OSC 52)";
        "choose-threads" Threads ["t"] "choose threads, or merge them into one tree", hint "threads";
        "choose-processes" Processes ["P"] "choose processes";
        "pin-hotspots" TogglePin ["p"] "pin the hotspots to the whole tree, or let them follow", hint "pin";
        "next-order" NextSort ["s"] "sort by the next column", hint "sort";
        "reverse-order" ReverseSort ["S"] "reverse the order";
        "next-metric" NextMetric ["m"] "show the next metric", hint "metric";
        "toggle-waiting" ToggleWaiting ["W"] "exclude waiting from percentages and sorting, or include it";
        "toggle-repair" ToggleRepair ["R"] "show truncated stacks repaired, or as they were recorded", hint "repair";
        "toggle-names" ToggleNames ["r"] "toggle short and raw method names";
        "copy-name" CopyName ["y"] "copy the full name (through the terminal, OSC 52)";
        "copy-path" CopyPath ["Y"] "copy the path from the root";
        "write-note" Note ["a"] "write a note on the method; ⟦show-notes⟧ lists notes, and exports include them";
        "show-notes" Notes ["w"] "show warnings, notes and how the profile was recorded", hint "notes";
        "run-command" Commands [":"] "run a command by its name";
        "help" Help ["?", "f1"] "show all commands", hint "help";
    }, SUSPEND, {
        "freeze" Freeze ["Z"] "freeze live updates (record --live), or resume them", hint "freeze";
        "quit" Quit ["q"] "quit; while recording, press twice to stop and quit", hint "quit";
        "interrupt" Interrupt ["ctrl-c"] "quit, or stop the recording at once";
    };
    Search: {
        "go-to-result" Accept ["enter"] "go to the method's heaviest occurrence", hint "go to heaviest";
        "next-result" Rows(1) ["down", "ctrl-n", "ctrl-j", "tab"] "next result";
        "previous-result" Rows(-1) ["up", "ctrl-p", "ctrl-k", "shift-tab"] "previous result";
        "results-down" HalfScreens(2) ["pagedown"] "a screen of results down";
        "results-up" HalfScreens(-2) ["pageup"] "a screen of results up";
    }, TYPING, {
        "close-search" Back ["esc", "ctrl-c"] "close the search", hint "back";
    };
    Prompt: {
        "write-file" Accept ["enter"] "write the file", hint "write";
        "one-or-all" ToggleOccurrences ["tab"] "export only this occurrence, or all occurrences as one tree", hint "one/all";
        "next-content" NextContent(1) ["down", "ctrl-n"] "next content: the whole subtree in the format of the file's extension, a report in Markdown or JSON, a flame graph or a page for a browser", hint "tree/report";
        "previous-content" NextContent(-1) ["up", "ctrl-p"] "previous content";
        "larger-report" NextBudget(1) ["pagedown"] "a larger report, up to 16,000 tokens";
        "smaller-report" NextBudget(-1) ["pageup"] "a smaller report, down to 500 tokens";
    }, TYPING, {
        "close-export" Back ["esc", "ctrl-c"] "close the dialog", hint "cancel";
    };
    Writing: {
        "close-while-writing" Back ["esc"] "close the dialog; the file is still written";
        "quit-when-written" Quit ["q", "ctrl-c"] "quit when the file is written; press again to quit now";
    };
    Confirm: {
        "overwrite" Accept ["y", "Y"] "overwrite the file", hint "yes, overwrite";
        "keep-file" Refuse ["n", "N", "esc", "enter", "ctrl-c"] "keep the file and change the name", hint "no";
    };
    Threads: {
        "show-chosen" Accept ["enter"] "show the chosen threads", hint "apply";
        "choose" Toggle ["space"] "select or deselect the thread or process", hint "choose";
        "choose-alone" Isolate ["i"] "select only this thread or process", hint "only this";
        "choose-all" ToggleAll ["a"] "choose all or none", hint "all/none";
        "merge" Merge ["m"] "cycle: merge no threads, those of the .NET pool, all of each process", hint "merge";
        "next-order" NextSort ["s"] "sort by the next column", hint "sort";
        "filter-list" Search ["/"] "filter threads by part of the name", hint "filter";
    }, LIST_ROWS, {
        "next-process" Sibling(1) ["J", "tab", "shift-down"] "next process";
        "previous-process" Sibling(-1) ["K", "shift-tab", "shift-up"] "previous process";
        "open-process" Open ["l", "right"] "list the threads of the process";
        "close-process" Close ["h", "left"] "hide the threads of the process";
    }, LIST_SCREENS, LIST_ENDS, LIST_HELP, {
        "close-threads" Back ["esc", "q", "t", "P", "backspace", "ctrl-c"] "close without changes", hint "cancel";
    };
    Filter: {
        "keep-filter" Accept ["enter"] "keep the filter", hint "done";
        "next-match" Rows(1) ["down", "ctrl-n", "tab"] "next row";
        "previous-match" Rows(-1) ["up", "ctrl-p", "shift-tab"] "previous row";
        "results-down" HalfScreens(2) ["pagedown"] "a screen down";
        "results-up" HalfScreens(-2) ["pageup"] "a screen up";
    }, TYPING, {
        "list-all" Back ["esc", "ctrl-c"] "list all again", hint "clear";
    };
    Methods: {
        "go-to-method" Accept ["enter"] "go to the method's heaviest occurrence", hint "go to heaviest";
        "show-callers" Method ["b"] "callers, callees and threads of the method", hint "callers";
        "show-flame" Flame ["F"] "flame graph, with the method highlighted wherever it is";
        "show-timeline" Timeline ["T"] "timeline: threads over time";
        "next-order" NextSort ["s"] "sort by the next column", hint "sort";
        "filter-list" Search ["/"] "filter methods by part of the name", hint "filter";
        "group-list" NextGroup ["B"] "cycle: totals by module, namespace, type, off; ⟦go-to-method⟧ lists the methods of a group";
        "only-user-code" NextUserCode ["o"] "list only user code, or all", hint "user code";
        "write-note" Note ["a"] "write a note on the method";
        "drop-method" DropMethod ["d"] "leave out all stacks through the method";
        "next-metric" NextMetric ["m"] "show the next metric";
        "toggle-waiting" ToggleWaiting ["W"] "exclude waiting from percentages and sorting, or include it";
        "show-command-line" CommandLine ["="] "show the command that prints this list";
        "copy-name" CopyName ["y"] "copy the full name";
        "run-command" Commands [":"] "run a command by its name";
    }, LIST_ROWS, LIST_SCREENS, LIST_ENDS, LIST_HELP, {
        "close-methods" Back ["esc", "q", "L", "backspace", "ctrl-c"] "close the list", hint "back";
    };
    Pattern: {
        "apply-pattern" Accept ["enter"] "apply the pattern", hint "apply";
        "next-kind" NextPane(1) ["tab"] "focus, ignore, hide, show from", hint "next kind";
        "previous-kind" NextPane(-1) ["shift-tab"] "previous kind";
    }, TYPING, {
        "close-filter" Back ["esc", "ctrl-c"] "close the dialog", hint "cancel";
    };
    Note: {
        "keep-note" Accept ["enter"] "keep the note; an empty note is removed", hint "keep";
    }, TYPING, {
        "close-note" Back ["esc", "ctrl-c"] "leave the note as it was", hint "cancel";
    };
    Command: {
        "run" Accept ["enter"] "run the command", hint "run";
        "complete" NextPane(1) ["tab"] "complete the name", hint "complete";
        "next-command" Rows(1) ["down", "ctrl-n"] "next command", hint "next";
        "previous-command" Rows(-1) ["up", "ctrl-p"] "previous command";
        "results-down" HalfScreens(2) ["pagedown"] "a screen down";
        "results-up" HalfScreens(-2) ["pageup"] "a screen up";
    }, TYPING, {
        "close-command" Back ["esc", "ctrl-c"] "close the line", hint "back";
    };
    Consent: {
        "allow-notes" Accept ["y", "Y"] "write notes to the file from now on", hint "yes, write";
        "refuse-notes" Refuse ["n", "N"] "don't save; the note is kept until you quit", hint "no";
        "back-to-note" Back ["esc", "ctrl-c"] "back to the note", hint "back";
    };
    List: {
        "take" Accept ["enter", "l", "right"] "show the view, or go back to the step", hint "go";
        "undo-step" Remove ["d"] "undo only this step", hint "undo";
        "next-entry" Rows(1) ["j", "down", "tab"] "next row";
        "previous-entry" Rows(-1) ["k", "up", "shift-tab"] "previous row";
    }, LIST_ENDS, LIST_HELP, {
        "close-list" Back ["esc", "q", "v", "V", "h", "left", "backspace", "ctrl-c"] "close the list", hint "back";
    };
    Page: {
        "filter-list" Search ["/"] "find commands by a word in their descriptions, or by their key", hint "find";
        "copy-name" CopyName ["y"] "copy the command that is shown", hint "copy";
    }, SCROLLING, {
        "close-page" Back ["esc", "q", "?", "w", "=", "f1", "backspace", "ctrl-c"] "close the page", hint "back";
    };
    Loading: SUSPEND, {
        "cancel-loading" Quit ["esc", "q", "ctrl-c"] "stop loading and quit", hint "cancel";
    };
    Failed: {
        "toggle-detail" Details ["d"] "show or hide the detail", hint "detail";
    }, SCROLLING, SUSPEND, {
        "leave" Quit ["q", "esc", "enter", "ctrl-c"] "quit", hint "quit";
    };
};

pub(super) fn commands() -> impl Iterator<Item = Command> {
    let commands_of = |&(context, groups): &(Context, &'static [&'static [CommandRow]])| {
        let rows = groups.iter().copied().flatten();
        rows.map(
            move |&CommandRow(name, ref action, keys, hint, doc)| Command {
                name,
                context,
                action: action.clone(),
                keys: keys.iter().map(|key| (*key).into()).collect(),
                hint,
                doc,
            },
        )
    };
    TABLE.iter().flat_map(commands_of)
}
