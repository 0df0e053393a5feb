//! Metrics in the results, and their definitions.

/// Declaration of a metric in the results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetricInfo {
    /// Name in the results.
    pub name: &'static str,
    /// Unit; empty for a fraction or a ratio.
    pub unit: &'static str,
    /// Name in tables and charts, without the unit.
    pub label: &'static str,
    /// Definition, in a sentence.
    pub meaning: &'static str,
    /// The direction of improvement.
    pub better: Better,
    /// The subject of the figure.
    pub about: About,
}

/// The direction in which a figure improves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Better {
    /// Larger is better.
    Higher,
    /// Smaller is better.
    Lower,
    /// Closer to this value is better.
    Near(f64),
    /// Neither is better: a description.
    Neutral,
}

/// The subject of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Time, rates, and hardware counters.
    Speed,
    /// The input, the output and the resources of a variant.
    Work,
    /// Quality of the output, where the truth is known.
    Quality,
}

impl MetricInfo {
    /// A time per item, in this unit.
    pub const fn time_each(
        name: &'static str,
        unit: &'static str,
        label: &'static str,
        meaning: &'static str,
    ) -> Self {
        let better = Better::Lower;
        let about = About::Speed;
        MetricInfo { name, unit, label, meaning, better, about }
    }

    /// A rate in gigabytes per second.
    pub const fn gigabytes_per_second(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
    ) -> Self {
        let better = Better::Higher;
        let about = About::Speed;
        MetricInfo { name, unit: "GB/s", label, meaning, better, about }
    }

    /// An amount of work, in this unit.
    pub const fn amount(
        name: &'static str,
        unit: &'static str,
        label: &'static str,
        meaning: &'static str,
    ) -> Self {
        let better = Better::Neutral;
        let about = About::Work;
        MetricInfo { name, unit, label, meaning, better, about }
    }

    /// A fraction of found or lost items.
    pub const fn share(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
        better: Better,
    ) -> Self {
        MetricInfo { name, unit: "", label, meaning, better, about: About::Quality }
    }

    /// The standard deviation of a residual, in this unit.
    pub const fn residual(name: &'static str, unit: &'static str, label: &'static str) -> Self {
        let meaning = "standard deviation of the distance to the truth, by the 68 % in the middle";
        let better = Better::Lower;
        let about = About::Quality;
        MetricInfo { name, unit, label, meaning, better, about }
    }

    /// The standard deviation of a residual divided by its estimated error.
    pub const fn pull(name: &'static str, label: &'static str) -> Self {
        let meaning = "standard deviation of the distance to the truth over the error of the hit, \
            by the 68 % in the middle";
        let better = Better::Near(1.0);
        let about = About::Quality;
        MetricInfo { name, unit: "", label, meaning, better, about }
    }
}

/// Fraction of the true objects that were found.
pub const EFFICIENCY: MetricInfo = MetricInfo::share(
    "efficiency",
    "efficiency",
    "of what happened, the share that was found",
    Better::Higher,
);
/// Fraction of the found objects without a true one.
pub const GHOSTS: MetricInfo = MetricInfo::share(
    "ghosts",
    "ghosts",
    "of what was found, the share that did not happen",
    Better::Lower,
);
/// Time per digi.
pub const NS_PER_DIGI: MetricInfo =
    MetricInfo::time_each("ns_per_digi", "ns", "time per digi", "time over the number of digis");

/// A metric of a variant, as a function of the time of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// Declaration.
    pub info: &'static MetricInfo,
    amount: f64,
    relation: Relation,
}

/// Relation of a metric to an amount and the time of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The amount.
    Itself,
    /// The amount per second.
    PerSecond,
    /// Seconds per unit of the amount.
    SecondsEach,
}

impl Metric {
    /// Creates a metric from an amount.
    pub const fn new(info: &'static MetricInfo, amount: f64, relation: Relation) -> Self {
        Metric { info, amount, relation }
    }

    /// Value for a run of `seconds`; not finite if there is none.
    pub fn value(&self, seconds: f64) -> f64 {
        match self.relation {
            Relation::Itself => self.amount,
            Relation::PerSecond => self.amount / seconds,
            Relation::SecondsEach => seconds / self.amount,
        }
    }
}
