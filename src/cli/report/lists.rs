//! `dotspot hotspots` and `dotspot methods`.

use super::fitting::{how_to_see, write_document, write_fitting};
use super::{AnswerPage, is_wide};
use crate::cli::args::{HotspotsArgs, MethodsArgs};
use crate::cli::messages;
use crate::cli::options::{OutputOptions, PartArgs, SourceArgs, TreeOptions};
use crate::cli::print::Printer;
use crate::cli::read::read_to_print;
use crate::model::{GroupBy, View};
use crate::query::Column::*;
use crate::query::{self, Column, ListRequest, MethodList, MethodOrder, PartRequest, TableRow};
use crate::text::{fit_end, visible};
use anyhow::Result;

/// The cells that the name of a thread takes at most.
const THREAD_CELLS: usize = 24;

/// Prints the hottest methods.
pub(crate) fn hotspots(to: &mut Printer, args: &HotspotsArgs) -> Result<()> {
    let asked = AskedList {
        part: &args.part,
        source: &args.source,
        tree_options: &args.tree_options,
        output: args.output,
        is_user_code: args.only_user_code,
        group: args.grouping.group,
        most: args.output.fitting.most(args.top, 20),
    };
    let order = MethodOrder::of_hotspots(args.by, args.only_user_code);
    let request = |part| ListRequest {
        order,
        has_own_and_system: args.output.json || order == MethodOrder::OwnAndSystem,
        ..asked.request(part)
    };
    asked.print(to, request, |to, view, list, is_cut| {
        if args.output.json {
            return write_document(
                to,
                args.output.fitting.budget,
                &list.hotspots_document(view),
            );
        }
        let more = how_to_see(is_cut, messages::TOP_0_LISTS_ALL);
        hotspots_page(to, view, list, args.output, more)
    })
}

/// The common options of method lists.
struct AskedList<'a> {
    part: &'a PartArgs,
    source: &'a SourceArgs,
    tree_options: &'a TreeOptions,
    output: OutputOptions,
    is_user_code: bool,
    group: Option<GroupBy>,
    most: usize,
}

impl<'a> AskedList<'a> {
    fn request(&self, part: PartRequest<'a>) -> ListRequest<'a> {
        ListRequest {
            part,
            under: self.part.under.as_deref(),
            group: self.group,
            is_user_code: self.is_user_code,
            filter: None,
            order: MethodOrder::Exclusive,
            preferred_order: None,
            most: self.most,
            has_own_and_system: true,
        }
    }

    /// Prints a list through `answer`, which is told whether the budget cuts it.
    fn print(
        &self,
        to: &mut Printer,
        request: impl Fn(PartRequest<'a>) -> ListRequest<'a>,
        answer: impl Fn(&mut Printer, &View, &MethodList, bool) -> Result<()>,
    ) -> Result<()> {
        let (metric_options, steps) = (&self.part.metric_options, self.tree_options.requests()?);
        let view = read_to_print(self.source, &steps, metric_options, self.output.json)?;
        // rows that stand for several frames have no name, but their frames do
        let view = view.uncollapsed();
        let list = query::list_methods(view, &request(metric_options.part(view, self.source)))?;
        let all = list.rows.len();
        write_fitting(to, self.output.fitting.budget, all, |to, rows| {
            answer(to, view, &list.first(rows), rows < all)
        })
    }
}

fn hotspots_page(
    to: &mut Printer,
    view: &View,
    list: &MethodList,
    output: OutputOptions,
    how_to_see_more: &str,
) -> Result<()> {
    let mut page = page(to, view, list, output);
    let outside = list.selection.outside_methods(view);
    if outside > 0 {
        page.remark(messages::outside_methods(&page.scale.with_unit(outside)));
    }
    if list.is_user_code && list.rows.is_empty() {
        page.remark(messages::NO_USER_CODE.into());
    }
    page.left_out(list.left_out, list.noun(), how_to_see_more);
    let mut rows = list.table(view);
    // on a narrow screen, only names fit next to the numbers
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
        rows.extend(rest(list));
    }
    let shares = [Exclusive, ExclusiveShare, Inclusive, InclusiveShare];
    let [waiting, count] = list.order.parts();
    let own_and_system = [OwnAndSystem, OwnAndSystemShare];
    let first = if by_system { &own_and_system[..] } else { &[] };
    let columns = [first, &shares, &[waiting, count, per_call, Thread]].concat();
    page.write(to, &page.table(&columns, list.noun(), &rows))
}

/// Prints methods with everything known about each.
pub(crate) fn methods(to: &mut Printer, args: &MethodsArgs) -> Result<()> {
    let asked = AskedList {
        part: &args.part,
        source: &args.source,
        tree_options: &args.tree_options,
        output: args.output,
        is_user_code: args.only_user_code,
        group: args.grouping.group,
        most: args.output.fitting.most(args.limit, 50),
    };
    let request = |part| ListRequest {
        order: args.sort.unwrap_or(MethodOrder::Exclusive),
        preferred_order: args.preferred_sort,
        filter: args.filter.as_deref(),
        ..asked.request(part)
    };
    asked.print(to, request, |to, view, list, is_cut| {
        if args.output.json {
            return write_document(to, args.output.fitting.budget, &list.methods_document(view));
        }
        let mut page = page(to, view, list, args.output);
        let more = how_to_see(is_cut, messages::LIMIT_0_LISTS_ALL);
        page.left_out(list.left_out, list.noun(), more);
        let mut rows = list.table(view);
        rows.extend(rest(list));
        let columns = columns(list.order, is_wide(to));
        page.write(to, &page.table(&columns, list.noun(), &rows))
    })
}

/// The rows that complete the total of own + system.
fn rest<'a>(list: &MethodList) -> impl Iterator<Item = TableRow<'a>> + use<'a> {
    list.rest().map(|(name, charged)| TableRow {
        own_and_system: Some(charged.into()),
        name: name.into(),
        ..TableRow::default()
    })
}

fn columns(order: MethodOrder, has_shares: bool) -> Vec<Column> {
    let mut columns = vec![Exclusive, ExclusiveShare, Inclusive, InclusiveShare];
    let [waiting, count] = order.parts();
    columns.extend([
        waiting,
        OwnAndSystem,
        OwnAndSystemShare,
        count,
        InclusivePerCall,
        Occurrences,
    ]);
    let is_share =
        |column: &Column| matches!(column, ExclusiveShare | InclusiveShare | OwnAndSystemShare);
    columns.retain(|column| has_shares || !is_share(column));
    columns
}

fn page<'a>(
    to: &Printer,
    view: &'a View,
    list: &MethodList,
    output: OutputOptions,
) -> AnswerPage<'a> {
    let user_code = if list.is_user_code {
        ", user code only"
    } else {
        ""
    };
    let order = format!(", by {}{user_code}", list.order.words());
    let part = list.selection.part;
    let page = AnswerPage::new(view, part, part.total, output.units);
    page.head(to, view, &list.selection.words, &order)
}
