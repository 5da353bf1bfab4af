//! Every sentence that `ui` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const NO_USER_CODE_ABOVE = "  no user code calls it";
    const COLUMN_WHEN = "when";
    const STRIP_SELECTED = "selected";
    const CHART_NOT_READY = "the stacks are being put in the order of time";
    const STRIP_EVENTS = "events";
    const THREADS_NOT_TOLD_APART = "  this profile has no thread information";
    const OVERWRITE_QUESTION = "this file exists. Overwrite it? ⟦overwrite⟧ / ⟦keep-file⟧";
    const EXPORT_FORMAT_HINT = "call-tree JSON, which dotspot opens again; other formats by the file's extension";
    const EXPORT_PICTURE_HINT = "click to zoom, search at the top right; a picture can't be opened again";
    const EXPORT_PAGE_HINT = "lanes over time, flame graph, hotspots and callers in one file, to send to others";
    const NOTHING_CHANGED_HERE = "  nothing has changed here";
    const NOTHING_MEASURED_HERE = "  nothing was measured here";
    const TITLE_STEPS = "Steps that led here";
    const FILTER_FOCUS = "only stacks with a matching frame";
    const FILTER_IGNORE = "no stacks with a matching frame";
    const FILTER_HIDE = "stacks without their matching frames; callers get the time";
    const FILTER_SHOW_FROM = "stacks from their outermost matching frame on";
    const TITLE_FILTER = "Filter by a pattern";
    const FILTER_HINT = "a regular expression on full or display names; ⟦next-kind⟧ changes what is done";
    const NO_METHOD_MATCHES = "  no method has all of these words in its name";
    const TITLE_NOTE = "Note on a method";
    const NOTE_WITHOUT_FILE = "in memory until dotspot ends; exports include it";
    const NOTE_ASKS_FIRST = "⟦keep-note⟧ saves it, and asks before anything is written";
    const TITLE_COMMAND_LINE = "The command that prints this";
    const SEARCH_HINT_FUZZY = "prdisc   letters in order: PriceRules.Discount";
    const SEARCH_HINT_START = "^Price   at the start of a name";
    const SEARCH_HINT_END = "count$   at its end";
    const SEARCH_HINT_CASE = "Disc     a capital letter makes case matter";
    const SEARCH_HINT_PARTS = "pri dis  several parts, all must match";
    const NOTES_TELL_MORE = "  ⟦show-notes⟧ tells more";
    const METRIC_KEY = "[⟦next-metric⟧]";
    const REPAIR_KEY = "[⟦toggle-repair⟧]";
    const HINT_ZOOM = "zoom in";
    const HINT_GO_TO_HEAVIEST = "go to heaviest";
    const OF_EACH_PROCESS = "threads of each process";
    const ALL_TIME = ", over the whole recording";
    const OF_NO_PROCESS = "threads of no process";

    fn part_of_method(value, share, method) = "{value} ({share:.1} %) of {method}";
    fn part_of_waiting(value, share, threads) = "{value} ({share:.1} % of all waiting) in {threads}";
    fn matching(methods) = "{methods} match; ⟦next-kind⟧ changes what is done";
    fn lit_up(query, methods, value, share) = "“{query}”: {value} ({share:.1} %) in {methods}";
    fn gone(methods) = "gone: {methods}";
    fn more_gone(count) = "{count} more";
    fn value_and_own(name, total, share, whole, own) = "{name} {total} ({share:.1} % of {whole}), {own} its own";
    fn incl_excl(inclusive, exclusive, occurrences) = "{inclusive} incl, {exclusive} excl in {occurrences}";
    fn preparing_view(how_far) = " building the view{how_far}   ⟦back⟧ cancels";
    fn budget_keys(count) = "{count} tokens; ⟦larger-report⟧ more, ⟦smaller-report⟧ less";
    fn report_size(tokens, size, explained_percent, metric) = "at most {tokens} tokens, {size}; its tree explains {explained_percent:.0} % of the {metric}";
    fn export_all_occurrences(all, label) = "all {all} as one tree; ⟦one-or-all⟧ only {label}";
    fn export_one_occurrence(all, label) = "one of {all}, {label}; ⟦one-or-all⟧ all as one tree";
    fn terminal_too_small(width, height) = "dotspot needs {width} x {height}. Try: dotspot hotspots FILE";
    fn save_notes_question(file) = "Save notes beside the profile? ⟦allow-notes⟧ / ⟦refuse-notes⟧ ({file})";
    fn matches_no_thread(filter) = "⟦filter-list⟧ {filter}  matches no thread; ⟦filter-list⟧ changes it";
    fn filter_keys(filter) = "⟦filter-list⟧ {filter}  (⟦filter-list⟧ and then ⟦list-all⟧ lists all)";
    fn next_content(content, next) = "{content}; ⟦next-content⟧ {next}";
    fn merge_key(mark, which) = "⟦merge⟧ [{mark}] merge {which} into one tree";
}
