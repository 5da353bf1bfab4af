//! Methods by exclusive and by inclusive value, and the callers of the first ones.

use super::{Page, escaped, look, section};
use crate::analysis::HotspotOrder;
use crate::exporters::messages;
use crate::model::FrameId;
use crate::names::NO_USER_CALLER;
use crate::query::MethodRelations;
use crate::query::{
    ListRequest, ListedMethod, MethodOrder, MethodRequest, QueryError, Relation, frame_relations,
    list_methods,
};
use crate::units::counted;

const METHODS: usize = 40;
const WITH_CALLERS: usize = 12;
/// The levels of callers, and the smallest share of the method's value.
const MAX_LEVELS: usize = 8;
const MIN_PERCENT: f64 = 3.0;

impl Page<'_> {
    fn first_methods(
        &self,
        order: MethodOrder,
        max_rows: usize,
    ) -> Result<Vec<ListedMethod>, QueryError> {
        let request = ListRequest {
            part: self.request,
            order,
            max_rows,
            ..ListRequest::default()
        };
        Ok(list_methods(self.view, &request)?.rows)
    }

    fn name_cell(&self, frame: FrameId) -> String {
        let look = look(self.view, frame);
        let name = escaped(&self.view.frames.list_name(frame));
        format!("<td class=m><i class=c{look}></i><b>{name}</b>")
    }

    pub(super) fn hotspots(&self) -> Result<String, QueryError> {
        let mut tables = String::new();
        for (order, title) in [
            (MethodOrder::Exclusive, messages::PAGE_EXCLUSIVE),
            (MethodOrder::Inclusive, messages::PAGE_INCLUSIVE),
        ] {
            let value = order.value();
            let rows = self.first_methods(order, METHODS)?;
            let rows = rows.iter().filter(|row| row.sums.weight(value) > 0);
            let row = |row: &ListedMethod| {
                let cells = self.cells(row.sums.weight(value));
                format!("<tr>{cells}{}", self.name_cell(row.sums.frame))
            };
            tables += &self.table(title, &rows.map(row).collect::<String>());
        }
        let tables = format!("<div class=both>{tables}</div>");
        let (title, about) = (messages::PAGE_HOTSPOTS, messages::PAGE_HOTSPOTS_ABOUT);
        Ok(section("hotspots", title, about, &tables))
    }

    fn table(&self, title: &str, rows: &str) -> String {
        let unit = self.scale.unit;
        format!(
            "<table><thead><tr><th class=v>{unit}<th class=s>%<th>{title}<tbody>{rows}</table>\n"
        )
    }

    pub(super) fn callers(&self) -> Result<String, QueryError> {
        let mut all = String::new();
        let methods = self.first_methods(MethodOrder::Exclusive, WITH_CALLERS)?;
        for row in methods.iter().filter(|row| row.sums.exclusive > 0) {
            let frame = row.sums.frame;
            let request = MethodRequest {
                part: self.request,
                method: self.view.frames.name(frame),
                depth: MAX_LEVELS,
                min_percent: MIN_PERCENT,
            };
            let found = frame_relations(self.view, Relation::Callers, vec![frame], &request)?;
            let first = if all.is_empty() { " open" } else { "" };
            let name = escaped(&self.view.frames.list_name(frame));
            let value = row.sums.weight(HotspotOrder::Inclusive);
            let value = self.scale.with_unit(value);
            let rows = self.table(messages::PAGE_CALLED_BY, &self.caller_rows(&found));
            all += &format!(
                "<details{first}><summary><b>{name}</b> {value}</summary>{rows}</details>\n"
            );
        }
        let (title, about) = (messages::PAGE_CALLERS, messages::PAGE_CALLERS_ABOUT);
        Ok(section("callers", title, about, &all))
    }

    fn caller_rows(&self, found: &MethodRelations) -> String {
        let row = |row: &crate::query::Related| {
            let cells = self.cells(found.weight(row.sums));
            let name = match row.who {
                Some(who) => self.name_cell(who.frame),
                None if MethodRelations::has_no_user_caller(row) => {
                    format!("<td class=m>{NO_USER_CALLER}")
                }
                None => format!("<td class=m>[{}]", counted(row.rows as u64, "more caller")),
            };
            let cell = format!("<td style=--d:{} class=m", row.depth);
            let name = name.replacen("<td class=m", &cell, 1);
            format!("<tr>{cells}{name}")
        };
        found.rows.iter().map(row).collect()
    }
}
