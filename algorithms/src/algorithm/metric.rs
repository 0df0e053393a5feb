//! Figures in the results, and what each of them means.

/// A figure of results, declared once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetricInfo {
    /// Its name in the results.
    pub name: &'static str,
    /// Its unit; empty for a share or a ratio.
    pub unit: &'static str,
    /// Its name in tables and charts, without the unit.
    pub label: &'static str,
    /// A sentence that defines it.
    pub meaning: &'static str,
    /// The direction of improvement.
    pub better: Better,
    /// The subject of the figure.
    pub about: About,
}

/// The direction in which a figure improves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Nearer to this value is better.
    Near(f64),
    /// A description that is neither good nor bad.
    Neutral,
}

/// The subject of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Time, rates, and what the hardware does meanwhile.
    Speed,
    /// The input, the output and the resources of a variant.
    Work,
    /// The quality of what was found, where the truth is known.
    Quality,
}

impl MetricInfo {
    /// A time for each of some things, in this unit.
    pub const fn time_each(
        name: &'static str,
        unit: &'static str,
        label: &'static str,
        meaning: &'static str,
    ) -> Self {
        let (better, about) = (Better::Lower, About::Speed);
        MetricInfo { name, unit, label, meaning, better, about }
    }

    /// A rate in gigabytes a second.
    pub const fn gigabytes_per_second(
        name: &'static str,
        label: &'static str,
        meaning: &'static str,
    ) -> Self {
        let (better, about) = (Better::Higher, About::Speed);
        MetricInfo { name, unit: "GB/s", label, meaning, better, about }
    }

    /// A description of the work, in this unit.
    pub const fn amount(
        name: &'static str,
        unit: &'static str,
        label: &'static str,
        meaning: &'static str,
    ) -> Self {
        let (better, about) = (Better::Neutral, About::Work);
        MetricInfo { name, unit, label, meaning, better, about }
    }

    /// A share of what was found or lost.
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
        let (better, about) = (Better::Lower, About::Quality);
        MetricInfo { name, unit, label, meaning, better, about }
    }

    /// The standard deviation of a residual over its own error.
    pub const fn pull(name: &'static str, label: &'static str) -> Self {
        let meaning = "standard deviation of the distance to the truth over the error of the hit, \
            by the 68 % in the middle";
        let (better, about) = (Better::Near(1.0), About::Quality);
        MetricInfo { name, unit: "", label, meaning, better, about }
    }
}

/// The share of the true objects that were found.
pub const EFFICIENCY: MetricInfo = MetricInfo::share(
    "efficiency",
    "efficiency",
    "of what happened, the share that was found",
    Better::Higher,
);
/// The share of found objects without a true one.
pub const GHOSTS: MetricInfo = MetricInfo::share(
    "ghosts",
    "ghosts",
    "of what was found, the share that did not happen",
    Better::Lower,
);
/// The time for each digi.
pub const NS_PER_DIGI: MetricInfo =
    MetricInfo::time_each("ns_per_digi", "ns", "time per digi", "time over the number of digis");

/// A figure with what it follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// Its declaration.
    pub info: &'static MetricInfo,
    amount: f64,
    relation: Relation,
}

/// How a figure follows from an amount and the time of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It is the amount.
    Itself,
    /// It is the amount that is done in a second.
    PerSecond,
    /// It is the seconds that one of the amount takes.
    SecondsEach,
}

impl Metric {
    /// A figure that follows from an amount.
    pub const fn new(info: &'static MetricInfo, amount: f64, relation: Relation) -> Self {
        Metric { info, amount, relation }
    }

    /// The figure for a run of `seconds`; not finite if there is none.
    pub fn value(&self, seconds: f64) -> f64 {
        match self.relation {
            Relation::Itself => self.amount,
            Relation::PerSecond => self.amount / seconds,
            Relation::SecondsEach => seconds / self.amount,
        }
    }
}
