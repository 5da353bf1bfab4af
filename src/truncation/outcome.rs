use crate::model::{Amount, ThreadTruncation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepairOutcome {
    Whole,
    Repaired,
    /// Its callers were found, but recur, so that their number is uncertain.
    RepairedSomewhere,
    Ambiguous,
    Unmatched,
}

impl RepairOutcome {
    #[inline]
    pub(crate) fn add_to(self, sums: &mut ThreadTruncation, amount: Amount) {
        sums.all.add(amount);
        if self != RepairOutcome::Whole {
            sums.truncated.add(amount);
        }
        match self {
            RepairOutcome::Repaired => sums.repaired.add(amount),
            RepairOutcome::RepairedSomewhere => {
                sums.repaired.add(amount);
                sums.depth_uncertain.add(amount);
            }
            RepairOutcome::Ambiguous => sums.ambiguous.add(amount),
            RepairOutcome::Whole | RepairOutcome::Unmatched => {}
        }
    }
}
