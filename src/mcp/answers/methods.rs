use super::head::{Answer, name, part, refused, requested_view};
use crate::analysis::{ChargedValue, sum};
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::model::{GroupBy, NodeId, View};
use crate::query::Column::{self, *};
use crate::query::{self, ListRequest, MethodList, MethodOrder, SearchRequest, TableRow};
use crate::units::percent;

const MIN_PERCENT: f64 = 0.1;

const MAX_FOUND: usize = 30;

const VALUES: &[Column] = &[ExclusiveShare, Exclusive, InclusiveShare, Inclusive];

pub(crate) fn hotspots(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    first_hotspots(profile, arguments, (usize::MAX, ""))
}

/// At most `most` hotspots. Warnings that the text `above` contains are not repeated.
pub(super) fn first_hotspots(
    profile: &OpenProfile,
    arguments: &ToolArguments,
    (most, above): (usize, &str),
) -> Result<String, String> {
    let order = MethodOrder::for_hotspots(arguments.by(), arguments.user_code);
    let lists_user_code = arguments.user_code || order == MethodOrder::OwnAndSystem;
    if arguments.own_code.is_some() && !lists_user_code {
        return Err(messages::OWN_CODE_NEEDS_USER_CODE.into());
    }
    let view = requested_view(profile, arguments)?;
    let list = list(&view, arguments, order, None)?;
    let scope = name(&list.selection.words);
    let what = match list.group {
        Some(by) => messages::groups_of(&by.name(), &scope, &list.order.name()),
        None => messages::hotspots_of(&scope, &list.order.name()),
    };
    let (what, part) = (format!("{what}{}", only(&list)), list.selection.part);
    let mut answer = Answer::below(above, profile, &view, arguments, part, &what);
    answer.noun = list.noun();
    let (part, roots) = (&list.selection.part, list.selection.roots.iter());
    let samples = roots.filter_map(|&root| part.measure.count(&view, root));
    answer.note_thin_shares(&view, sum(samples));
    if list.order == MethodOrder::OwnAndSystem {
        answer.push_rest(&list);
    }
    let first = match list.order {
        MethodOrder::OwnAndSystem => &[OwnAndSystemShare, OwnAndSystem][..],
        _ => &[],
    };
    let columns = [first, VALUES, &list.order.parts(), &[Node, Name]].concat();
    let most = most.min(rows_worth_listing(&list));
    let answer = answer.rows(&view, &columns, &list.table(&view), most);
    answer.list(most, 0, |shown| weight(&list, shown))
}

fn only(list: &MethodList) -> &'static str {
    match list.only_user_code {
        true => messages::ONLY_USER_CODE,
        false => "",
    }
}

/// The number of first rows with a large enough share; all if there are none.
fn rows_worth_listing(list: &MethodList) -> usize {
    let whole = list.selection.part.whole();
    let is_worth = |&row: &usize| {
        let weight = weight(list, row);
        weight.is_none_or(|weight| percent(weight, whole) >= MIN_PERCENT)
    };
    match (0..list.rows.len()).take_while(is_worth).count() {
        0 => list.rows.len(),
        rows => rows,
    }
}

pub(crate) fn methods(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let view = requested_view(profile, arguments)?;
    let view = view.uncollapsed();
    let filter = arguments.filter.as_deref();
    let sort = arguments.sort.as_deref().and_then(MethodOrder::named);
    let order = sort.unwrap_or(MethodOrder::Exclusive);
    let list = list(view, arguments, order, filter)?;
    let what = messages::methods_of(&name(&list.selection.words), &list.order.words());
    let what = format!("{what}{}", only(&list));
    let answer = Answer::new(profile, view, arguments, list.selection.part, &what);
    let last = [OwnAndSystem, Occurrences, Node, Name];
    let columns = [VALUES, &list.order.parts(), &last].concat();
    let answer = answer.rows(view, &columns, &list.table(view), usize::MAX);
    answer.list(usize::MAX, 0, |shown| weight(&list, shown))
}

fn list(
    view: &View,
    arguments: &ToolArguments,
    order: MethodOrder,
    filter: Option<&str>,
) -> Result<MethodList, String> {
    let request = ListRequest {
        part: part(view, arguments),
        under: arguments.under.as_deref(),
        group: arguments.group.as_deref().and_then(GroupBy::named),
        only_user_code: arguments.user_code,
        filter,
        order,
        has_own_and_system: true,
        ..ListRequest::default()
    };
    query::list_methods(view, &request).map_err(refused)
}

fn weight(list: &MethodList, shown: usize) -> Option<u64> {
    let next = list.rows.get(shown)?;
    match list.order {
        MethodOrder::Exclusive | MethodOrder::Inclusive => {
            Some(next.sums.weight(list.order.value()))
        }
        MethodOrder::OwnAndSystem => next.own_and_system.map(ChargedValue::weight),
        _ => None,
    }
}

pub(crate) fn search(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let view = requested_view(profile, arguments)?;
    let request = SearchRequest {
        part: part(&view, arguments),
        text: &arguments.text,
        max_rows: MAX_FOUND,
    };
    let found = query::search(&view, &request).map_err(refused)?;
    let about = match found.is_approximate {
        true => ", none exactly so",
        false => "",
    };
    let what = messages::methods_like(&name(&arguments.text), &about);
    let answer = Answer::new(profile, &view, arguments, found.part, &what);
    let row = |sums| TableRow::of_method(&view, &[NodeId::ROOT], found.part.measure, sums);
    let rows: Vec<TableRow> = found.rows.iter().map(row).collect();
    let columns = [VALUES, &[Waiting, Count, Node, Name]].concat();
    let answer = answer.rows(&view, &columns, &rows, usize::MAX);
    answer.list(usize::MAX, found.left_out, |_| None)
}
