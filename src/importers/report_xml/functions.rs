//! The sums of functions: checked against their instances, or used in their place where there are none.

use super::names::ReportNames;
use super::path::decode;
use super::row::{ReportRow, is_rounding};
use crate::diagnostics::ReportDiagnostic;
use crate::model::FrameId;
use crate::units::Unit;

/// What a function says of itself.
struct Function {
    /// The name as it is written.
    name: Box<[u8]>,
    total: Option<u64>,
    own: Option<u64>,
    count: u64,
}

/// A function of a report without call stacks: a node below the root. Times are nanoseconds.
pub(super) struct Flat {
    pub frame: FrameId,
    pub total: u64,
    pub own: u64,
    pub count: u64,
}

/// The whole of such a report: the sum of all own times, and no less than any function, where the pattern leaves others out.
pub(super) fn whole(level: &[Flat]) -> u64 {
    let own = level
        .iter()
        .fold(0u64, |sum, row| sum.saturating_add(row.own));
    level.iter().map(|row| row.total).fold(own, u64::max)
}

/// The function whose instances are being read.
struct Current {
    function: Function,
    said_instances: Option<u64>,
    instances: u64,
    own_of_instances: u64,
}

/// A function whose own time or number of nodes is not that of its instances.
struct Different {
    name: Box<[u8]>,
    own: u64,
    own_of_instances: u64,
    instances: u64,
    is_number: bool,
}

#[derive(Default)]
pub(super) struct Functions {
    current: Option<Current>,
    /// Those without instances: all that is known of them is what they say.
    flat: Vec<Function>,
    with_instances: u64,
    different: Vec<Different>,
}

impl Functions {
    pub(super) fn is_empty(&self) -> bool {
        self.current.is_none() && self.flat.is_empty() && self.with_instances == 0
    }

    /// Whether some functions have instances and others have none.
    pub(super) fn is_mixed(&self) -> bool {
        self.with_instances > 0 && !self.flat.is_empty()
    }

    /// The functions, in the order of the file, if none has instances.
    pub(super) fn level(&self, names: &mut ReportNames) -> Option<Vec<Flat>> {
        let row = |function: &Function| {
            let own = function.own.unwrap_or(0);
            let total = function.total.unwrap_or(own).max(own);
            Flat {
                frame: names.frame(&function.name, false),
                total,
                own,
                count: function.count,
            }
        };
        (self.with_instances == 0).then(|| self.flat.iter().map(row).collect())
    }

    /// Adds those of the rest of the file; none of these is open.
    pub(super) fn append(&mut self, rest: Functions) {
        self.current = rest.current;
        self.flat.extend(rest.flat);
        self.with_instances += rest.with_instances;
        self.different.extend(rest.different);
    }

    pub(super) fn begin(&mut self, row: &ReportRow) {
        let count = row.count.unwrap_or(0);
        let function = Function {
            name: row.name.into(),
            total: row.total,
            own: row.own,
            count,
        };
        self.current = Some(Current {
            function,
            said_instances: row.instances,
            instances: 0,
            own_of_instances: 0,
        });
    }

    #[inline]
    pub(super) fn instance(&mut self, row: &ReportRow) {
        if let Some(current) = &mut self.current {
            current.instances += 1;
            current.own_of_instances = current
                .own_of_instances
                .saturating_add(row.own.unwrap_or(0));
        }
    }

    pub(super) fn end(&mut self) {
        let Some(Current {
            function,
            said_instances,
            instances,
            own_of_instances,
        }) = self.current.take()
        else {
            return;
        };
        if instances == 0 {
            self.flat.push(function);
            return;
        }
        self.with_instances += 1;
        let own = function.own.unwrap_or(own_of_instances);
        let is_number = said_instances.is_some_and(|said| said != instances);
        if own != own_of_instances || is_number {
            self.different.push(Different {
                name: function.name,
                own,
                own_of_instances,
                instances,
                is_number,
            });
        }
    }

    /// One sentence if functions and instances contradict each other by more than what was rounded.
    pub(super) fn contradiction(&self, step_ns: u64) -> Option<ReportDiagnostic> {
        let differs = |row: &&Different| {
            row.is_number
                || !is_rounding(
                    row.own.abs_diff(row.own_of_instances),
                    row.instances,
                    step_ns,
                )
        };
        let count = self.different.iter().filter(differs).count() as u64;
        let worst = self
            .different
            .iter()
            .filter(differs)
            .max_by_key(|row| row.own.abs_diff(row.own_of_instances))?;
        Some(ReportDiagnostic::InstancesContradict {
            functions: count,
            of_functions: self.with_instances,
            worst: decode(&worst.name).0.to_string(),
            own_ms: Unit::Milliseconds.to_unit(worst.own),
            instances: worst.instances,
            instances_own_ms: Unit::Milliseconds.to_unit(worst.own_of_instances),
        })
    }

    /// Says so if some functions have no instances and others have.
    pub(super) fn left_out(&self) -> Option<ReportDiagnostic> {
        if !self.is_mixed() {
            return None;
        }
        let own = self
            .flat
            .iter()
            .fold(0u64, |sum, row| sum.saturating_add(row.own.unwrap_or(0)));
        let (functions, own_ms) = (self.flat.len() as u64, Unit::Milliseconds.to_unit(own));
        Some(ReportDiagnostic::FunctionsWithoutInstances { functions, own_ms })
    }
}
