//! Comparisons as tables, CSV and JSON.

use super::cost::{CLAIMED, ClaimVerdict};
use super::{Candidate, Comparison};
use crate::frame::Frame;
use crate::grouped::distinct;
use crate::record::RunRecord;
use crate::row::{Record, row};
use crate::screen::Screen;
use crate::shape;
use crate::table::{NOTHING, Side, Table, Tabular, known};
use crate::units;

/// The columns of [`cells`] and [`native`].
const COLUMNS: [(&str, Side); 7] = [
    ("written as", Side::Left),
    ("kernels", Side::Right),
    ("over native", Side::Right),
    ("95 % interval", Side::Right),
    ("within 0.2 %", Side::Left),
    ("registers", Side::Right),
    ("local memory", Side::Right),
];

/// All comparisons of a run.
#[derive(Clone, Copy, Debug)]
pub struct Comparisons<'a> {
    /// `run.json`.
    pub run: &'a RunRecord,
    /// The comparisons.
    pub all: &'a [Comparison<'a>],
}

impl Tabular for Comparisons<'_> {
    fn tables(&self, _: Screen) -> Vec<Table> {
        self.all.iter().map(table).collect()
    }

    fn frame(&self) -> Frame {
        let rows = self.all.iter().flat_map(|it| it.candidates.iter().map(|one| record(it, one)));
        Frame::like_first(rows)
    }

    fn run(&self) -> Option<&RunRecord> {
        Some(self.run)
    }
}

/// The native kernels of an input, and all candidates.
fn table(comparison: &Comparison) -> Table {
    let rows = comparison.candidates.iter().map(cells);
    let rows = std::iter::once(native(comparison)).chain(rows);
    Table::new(&COLUMNS, rows).under(heading(comparison)).with_notes(notes(comparison))
}

/// `sort: block-merge, 20 M digis · 24 segments`.
fn heading(comparison: &Comparison) -> String {
    let native = comparison.native;
    format!("{}: {}, {}", native.algorithm, native.variant, shape::phrases(&comparison.axes()))
}

fn native(comparison: &Comparison) -> [String; 7] {
    let resources = &comparison.resources;
    [
        "native".to_owned(),
        known(comparison.native.median_s, |seconds| units::seconds(seconds, 3)),
        "1".to_owned(),
        NOTHING.to_owned(),
        NOTHING.to_owned(),
        known(resources.registers, |count| count.to_string()),
        known(resources.local_bytes, units::bytes),
    ]
}

fn cells(candidate: &Candidate) -> [String; 7] {
    let cost = candidate.cost.as_ref().ok().map(|cost| cost.estimate);
    let resources = &candidate.resources;
    [
        candidate.written_as.clone(),
        known(candidate.seconds, |seconds| units::seconds(seconds, 3)),
        known(cost, |cost| factor(cost.ratio)),
        known(cost.and_then(|cost| cost.interval), |interval| {
            format!("{} to {}", factor(interval.low), factor(interval.high))
        }),
        words(candidate.judged).to_owned(),
        known(resources.registers, |count| count.to_string()),
        known(resources.local_bytes, units::bytes),
    ]
}

/// A ratio with four decimals, because differences of 0.2 % matter.
fn factor(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.4}") } else { units::significant(ratio, 3) }
}

fn words(judged: ClaimVerdict) -> &'static str {
    match judged {
        ClaimVerdict::Within => "yes",
        ClaimVerdict::Beyond => "no",
        ClaimVerdict::Unclear => "not clear",
        ClaimVerdict::Unknown => NOTHING,
    }
}

/// Notes: noise, failures, and further differences.
fn notes(comparison: &Comparison) -> Vec<String> {
    let refused = comparison.candidates.iter().filter_map(|candidate| {
        let why = candidate.cost.as_ref().err()?;
        Some(format!("{}: {why}", candidate.written_as))
    });
    let noise = noise(comparison);
    let differs = what_differs(comparison).into_iter();
    let differs = differs.map(|what| format!("What differs: {what}."));
    noise.into_iter().chain(refused).chain(differs).collect()
}

/// Difference between two measurements of native kernels, and whether a cost of 0.2 % would be
/// visible.
fn noise(comparison: &Comparison) -> Option<String> {
    let bound = comparison.noise?;
    let narrow = if bound < CLAIMED { "less" } else { "not less" };
    Some(format!(
        "Noise: two measurements of native kernels agree within {}, {narrow} than {}.",
        units::percent(bound),
        units::percent(CLAIMED)
    ))
}

/// Differences from native kernels other than the source, without repeats.
pub fn what_differs(comparison: &Comparison) -> Vec<&'static str> {
    let differs = comparison.candidates.iter().map(|candidate| candidate.differs);
    distinct(differs.filter(|differs| !differs.is_empty()))
}

row! {
    /// A row of `bench portability`.
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub(crate) struct PortableKernel<'a> {
        /// The task.
        algorithm: &'a str,
        /// The native variant.
        native_variant: &'a str,
        /// Device of the native variant.
        native_device: &'a str,
        /// Its point: see the rows of the run.
        native_point_id: String,
        /// Source of the other one: `shaders`, or `native, once more`.
        written_as: &'a str,
        /// The other variant.
        variant: &'a str,
        /// Device of the other variant.
        device: &'a str,
        /// Point of the other variant.
        point_id: String,
        /// The input.
        params: String,
        /// The median time of all native kernels, in seconds.
        native_kernel_s: Option<f64>,
        /// The median time of all kernels of the other one, in seconds.
        kernel_s: Option<f64>,
        /// Time over that of the native kernels, by samples of the same rounds.
        ratio: Option<f64>,
        /// The lower end of its 95 % interval.
        ci95_low: Option<f64>,
        /// The upper end of its 95 % interval.
        ci95_high: Option<f64>,
        /// Blocks of samples of the mean.
        visits: Option<u64>,
        /// Maximum distance from 1 of the interval of native kernels over themselves.
        noise: Option<f64>,
        /// Verdict on the claim of the publication.
        within_claim: Option<ClaimVerdict>,
        /// The longest native kernel.
        native_kernel: &'a str,
        /// Its registers per thread.
        native_registers: Option<f64>,
        /// Its bytes of local memory per thread.
        native_local_bytes: Option<f64>,
        /// Its bytes of shared memory per block.
        native_shared_bytes: Option<f64>,
        /// Its resident threads over the maximum of a multiprocessor.
        native_occupancy: Option<f64>,
        /// The longest kernel of the other one.
        kernel: &'a str,
        /// Its registers per thread; unknown for shaders.
        registers: Option<f64>,
        /// Its bytes of local memory per thread; unknown for shaders.
        local_bytes: Option<f64>,
        /// Its bytes of shared memory per block; unknown for shaders.
        shared_bytes: Option<f64>,
        /// Its resident threads over the maximum of a multiprocessor; unknown for shaders.
        occupancy: Option<f64>,
        /// Further differences.
        differs: &'a str,
        /// Reason why there is no ratio.
        why_missing: Option<&'a str>,
    }
}

/// A candidate for programs.
fn record<'a>(comparison: &'a Comparison, candidate: &'a Candidate) -> Record<'a> {
    let Comparison { native, resources: of_native, noise, .. } = comparison;
    let Candidate { total, resources, .. } = candidate;
    let cost = candidate.cost.as_ref();
    let interval = cost.ok().and_then(|cost| cost.estimate.interval);
    let kernel = PortableKernel {
        algorithm: &native.algorithm,
        native_variant: &native.variant,
        native_device: &native.device,
        native_point_id: native.point().id(),
        written_as: &candidate.written_as,
        variant: &total.variant,
        device: &total.device,
        point_id: total.point().id(),
        params: native.params.to_string(),
        native_kernel_s: native.median_s,
        kernel_s: candidate.seconds,
        ratio: cost.ok().map(|cost| cost.estimate.ratio),
        ci95_low: interval.map(|interval| interval.low),
        ci95_high: interval.map(|interval| interval.high),
        visits: cost.ok().map(|cost| cost.blocks as u64),
        noise: *noise,
        within_claim: Some(candidate.judged),
        native_kernel: &of_native.kernel,
        native_registers: of_native.registers,
        native_local_bytes: of_native.local_bytes,
        native_shared_bytes: of_native.shared_bytes,
        native_occupancy: of_native.occupancy,
        kernel: &resources.kernel,
        registers: resources.registers,
        local_bytes: resources.local_bytes,
        shared_bytes: resources.shared_bytes,
        occupancy: resources.occupancy,
        differs: candidate.differs,
        why_missing: cost.err().map(String::as_str),
    };
    kernel.into()
}

#[cfg(test)]
mod tests {
    use super::super::comparisons;
    use super::super::fixture::{PAIRS, run};
    use super::*;
    use crate::charts::fixture;
    use crate::table::Format;

    fn rendered(format: Format) -> String {
        let (rows, samples) = run();
        let found = comparisons(&rows, &samples, &PAIRS);
        let comparisons = Comparisons { run: &fixture::run(), all: &found };
        comparisons.render(format, Screen::default()).expect("a text")
    }

    #[test]
    fn people_see_ratios_noise_and_registers() {
        let text = rendered(Format::Table);
        let line = |begin: &str| {
            let line = text.lines().find(|line| line.starts_with(begin));
            line.unwrap_or_else(|| panic!("{begin}: {text}"))
        };
        assert!(line("sort: native, 1 M digis · 24 segments · order random").len() > 5);
        assert!(line("native ").contains("1.00 ms"), "{text}");
        assert!(line("native ").ends_with("40           8 B"), "{text}");
        let shaders = line("shaders ");
        assert!(shaders.contains("1.50 ms") && shaders.contains(" no "), "{text}");
        assert!(line("shaders, checked").contains("2.1000"), "{text}");
        assert!(line("ballots as sums").contains(" yes "), "{text}");
        assert!(text.contains("less than 0.20 %."), "{text}");
        assert_eq!(text.matches("What differs: blocks are smaller.").count(), 1, "{text}");
    }

    #[test]
    fn programs_get_a_row_for_each_candidate() {
        let text = rendered(Format::Csv);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let columns = reader.headers().expect("a header").clone();
        let column = |name: &str| columns.iter().position(|column| column == name).expect(name);
        let rows: Result<Vec<csv::StringRecord>, _> = reader.records().collect();
        let rows = rows.expect("well formed");
        assert_eq!(rows.len(), 4);
        assert_eq!(&rows[2][column("device")], "wgpu:0+checked");
        assert_eq!(&rows[2][column("within_claim")], "no");
        assert_eq!(&rows[0][column("native_registers")], "40");
        assert_eq!(&rows[1][column("registers")], "", "drivers report none of shaders");
    }
}
