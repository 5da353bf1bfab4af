//! `dotspot methods`.

use super::changes::steps_words;
use super::fitting::{how_to_see, write_document, write_fitting};
use super::{AnswerPage, cells, more, table, total_words};
use crate::cli::args::MethodsArgs;
use crate::cli::options::Units;
use crate::cli::print::Printer;
use crate::model::View;
use crate::query::Column::{self, *};
use crate::query::{self, ListRequest, MethodList, TableRow};
use crate::text::fit_end;
use anyhow::Result;

/// The narrowest screen with room for shares next to values.
const WITH_SHARES: usize = 110;

pub(crate) fn methods(to: &mut Printer, view: &View, args: &MethodsArgs) -> Result<()> {
    let weighing = &args.part.weighing;
    let request = ListRequest {
        within: query::root(view, &args.source.reading.threads.request()),
        metric: weighing.metric.as_deref(),
        waiting: weighing.counts_waiting(),
        under: args.part.under.as_deref(),
        is_user_code: args.only_user_code,
        filter: args.filter.as_deref(),
        order: args.sort,
        most: args.fitting.most(args.limit, 50),
    };
    let list = query::list_methods(view, &request)?;
    let all = list.rows.len();
    write_fitting(to, args.fitting, all, |to, rows| {
        let (list, more) = (
            list.first(rows),
            how_to_see(rows, all, "--limit 0 lists all"),
        );
        match args.json {
            true => write_document(to, args.fitting, &list.document(view)),
            false => text(to, view, (&list, more), args.units),
        }
    })
}

fn text(
    to: &mut Printer,
    view: &View,
    (list, how_to_see_more): (&MethodList, &str),
    units: Units,
) -> Result<()> {
    let selection = &list.selection;
    let metric = view.recording.metric(selection.metric());
    let total = selection.total(view);
    let scale = units.scale(metric.unit, total);
    let words = total_words(
        view,
        selection.measure,
        scale,
        (total, selection.waiting(view)),
    );
    let head = format!("{}: {words}, by {}", selection.words, list.order.words());
    let mut above = vec![fit_end(&head, to.width.unwrap_or(usize::MAX))];
    above.extend(steps_words(view, selection.metric(), scale));
    let has_shares = to.width.is_none_or(|width| width >= WITH_SHARES);
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
    let columns: Vec<Column> = values
        .chain([Count, InclusivePerCall, Occurrences])
        .collect();
    let rest = TableRow {
        own_and_system: Some(list.no_user_caller.into()),
        name: "[no user caller]".into(),
        ..TableRow::default()
    };
    let mut rows = list.table(view);
    rows.extend((list.no_user_caller.value > 0).then_some(rest));
    let cells = cells(metric, scale, units, selection.whole(view));
    let table = table(&cells, &columns, "method", &rows);
    let more = || format!("{}: {how_to_see_more}", more(list.left_out, "method"));
    let page = AnswerPage {
        above,
        table,
        remarks: (list.left_out > 0).then(more).into_iter().collect(),
    };
    page.write(to)
}
