use super::head::{Answer, name, part, refused, requested_view};
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::query::Column::{self, *};
use crate::query::{self, MethodRequest, Relation};
use crate::units::counted;

const DEFAULT_LEVELS: usize = 8;
const MIN_PERCENT: f64 = 0.5;

pub(super) const COLUMNS: &[Column] = &[
    Depth,
    Node,
    InclusiveShare,
    Inclusive,
    Waiting,
    Exclusive,
    Count,
    Name,
];

pub(crate) fn callers(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    if arguments.own_code.is_some() && !arguments.user {
        return Err(messages::OWN_CODE_NEEDS_USER.into());
    }
    let relation = match arguments.user {
        true => Relation::UserCallers,
        false => Relation::Callers,
    };
    related(profile, arguments, relation)
}

pub(crate) fn callees(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    related(profile, arguments, Relation::Callees)
}

fn related(
    profile: &OpenProfile,
    arguments: &ToolArguments,
    relation: Relation,
) -> Result<String, String> {
    let view = requested_view(profile, arguments)?;
    let view = view.uncollapsed();
    let request = MethodRequest {
        part: part(view, arguments),
        method: &arguments.method,
        depth: arguments.depth.unwrap_or(DEFAULT_LEVELS),
        min_percent: arguments.min_percent.unwrap_or(MIN_PERCENT),
    };
    let found = query::method_relations(view, relation, &request).map_err(refused)?;
    let found = found.without_inner();
    let occurrences = counted(found.occurrences as u64, "occurrence");
    let method = match found.frames.first() {
        Some(&frame) if found.type_pattern.is_none() => name(&view.frames.list_name(frame)),
        _ => name(&arguments.method),
    };
    let what = format!("{} of {method}, {occurrences}", relation.name());
    let mut answer = Answer::new(profile, view, arguments, found.part(view), &what);
    if let Some(&(thread, _)) = found.threads.first() {
        let heaviest = name(view.name(thread));
        answer.push_line(&match found.threads.len() {
            1 => messages::in_thread(&heaviest),
            threads => messages::in_threads(&counted(threads as u64, "thread"), &heaviest),
        });
    }
    let samples = found.sums().counted(found.measure.counts_waiting);
    answer.note_thin_shares(view, samples);
    if found.inner_occurrences > 0 {
        answer.push_line(&messages::within_others(&found.inner_occurrences));
    }
    let rows = found.table(view, |view, frame| view.frames.list_name(frame));
    let answer = answer.rows(view, COLUMNS, &rows, usize::MAX);
    let outline = found.outline();
    answer.outlined(
        "row",
        &outline,
        |_, hidden| hidden,
        |rows, largest| (rows, largest),
    )
}
