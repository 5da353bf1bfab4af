use super::super::values::{Value, method_names, metric_name};
use super::{ComparedFile, Comparison, ComparisonRequest};
use crate::analysis::compared::{
    Basis, ComparedMethod, Estimate, LEVEL, MIN_FILES, Presence, Sides,
};
use crate::model::CountKind;
use crate::object::{All, IfAny, if_any, object};
use crate::units::Unit;
use serde::Serialize;

fn estimate(unit: Unit, estimate: &Estimate) -> impl Serialize + use<> {
    let Sides { before, after } = estimate.sides;
    let per_unit = unit.stored_per_unit() as f64;
    object! {
        before: Value::new(unit, before),
        after: Value::new(unit, after),
        delta: estimate.sides.delta() as f64 / per_unit,
        ratio: estimate.sides.ratio(),
        standard_error: estimate.standard_error.map(|error| error / per_unit),
        margin: estimate.margin.map(|margin| margin / per_unit),
        ratio_interval: estimate.ratio_interval,
        z: estimate.z,
        chance: estimate.verdict.name(),
    }
}

fn counts(sides: Sides) -> impl Serialize {
    object! {
        before: sides.before,
        after: sides.after,
        delta: sides.delta().clamp(i64::MIN.into(), i64::MAX.into()) as i64,
        ratio: sides.ratio(),
    }
}

fn first_of<T: Serialize>(
    rows: impl ExactSizeIterator<Item = T>,
    max_rows: usize,
) -> impl Serialize {
    object! {
        count: rows.len(),
        first: rows.take(max_rows).collect::<Vec<_>>(),
    }
}

impl Comparison {
    fn family(&self) -> usize {
        if self.test() == "ranks of files" {
            return 1;
        }
        let values =
            |row: &ComparedMethod| [Some(row.exclusive), Some(row.inclusive), row.own_and_system];
        let tested = self.all.iter().flat_map(values).flatten();
        tested.filter(|estimate| estimate.z.is_some()).count()
    }

    pub fn test(&self) -> &'static str {
        let mut files = self.compared.files.iter();
        let is_ranked = files.all(|files| files.len() >= MIN_FILES);
        match &self.compared.spreads {
            [Some(before), Some(after)] => match (before.basis, after.basis) {
                (Basis::Blocks(_), Basis::Blocks(_)) => "blocks of 100 ms",
                (Basis::Counts, _) | (_, Basis::Counts) => "numbers of samples",
                _ => "weights of samples",
            },
            _ if is_ranked => "ranks of files",
            _ => "none",
        }
    }

    pub fn document(&self, request: &ComparisonRequest) -> impl Serialize {
        let files = request.before.iter().chain(request.after);
        let file = |(file, factor): (&ComparedFile, &f64)| {
            object! {
                file: file.file.clone(),
                format: file.view.recording.source.format.to_string(),
                kind: file.view.recording.source.kind.name(),
                factor: *factor,
            }
        };
        let mut files: Vec<_> = files.zip(&self.factors).map(file).collect();
        let after = files.split_off(request.before.len());
        let names = |presence| {
            let rows = self.only(presence).into_iter();
            first_of(
                rows.map(|row| self.view.frames.name(row.frame)),
                self.max_named,
            )
        };
        let summed = self.compared.summed.iter().map(|summed| {
            object! {
                name: &summed.name,
                before: summed.methods.0,
                after: summed.methods.1,
            }
        });
        let [before, after_metric] = self.metrics().map(metric_name);
        object! {
            schema: "dotspot.compare/1",
            before: files,
            after,
            metric: object! { before, after: after_metric },
            steps: if_any(self.view.steps.transform_words(&self.view.recording)),
            per: if_any(self.per.description()),
            counts_waiting: self.left_out_waiting.is_none(),
            order: self.order.name(),
            total: estimate(self.unit(), &self.total),
            noise: object! {
                test: self.test(),
                level: LEVEL,
                family: self.family(),
                beyond: self.beyond_chance(),
            },
            outside_user_code: IfAny(self.outside_user_code.map(|sides| object! {
                before: Value::new(self.unit(), sides.before),
                after: Value::new(self.unit(), sides.after),
            })),
            methods: self.methods,
            unchanged: self.methods - self.changed.len(),
            rows: self.rows.iter().map(|row| self.row(row, request)).collect::<Vec<_>>(),
            left_out: self.changed.len() - self.rows.len(),
            new: names(Presence::New),
            vanished: names(Presence::Vanished),
            summed: first_of(summed, self.max_named),
            warnings: &self.warnings,
        }
    }

    fn row(&self, row: &ComparedMethod, request: &ComparisonRequest) -> impl Serialize {
        let own_and_system = row.own_and_system.as_ref();
        let [heaviest_before, heaviest_after] = Comparison::node_labels(row, request);
        let counted = |kind| {
            let found = row.counts.filter(|_| self.counts() == Some(kind));
            found.map(|found| counts(found.sides))
        };
        let [before, after] = row.own_samples;
        object! {
            names: All(method_names(&self.view, row.frame)),
            presence: row.presence.name(),
            chance: self.verdict(row).name(),
            exclusive: estimate(self.unit(), &row.exclusive),
            inclusive: estimate(self.unit(), &row.inclusive),
            own_plus_system: own_and_system.map(|found| estimate(self.unit(), found)),
            calls: counted(CountKind::Calls),
            samples: counted(CountKind::Samples),
            own_samples: before.zip(after).map(|(before, after)| [before, after]),
            heaviest_node: object! { before: heaviest_before, after: heaviest_after },
        }
    }
}
