//! Files of the cluster finder: charges of raw pages, with labels from a file next to the pages, and
//! clusters.

use std::borrow::Cow;
use std::path::Path;

use generators::DataError;
use generators::io::{SectorLabels, Table, labels_of, read_labels, write_table};
use generators::tpc::Digit;
use generators::tpc::charges::{Charge, ChargeCase, Labels};

use super::{Charges, Clusters, RowCluster, Settings};
use crate::algorithm::Algorithm;
use crate::axis::Params;
use crate::parallel::map;
use crate::tpc_decode::charge_map::Converter;
use crate::tpc_decode::{TimeFrame, TpcDecode, summary_of};
use crate::tpc_noisy_pads;

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
