//! `dotspot hotspots` and `dotspot methods`.

use super::{AnswerPage, how_to_see, is_wide, write_fitting};
use crate::cli::args::{HotspotsArgs, ListArgs, MethodsArgs};
use crate::cli::messages;
use crate::cli::options::{PartArgs, Units};
use crate::cli::print::Printer;
use crate::cli::read::read_to_print;
use crate::model::View;
use crate::query::Column::*;
use crate::query::{self, ListRequest, MethodList, MethodOrder, TableRow};
use crate::text::{fit_end, visible};
use anyhow::Result;

const THREAD_CELLS: usize = 24;

pub(crate) fn hotspots(to: &mut Printer, args: &HotspotsArgs) -> Result<()> {
    let output = args.list.answer.output;
    let order = MethodOrder::for_hotspots(args.by, args.list.only_user_code);
    let request = |request| ListRequest {
        order,
        has_own_and_system: output.json || order == MethodOrder::OwnAndSystem,
        max_rows: output.fitting.max_rows(args.top, 20),
        ..request
    };
    let part = &args.part;
    print(to, part, &args.list, request, |to, view, list, is_cut| {
        if output.json {
            return to.json(&list.hotspots_document(view));
        }
        let more = how_to_see(is_cut, messages::TOP_0_LISTS_ALL);
        hotspots_page(to, view, list, output.units, more)
    })
}

pub(crate) fn methods(to: &mut Printer, args: &MethodsArgs) -> Result<()> {
    let output = args.list.answer.output;
    let request = |request| ListRequest {
        order: args.sort.unwrap_or(MethodOrder::Exclusive),
        preferred_order: args.preferred_sort,
        filter: args.filter.as_deref(),
        max_rows: output.fitting.max_rows(args.limit, 50),
        ..request
    };
    let part = &args.part;
    print(to, part, &args.list, request, |to, view, list, is_cut| {
        if output.json {
            return to.json(&list.methods_document(view));
        }
        let more = how_to_see(is_cut, messages::LIMIT_0_LISTS_ALL);
        methods_page(to, view, list, output.units, more)
    })
}

/// Prints a list through `answer`, which gets whether the budget cuts it.
fn print<'a>(
    to: &mut Printer,
    part: &'a PartArgs,
    args: &'a ListArgs,
    request: impl FnOnce(ListRequest<'a>) -> ListRequest<'a>,
    answer: impl Fn(&mut Printer, &View, &MethodList, bool) -> Result<()>,
) -> Result<()> {
    let (metric_options, steps) = (&part.metric_options, args.tree_options.requests()?);
    let view = read_to_print(&args.answer, &steps, metric_options)?;
    // rows that stand for several frames have no name, but their frames do
    let view = view.uncollapsed();
    let request = request(ListRequest {
        part: metric_options.part(view, &args.answer.source),
        under: part.under.as_deref(),
        group: args.group,
        only_user_code: args.only_user_code,
        has_own_and_system: true,
        ..ListRequest::default()
    });
    let list = query::list_methods(view, &request)?;
    let all = list.rows.len();
    write_fitting(to, args.answer.output.fitting.budget, all, |to, rows| {
        answer(to, view, &list.first(rows), rows < all)
    })
}

fn hotspots_page(
    to: &mut Printer,
    view: &View,
    list: &MethodList,
    units: Units,
    how_to_see_more: &str,
) -> Result<()> {
    let mut page = page(to, view, list, units);
    let (selection, measure) = (&list.selection, list.selection.part.measure);
    let outside = selection.outside_methods(view, measure);
    if outside > 0 {
        page.remark(messages::outside_methods(&page.scale.with_unit(outside)));
    }
    if list.only_user_code && list.rows.is_empty() {
        page.remark(messages::NO_USER_CODE.into());
    }
    page.left_out(list.left_out, list.noun(), how_to_see_more);
    let mut rows = list.table(view);
    if is_wide(to) {
        for (row, listed) in rows.iter_mut().zip(&list.rows) {
            let thread = list.hottest_thread(view, listed).unwrap_or("");
            row.thread = fit_end(&visible(thread), THREAD_CELLS);
        }
    }
    let per_call = match list.order {
        MethodOrder::Inclusive => InclusivePerCall,
        _ => ExclusivePerCall,
    };
    let mut columns = Vec::new();
    if list.order == MethodOrder::OwnAndSystem {
        rows.extend(remainder(list));
        columns.extend([OwnAndSystem, OwnAndSystemShare]);
    }
    columns.extend([Exclusive, ExclusiveShare, Inclusive, InclusiveShare]);
    columns.extend(list.order.parts());
    columns.extend([per_call, Thread]);
    page.write(to, &page.table(&columns, list.noun(), &rows))
}

fn methods_page(
    to: &mut Printer,
    view: &View,
    list: &MethodList,
    units: Units,
    how_to_see_more: &str,
) -> Result<()> {
    let mut page = page(to, view, list, units);
    page.left_out(list.left_out, list.noun(), how_to_see_more);
    let mut rows = list.table(view);
    rows.extend(remainder(list));
    let [waiting, count] = list.order.parts();
    let mut columns = vec![
        Exclusive,
        ExclusiveShare,
        Inclusive,
        InclusiveShare,
        waiting,
    ];
    columns.extend([OwnAndSystem, OwnAndSystemShare, count]);
    columns.extend([InclusivePerCall, Occurrences]);
    if !is_wide(to) {
        let shares = [ExclusiveShare, InclusiveShare, OwnAndSystemShare];
        columns.retain(|column| !shares.contains(column));
    }
    page.write(to, &page.table(&columns, list.noun(), &rows))
}

fn remainder<'a>(list: &MethodList) -> impl Iterator<Item = TableRow<'a>> + use<'a> {
    list.rest().map(|(name, charged)| TableRow {
        own_and_system: Some(charged.into()),
        name: name.into(),
        ..TableRow::default()
    })
}

fn page<'a>(to: &Printer, view: &'a View, list: &MethodList, units: Units) -> AnswerPage<'a> {
    let user_code = match list.only_user_code {
        true => ", user code only",
        false => "",
    };
    let order = format!(", by {}{user_code}", list.order.words());
    let part = list.selection.part;
    let page = AnswerPage::new(view, part, part.total, units);
    page.head(to, view, &list.selection.words, &order)
}
