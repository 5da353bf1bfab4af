//! The sums of functions, used if there are no instances.

use super::row::ReportRow;
use crate::diagnostics::Diagnostic;
use crate::units::Unit;

/// In a report without call stacks, a node below the root. Times are in nanoseconds.
pub(super) struct Function {
    pub name: Box<[u8]>,
    pub total: u64,
    pub own: u64,
    pub count: u64,
}

#[derive(Default)]
pub(super) struct Functions {
    /// The function being read, until it has an instance.
    current: Option<Function>,
    /// Without instances, in file order.
    pub flat: Vec<Function>,
    has_instances: bool,
}

impl Functions {
    pub(super) fn is_empty(&self) -> bool {
        self.current.is_none() && self.flat.is_empty() && !self.has_instances
    }

    pub(super) fn flat_own(&self) -> u64 {
        let all = self.flat.iter();
        all.fold(0u64, |sum, function| sum.saturating_add(function.own))
    }

    pub(super) fn append(&mut self, rest: Functions) {
        self.current = rest.current;
        self.flat.extend(rest.flat);
        self.has_instances |= rest.has_instances;
    }

    pub(super) fn begin(&mut self, row: &ReportRow) {
        let own = row.own.unwrap_or(0);
        self.current = Some(Function {
            name: row.name.into(),
            total: row.total.unwrap_or(own).max(own),
            own,
            count: row.count.unwrap_or(0),
        });
    }

    #[inline]
    pub(super) fn instance(&mut self) {
        self.current = None;
        self.has_instances = true;
    }

    pub(super) fn end(&mut self) {
        self.flat.extend(self.current.take());
    }

    pub(super) fn left_out(&self) -> Option<Diagnostic> {
        let own_ms = Unit::Milliseconds.to_unit(self.flat_own());
        let functions = self.flat.len() as u64;
        (self.has_instances && functions > 0)
            .then_some(Diagnostic::FunctionsWithoutInstances { functions, own_ms })
    }
}
