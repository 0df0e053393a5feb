//! Verdicts on published claims.

use statistics::{RatioEstimate, Side};

use super::data::Streams;
use super::figure::{Claim, Figure};
use super::measured::{Here, Measured};

/// A figure with its measured counterpart.
#[derive(Clone, Debug, PartialEq)]
pub struct Reproduction {
    /// The published figure.
    pub figure: Figure,
    /// The measured value of each label, or the reason why it is not known.
    pub measured: Vec<(String, Result<Measured, String>)>,
    /// Its claims with their verdicts.
    pub judged: Vec<JudgedClaim>,
    /// The machine of the run.
    pub machine: String,
    /// The streams that were measured, if it is about streams.
    pub streams: Option<Streams>,
}

/// A claim with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedClaim {
    /// The published claim.
    pub claim: Claim,
    /// Published speed-up of the one over the other, if both were published.
    pub published: Option<f64>,
    /// Verdict by the measured values.
    pub verdict: ClaimVerdict,
}

/// Verdict on a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimVerdict {
    /// It holds here, with this speed-up.
    Holds(f64),
    /// The contrary holds, with this speed-up.
    Fails(f64),
    /// The intervals overlap, or there are too few samples for an interval.
    Unclear(f64),
    /// A value was not measured, for this reason.
    Unknown(String),
}

/// Relates figures to the values of a run.
pub fn reproduce(figures: Vec<Figure>, here: &Here) -> Vec<Reproduction> {
    let figures = figures.into_iter();
    figures.map(|figure| Reproduction::new(figure, here)).collect()
}

impl Reproduction {
    /// Relates a figure to the values of a run.
    pub fn new(figure: Figure, here: &Here) -> Self {
        let figure = here.with_all_threads(figure);
        let streams = figure.stream.as_ref().map(|stream| here.streams_of(stream));
        let find = |value| match &streams {
            Some(streams) => here.find_in(streams, value),
            None => here.find(value),
        };
        let found = |label: &str| Some((label.to_owned(), find(figure.value(label, "")?)));
        let measured = figure.labels().into_iter().filter_map(found).collect();
        let machine = here.machine();
        let mut reproduction =
            Reproduction { figure, measured, judged: Vec::new(), machine, streams };
        let claims = reproduction.figure.claims.iter();
        reproduction.judged = claims.map(|claim| reproduction.judge(claim)).collect();
        reproduction
    }

    fn judge(&self, claim: &Claim) -> JudgedClaim {
        let verdict = match (self.found(&claim.faster), self.found(&claim.slower)) {
            (Ok(faster), Ok(slower)) => ClaimVerdict::compare(faster, slower),
            (Err(why), _) => ClaimVerdict::Unknown(format!("{}: {why}", claim.faster)),
            (_, Err(why)) => ClaimVerdict::Unknown(format!("{}: {why}", claim.slower)),
        };
        JudgedClaim { claim: claim.clone(), published: published(&self.figure, claim), verdict }
    }

    /// The measured value of a label, or the reason why it is not known.
    pub fn found(&self, label: &str) -> Result<&Measured, &str> {
        let found = self.measured.iter().find(|(name, _)| name == label);
        found.map_or(Err("not measured"), |(_, found)| found.as_ref().map_err(String::as_str))
    }

    /// The measured value of a label, if it is known.
    pub fn here(&self, label: &str) -> Option<&Measured> {
        self.found(label).ok()
    }

    /// True if any of its values was measured.
    pub fn is_measured(&self) -> bool {
        self.measured.iter().any(|(_, found)| found.is_ok())
    }

    /// Measured speed-up of a label's value over its basis, per item because inputs may differ in
    /// size.
    pub fn speed_up(&self, label: &str) -> Option<f64> {
        let basis = self.figure.value(label, "")?.basis.as_ref()?;
        Some(self.here(basis)?.amount_an_item() / self.here(label)?.amount_an_item())
    }
}

fn published(figure: &Figure, claim: &Claim) -> Option<f64> {
    let value = |label: &str, hardware: &str| {
        let hardware = (!hardware.is_empty()).then_some(hardware)?;
        figure.value(label, hardware)
    };
    let faster = value(&claim.faster, &claim.hardware_of_faster)?;
    let slower = value(&claim.slower, &claim.hardware_of_slower)?;
    if let Some((faster, slower)) = faster.amount().zip(slower.amount()) {
        return Some(slower / faster);
    }
    // Speed-ups were published: relative to each other, or to the other value itself.
    let speed_up = figure.published_speed_up(faster)?;
    if faster.basis.as_ref() == Some(&slower.label) {
        Some(speed_up)
    } else {
        Some(speed_up / figure.published_speed_up(slower)?)
    }
}

impl ClaimVerdict {
    fn compare(faster: &Measured, slower: &Measured) -> Self {
        let estimate = RatioEstimate::from_medians(faster.timing(), slower.timing());
        match estimate.side(1.0, 0.0) {
            Side::Above => ClaimVerdict::Holds(estimate.ratio),
            Side::Below => ClaimVerdict::Fails(estimate.ratio),
            Side::Unclear | Side::Unknown => ClaimVerdict::Unclear(estimate.ratio),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Here;
    use super::super::fixture::figures;
    use super::super::fixture::{chain, rows, table};
    use super::*;
    use crate::charts::fixture::{row, run};
    use crate::record::SummaryRow;

    fn judged<'a>(table: &'a Reproduction, words: &str) -> &'a JudgedClaim {
        let mut judged = table.judged.iter();
        judged.find(|it| it.claim.words.starts_with(words)).expect(words)
    }

    #[test]
    fn claims_hold_beyond_the_interval() {
        let table = table(&rows());
        let sort = judged(&table, "The stage sort is faster online than offline with one");
        assert_eq!(sort.verdict, ClaimVerdict::Holds(2.0));
        assert!((sort.published.expect("printed") - 2.4 / 1.22).abs() < 1e-9);
        assert_eq!(table.speed_up("sort, online, all threads"), Some(4.0));
    }

    #[test]
    fn claims_that_fail_are_reported() {
        let rows = [chain("online", 1, 3.0), chain("offline", 1, 2.0)].concat();
        let slower = table(&rows);
        let words = "The stage hits is faster online than offline with one";
        assert!(matches!(judged(&slower, words).verdict, ClaimVerdict::Fails(_)));
        let rows = [chain("online", 1, 1.0), chain("offline", 1, 1.01)].concat();
        let alike = table(&rows);
        assert!(matches!(judged(&alike, words).verdict, ClaimVerdict::Unclear(_)));
        let mut few = [chain("online", 1, 1.0), chain("offline", 1, 2.0)].concat();
        for row in &mut few {
            row.samples = 2;
            (row.ci95_low_s, row.ci95_high_s) = (None, None);
        }
        let few = table(&few);
        assert!(matches!(judged(&few, words).verdict, ClaimVerdict::Unclear(_)));
    }

    /// A GPU gets a larger input: twice the time for ten times the items.
    #[test]
    fn inputs_of_unlike_sizes_are_compared_by_items() {
        let mut gpu = chain("online", 1, 2.0);
        for row in &mut gpu {
            row.device = "cuda:0".into();
            row.items *= 10;
        }
        let table = table(&[rows(), gpu].concat());
        let presort = judged(&table, "The stage presort is faster on a GPU than with all");
        assert_eq!(presort.verdict, ClaimVerdict::Holds(2.5));
        assert_eq!(table.speed_up("presort, online, GPU"), Some(10.0));
    }

    /// Kernels of the published unpacker, native ones twice as fast as shaders.
    #[test]
    fn portable_kernels_are_compared_with_native_ones() {
        let of = |variant: &str, device: &str, seconds: f64| {
            let stages = [("total", 10.0 * seconds), ("kernel", seconds)];
            stages.map(|(stage, seconds)| SummaryRow {
                algorithm: "unpack".into(),
                stage: stage.into(),
                device: device.into(),
                ..row(variant, "preset=mcbm-2024;scale=0.5", seconds)
            })
        };
        let rows = [
            of("epoch-parallel", "cuda:0", 1.0),
            of("epoch-parallel", "wgpu:0", 2.0),
            of("epoch-parallel", "wgpu:0+checked", 3.0),
            of("sycl-epoch-parallel", "cuda:0", 4.0),
        ]
        .concat();
        let figure = figures().into_iter().find(|figure| figure.id == "fig4.4").expect("there");
        let layers = Reproduction::new(figure, &Here { record: &run(), rows: &rows, streams: &[] });
        assert_eq!(layers.speed_up("shaders by wgpu"), Some(0.5));
        assert_eq!(layers.speed_up("shaders by wgpu, checked"), Some(1.0 / 3.0));
        assert_eq!(layers.judged[0].verdict, ClaimVerdict::Holds(2.0));
        assert_eq!(layers.judged[1].verdict, ClaimVerdict::Holds(1.5));
        assert_eq!(layers.judged[2].verdict, ClaimVerdict::Holds(4.0));
        assert_eq!(layers.found("oneAPI"), Err("not reproducible here"));
    }

    #[test]
    fn unmeasured_values_are_unknown() {
        let table = table(&chain("online", 1, 1.0));
        let unknown = judged(&table, "The stage hits is faster online than offline with one");
        let why = "hits, offline, 1 thread: not measured".to_owned();
        assert_eq!(unknown.verdict, ClaimVerdict::Unknown(why));
        assert!(table.is_measured());
        assert_eq!(table.speed_up("hits, online, 1 thread"), None);
    }

    #[test]
    fn speed_ups_that_were_printed_are_those_of_conclusions() {
        let figures = figures();
        let published = |id: &str, index: usize| {
            let figure = figures.iter().find(|figure| figure.id == id).expect(id);
            published(figure, &figure.claims[index])
        };
        assert_eq!(published("fig3.6", 0), Some(81.0));
        assert_eq!(published("fig3.7", 0), Some(81.0 / 75.0));
        assert_eq!(published("fig3.10", 1), Some(3.0));
        let merged = published("fig3.9", 0).expect("printed");
        assert!((merged - 6739.0 / 204.9).abs() < 1e-9);
    }
}
