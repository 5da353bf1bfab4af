//! Every command of the explorer, one row each: the keymap, the hints, the `?` page and the README's table are made from it.

use super::outline::SortColumn;

/// What a user can ask of the explorer.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Move the selection by rows, down where positive.
    Rows(isize),
    /// Move the selection by screens in halves: 2 is a screen down, -1 half a screen up.
    HalfScreens(isize),
    /// Select the first row.
    First,
    /// Select the last row.
    Last,
    /// Select the sibling below or above.
    Sibling(isize),
    /// Select the caller.
    Parent,
    /// Open the selected node; where it is open, select its first callee.
    Open,
    /// Close the selected node; where it is closed, select its caller.
    Close,
    /// Open or close the selected node.
    Toggle,
    /// Open the selected node and its siblings.
    OpenSiblings,
    /// Close the selected node and its siblings.
    CloseSiblings,
    /// Open the whole subtree.
    OpenSubtree,
    /// Close the whole subtree.
    CloseSubtree,
    /// Open the hot path below the selection; on a hotspot, go to its heaviest occurrence.
    Enter,
    /// Select the next row of user code below.
    NextOwn,
    /// Scroll so that the selection stands in the middle.
    Center,
    /// Go to the next or previous occurrence of the method that is being walked.
    Occurrence(isize),
    /// Order by the next column.
    NextSort,
    /// Order by this column; again, the other way round.
    SortBy(SortColumn),
    /// Order the other way round.
    ReverseSort,
    /// Show the next metric.
    NextMetric,
    /// Count waiting in percentages and order, or not.
    ToggleWaiting,
    /// Show names as the source spells them, or short.
    ToggleNames,
    /// Show truncated stacks repaired, or as they were recorded.
    ToggleRepair,
    /// Keep the hotspots of the whole tree, or follow the selection.
    TogglePin,
    /// Show the selected method as one thing: its callers, callees and threads.
    Method,
    /// List the methods with all that they have cost.
    Methods,
    /// Show the whole tree inverted.
    Invert,
    /// Fold plumbing, then all system code, then nothing.
    NextFold,
    /// Show the frames of a folded row, or fold them again.
    ToggleFrames,
    /// Make direct recursion one row, then all recursion, then none.
    NextRecursion,
    /// Group by module, namespace, type, then not at all.
    NextGroup,
    /// Leave out all stacks through the selected method.
    DropMethod,
    /// Leave out the selected subtree.
    DropSubtree,
    /// Open the dialog for a pattern.
    Filter,
    /// List the views.
    Views,
    /// List the steps on the way to what is shown.
    Breadcrumbs,
    /// Show the command that prints what is on the screen.
    CommandLine,
    /// Take away what is selected in a list.
    Remove,
    /// Open down to where the time splits: to the first callee of which no own callee has most.
    NextSplit,
    /// Show the selected subtree as the tree.
    Focus,
    /// One step back: out of a page, a focus, a pane, a pin.
    Back,
    /// Go to the next or previous pane.
    NextPane(isize),
    /// Go to this pane, counted from 1.
    Pane(u8),
    /// Open the dialog in which threads are chosen.
    Threads,
    /// Open the same with the processes alone.
    Processes,
    /// Choose all threads, or none.
    ToggleAll,
    /// Choose what is selected alone.
    Isolate,
    /// Merge the chosen threads into one tree, or not.
    Merge,
    /// Open the search.
    Search,
    /// Search for the selected method.
    SearchSelected,
    /// Open the export dialog.
    Export,
    /// Copy a report on the selected subtree.
    CopyReport,
    /// Go on by so many to what else can be written of a subtree: all of it, or a report.
    NextContent(isize),
    /// Go on by so many to the next larger budget of reports.
    NextBudget(isize),
    /// Take one occurrence of the method that is exported, or all of them.
    ToggleOccurrences,
    /// Copy the selected name.
    CopyName,
    /// Copy the path from the root to the selection.
    CopyPath,
    /// Write a note on the selected method.
    Note,
    /// Show how the profile was taken, its notes and its warnings.
    Notes,
    /// Show all commands.
    Help,
    /// Stop, and leave the terminal to the shell until dotspot is called back.
    Suspend,
    /// Leave dotspot; first stop what is being recorded, if that was asked for twice.
    Quit,
    /// The same at once.
    Interrupt,
    /// Freeze what is shown of a recording that goes on, or show more of it again.
    Freeze,
    /// A character typed into a field.
    Type(char),
    /// Text pasted into a field.
    Paste(String),
    /// Remove the character before the cursor.
    Backspace,
    /// Remove the word before the cursor.
    DeleteWord,
    /// Remove all before the cursor.
    DeleteLine,
    /// Move the cursor of a field.
    Cursor(isize),
    /// Do what the dialog offers.
    Accept,
    /// Refuse what the dialog asks.
    Refuse,
    /// Show or hide details of an error.
    Details,
    /// A key that means nothing here, as the table of commands writes keys.
    Unbound(String),
    /// A click of the mouse at a column and row of the screen.
    Click(u16, u16),
    /// A second click at the same place.
    DoubleClick(u16, u16),
    /// The mouse wheel at a column and row, down where positive.
    Wheel(u16, u16, isize),
}

/// Where a key means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// The tree and the hotspots.
    Explorer,
    /// The search field over its results.
    Search,
    /// A field for a file name.
    Prompt,
    /// The wait for a file that is being written.
    Writing,
    /// A question to be answered with yes or no.
    Confirm,
    /// The list of threads.
    Threads,
    /// The filter of a list.
    Filter,
    /// The list of methods.
    Methods,
    /// A field for a pattern.
    Pattern,
    /// A field for a note.
    Note,
    /// The question whether notes may be written beside the profile.
    Consent,
    /// A list: views, breadcrumbs.
    List,
    /// A page of text: help, notes, the command line.
    Page,
    /// While a file loads.
    Loading,
    /// When a file could not be opened.
    Failed,
}

impl Context {
    /// Whether what is typed goes into a field.
    pub fn takes_text(self) -> bool {
        matches!(
            self,
            Context::Search | Context::Prompt | Context::Filter | Context::Pattern | Context::Note
        )
    }
}

/// A row of the table of commands.
pub struct Command {
    /// Where it can be given.
    pub context: Context,
    /// What it does.
    pub action: Action,
    /// The keys that give it, as people write them: `ctrl-d`, `G`, and one after the other with a blank between, `z z`.
    pub keys: &'static [&'static str],
    /// One or two words for the line of hints; empty if it is never hinted.
    pub hint: &'static str,
    /// One line about it.
    pub doc: &'static str,
}

const fn row(
    context: Context,
    action: Action,
    keys: &'static [&'static str],
    hint: &'static str,
    doc: &'static str,
) -> Command {
    Command {
        context,
        action,
        keys,
        hint,
        doc,
    }
}

const fn explorer(
    action: Action,
    keys: &'static [&'static str],
    hint: &'static str,
    doc: &'static str,
) -> Command {
    row(Context::Explorer, action, keys, hint, doc)
}

/// All commands that have keys, in the order in which the `?` page lists them.
pub const COMMANDS: &[Command] = &[
    explorer(Action::Rows(1), &["j", "down"], "", "next row"),
    explorer(Action::Rows(-1), &["k", "up"], "", "previous row"),
    explorer(
        Action::Open,
        &["l", "right"],
        "open",
        "open the node; if it is open, go to its first callee",
    ),
    explorer(
        Action::Close,
        &["h", "left"],
        "close",
        "close the node; if it is closed, go to its caller",
    ),
    explorer(Action::Toggle, &["space"], "", "open or close the node"),
    explorer(
        Action::Enter,
        &["enter"],
        "hot path",
        "open the hot path below; on a hotspot, go to its heaviest occurrence",
    ),
    explorer(Action::Sibling(1), &["J", "shift-down"], "", "next sibling"),
    explorer(
        Action::Sibling(-1),
        &["K", "shift-up"],
        "",
        "previous sibling",
    ),
    explorer(Action::Parent, &["H", "shift-left"], "", "go to the caller"),
    explorer(
        Action::NextOwn,
        &["ctrl-right", "o"],
        "",
        "open down to the next frame of user code below",
    ),
    explorer(
        Action::NextSplit,
        &["}"],
        "",
        "open down to the next split: where no callee has 90 % of its caller",
    ),
    explorer(
        Action::OpenSiblings,
        &["e"],
        "",
        "open the node and its siblings by one level",
    ),
    explorer(
        Action::CloseSiblings,
        &["c"],
        "",
        "close the node and its siblings",
    ),
    explorer(Action::OpenSubtree, &["E"], "", "open the whole subtree"),
    explorer(Action::CloseSubtree, &["C"], "", "close the whole subtree"),
    explorer(
        Action::HalfScreens(1),
        &["ctrl-d"],
        "",
        "half a screen down",
    ),
    explorer(Action::HalfScreens(-1), &["ctrl-u"], "", "half a screen up"),
    explorer(
        Action::HalfScreens(2),
        &["pagedown", "ctrl-f"],
        "",
        "a screen down",
    ),
    explorer(
        Action::HalfScreens(-2),
        &["pageup", "ctrl-b"],
        "",
        "a screen up",
    ),
    explorer(Action::First, &["g", "home"], "", "first row"),
    explorer(Action::Last, &["G", "end"], "", "last row"),
    explorer(
        Action::Center,
        &["z z"],
        "",
        "scroll the selection to the middle",
    ),
    explorer(Action::NextPane(1), &["tab"], "", "next pane"),
    explorer(Action::NextPane(-1), &["shift-tab"], "", "previous pane"),
    explorer(Action::Pane(1), &["1"], "", "the call tree"),
    explorer(
        Action::Pane(2),
        &["2"],
        "",
        "the hotspots by exclusive time",
    ),
    explorer(
        Action::Pane(3),
        &["3"],
        "",
        "the hotspots by inclusive time",
    ),
    explorer(
        Action::Search,
        &["/"],
        "search",
        "search methods: fuzzy, 'exact, ^start, end$",
    ),
    explorer(
        Action::SearchSelected,
        &["*", "#"],
        "",
        "search for the selected method",
    ),
    explorer(
        Action::Occurrence(1),
        &["n"],
        "",
        "next occurrence of the method, heaviest first",
    ),
    explorer(
        Action::Occurrence(-1),
        &["N"],
        "",
        "previous occurrence of the method",
    ),
    explorer(
        Action::Method,
        &["b"],
        "callers",
        "show the method as one thing: all its occurrences, callers above, callees below, threads beside",
    ),
    explorer(
        Action::Methods,
        &["L"],
        "",
        "list the methods: own and total time, own + system, calls, occurrences; s orders, / filters",
    ),
    explorer(
        Action::Invert,
        &["i"],
        "",
        "invert the tree: methods by their exclusive time, with their callers below",
    ),
    explorer(
        Action::Focus,
        &["f"],
        "focus",
        "show the selected subtree as the tree",
    ),
    explorer(
        Action::Back,
        &["esc", "backspace"],
        "",
        "one step back: out of a focus, a pane, a pin, a choice of threads",
    ),
    explorer(
        Action::NextFold,
        &["u"],
        "",
        "fold async plumbing, then all system code, then nothing",
    ),
    explorer(
        Action::ToggleFrames,
        &["U"],
        "",
        "show the frames of a folded row or group, or fold them again",
    ),
    explorer(
        Action::NextRecursion,
        &["@"],
        "",
        "make direct recursion one row, then all recursion, then none",
    ),
    explorer(
        Action::NextGroup,
        &["B"],
        "",
        "group frames by module, namespace, type, then not at all",
    ),
    explorer(
        Action::DropMethod,
        &["d"],
        "",
        "leave out all stacks through the method: what if it were free?",
    ),
    explorer(Action::DropSubtree, &["D"], "", "leave out the subtree"),
    explorer(
        Action::Filter,
        &["&"],
        "",
        "focus on, ignore, hide or show from what matches a pattern",
    ),
    explorer(Action::Views, &["v"], "views", "list the views"),
    explorer(
        Action::Breadcrumbs,
        &["V"],
        "",
        "list the steps that led here: go back to one, undo one",
    ),
    explorer(
        Action::CommandLine,
        &["="],
        "",
        "show the command that prints what is on the screen",
    ),
    explorer(
        Action::Export,
        &["x"],
        "export",
        "write the subtree to a file, or a report on it for a prompt",
    ),
    explorer(
        Action::CopyReport,
        &["X"],
        "",
        "copy a report on the selected subtree, for a prompt (through the terminal, OSC 52)",
    ),
    explorer(
        Action::Threads,
        &["t"],
        "threads",
        "choose threads, merge them into one tree",
    ),
    explorer(Action::Processes, &["P"], "", "choose processes"),
    explorer(
        Action::TogglePin,
        &["p"],
        "pin",
        "pin the hotspots to the whole tree, or let them follow",
    ),
    explorer(Action::NextSort, &["s"], "sort", "order by the next column"),
    explorer(Action::ReverseSort, &["S"], "", "reverse the order"),
    explorer(Action::NextMetric, &["m"], "metric", "show the next metric"),
    explorer(
        Action::ToggleWaiting,
        &["W"],
        "",
        "leave waiting out of percentages and order, or count it",
    ),
    explorer(
        Action::ToggleRepair,
        &["R"],
        "repair",
        "show truncated stacks repaired, or as they were recorded",
    ),
    explorer(
        Action::ToggleNames,
        &["r"],
        "",
        "short names, or raw names as the source spells them",
    ),
    explorer(
        Action::CopyName,
        &["y"],
        "",
        "copy the full name (through the terminal, OSC 52)",
    ),
    explorer(Action::CopyPath, &["Y"], "", "copy the path from the root"),
    explorer(
        Action::Note,
        &["a"],
        "",
        "write a note on the method; it is shown here, by w and in exports",
    ),
    explorer(
        Action::Notes,
        &["w"],
        "notes",
        "show how it was recorded, notes and warnings",
    ),
    explorer(Action::Help, &["?", "f1"], "help", "show all commands"),
    explorer(
        Action::Suspend,
        &["ctrl-z"],
        "",
        "back to the shell; `fg` returns",
    ),
    explorer(
        Action::Freeze,
        &["Z"],
        "freeze",
        "freeze what is shown of a recording that goes on (record --live), or thaw it",
    ),
    explorer(
        Action::Quit,
        &["q"],
        "quit",
        "leave dotspot; a recording that goes on is stopped first, asked twice",
    ),
    explorer(
        Action::Interrupt,
        &["ctrl-c"],
        "",
        "leave dotspot, or stop the recording at once",
    ),
    row(
        Context::Search,
        Action::Accept,
        &["enter"],
        "go to heaviest",
        "go to the method's heaviest occurrence",
    ),
    row(
        Context::Search,
        Action::Rows(1),
        &["down", "ctrl-n", "ctrl-j", "tab"],
        "",
        "next result",
    ),
    row(
        Context::Search,
        Action::Rows(-1),
        &["up", "ctrl-p", "ctrl-k", "shift-tab"],
        "",
        "previous result",
    ),
    row(
        Context::Search,
        Action::HalfScreens(2),
        &["pagedown"],
        "",
        "a screen of results down",
    ),
    row(
        Context::Search,
        Action::HalfScreens(-2),
        &["pageup"],
        "",
        "a screen of results up",
    ),
    row(
        Context::Search,
        Action::Backspace,
        &["backspace", "ctrl-h"],
        "",
        "remove a character",
    ),
    row(
        Context::Search,
        Action::DeleteWord,
        &["ctrl-w"],
        "",
        "remove a word",
    ),
    row(
        Context::Search,
        Action::DeleteLine,
        &["ctrl-u"],
        "",
        "remove all",
    ),
    row(
        Context::Search,
        Action::Cursor(-1),
        &["left", "ctrl-b"],
        "",
        "move the cursor left",
    ),
    row(
        Context::Search,
        Action::Cursor(1),
        &["right", "ctrl-f"],
        "",
        "move the cursor right",
    ),
    row(
        Context::Search,
        Action::Back,
        &["esc", "ctrl-c"],
        "back",
        "close the search",
    ),
    row(
        Context::Prompt,
        Action::Accept,
        &["enter"],
        "write",
        "write the file",
    ),
    row(
        Context::Prompt,
        Action::ToggleOccurrences,
        &["tab"],
        "one/all",
        "take this occurrence of the method, or all of them as one tree",
    ),
    row(
        Context::Prompt,
        Action::NextContent(1),
        &["down", "ctrl-n"],
        "tree/report",
        "write all of the subtree in the format of the file's extension, or a report in Markdown or JSON",
    ),
    row(
        Context::Prompt,
        Action::NextContent(-1),
        &["up", "ctrl-p"],
        "",
        "the other way round",
    ),
    row(
        Context::Prompt,
        Action::NextBudget(1),
        &["pagedown"],
        "",
        "a larger report, up to 16,000 tokens",
    ),
    row(
        Context::Prompt,
        Action::NextBudget(-1),
        &["pageup"],
        "",
        "a smaller report, down to 500 tokens",
    ),
    row(
        Context::Prompt,
        Action::Backspace,
        &["backspace", "ctrl-h"],
        "",
        "remove a character",
    ),
    row(
        Context::Prompt,
        Action::DeleteWord,
        &["ctrl-w"],
        "",
        "remove a word",
    ),
    row(
        Context::Prompt,
        Action::DeleteLine,
        &["ctrl-u"],
        "",
        "remove all",
    ),
    row(
        Context::Prompt,
        Action::Cursor(-1),
        &["left", "ctrl-b"],
        "",
        "move the cursor left",
    ),
    row(
        Context::Prompt,
        Action::Cursor(1),
        &["right", "ctrl-f"],
        "",
        "move the cursor right",
    ),
    row(
        Context::Prompt,
        Action::Back,
        &["esc", "ctrl-c"],
        "cancel",
        "close the dialog",
    ),
    row(
        Context::Writing,
        Action::Back,
        &["esc"],
        "",
        "close the dialog; the file is written all the same",
    ),
    row(
        Context::Writing,
        Action::Quit,
        &["q", "ctrl-c"],
        "",
        "leave when the file is written; again: at once",
    ),
    row(
        Context::Confirm,
        Action::Accept,
        &["y", "Y"],
        "yes, overwrite",
        "overwrite the file",
    ),
    row(
        Context::Confirm,
        Action::Refuse,
        &["n", "N", "esc", "enter", "ctrl-c"],
        "no",
        "keep the file and change the name",
    ),
    row(
        Context::Threads,
        Action::Accept,
        &["enter"],
        "apply",
        "show the chosen threads",
    ),
    row(
        Context::Threads,
        Action::Toggle,
        &["space"],
        "choose",
        "choose the thread or process, or not",
    ),
    row(
        Context::Threads,
        Action::Isolate,
        &["i"],
        "only this",
        "choose this thread or process alone",
    ),
    row(
        Context::Threads,
        Action::ToggleAll,
        &["a"],
        "all/none",
        "choose all; if all are chosen, none",
    ),
    row(
        Context::Threads,
        Action::Merge,
        &["m"],
        "merge",
        "merge the chosen threads of a process into one tree, or not",
    ),
    row(
        Context::Threads,
        Action::NextSort,
        &["s"],
        "sort",
        "order by the next column",
    ),
    row(
        Context::Threads,
        Action::Search,
        &["/"],
        "filter",
        "list only threads with a part of their names",
    ),
    row(
        Context::Threads,
        Action::Rows(1),
        &["j", "down"],
        "",
        "next row",
    ),
    row(
        Context::Threads,
        Action::Rows(-1),
        &["k", "up"],
        "",
        "previous row",
    ),
    row(
        Context::Threads,
        Action::Sibling(1),
        &["J", "tab", "shift-down"],
        "",
        "next process",
    ),
    row(
        Context::Threads,
        Action::Sibling(-1),
        &["K", "shift-tab", "shift-up"],
        "",
        "previous process",
    ),
    row(
        Context::Threads,
        Action::Open,
        &["l", "right"],
        "",
        "list the threads of the process",
    ),
    row(
        Context::Threads,
        Action::Close,
        &["h", "left"],
        "",
        "hide the threads of the process",
    ),
    row(
        Context::Threads,
        Action::HalfScreens(1),
        &["ctrl-d"],
        "",
        "half a screen down",
    ),
    row(
        Context::Threads,
        Action::HalfScreens(-1),
        &["ctrl-u"],
        "",
        "half a screen up",
    ),
    row(
        Context::Threads,
        Action::HalfScreens(2),
        &["pagedown", "ctrl-f"],
        "",
        "a screen down",
    ),
    row(
        Context::Threads,
        Action::HalfScreens(-2),
        &["pageup", "ctrl-b"],
        "",
        "a screen up",
    ),
    row(
        Context::Threads,
        Action::First,
        &["g", "home"],
        "",
        "first row",
    ),
    row(
        Context::Threads,
        Action::Last,
        &["G", "end"],
        "",
        "last row",
    ),
    row(
        Context::Threads,
        Action::Help,
        &["?", "f1"],
        "help",
        "show these keys",
    ),
    row(
        Context::Threads,
        Action::Back,
        &["esc", "q", "t", "P", "backspace", "ctrl-c"],
        "cancel",
        "leave it as it was",
    ),
    row(
        Context::Filter,
        Action::Accept,
        &["enter"],
        "done",
        "keep the filter",
    ),
    row(
        Context::Filter,
        Action::Rows(1),
        &["down", "ctrl-n", "tab"],
        "",
        "next row",
    ),
    row(
        Context::Filter,
        Action::Rows(-1),
        &["up", "ctrl-p", "shift-tab"],
        "",
        "previous row",
    ),
    row(
        Context::Filter,
        Action::Backspace,
        &["backspace", "ctrl-h"],
        "",
        "remove a character",
    ),
    row(
        Context::Filter,
        Action::DeleteWord,
        &["ctrl-w"],
        "",
        "remove a word",
    ),
    row(
        Context::Filter,
        Action::DeleteLine,
        &["ctrl-u"],
        "",
        "remove all",
    ),
    row(
        Context::Filter,
        Action::Cursor(-1),
        &["left", "ctrl-b"],
        "",
        "move the cursor left",
    ),
    row(
        Context::Filter,
        Action::Cursor(1),
        &["right", "ctrl-f"],
        "",
        "move the cursor right",
    ),
    row(
        Context::Filter,
        Action::Back,
        &["esc", "ctrl-c"],
        "clear",
        "list all again",
    ),
    row(
        Context::Methods,
        Action::Accept,
        &["enter"],
        "go to heaviest",
        "go to the method's heaviest occurrence",
    ),
    row(
        Context::Methods,
        Action::Method,
        &["b"],
        "callers",
        "show the method as one thing",
    ),
    row(
        Context::Methods,
        Action::NextSort,
        &["s"],
        "sort",
        "order by the next column",
    ),
    row(
        Context::Methods,
        Action::Search,
        &["/"],
        "filter",
        "list only methods with a part of their names",
    ),
    row(
        Context::Methods,
        Action::NextOwn,
        &["o"],
        "user code",
        "list only user code, or all",
    ),
    row(
        Context::Methods,
        Action::Note,
        &["a"],
        "",
        "write a note on the method",
    ),
    row(
        Context::Methods,
        Action::DropMethod,
        &["d"],
        "",
        "leave out all stacks through the method",
    ),
    row(
        Context::Methods,
        Action::NextMetric,
        &["m"],
        "",
        "show the next metric",
    ),
    row(
        Context::Methods,
        Action::ToggleWaiting,
        &["W"],
        "",
        "leave waiting out of percentages and order, or count it",
    ),
    row(
        Context::Methods,
        Action::CommandLine,
        &["="],
        "",
        "show the command that prints this list",
    ),
    row(
        Context::Methods,
        Action::CopyName,
        &["y"],
        "",
        "copy the full name",
    ),
    row(
        Context::Methods,
        Action::Rows(1),
        &["j", "down"],
        "",
        "next row",
    ),
    row(
        Context::Methods,
        Action::Rows(-1),
        &["k", "up"],
        "",
        "previous row",
    ),
    row(
        Context::Methods,
        Action::HalfScreens(1),
        &["ctrl-d"],
        "",
        "half a screen down",
    ),
    row(
        Context::Methods,
        Action::HalfScreens(-1),
        &["ctrl-u"],
        "",
        "half a screen up",
    ),
    row(
        Context::Methods,
        Action::HalfScreens(2),
        &["pagedown", "ctrl-f"],
        "",
        "a screen down",
    ),
    row(
        Context::Methods,
        Action::HalfScreens(-2),
        &["pageup", "ctrl-b"],
        "",
        "a screen up",
    ),
    row(
        Context::Methods,
        Action::First,
        &["g", "home"],
        "",
        "first row",
    ),
    row(
        Context::Methods,
        Action::Last,
        &["G", "end"],
        "",
        "last row",
    ),
    row(
        Context::Methods,
        Action::Help,
        &["?", "f1"],
        "help",
        "show these keys",
    ),
    row(
        Context::Methods,
        Action::Back,
        &["esc", "q", "L", "backspace", "ctrl-c"],
        "back",
        "close the list",
    ),
    row(
        Context::Pattern,
        Action::Accept,
        &["enter"],
        "apply",
        "apply the pattern",
    ),
    row(
        Context::Pattern,
        Action::NextPane(1),
        &["tab"],
        "next kind",
        "focus, ignore, hide, show from",
    ),
    row(
        Context::Pattern,
        Action::NextPane(-1),
        &["shift-tab"],
        "",
        "the kind before",
    ),
    row(
        Context::Pattern,
        Action::Backspace,
        &["backspace", "ctrl-h"],
        "",
        "remove a character",
    ),
    row(
        Context::Pattern,
        Action::DeleteWord,
        &["ctrl-w"],
        "",
        "remove a word",
    ),
    row(
        Context::Pattern,
        Action::DeleteLine,
        &["ctrl-u"],
        "",
        "remove all",
    ),
    row(
        Context::Pattern,
        Action::Cursor(-1),
        &["left", "ctrl-b"],
        "",
        "move the cursor left",
    ),
    row(
        Context::Pattern,
        Action::Cursor(1),
        &["right", "ctrl-f"],
        "",
        "move the cursor right",
    ),
    row(
        Context::Pattern,
        Action::Back,
        &["esc", "ctrl-c"],
        "cancel",
        "close the dialog",
    ),
    row(
        Context::Note,
        Action::Accept,
        &["enter"],
        "keep",
        "keep the note; an empty note is removed",
    ),
    row(
        Context::Note,
        Action::Backspace,
        &["backspace", "ctrl-h"],
        "",
        "remove a character",
    ),
    row(
        Context::Note,
        Action::DeleteWord,
        &["ctrl-w"],
        "",
        "remove a word",
    ),
    row(
        Context::Note,
        Action::DeleteLine,
        &["ctrl-u"],
        "",
        "remove all",
    ),
    row(
        Context::Note,
        Action::Cursor(-1),
        &["left", "ctrl-b"],
        "",
        "move the cursor left",
    ),
    row(
        Context::Note,
        Action::Cursor(1),
        &["right", "ctrl-f"],
        "",
        "move the cursor right",
    ),
    row(
        Context::Note,
        Action::Back,
        &["esc", "ctrl-c"],
        "cancel",
        "leave the note as it was",
    ),
    row(
        Context::Consent,
        Action::Accept,
        &["y", "Y"],
        "yes, write",
        "write notes to the file from now on",
    ),
    row(
        Context::Consent,
        Action::Refuse,
        &["n", "N"],
        "no",
        "write nothing; the note is there until dotspot ends",
    ),
    row(
        Context::Consent,
        Action::Back,
        &["esc", "ctrl-c"],
        "back",
        "back to the note",
    ),
    row(
        Context::List,
        Action::Accept,
        &["enter", "l", "right"],
        "go",
        "show the view, or go back to the step",
    ),
    row(
        Context::List,
        Action::Remove,
        &["d"],
        "undo",
        "undo the step alone",
    ),
    row(
        Context::List,
        Action::Rows(1),
        &["j", "down", "tab"],
        "",
        "next row",
    ),
    row(
        Context::List,
        Action::Rows(-1),
        &["k", "up", "shift-tab"],
        "",
        "previous row",
    ),
    row(
        Context::List,
        Action::First,
        &["g", "home"],
        "",
        "first row",
    ),
    row(Context::List, Action::Last, &["G", "end"], "", "last row"),
    row(
        Context::List,
        Action::Help,
        &["?", "f1"],
        "help",
        "show these keys",
    ),
    row(
        Context::List,
        Action::Back,
        &["esc", "q", "v", "V", "h", "left", "backspace", "ctrl-c"],
        "back",
        "close the list",
    ),
    row(
        Context::Page,
        Action::Search,
        &["/"],
        "find",
        "find commands by a word in their lines, or by their key",
    ),
    row(
        Context::Page,
        Action::CopyName,
        &["y"],
        "copy",
        "copy the command that is shown",
    ),
    row(
        Context::Page,
        Action::Rows(1),
        &["j", "down"],
        "scroll",
        "scroll down",
    ),
    row(
        Context::Page,
        Action::Rows(-1),
        &["k", "up"],
        "",
        "scroll up",
    ),
    row(
        Context::Page,
        Action::HalfScreens(1),
        &["ctrl-d"],
        "",
        "half a screen down",
    ),
    row(
        Context::Page,
        Action::HalfScreens(-1),
        &["ctrl-u"],
        "",
        "half a screen up",
    ),
    row(
        Context::Page,
        Action::HalfScreens(2),
        &["pagedown", "space", "ctrl-f"],
        "",
        "a screen down",
    ),
    row(
        Context::Page,
        Action::HalfScreens(-2),
        &["pageup", "ctrl-b"],
        "",
        "a screen up",
    ),
    row(
        Context::Page,
        Action::First,
        &["g", "home"],
        "",
        "to the top",
    ),
    row(Context::Page, Action::Last, &["G", "end"], "", "to the end"),
    row(
        Context::Page,
        Action::Back,
        &["esc", "q", "?", "w", "=", "f1", "backspace", "ctrl-c"],
        "back",
        "close the page",
    ),
    row(
        Context::Loading,
        Action::Suspend,
        &["ctrl-z"],
        "",
        "back to the shell; `fg` returns",
    ),
    row(
        Context::Loading,
        Action::Quit,
        &["esc", "q", "ctrl-c"],
        "cancel",
        "stop loading and leave",
    ),
    row(
        Context::Failed,
        Action::Details,
        &["d"],
        "detail",
        "show or hide the detail",
    ),
    row(
        Context::Failed,
        Action::Rows(1),
        &["j", "down"],
        "scroll",
        "scroll down",
    ),
    row(
        Context::Failed,
        Action::Rows(-1),
        &["k", "up"],
        "",
        "scroll up",
    ),
    row(
        Context::Failed,
        Action::HalfScreens(1),
        &["ctrl-d"],
        "",
        "half a screen down",
    ),
    row(
        Context::Failed,
        Action::HalfScreens(-1),
        &["ctrl-u"],
        "",
        "half a screen up",
    ),
    row(
        Context::Failed,
        Action::HalfScreens(2),
        &["pagedown", "space", "ctrl-f"],
        "",
        "a screen down",
    ),
    row(
        Context::Failed,
        Action::HalfScreens(-2),
        &["pageup", "ctrl-b"],
        "",
        "a screen up",
    ),
    row(
        Context::Failed,
        Action::First,
        &["g", "home"],
        "",
        "to the top",
    ),
    row(
        Context::Failed,
        Action::Last,
        &["G", "end"],
        "",
        "to the end",
    ),
    row(
        Context::Failed,
        Action::Suspend,
        &["ctrl-z"],
        "",
        "back to the shell; `fg` returns",
    ),
    row(
        Context::Failed,
        Action::Quit,
        &["q", "esc", "enter", "ctrl-c"],
        "quit",
        "leave dotspot",
    ),
];

/// What the line of hints says of the key that opens the hot path, in a list of hotspots.
pub static IN_HOTSPOTS: Command = explorer(
    Action::Enter,
    &["enter"],
    "go to heaviest",
    "go to the method's heaviest occurrence",
);

/// The first key of an action in a context, as people see it.
pub fn bound_to(context: Context, action: &Action) -> Option<String> {
    let command = COMMANDS
        .iter()
        .find(|command| command.context == context && command.action == *action)?;
    Some(key_label(command.keys[0]))
}

/// The commands of a context that the line of hints shows, in order.
pub fn hints(context: Context) -> impl Iterator<Item = &'static Command> {
    COMMANDS
        .iter()
        .filter(move |command| command.context == context && !command.hint.is_empty())
}

/// What is said of a key that means nothing in a context: with the nearest key that does, which is the same letter in the other
/// case or with or without ctrl.
pub fn about_unbound(context: Context, key: &str) -> String {
    let letter = key
        .rsplit('-')
        .next()
        .filter(|letter| !letter.is_empty())
        .unwrap_or(key);
    let other_case = match letter.chars().next() {
        Some(c) if c.is_lowercase() => letter.to_uppercase(),
        _ => letter.to_lowercase(),
    };
    let candidates = [other_case, letter.to_string(), format!("ctrl-{letter}")];
    let bound = |wanted: &String| {
        let own = COMMANDS.iter().filter(|command| command.context == context);
        own.filter(|command| command.keys.contains(&wanted.as_str()))
            .map(|command| command.doc)
            .next()
    };
    let nearest = candidates
        .iter()
        .filter(|near| near.as_str() != key)
        .find_map(|near| Some((near, bound(near)?)));
    match nearest {
        Some((near, doc)) => format!("{key} does nothing here; {near}: {doc}"),
        None if context == Context::Page => {
            format!("{key} does nothing here; esc closes this page")
        }
        None if context == Context::Explorer => {
            format!("{key} does nothing here; ? lists the keys")
        }
        None => format!("{key} does nothing here"),
    }
}

/// The hints that give way where not all have room, the least useful first. Those that are not named never do: help and quit,
/// the two ways out of the list of threads, and notes where there are warnings to read.
pub fn giving_way(context: Context, has_warnings: bool) -> impl Iterator<Item = Action> {
    const IN_LIST: &[Action] = &[
        Action::NextSort,
        Action::Search,
        Action::ToggleAll,
        Action::Isolate,
        Action::Merge,
    ];
    const IN_EXPLORER: &[Action] = &[
        Action::Views,
        Action::TogglePin,
        Action::NextSort,
        Action::NextMetric,
        Action::Close,
        Action::Threads,
        Action::Export,
        Action::ToggleRepair,
        Action::Notes,
        Action::Focus,
        Action::Method,
        Action::Enter,
        Action::Open,
        Action::Search,
    ];
    let order: &[Action] = match context {
        Context::Explorer => IN_EXPLORER,
        Context::Threads => IN_LIST,
        _ => &[],
    };
    order
        .iter()
        .filter(move |action| !(has_warnings && **action == Action::Notes))
        .cloned()
}

/// A key as people see it on a screen: arrows as arrows.
pub fn key_label(key: &str) -> String {
    match key {
        "up" => "↑".into(),
        "down" => "↓".into(),
        "left" => "←".into(),
        "right" => "→".into(),
        "enter" => "⏎".into(),
        "tab" => "⇥".into(),
        other => other.replace(' ', ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_context() {
        for (index, command) in COMMANDS.iter().enumerate() {
            for key in command.keys {
                let clash = COMMANDS[index + 1..]
                    .iter()
                    .find(|other| other.context == command.context && other.keys.contains(key));
                assert!(
                    clash.is_none(),
                    "{key} is both {:?} and {:?}",
                    command.action,
                    clash.map(|c| &c.action)
                );
            }
        }
    }

    #[test]
    fn keys_that_mean_nothing_are_told_the_nearest_that_do() {
        for (context, key, expect) in [
            (
                Context::Explorer,
                "A",
                "A does nothing here; a: write a note on the method",
            ),
            (
                Context::Explorer,
                ".",
                ". does nothing here; ? lists the keys",
            ),
            (
                Context::Explorer,
                "z",
                "z does nothing here; Z: freeze what is shown",
            ),
            (
                Context::Explorer,
                "Q",
                "Q does nothing here; q: leave dotspot",
            ),
            (
                Context::Explorer,
                "ctrl-x",
                "ctrl-x does nothing here; X: copy a report",
            ),
            (
                Context::Explorer,
                "f7",
                "f7 does nothing here; ? lists the keys",
            ),
            (
                Context::Explorer,
                "-",
                "- does nothing here; ? lists the keys",
            ),
            (
                Context::Threads,
                "I",
                "I does nothing here; i: choose this thread or process alone",
            ),
        ] {
            let said = about_unbound(context, key);
            assert!(said.starts_with(expect), "{said}");
        }
    }

    #[test]
    fn no_key_is_the_start_of_another() {
        for command in COMMANDS {
            let others = COMMANDS
                .iter()
                .filter(|other| other.context == command.context);
            for sequence in others
                .flat_map(|other| other.keys)
                .filter(|key| key.contains(' '))
            {
                let first = sequence.split(' ').next().unwrap_or("");
                assert!(
                    !command.keys.contains(&first),
                    "{first} is taken before {sequence} is whole"
                );
            }
        }
    }
}
