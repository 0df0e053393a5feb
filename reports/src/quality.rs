//! Quality of outputs: metrics of tasks that know the true result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::aliases::metric_record;
use crate::record::{About, Better, MetricRecord, SummaryRow};
use crate::units;

/// Number of digits, enough to distinguish variants that differ in only a few results.
const DIGITS: usize = 5;

/// A metric of quality.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Its name among the metrics of a row.
    pub metric: &'static str,
    /// Displayed name, with its unit.
    pub name: &'static str,
    /// A phrase that defines it, the same for metrics of the same kind.
    pub meaning: &'static str,
    /// True for a share of a total.
    pub is_share: bool,
    /// Ideal value, if values can be above and below it.
    pub ideal: Option<f64>,
    /// The direction of improvement.
    pub better: Better,
}

impl Quality {
    /// The metrics of quality that any of these rows has, as their run declares them: shares first,
    /// then those with a unit, and pulls next to their residuals.
    pub fn known<'a>(rows: impl IntoIterator<Item = &'a SummaryRow>) -> Vec<Self> {
        let mut known = BTreeMap::new();
        for row in rows {
            for (name, _) in row.metrics.iter() {
                if let Some(quality) = Quality::declared(row, name)
                    && quality.value(row).is_some()
                {
                    known.entry((!quality.is_share, quality.metric)).or_insert(quality);
                }
            }
        }
        known.into_values().collect()
    }

    /// The metric of this name, if the row's run declares it as one of quality.
    fn declared(row: &SummaryRow, name: &str) -> Option<Self> {
        let declared = row.metrics.declared().map(Arc::as_ref);
        let record = metric_record(declared, &row.algorithm, name)?;
        (record.about == About::Quality).then(|| Quality::new(name, record))
    }

    fn new(metric: &str, record: &MetricRecord) -> Self {
        let MetricRecord { unit, label, meaning, better, ideal, .. } = record;
        let name = if unit.is_empty() { label.clone() } else { format!("{label} [{unit}]") };
        Quality {
            metric: interned(metric),
            name: interned(&name),
            meaning: interned(meaning),
            is_share: unit.is_empty() && *better != Better::Near,
            ideal: ideal.filter(|_| *better == Better::Near),
            better: *better,
        }
    }

    /// True for a share whose ideal value is 1.
    pub fn should_be_one(self) -> bool {
        self.is_share && self.better == Better::Higher
    }

    /// The value of a row, if it has one.
    pub fn value(self, row: &SummaryRow) -> Option<f64> {
        row.metrics.number(self.metric).filter(|value| value.is_finite())
    }

    /// Formats a value.
    pub fn words(self, value: f64) -> String {
        units::significant(value, DIGITS)
    }
}

/// True if a row has any metric of quality.
pub fn is_known(row: &SummaryRow) -> bool {
    !Quality::known([row]).is_empty()
}

/// Leaks a text, once per name: names of metrics, of which runs declare few.
pub(crate) fn interned(text: &str) -> &'static str {
    static KNOWN: LazyLock<Mutex<BTreeSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = known.get(text) {
        return text;
    }
    let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
    known.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::record::{Declared, Quantities};

    #[test]
    fn figures_are_those_that_the_run_declares() {
        let of = |name: &str, about, better| {
            let label = name.to_owned();
            let record = MetricRecord { label, about, better, ..MetricRecord::default() };
            ("task".to_owned(), name.to_owned(), record)
        };
        let metrics = Declared::new([
            of("tracks_found", About::Quality, Better::Higher),
            of("speed", About::Speed, Better::Higher),
        ]);
        let quantities = Arc::new(Quantities { metrics, ..Quantities::default() });
        let metrics: crate::record::Params =
            "ns=3;purity=0.5;speed=2;tracks_found=0.9".parse().expect("well formed");
        let row = SummaryRow { algorithm: "task".into(), metrics, ..SummaryRow::default() };
        let names = |row: &SummaryRow| -> Vec<_> {
            Quality::known([row]).iter().map(|quality| quality.name).collect()
        };
        assert_eq!(names(&row), ["purity"], "an old run");
        let metrics = row.metrics.clone().declared_by(&quantities);
        assert_eq!(names(&SummaryRow { metrics, ..row }), ["purity", "tracks_found"]);
    }
}
