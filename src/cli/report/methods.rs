//! `dotspot methods`.

use super::changes::steps_words;
use super::fitting::{how_to_see, write_document, write_fitting};
use super::{Page, estimate, more, share, total_words, value_head};
use crate::analysis::{Charged, HotspotOrder};
use crate::cli::args::Methods;
use crate::cli::options::Units;
use crate::cli::print::Table;
use crate::model::{CountKind, Metric, View};
use crate::query::{self, ListRequest, ListedMethod, MethodList};
use crate::text::fit_end;
use crate::units::{Scale, thousands};
use anyhow::Result;
use std::io::Write;

/// The narrowest screen that has room for shares beside values.
const WITH_SHARES: usize = 110;

pub(crate) fn methods(
    out: &mut dyn Write,
    view: &View,
    args: &Methods,
    width: Option<usize>,
) -> Result<()> {
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
    write_fitting(out, args.fitting, all, |out, rows| {
        let (list, more) = (
            list.first(rows),
            how_to_see(rows, all, "--limit 0 lists all"),
        );
        match args.json {
            true => write_document(out, args.fitting, &list.document(view)),
            false => text(out, view, (&list, more), args.units, width),
        }
    })
}

fn text(
    out: &mut dyn Write,
    view: &View,
    (list, how_to_see_more): (&MethodList, &str),
    units: Units,
    width: Option<usize>,
) -> Result<()> {
    let selection = &list.selection;
    let metric = view.metric(selection.metric());
    let total = selection.total(view);
    let scale = units.scale(metric.unit, total);
    let words = total_words(
        view,
        selection.measure,
        scale,
        (total, selection.waiting(view)),
    );
    let head = format!("{}: {words}, by {}", selection.words, list.order.words());
    let mut above = vec![fit_end(&head, width.unwrap_or(usize::MAX))];
    above.extend(steps_words(view, selection.metric(), scale));
    let averages =
        (metric.counts == Some(CountKind::Calls)).then(|| units.scale_of_averages(metric.unit));
    let columns = Columns {
        scale,
        averages,
        whole: selection.whole(view),
        metric,
        has_shares: width.is_none_or(|width| width >= WITH_SHARES),
    };
    let heads = columns.heads();
    let mut table = Table::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    for row in &list.rows {
        table.push(columns.cells(row, view.frames.list_name(row.sums.frame).into_owned()));
    }
    if list.no_user_caller.value > 0 {
        table.push(columns.cells_of_rest(list.no_user_caller));
    }
    let more = || format!("{}: {how_to_see_more}", more(list.left_out, "method"));
    let page = Page {
        above,
        table,
        remarks: (list.left_out > 0).then(more).into_iter().collect(),
    };
    page.write(out, width)
}

struct Columns<'a> {
    scale: Scale,
    /// How values of calls are written, where there are calls.
    averages: Option<Scale>,
    /// What shares are of.
    whole: u64,
    metric: &'a Metric,
    has_shares: bool,
}

impl Columns<'_> {
    fn heads(&self) -> Vec<String> {
        let mut heads = Vec::new();
        for what in ["excl", "incl", "own+system"] {
            heads.push(value_head(what, self.scale));
            heads.extend(self.has_shares.then(|| "%".to_string()));
        }
        heads.extend(self.metric.counts.map(|counts| counts.name().to_string()));
        heads.extend(
            self.averages
                .map(|scale| value_head("incl", scale) + "/call"),
        );
        heads.extend(["occ", "method"].map(String::from));
        heads
    }

    /// A value, and what of it counts as a share of all.
    fn value(&self, value: u64, weight: u64, samples: Option<u64>) -> impl Iterator<Item = String> {
        let share = self.has_shares.then(|| share(weight, value, self.whole));
        let is_rough = self.metric.is_rough(value, samples);
        std::iter::once(estimate(self.scale, value, is_rough)).chain(share)
    }

    fn charged(&self, charged: Option<Charged>) -> Vec<String> {
        match charged {
            Some(charged) => self.value(charged.value, charged.weight(), None).collect(),
            None => self.nothing(),
        }
    }

    /// The cells of a value that a row doesn't have.
    fn nothing(&self) -> Vec<String> {
        vec![String::new(); 1 + usize::from(self.has_shares)]
    }

    fn cells(
        &self,
        ListedMethod {
            sums,
            own_and_system,
        }: &ListedMethod,
        name: String,
    ) -> Vec<String> {
        let mut cells = Vec::new();
        for order in [HotspotOrder::Exclusive, HotspotOrder::Inclusive] {
            let samples = sums.samples(order);
            cells.extend(self.value(sums.value(order), sums.weight(order), samples));
        }
        cells.extend(self.charged(*own_and_system));
        cells.extend(
            self.metric
                .counts
                .map(|_| thousands(sums.count.unwrap_or(0))),
        );
        let per_call = sums.per_call(HotspotOrder::Inclusive);
        cells.extend(
            self.averages
                .map(|scale| per_call.map_or(String::new(), |value| scale.number(value))),
        );
        cells.extend([thousands(sums.node_count.into()), name]);
        cells
    }

    /// The row that makes own and system time sum to the total.
    fn cells_of_rest(&self, no_user_caller: Charged) -> Vec<String> {
        let mut cells = [
            self.nothing(),
            self.nothing(),
            self.charged(Some(no_user_caller)),
        ]
        .concat();
        cells.resize(self.heads().len() - 1, String::new());
        cells.push("[no user caller]".into());
        cells
    }
}
