//! The document `dotspot.compare/1`.

use super::super::values::{MetricName, Value};
use super::{ComparedFile, Comparison, ComparisonRequest};
use crate::analysis::compared::{
    AFTER, BEFORE, Basis, ComparedMethod, Estimate, LEVEL, Presence, Sides,
};
use crate::model::CountKind;
use crate::units::Unit;
use serde::Serialize;
use std::borrow::Cow;

/// What a comparison says, for programs.
#[derive(Debug, Serialize)]
pub struct ComparisonDocument<'a> {
    schema: &'static str,
    before: Vec<FileRow<'a>>,
    after: Vec<FileRow<'a>>,
    metric: MetricNames<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<String>,
    /// what was made equal, in words
    #[serde(skip_serializing_if = "String::is_empty")]
    per: String,
    order: &'static str,
    total: EstimateRow,
    noise: Noise,
    /// methods with a value on either side
    methods: usize,
    /// how many of them are the same on both
    unchanged: usize,
    rows: Vec<MethodRow<'a>>,
    left_out: usize,
    new: FirstOf<&'a str>,
    vanished: FirstOf<&'a str>,
    summed: FirstOf<SummedRow<'a>>,
    warnings: &'a [String],
}

#[derive(Debug, Serialize)]
struct FileRow<'a> {
    file: &'a str,
    format: String,
    kind: &'static str,
    /// by what values were multiplied
    factor: f64,
}

#[derive(Debug, Serialize)]
struct MetricNames<'a> {
    before: MetricName<'a>,
    after: MetricName<'a>,
}

/// What verdicts rest on.
#[derive(Debug, Serialize)]
struct Noise {
    test: &'static str,
    level: f64,
    /// how many differences have a verdict together; each has its own where this is 1
    family: usize,
    beyond: usize,
}

#[derive(Debug, Serialize)]
struct MethodRow<'a> {
    name: &'a str,
    display: Cow<'a, str>,
    module: &'a str,
    category: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    signature: &'a str,
    presence: &'static str,
    /// that of the row as a whole
    chance: &'static str,
    exclusive: EstimateRow,
    inclusive: EstimateRow,
    calls: Option<CountRow>,
    samples: Option<CountRow>,
    /// before and after
    own_samples: Option<[u64; 2]>,
}

#[derive(Debug, Serialize)]
struct EstimateRow {
    before: Value,
    after: Value,
    delta: f64,
    ratio: Option<f64>,
    /// that of the difference
    standard_error: Option<f64>,
    z: Option<f64>,
    chance: &'static str,
}

#[derive(Debug, Serialize)]
struct CountRow {
    before: u64,
    after: u64,
    delta: i64,
    ratio: Option<f64>,
}

/// The first of a list, and how many there are in all.
#[derive(Debug, Serialize)]
struct FirstOf<T> {
    count: usize,
    first: Vec<T>,
}

impl<T> FirstOf<T> {
    fn new(rows: impl ExactSizeIterator<Item = T>, most: usize) -> FirstOf<T> {
        FirstOf {
            count: rows.len(),
            first: rows.take(most).collect(),
        }
    }
}

/// Methods that could not be distinguished.
#[derive(Debug, Serialize)]
struct SummedRow<'a> {
    name: &'a str,
    before: usize,
    after: usize,
}

impl EstimateRow {
    fn new(unit: Unit, estimate: &Estimate) -> EstimateRow {
        let Sides { before, after } = estimate.sides;
        let per_unit = unit.stored_per_unit() as f64;
        EstimateRow {
            before: Value::new(unit, before),
            after: Value::new(unit, after),
            delta: estimate.sides.delta() as f64 / per_unit,
            ratio: estimate.sides.ratio(),
            standard_error: estimate.standard_error.map(|error| error / per_unit),
            z: estimate.z,
            chance: estimate.chance.name(),
        }
    }
}

impl CountRow {
    fn new(sides: Sides) -> CountRow {
        let delta = i64::try_from(sides.delta()).unwrap_or(if sides.delta() < 0 {
            i64::MIN
        } else {
            i64::MAX
        });
        CountRow {
            before: sides.before,
            after: sides.after,
            delta,
            ratio: sides.ratio(),
        }
    }
}

impl Comparison {
    /// How many differences were tested together.
    fn family(&self) -> usize {
        if self.test() == "ranks of files" {
            return 1;
        }
        let tested = self
            .changed
            .iter()
            .flat_map(|row| [row.exclusive, row.inclusive]);
        tested.filter(|row| row.z.is_some()).count()
    }

    /// What the verdicts rest on, as a word.
    pub fn test(&self) -> &'static str {
        let files = self.compared.file_counts();
        let is_ranked = files
            .iter()
            .all(|&files| files >= crate::analysis::compared::MIN_FILES);
        match self.compared.spreads() {
            [Some(before), Some(after)] => match (before.basis(), after.basis()) {
                (Basis::Blocks(_), Basis::Blocks(_)) => "blocks of 100 ms",
                (Basis::Counts, _) | (_, Basis::Counts) => "numbers of samples",
                _ => "weights of samples",
            },
            _ if is_ranked => "ranks of files",
            _ => "none",
        }
    }

    /// The document; `request` is the one that was asked. O(methods).
    pub fn document<'a>(&'a self, request: &ComparisonRequest<'a>) -> ComparisonDocument<'a> {
        let files = request.before.iter().chain(request.after);
        let row = |(file, &factor): (&ComparedFile<'a>, &f64)| FileRow {
            file: file.file,
            format: file.view.recording.source.format.to_string(),
            kind: file.view.recording.source.kind.name(),
            factor,
        };
        let mut files: Vec<FileRow> = files.zip(&self.factors).map(row).collect();
        let after = files.split_off(request.before.len());
        let (frames, metric) = (&self.view.frames, |id| MetricName::new(&self.view, id));
        let names = |presence| {
            let rows = self.only(presence).into_iter();
            FirstOf::new(rows.map(|row| frames.name(row.frame)), self.named)
        };
        let summed = self.compared.summed.iter();
        let summed = summed.map(|summed| SummedRow {
            name: &summed.name,
            before: summed.methods.0,
            after: summed.methods.1,
        });
        ComparisonDocument {
            schema: "dotspot.compare/1",
            before: files,
            after,
            metric: MetricNames {
                before: metric(BEFORE),
                after: metric(AFTER),
            },
            steps: self.view.steps.words_of_then(&self.view.recording),
            per: self.per.words(),
            order: self.order.name(),
            total: EstimateRow::new(self.unit(), &self.total),
            noise: Noise {
                test: self.test(),
                level: LEVEL,
                family: self.family(),
                beyond: self.beyond_chance(),
            },
            methods: self.methods,
            unchanged: self.unchanged.len(),
            rows: self.rows.iter().map(|row| self.row(row)).collect(),
            left_out: self.left_out,
            new: names(Presence::New),
            vanished: names(Presence::Vanished),
            summed: FirstOf::new(summed, self.named),
            warnings: &self.warnings,
        }
    }

    fn row<'a>(&'a self, row: &ComparedMethod) -> MethodRow<'a> {
        let frames = &self.view.frames;
        let counted = |kind| {
            row.counts
                .filter(|_| self.counts() == Some(kind))
                .map(|counts| CountRow::new(counts.sides))
        };
        MethodRow {
            name: frames.name(row.frame),
            display: frames.list_name(row.frame),
            module: frames.module(row.frame),
            category: frames.get(row.frame).category.name(),
            signature: frames.signature(row.frame),
            presence: row.presence.name(),
            chance: self.chance(row).name(),
            exclusive: EstimateRow::new(self.unit(), &row.exclusive),
            inclusive: EstimateRow::new(self.unit(), &row.inclusive),
            calls: counted(CountKind::Calls),
            samples: counted(CountKind::Samples),
            own_samples: row.own_samples[0]
                .zip(row.own_samples[1])
                .map(|(before, after)| [before, after]),
        }
    }
}
