use super::head::{Answer, name, part, refused, requested_as_tree};
use super::related::COLUMNS;
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::query::Column::{self, *};
use crate::query::{self, TreeRequest};

const INVERTED: &[Column] = &[
    Depth,
    Node,
    ExclusiveShare,
    Exclusive,
    OwnWaiting,
    OwnCount,
    Name,
];

const MIN_PERCENT: f64 = 0.1;

pub(crate) fn tree(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let view = requested_as_tree(profile, arguments)?;
    let request = TreeRequest {
        part: part(&view, arguments),
        under: arguments.under.as_deref(),
        node: arguments.node.as_deref(),
        is_inverted: arguments.inverted,
        depth: arguments.depth,
        min_percent: arguments.min_percent.unwrap_or(MIN_PERCENT),
    };
    let excerpt = query::tree(&view, &request).map_err(refused)?;
    let (shown, part) = (excerpt.shown(&view), excerpt.part);
    let root = name(shown.display_name(excerpt.root));
    let what = match arguments.inverted {
        true => messages::inverted_tree(&root),
        false => messages::call_tree(&root),
    };
    let mut answer = Answer::new(profile, &view, arguments, part, &what);
    if let Some(remark) = &excerpt.remark {
        answer.push_line(&name(remark));
    }
    let columns = match arguments.inverted {
        true => INVERTED,
        false => COLUMNS,
    };
    let answer = answer.rows(shown, columns, &excerpt.table(shown, false), usize::MAX);
    let outline = excerpt.outline(shown);
    // the hidden rows, including those that the query left out
    let more = |at: usize, hidden: usize| {
        hidden + shown.tree.children(excerpt.rows[at].0).count() - outline.below(at)
    };
    let left_out = |rows: usize, largest: Option<u64>| {
        let min_value = part.whole() as f64 * request.min_percent / 100.0;
        // a depth limit may have cut large rows
        let is_known = arguments.depth.is_none() && !arguments.inverted;
        let largest = is_known.then(|| largest.unwrap_or(min_value as u64));
        (rows + excerpt.left_out(shown), largest)
    };
    answer.outlined("node", &outline, more, left_out)
}
