//! `dotspot hotspots` and `dotspot methods`.

use super::AnswerPage;
use super::fitting::{how_to_see, write_document, write_fitting};
use crate::cli::args::{HotspotsArgs, MethodsArgs};
use crate::cli::messages;
use crate::cli::options::Printing;
use crate::cli::print::Printer;
use crate::cli::read::read_to_print;
use crate::model::View;
use crate::names::NO_USER_CALLER;
use crate::query::Column::*;
use crate::query::{self, Column, ListRequest, MethodList, MethodOrder, TableRow};
use crate::text::{fit_end, visible};
use anyhow::Result;

/// The narrowest screen that has room for names of threads, or for shares next to values.
const WIDE: usize = 110;
/// The cells that the name of a thread takes at most.
const THREAD_CELLS: usize = 24;

/// Prints the methods in which the time goes.
pub(crate) fn hotspots(to: &mut Printer, args: &HotspotsArgs) -> Result<()> {
    let (weighing, steps) = (&args.part.weighing, args.changing.requests()?);
    let view = read_to_print(&args.source, &steps, weighing, args.printing.json)?;
    // rows that stand for several frames have no name, but their frames have
    let view = view.uncollapsed();
    let order = MethodOrder::of_hotspots(args.by, args.only_user_code);
    let request = ListRequest {
        part: weighing.part(view, &args.source),
        under: args.part.under.as_deref(),
        is_user_code: args.only_user_code,
        filter: None,
        order,
        most: args.printing.fitting.most(args.top, 20),
        has_own_and_system: args.printing.json || order == MethodOrder::OwnAndSystem,
    };
    let list = query::list_methods(view, &request)?;
    let (all, budget) = (list.rows.len(), args.printing.fitting.budget);
    write_fitting(to, budget, all, |to, rows| {
        let list = list.first(rows);
        if args.printing.json {
            return write_document(to, budget, &list.hotspots_document(view));
        }
        let more = how_to_see(rows, all, messages::TOP_0_LISTS_ALL);
        hotspots_page(to, view, &list, args.printing, more)
    })
}

fn hotspots_page(
    to: &mut Printer,
    view: &View,
    list: &MethodList,
    printing: Printing,
    how_to_see_more: &str,
) -> Result<()> {
    let mut page = page(to, view, list, printing);
    let outside = list.selection.outside_methods(view);
    if outside > 0 {
        page.remark(messages::outside_methods(&page.scale.with_unit(outside)));
    }
    if list.is_user_code && list.rows.is_empty() {
        page.remark(messages::NO_USER_CODE.into());
    }
    page.left_out(list.left_out, "method", how_to_see_more);
    let mut rows = list.table(view);
    // beside a narrow screen's numbers there is only room for names
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
    let by_system = list.order == MethodOrder::OwnAndSystem;
    if by_system {
        rows.extend(no_user_caller(list));
    }
    let shares = [Exclusive, ExclusiveShare, Inclusive, InclusiveShare];
    let own_and_system = [OwnAndSystem, OwnAndSystemShare];
    let first = if by_system { &own_and_system[..] } else { &[] };
    let columns = [first, &shares, &[Count, per_call, Thread]].concat();
    page.write(to, &page.table(&columns, "method", &rows))
}

/// Prints methods with all that is known of each.
pub(crate) fn methods(to: &mut Printer, args: &MethodsArgs) -> Result<()> {
    let (weighing, steps) = (&args.part.weighing, args.changing.requests()?);
    let view = read_to_print(&args.source, &steps, weighing, args.printing.json)?;
    let view = view.uncollapsed();
    let request = ListRequest {
        part: weighing.part(view, &args.source),
        under: args.part.under.as_deref(),
        is_user_code: args.only_user_code,
        filter: args.filter.as_deref(),
        order: args.sort,
        most: args.printing.fitting.most(args.limit, 50),
        has_own_and_system: true,
    };
    let list = query::list_methods(view, &request)?;
    let (all, budget) = (list.rows.len(), args.printing.fitting.budget);
    write_fitting(to, budget, all, |to, rows| {
        let list = list.first(rows);
        if args.printing.json {
            return write_document(to, budget, &list.methods_document(view));
        }
        let mut page = page(to, view, &list, args.printing);
        let more = how_to_see(rows, all, messages::LIMIT_0_LISTS_ALL);
        page.left_out(list.left_out, "method", more);
        let mut rows = list.table(view);
        rows.extend(no_user_caller(&list));
        let columns = columns(is_wide(to));
        page.write(to, &page.table(&columns, "method", &rows))
    })
}

/// The row for what no user code has called, which completes the total.
fn no_user_caller(list: &MethodList) -> Option<TableRow<'static>> {
    (list.no_user_caller.value > 0).then(|| TableRow {
        own_and_system: Some(list.no_user_caller.into()),
        name: NO_USER_CALLER.into(),
        ..TableRow::default()
    })
}

fn columns(has_shares: bool) -> Vec<Column> {
    let values = [
        Exclusive,
        ExclusiveShare,
        Inclusive,
        InclusiveShare,
        OwnAndSystem,
        OwnAndSystemShare,
    ];
    let step = if has_shares { 1 } else { 2 };
    let values = values.into_iter().step_by(step);
    values
        .chain([Count, InclusivePerCall, Occurrences])
        .collect()
}

fn is_wide(to: &Printer) -> bool {
    to.width.is_none_or(|width| width >= WIDE)
}

fn page<'a>(to: &Printer, view: &'a View, list: &MethodList, printing: Printing) -> AnswerPage<'a> {
    let user_code = if list.is_user_code {
        ", user code only"
    } else {
        ""
    };
    let order = format!(", by {}{user_code}", list.order.words());
    let part = list.selection.part;
    AnswerPage::new(view, part, part.total, printing.units).head(
        to,
        view,
        &list.selection.words,
        &order,
    )
}
