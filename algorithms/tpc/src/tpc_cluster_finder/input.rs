//! Charges of some sectors, fragments of their time frames, and files of charges and clusters.

use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

use generators_common::DataError;
use generators_common::io::{Table, write_table};
use generators_common::random::mix;
use generators_tpc::Digit;
use generators_tpc::charges::{Charge, ChargeCase, Labels};
use generators_tpc::geometry::ROWS;
use generators_tpc::io::{SectorLabels, labels_of, read_labels};
use parallel::map;

use super::labels::Clusters;
use super::quality::Truth;
use super::{RowCluster, Settings, reference};
use crate::tpc_decode::charge_map::Converter;
use crate::tpc_decode::{FragmentOfFrame, Fragments, TimeFrame, TpcDecode, summary_of};
use crate::tpc_noisy_pads;
use tasks::algorithm::shrink::without_parts;
use tasks::algorithm::{Algorithm, FileRemarks};
use tasks::axis::Params;

/// The charges of some sectors, each over a time frame of its own.
#[derive(Default)]
pub struct Charges {
    cases: Vec<ChargeCase>,
    clusters: OnceLock<Clusters>,
    /// True if labels of samples are ignored.
    without_labels: bool,
    /// True if labels are artificial, without a simulation.
    with_made_up_labels: bool,
    /// The particles' true clusters in each sector, where they are known.
    truth: Option<Vec<Truth>>,
    remarks: FileRemarks,
}

impl Charges {
    /// Creates the charges of these sectors.
    pub fn new(cases: Vec<ChargeCase>) -> Self {
        Charges { cases, ..Charges::default() }
    }

    /// Creates the charges of sectors with known true clusters.
    pub(super) fn with_truth(sectors: impl IntoIterator<Item = (ChargeCase, Truth)>) -> Self {
        let (cases, truth) = sectors.into_iter().unzip();
        Charges { truth: Some(truth), ..Charges::new(cases) }
    }

    /// These charges with remarks about the file of their pages.
    pub(super) fn with_remarks(self, remarks: FileRemarks) -> Self {
        Charges { remarks, ..self }
    }

    /// Remarks about the file that they were read from.
    pub(super) fn remarks(&self) -> &FileRemarks {
        &self.remarks
    }

    /// True clusters of each of the sectors, if they are known.
    pub(super) fn truth(&self) -> Option<&[Truth]> {
        self.truth.as_deref()
    }

    /// The sectors.
    pub fn cases(&self) -> &[ChargeCase] {
        &self.cases
    }

    /// Samples of all sectors.
    pub fn samples(&self) -> usize {
        self.cases.iter().map(|case| case.charges.len()).sum()
    }

    /// A copy of these charges whose labels are used, or ignored.
    pub(super) fn with_labels(self, are_given: bool) -> Self {
        Charges { without_labels: !are_given, ..self }
    }

    /// A copy of these charges whose labels are artificial, or not.
    pub(super) fn with_made_up_labels(self, are_made_up: bool) -> Self {
        Charges { with_made_up_labels: are_made_up, ..self }
    }

    /// True if labels identify the particles of the simulation.
    pub(super) fn has_meaningful_labels(&self) -> bool {
        self.has_labels() && !self.with_made_up_labels
    }

    /// True if clusters get labels: some samples have labels that are not ignored.
    pub(super) fn has_labels(&self) -> bool {
        !self.without_labels && self.cases.iter().any(|case| case.labels.is_some())
    }

    /// The expected clusters, by sector, row and their own order.
    pub(crate) fn right_clusters(&self) -> &Clusters {
        self.clusters.get_or_init(|| reference::find(&self.cases, self.has_labels()))
    }

    /// Number of samples in each row of each sector: an upper bound of the clusters.
    pub(super) fn samples_of_rows(&self) -> Vec<[u32; ROWS]> {
        let of_case = |case: &ChargeCase| {
            let mut counts = [0; ROWS];
            for charge in &case.charges {
                counts[usize::from(charge.pad.row())] += 1;
            }
            counts
        };
        parallel::map(&self.cases, of_case)
    }

    /// Hash of all content that affects the results.
    pub(super) fn content(&self) -> u64 {
        let of_case = |hash: u64, case: &ChargeCase| {
            let settings = format!("{:?}", case.settings);
            let head = [case.time_bins.into(), case.charges.len() as u64];
            let settings = settings.bytes().map(u64::from);
            let noisy = case.noisy.iter().map(|pad| pad.bits().into());
            let charges = case.charges.iter().map(|sample| {
                let key = u64::from(sample.time) << 32 | u64::from(sample.pad.bits()) << 16;
                key | u64::from(sample.charge)
            });
            let labels = case.labels.iter().flat_map(|labels| {
                let first = labels.first().iter().map(|&first| first.into());
                first.chain(labels.all().iter().copied())
            });
            let all = head.into_iter().chain(settings).chain(noisy).chain(charges).chain(labels);
            all.fold(hash, |hash, value| mix(hash ^ value))
        };
        self.cases.iter().fold(0, of_case)
    }

    /// Copies without some of the sectors, or, with a single sector, without some of its samples.
    pub(super) fn shrink(&self) -> Box<dyn Iterator<Item = Charges> + '_> {
        if let [case] = &self.cases[..] {
            return Box::new(without_parts(case.charges.len(), |gone| {
                let mut fewer = case.clone();
                fewer.labels = None;
                fewer.charges.drain(gone);
                Some(Charges::new(vec![fewer]))
            }));
        }
        Box::new(without_parts(self.cases.len(), |gone| {
            let mut fewer = self.cases.clone();
            fewer.drain(gone);
            Some(Charges::new(fewer))
        }))
    }
}

/// The fragments of a sector, which end with its last sample.
pub(super) fn of_case(case: &ChargeCase) -> impl Iterator<Item = FragmentOfFrame> {
    Fragments::new(case.fragment).of_frame(used_time_bins(case))
}

/// Time bins up to the last sample of a sector.
pub(super) fn used_time_bins(case: &ChargeCase) -> u32 {
    case.charges.iter().map(|sample| sample.time + 1).max().unwrap_or(0)
}

/// The samples of pages, sector by sector: complete orbits up to the last one, gains of 1, and pads
/// that are noisy over the whole time frame.
///
/// # Errors
/// Fails if pages, their index or their labels can't be read; if pages are damaged, or have two
/// samples in one cell; if there are labels of other sectors, or for more or fewer samples.
pub(super) fn read(
    path: &Path,
    options: &Params,
    settings: Settings,
    fragment: u32,
    with_labels: bool,
) -> Result<Charges, DataError> {
    let (frame, _) = TpcDecode.read(&path.into(), options)?;
    let decoded = frame.digits();
    let all_pages = || format!("all {} pages", frame.pages().pages().len());
    if !decoded.damaged.is_empty() {
        let problem = summary_of(&decoded.damaged, frame.pages().pages().len());
        return Err(DataError::format(path, all_pages(), problem));
    }
    let time_bins = tpc_noisy_pads::time_bins_of_file(path, &decoded.digits)?;
    let case = |&sector: &u8| {
        let of_sector = |digit: &&Digit| digit.sector() == sector;
        let digits: Vec<_> = decoded.digits.iter().filter(of_sector).copied().collect();
        ChargeCase { fragment, settings, ..case(&frame, sector, time_bins, &digits) }
    };
    let mut cases = map(&frame.sector_numbers(), case);
    for case in &cases {
        check_cells(path, case)?;
    }
    if with_labels {
        add_labels(path, &mut cases)?;
    }
    Ok(Charges::new(cases).with_remarks(frame.file_remarks()))
}

/// Charges in the order of time, as they come from a detector; those in the same cell keep the
/// order of digits.
pub(crate) fn charges(digits: &[Digit], converter: &Converter<'_>) -> Vec<Charge> {
    let mut charges: Vec<_> = digits.iter().map(|&digit| converter.sample(digit)).collect();
    charges.sort_by_key(|sample| (sample.time, sample.pad));
    charges
}

fn case(frame: &TimeFrame, sector: u8, time_bins: u32, digits: &[Digit]) -> ChargeCase {
    let gains = frame.gains();
    let format = frame.format();
    ChargeCase {
        name: format!("sector-{sector}"),
        sector,
        time_bins,
        noisy: tpc_noisy_pads::noisy_pads(digits, time_bins, gains, format),
        charges: charges(digits, &Converter::new(gains, sector, format)),
        ..ChargeCase::default()
    }
}

fn check_cells(path: &Path, case: &ChargeCase) -> Result<(), DataError> {
    let cell = |sample: usize| (case.charges[sample].time, case.charges[sample].pad);
    let twice = (1..case.charges.len()).find(|&next| cell(next - 1) == cell(next));
    let Some(next) = twice else { return Ok(()) };
    let (time, pad) = cell(next);
    let at = format!("sector {}, row {}, pad {}", case.sector, pad.row(), pad.pad());
    Err(DataError::format(path, at, format!("time bin {time} has two samples")))
}

/// Adds the labels from the file next to the pages, if there is one, to each sector.
fn add_labels(pages: &Path, cases: &mut [ChargeCase]) -> Result<(), DataError> {
    // Pages of ALICE's have no labels, and other names.
    let Ok(path) = labels_of(pages) else { return Ok(()) };
    if !path.exists() {
        return Ok(());
    }
    let mut left = read_labels(&path)?.into_iter().peekable();
    for case in cases.iter_mut() {
        // A single sector of a file of pages may have been selected.
        while left.next_if(|of_sector| of_sector.sector < case.sector).is_some() {}
        let Some(SectorLabels { sector, labels }) = left.next() else {
            return Err(missing(&path, case.sector));
        };
        if sector != case.sector {
            return Err(missing(&path, case.sector));
        }
        case.labels = Some(of_samples(&path, case, labels)?);
    }
    Ok(())
}

fn missing(path: &Path, sector: u8) -> DataError {
    let problem = "there are none, but samples; are these the labels of other pages?";
    DataError::format(path, format!("sector {sector}"), problem)
}

fn of_samples(path: &Path, case: &ChargeCase, labels: Labels) -> Result<Labels, DataError> {
    let lists = labels.first().len();
    let samples = case.charges.len();
    if lists == samples {
        return Ok(labels);
    }
    let problem = format!(
        "there are labels of {lists} samples, but the pages have {samples}; are these the labels of \
         other pages?"
    );
    Err(DataError::format(path, format!("sector {}", case.sector), problem))
}

/// Writes clusters in the order of cases, rows and their own, with their labels in one field;
/// returns their number.
///
/// # Errors
/// If the file can't be written.
pub(super) fn write(charges: &Charges, found: &Clusters, path: &Path) -> Result<usize, DataError> {
    let case = |cluster: &RowCluster| &charges.cases()[cluster.case as usize];
    let names = found.iter().map(|cluster| Cow::Owned(case(cluster).name.clone()));
    let labels = (0..found.len()).map(|number| {
        let labels = found.labels.as_ref().map_or(&[][..], |labels| labels.list(number));
        let labels: Vec<_> = labels.iter().map(u64::to_string).collect();
        Cow::Owned(labels.join(" "))
    });
    let table = with_clusters(Table::new().with("case", names), found).with("labels", labels);
    write_table(path, &table)?;
    Ok(table.rows())
}

/// A row for each cluster, with the number of its sector.
pub(crate) fn cluster_table(sectors: &[u8], found: &[RowCluster]) -> Table {
    let sectors = found.iter().map(|cluster| sectors[cluster.case as usize]);
    with_clusters(Table::new().with("sector", sectors), found)
}

/// Adds the fields of clusters, in their own units.
fn with_clusters(table: Table, found: &[RowCluster]) -> Table {
    let clusters = || found.iter().map(|found| &found.cluster);
    table
        .with("row", found.iter().map(|found| found.row))
        .with("pad", clusters().map(|cluster| cluster.pad))
        .with("time", clusters().map(|cluster| cluster.time()))
        .with("sigma_pad", clusters().map(|cluster| cluster.sigma_pad))
        .with("sigma_time", clusters().map(|cluster| cluster.sigma_time))
        .with("q_max", clusters().map(|cluster| cluster.qmax))
        .with("q_tot", clusters().map(|cluster| cluster.qtot))
        .with("flags", clusters().map(|cluster| cluster.flags()))
}
