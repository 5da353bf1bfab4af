//! What functions say of themselves, held against their instances.

use super::path::decode;
use super::row::Row;
use crate::model::Unit;
use crate::model::format::{counted, thousands};

/// A function without instances: all that is known of it are its sums.
pub(super) struct Flat {
    /// The name as it is written.
    pub name: Box<[u8]>,
    pub total: Option<u64>,
    pub own: Option<u64>,
    pub count: u64,
}

/// The function whose instances are being read.
struct Current {
    flat: Flat,
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

/// The functions of a report.
#[derive(Default)]
pub(super) struct Functions {
    current: Option<Current>,
    /// Those without instances.
    pub flat: Vec<Flat>,
    /// How many have instances.
    with_instances: u64,
    different: Vec<Different>,
}

impl Functions {
    /// Whether no function has begun.
    pub fn is_empty(&self) -> bool {
        self.current.is_none() && self.flat.is_empty() && self.with_instances == 0
    }

    pub fn begin(&mut self, row: &Row) {
        let count = row.count.unwrap_or(0);
        let flat = Flat { name: row.name.into(), total: row.total, own: row.own, count };
        self.current = Some(Current { flat, said_instances: row.instances, instances: 0, own_of_instances: 0 });
    }

    #[inline]
    pub fn instance(&mut self, row: &Row) {
        if let Some(current) = &mut self.current {
            current.instances += 1;
            current.own_of_instances = current.own_of_instances.saturating_add(row.own.unwrap_or(0));
        }
    }

    pub fn end(&mut self) {
        let Some(Current { flat, said_instances, instances, own_of_instances }) = self.current.take() else { return };
        if instances == 0 {
            self.flat.push(flat);
            return;
        }
        self.with_instances += 1;
        let own = flat.own.unwrap_or(own_of_instances);
        let is_number = said_instances.is_some_and(|said| said != instances);
        if own != own_of_instances || is_number {
            self.different.push(Different { name: flat.name, own, own_of_instances, instances, is_number });
        }
    }

    /// One sentence if functions and instances contradict each other by more than what was rounded.
    pub fn contradiction(&self, step_ns: u64) -> Option<String> {
        // each of the times that are added, and the sum, may be off by a step
        let tolerance = |row: &Different| step_ns.saturating_mul(row.instances.saturating_add(1));
        let differs = |row: &&Different| row.is_number || row.own.abs_diff(row.own_of_instances) > tolerance(row);
        let count = self.different.iter().filter(differs).count() as u64;
        let worst = self.different.iter().filter(differs).max_by_key(|row| row.own.abs_diff(row.own_of_instances))?;
        Some(format!(
            "OwnTime or number of Instances differ from what the Instances have, for {} of {}: {} has {} ms, and its {} {} ms",
            thousands(count),
            counted(self.with_instances, "function"),
            decode(&worst.name).0,
            Unit::Milliseconds.to_unit(worst.own),
            counted(worst.instances, "Instance"),
            Unit::Milliseconds.to_unit(worst.own_of_instances),
        ))
    }

    /// One sentence if some functions have no instances and others have.
    pub fn left_out(&self) -> Option<String> {
        if self.with_instances == 0 || self.flat.is_empty() {
            return None;
        }
        let own = self.flat.iter().fold(0u64, |sum, row| sum.saturating_add(row.own.unwrap_or(0)));
        Some(format!(
            "not in the tree: {} without Instances, whose own times are {} ms together; the report's pattern asks for call stacks \
             with PrintCallstacks=\"Full\"",
            counted(self.flat.len() as u64, "function"),
            Unit::Milliseconds.to_unit(own)
        ))
    }
}
