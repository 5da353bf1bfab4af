//! Every sentence that `mcp` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const ABOUT_LEFT_OUT_BELOW = "; +3: so many rows directly below are left out";
    const ABOUT_NODE = "subtree, such as n12";
    const ABOUT_UNDER = "only below this method";
    const TREE_COMMAND_LISTS_THEM = "; `dotspot tree --json` lists them";
    const TOOLS_LIST_SOME = "; `tree` and `hotspots` list some";
    const DOTTRACE_MAY_READ_IT = "dotTrace's own software may read it, which this server does not start: `dotspot doctor` says more";
    const UNPACK_FIRST = "unpack it and open one of its files";
    const ABOUT_FORMATS = "The formats of profiles that can be opened";
    const PANICKED = "this is a bug in dotspot: it panicked; please report it";
    const OPEN_PROFILE = "Open a profile (path below the server's folders): what it is, metrics, what to be careful about, where the time goes. The other tools open files, too.";
    const INFO = "Kind, metrics, warnings, threads.";
    const HOTSPOTS = "Methods where the time goes.";
    const METHODS = "All methods with calls, occurrences, own + system; filter: part of the name.";
    const TREE = "Call tree from the root, a node, or the heaviest occurrence of a method (under); inverted: methods with callers below.";
    const CALLERS = "Callers of a method, all call sites merged.";
    const CALLEES = "Callees of a method, all call sites merged.";
    const SEARCH = "Methods by letters of their names (fuzzy).";
    const COMPARE = "What changed since another profile (before): methods slower and faster by own time, new ones, which are more than chance; per: what to make equal: total, calls, samples or method:NAME.";
    const REPORT = "What explains a profile, a method or a subtree best within the budget: caveats, hotspots, callers, tree, as Markdown.";
    const INSTRUCTIONS = "Call trees of .NET profiles (dotTrace, nettrace, speedscope, perf, pprof and others). Begin with open_profile. Numbers are sampled or measured times: inclusive (incl) with callees, own without; % is of the total in the head. Ids such as n12 are nodes: pass one as `node` to `tree` to go deeper. A method is named by the end of its name (`Type.Method`), Type.* is all of a type. `steps` make another view, in order: drop:METHOD (what if it were free), focus:RE, ignore:RE, hide:RE, show-from:RE, fold-recursion:direct|all, fold:plumbing|system, group:module|namespace|type. `threads` are ids, names or parts of names. Answers fit `budget` tokens (2,000 unless given) and end with what is left out; ask for more with a larger budget, a node or a filter.";
    const ONE_OBJECT_PER_LINE = "a message is one JSON object; several need a line each";
    const NOT_A_REQUEST = "this is not a request, or its parameters do not follow the protocol";
    const REQUEST_SYNTAX = "a request has an id, which is a text or a number, and a method";

    fn budget_too_small(least) = "budget: too small, this answer needs at least {least} tokens";
    fn waiting_excluded(rest, waiting) = " {rest} = 100 % ({waiting} waiting excluded)\n";
    fn without_steps(of) = " (of {of} without steps)";
    fn warnings(codes) = "warnings: {codes} (see info)\n";
    fn at_most_each(whole) = ", at most {whole} % each";
    fn waiting(waiting) = ", {waiting} of it waiting";
    fn lines_left_out(lines) = "left out: {lines} of warnings, threads and facts\n";
    fn hotspots_of(words, name) = "hotspots of {words}, by {name}";
    fn methods_of(words, order) = "methods of {words}, by {order}";
    fn methods_like(text, about) = "methods like {text}{about}, best first";
    fn in_threads(threads, most) = "in {threads}, most in {most}";
    fn inverted_tree(of) = "inverted tree of {of}";
    fn call_tree(of) = "call tree of {of}";
    fn no_such_argument(unknown, names) = "{unknown}: this tool has no such argument; it has {names}";
    fn argument_needed(missing) = "{missing}: this argument is needed";
    fn min_percent_expected(least) = "min_percent: a number from 0 to 100 is expected, found {least}";
    fn budget_expected(least, most, budget) = "budget: a number of tokens from {least} to {most} is expected, found {budget}";
    fn text_too_long(name, max_bytes, text) = "{name}: at most {max_bytes} bytes are expected, found {text}";
    fn too_many_texts(name, max_rows, rows) = "{name}: at most {max_rows} texts are expected, found {rows}";
    fn one_expected(what, names, asked) = "{what}: one of {names} is expected, found {asked}";
    fn folder_expected(folder) = "{folder}: a folder is expected";
    fn parent_folder_refused(asked) = "{asked}: `..` is refused; name a file below the folders of this server";
    fn no_such_file(asked) = "{asked}: there is no such file below the folders of this server";
    fn regular_file_expected(asked) = "{asked}: a regular file is expected";
    fn sibling_outside_folders(name, part) = "{name}: {part} beside it leads to nowhere below the folders of this server";
    fn cant_start_server(error) = "the server can't be started: {error}";
    fn server_error(error) = "server error: {error}";
    fn handshake_failed(error) = "MCP handshake failed: {error}";
    fn too_much_memory(name, limit) = "{name}: this profile takes more memory than the {limit} that this server may use; start it with a larger --memory";
    fn too_many_requests(max_requests) = "more than {max_requests} requests at a time are refused; wait for answers";
    fn no_such_tool(name) = "{name}: there is no such tool";
    fn wrong_parameters(method) = "{method}: the parameters do not follow the protocol";
    fn no_such_method(method) = "{method}: there is no such method";
    fn no_such_resource(uri) = "{uri}: there is no such resource";
    fn line_too_long(max_line_bytes) = "a message has at most {max_line_bytes} bytes, and this line has more";
    fn line_is_not_json(error) = "this line is not JSON: {error}";
}
