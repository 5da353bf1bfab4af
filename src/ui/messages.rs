//! Every sentence that `ui` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const THREADS_NOT_TOLD_APART = "  threads are not told apart";
    const FILE_EXISTS_OVERWRITE_Y_N = "this file exists. Overwrite it? y / n";
    const CALL_TREE_JSON_DOTSPOT_OPENS = "call-tree JSON, which dotspot opens again; other formats by the file's extension";
    const NOTHING_CHANGED_HERE = "  nothing has changed here";
    const NOTHING_MEASURED_HERE = "  nothing was measured here";
    const STEPS_LED_HERE = "Steps that led here";
    const ONLY_STACKS_MATCHING_FRAME = "only stacks with a matching frame";
    const NO_STACKS_MATCHING_FRAME = "no stacks with a matching frame";
    const STACKS_WITHOUT_THEIR_MATCHING_FRAMES = "stacks without their matching frames; callers get the time";
    const STACKS_THEIR_OUTERMOST_MATCHING_FRAME = "stacks from their outermost matching frame on";
    const FILTER_PATTERN = "Filter by a pattern";
    const REGULAR_EXPRESSION_FULL_DISPLAY_NAMES = "a regular expression on full or display names; ⇥ changes what is done";
    const NO_METHOD_HAS_WORDS = "  no method has all of these words in its name";
    const NOTE_METHOD = "Note on a method";
    const NOTE_WITHOUT_FILE = "held until dotspot ends, and in exports";
    const NOTE_ASKS_FIRST = "⏎ saves it, and asks before anything is written";
    const COMMAND_PRINTS = "The command that prints this";
    const PRDISC_LETTERS_ORDER_PRICERULES = "prdisc   letters in order: PriceRules.Discount";
    const PRICE_START_NAME = "^Price   at the start of a name";
    const COUNT_END = "count$   at its end";
    const DISC_CAPITAL_LETTER_MAKES_CASE = "Disc     a capital letter makes case matter";
    const PRI_DIS_SEVERAL_PARTS_ALL = "pri dis  several parts, all must match";
    const THREADS_EACH_PROCESS = "threads of each process";
    const ALL_TIME = ", in all of the time";
    const THREADS_NO_PROCESS = "threads of no process";
    const INVERTED_TITLE = "Inverted: methods by exclusive value, below each its callers";

    fn own(name, total, share, whole, own) = "{name} {total} ({share:.1} % of {whole}), {own} its own";
    fn incl_excl(inclusive, exclusive, occurrences) = "{inclusive} incl, {exclusive} excl in {occurrences}";
    fn preparing_view(how_far) = " making the other view{how_far}   esc cancels";
    fn budget_keys(count) = "{count} tokens; pgdn more, pgup less";
    fn most_tokens_tree_explains(tokens, size, explained_percent, metric) = "at most {tokens} tokens, {size}; its tree explains {explained_percent:.0} % of the {metric}";
    fn all_one_tree_only(all, label) = "all {all} as one tree; ⇥ only {label}";
    fn one_all_one_tree(all, label) = "one of {all}, {label}; ⇥ all as one tree";
    fn dotspot_needs_x_try_dotspot(width, height) = "dotspot needs {width} x {height}. Try: dotspot hotspots FILE";
    fn save_notes_beside_profile_y(file) = "Save notes beside the profile? y / n ({file})";
    fn matches_no_thread(filter) = "/ {filter}  matches no thread; / changes it";
    fn filter_keys(filter) = "/ {filter}  (/ and then esc lists all)";
    fn merge_key(mark, which) = "m [{mark}] merge {which} into one tree";
}
