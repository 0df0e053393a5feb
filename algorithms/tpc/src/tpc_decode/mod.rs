//! Decoding raw pages of the TPC.
//!
//! Input: the zero-suppressed pages of a time frame, a stream for each endpoint. Output: its digits
//! in the order of the pages; or, for the cluster finder, the positions of all samples and maps of
//! their charges. See `docs/tpc-decoding.md`.
//!
//! Any bit of a page may be wrong. A page is accepted or rejected as a unit, before any of its data
//! are used, and this validation is part of the work.
//!
//! | module | holds |
//! |---|---|
//! | `input`, `axes` | the pages, the output settings, and the source of the pages |
//! | `header` | the headers of a page, checked |
//! | `damage` | kinds of damage, and their location |
//! | `fragments`, `charge_map` | the cluster finder's input |
//! | `reference`, `check` | the expected output, and the comparison with it |
//! | `hard_inputs` | difficult inputs for tests |
//! | `cpu`, `cuda` | the variants |
//! | `plugin` | variants from shared libraries |

mod axes;
pub(crate) mod charge_map;
mod check;
pub(crate) mod cpu;
pub(crate) mod cuda;
pub mod damage;
mod fragments;
mod hard_inputs;
mod header;
mod input;
mod plugin;
mod reference;

use std::path::Path;

use generators_common::DataError;
use generators_common::io::{Table, check_table_file, write_table};
use generators_tpc::Digit;
use generators_tpc::io::write_raw_pages;
use parallel::map;

use crate::file_selection::source_files;
use fragments::time_bins_of;
use header::OpenPage;
use tasks::algorithm;
use tasks::algorithm::{
    Algorithm, Choose, FileRemarks, InputFiles, Metric, MetricInfo, Mutants, OutputAlias,
    OutputFiles, Plan, Promise, Relation, Semantics, SourceFile, TaskInfo, Variant, VariantChoice,
    Work,
};
use tasks::axis::Params;
use tasks::plugin::Contract;
use tasks::plugin_session::variants;

pub(crate) use axes::{
    BYTES_OF_SAMPLE, MEMORY_FOR_BYTE, OF_PAGES, SETTINGS, default_settings,
    plan as plan_with_samples,
};
pub use charge_map::{Gains, Position};
pub use check::Mismatch;
pub use damage::{Damage, DamagedPage, Expected, Field, count_by_kind};
pub(crate) use fragments::checked_length;
pub use fragments::{FragmentOfFrame, Fragments};
pub use input::{Output, Settings, Tables, TimeFrame, WorkDistribution, format_of};

static METRICS: &[MetricInfo] = &[PAGE_GB_PER_S, NS_PER_SAMPLE, US_PER_PAGE, BYTES_PER_SAMPLE];
pub(crate) const PAGE_GB_PER_S: MetricInfo =
    MetricInfo::gigabytes_per_second("page_gb_per_s", "pages", "bytes of pages over the time");
pub(crate) const NS_PER_SAMPLE: MetricInfo = MetricInfo::time_each(
    "ns_per_sample",
    "ns",
    "time per sample",
    "time over the number of samples",
);
const US_PER_PAGE: MetricInfo = MetricInfo::time_each(
    "us_per_page",
    "µs",
    "time per page",
    "time over the number of pages with data",
);
const BYTES_PER_SAMPLE: MetricInfo = MetricInfo::amount(
    "bytes_per_sample",
    "B",
    "bytes per sample",
    "bytes of pages over the number of samples",
);

const DIGITS: OutputAlias = OutputAlias {
    flag: "digits",
    help: "Write the digits to a file, checked against all selected variants; measures nothing",
    file: 0,
    choice: VariantChoice::All,
    check: check_table_file,
};

const EXAMPLES: &str = "  bench decode --zs row12,link,dense-link --orbits 2 --threads 1,2
  bench decode --output digits,charge-map --sectors 4 --fragment 1000,4000
  bench decode --occupancy 0.05,0.1,0.3 --noise 0.005 --parallel sectors,pages
  bench decode --threads 1,2 --places cores --bind close --bind spread
  bench generate tpc --sectors 8 --out sectors.pages
  bench decode --input sectors.pages --sector 7 --digits digits.csv
  bench decode --input sectors.pages --index sectors.index.csv --sector 7 --strict";

/// The task `decode`.
#[derive(Clone, Copy, Debug)]
pub struct TpcDecode;

/// Output of the decoding: either digits, or positions and charges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// Digits in the order of the pages.
    pub digits: Vec<Digit>,
    /// Positions of the samples, fragment by fragment in the order of the pages.
    pub positions: Vec<Position>,
    /// The map of each sector after the last fragment: indices of entries that are not 0, and the
    /// entries.
    pub charges: Vec<Vec<(u32, u16)>>,
    /// Rejected pages.
    pub damaged: Vec<DamagedPage>,
}

impl Algorithm for TpcDecode {
    type Input = TimeFrame;
    type Output = Decoded;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "decode",
            summary: "decode the raw pages of the TPC",
            input: "decode",
            file_endings: &["pages", "raw", "tf", "dump"],
            axes: axes::AXES,
            file_axes: axes::READING,
            metrics: METRICS,
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        [cpu::VARIANTS, cuda::VARIANTS, cuda::AS_SHADERS, &variants(self, &[])].concat()
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&plugin::CONTRACT)
    }

    fn examples(&self) -> &'static str {
        EXAMPLES
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        axes::plan(params).map(|(plan, _)| plan)
    }

    fn memory_for_byte(&self) -> u64 {
        axes::MEMORY_FOR_BYTE
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<TimeFrame, DataError> {
        axes::generate(params, seed)
    }

    fn read(&self, files: &InputFiles, options: &Params) -> Result<(TimeFrame, Params), DataError> {
        axes::read(files.only()?, options)
    }

    fn source_files(&self, files: &InputFiles) -> Result<Vec<SourceFile>, DataError> {
        source_files(files)
    }

    fn write(&self, input: &TimeFrame, path: &Path) -> Result<(), DataError> {
        write_raw_pages(path, &input.pages).map(drop)
    }

    fn defects(&self, input: &TimeFrame) -> Vec<String> {
        input.file_remarks().defects
    }

    fn output_files(&self) -> Option<OutputFiles> {
        let digits = OutputFiles::new(&["digit"], "reference", "fused");
        Some(OutputFiles { single: Some("sectors"), aliases: &[DIGITS], ..digits })
    }

    fn write_output(
        &self,
        input: &TimeFrame,
        output: &Decoded,
        _: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        write(input, output, path)
    }

    fn shrink<'i>(&self, input: &'i TimeFrame) -> Box<dyn Iterator<Item = TimeFrame> + 'i> {
        Box::new(hard_inputs::shrunk(input))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, TimeFrame)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &TimeFrame) -> Work {
        let load = input.load();
        Work {
            items: load.samples,
            item_unit: "sample",
            bytes_min: load.bytes + load.output_bytes,
            input_bytes: input.pages.bytes().len() as u64,
            to_host_bytes: None,
            has_reference: true,
            metrics: metrics(&load),
        }
    }

    fn notes(&self, input: &TimeFrame) -> Vec<String> {
        input.file_remarks().notes
    }

    fn reference(&self, input: &TimeFrame, _: Semantics) -> Option<Decoded> {
        Some(reference::decode(input))
    }

    fn compare(
        &self,
        input: &TimeFrame,
        right: &Decoded,
        output: &Decoded,
        promise: Promise,
    ) -> Result<(), algorithm::CheckError> {
        Ok(check::same(input, right, output, promise.stable)?)
    }
}

impl algorithm::Output<TpcDecode> for Decoded {
    fn nothing() -> Self {
        Decoded::default()
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        check::mutants(self, choose)
    }
}

/// Size of the input and the output, according to the headers.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    pages: u64,
    bytes: u64,
    samples: u64,
    /// Bytes that every decoder has to write.
    output_bytes: u64,
}

impl TimeFrame {
    /// Number of pages with data, their used bytes and samples, and the bytes of the output.
    fn load(&self) -> Load {
        let pages = 0..self.pages.pages().len();
        let opened = map(pages, |page| self.open(page).ok().flatten());
        let opened: Vec<OpenPage> = opened.into_iter().flatten().collect();
        let samples = |page: &OpenPage| u64::from(page.samples);
        let all = opened.iter().map(samples).sum();
        Load {
            pages: opened.len() as u64,
            bytes: opened.iter().map(|page| u64::from(page.used)).sum(),
            samples: all,
            output_bytes: match self.settings.output {
                Output::Digits => all * size_of::<Digit>() as u64,
                Output::ChargeMap => self.bytes_of_charges(&opened),
            },
        }
    }

    /// The positions of each fragment, and each cell of pads of rows once: empty cells are written
    /// like those with a charge because the previous content is unknown.
    fn bytes_of_charges(&self, pages: &[OpenPage]) -> u64 {
        let fragments = Fragments::new(self.settings.fragment);
        let positions = |page: &OpenPage| {
            u64::from(page.samples) * fragments.touching(time_bins_of(page)).len() as u64
        };
        let positions: u64 = pages.iter().map(positions).sum();
        let maps = self.fragments(pages.iter()).len() * self.sectors().len();
        let cells = maps as u64 * self.map_shape(pages.iter()).cells();
        positions * size_of::<Position>() as u64 + cells * size_of::<u16>() as u64
    }

    /// Notes for the results: damaged pages by kind, and remarks about the file.
    pub(crate) fn file_remarks(&self) -> FileRemarks {
        let damaged = self.digits().damaged;
        let mut notes = self.remarks().sentences().to_vec();
        let mut defects = self.remarks().defects().to_vec();
        if !damaged.is_empty() {
            notes.push(summary_of(&damaged, self.pages.pages().len()));
            defects.extend(damaged.iter().map(DamagedPage::to_string));
        }
        FileRemarks { notes, defects }
    }

    /// Bytes of the pages' contents.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.load().bytes
    }

    /// The digits of all valid pages, and the damaged pages.
    pub fn digits(&self) -> Decoded {
        reference::decode_digits(self)
    }
}

/// Describes damaged pages: their number and kinds.
pub fn summary_of(damaged: &[DamagedPage], pages: usize) -> String {
    let kinds = count_by_kind(damaged);
    let kinds: Vec<_> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    format!("{} of {pages} pages are damaged and left out ({})", damaged.len(), kinds.join(", "))
}

fn metrics(load: &Load) -> Vec<Metric> {
    let pages = load.pages as f64;
    let bytes = load.bytes as f64;
    let samples = load.samples as f64;
    vec![
        Metric::new(&PAGE_GB_PER_S, bytes * 1e-9, Relation::PerSecond),
        Metric::new(&NS_PER_SAMPLE, samples * 1e-9, Relation::SecondsEach),
        Metric::new(&US_PER_PAGE, pages * 1e-6, Relation::SecondsEach),
        Metric::new(&BYTES_PER_SAMPLE, bytes / samples, Relation::Itself),
    ]
}

/// Writes digits by row, pad and time bin, then by ADC value, so that the order does not depend on
/// the variant; returns their number.
///
/// # Errors
/// If they are of several sectors, for which the table has no column, or the file can't be written.
fn write(frame: &TimeFrame, decoded: &Decoded, path: &Path) -> Result<usize, DataError> {
    let sectors = frame.sector_numbers().len();
    if sectors > 1 {
        return Err(DataError::Shape(format!(
            "pages of {sectors} sectors; a list of digits is of one: choose it with --sector"
        )));
    }
    let mut digits = decoded.digits.clone();
    digits.sort_unstable_by_key(|digit| (digit.pad_id(), digit.time_bin(), digit.adc()));
    let table = Table::new()
        .with("row", digits.iter().map(|digit| digit.row()))
        .with("pad", digits.iter().map(|digit| digit.pad()))
        .with("time_bin", digits.iter().map(|digit| digit.time_bin()))
        .with("adc", digits.iter().map(|digit| digit.adc()));
    write_table(path, &table)?;
    Ok(table.rows())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One orbit of a sector, which has 446 time bins.
    fn work(output: &str, fragment: &str) -> Work {
        let given = [("sectors", "1"), ("orbits", "1"), ("output", output), ("fragment", fragment)];
        let plan = TpcDecode.plan(given.into_iter().collect()).expect("a time frame");
        let frame = TpcDecode.generate(&plan.params, 1).expect("pages");
        TpcDecode.work(&frame)
    }

    #[test]
    fn each_cell_of_a_map_counts_in_each_fragment() {
        let digits = work("digits", "4000");
        let pages = digits.bytes_min - 8 * digits.items;
        let whole = work("charge-map", "4000").bytes_min - pages - 4 * digits.items;
        let time_bins = whole / (2 * 14_560);
        assert_eq!(whole, 2 * 14_560 * time_bins);
        assert!((440..=446).contains(&time_bins), "{time_bins}");
        // 0 to 299 and 284 to 583.
        let cut = work("charge-map", "300").bytes_min - pages - 4 * digits.items;
        assert!(cut > 2 * 2 * 14_560 * 300, "positions of pages in both count twice");
        assert!(cut < 2 * 2 * 14_560 * 300 + 4 * digits.items);
    }
}
