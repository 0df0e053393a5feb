//! Raw pages of a time frame of the TPC.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use generators::DataError;
use generators::io::{
    LabelWriter, PageWriter, SectorLabels, index_of, labels_of, read_pad_mapping,
};
use generators::tpc::PadMapping;
use generators::tpc::page::PAGE_BYTES;
use generators::tpc::pages::SectorPages;
use generators::tpc::simulate::TimeFrameGenerator;
use text::Foreign;

use super::{DataSet, DataSetInfo, Write};
use crate::algorithm::Plan;
use crate::axis::{Axis, Flag, Params};
use crate::time_frame;
use crate::tpc_cluster_finder::axes::{
    LABELS_PER_DIGIT, LabelsOf, TRUTH, charges, expected_labels,
};
use crate::tpc_decode::charge_map::{Converter, Gains};

/// The pad mapping of the experiment.
const MAPPING: Flag<PathBuf> =
    Flag::path("mapping", "Pad mapping: a folder with TABLE-*.txt [default: a regular one]")
        .called("DIR");

static OWN_AXES: &[Axis] = &[MAPPING.axis(), TRUTH.axis(), LABELS_PER_DIGIT.axis()];

/// Sectors that wait to be written: one is being made meanwhile.
const WAITING: usize = 1;
/// Sectors in memory at once: being made (its frames, and put together), waiting,
/// being written.
const SECTORS_IN_MEMORY: u64 = 4;
/// Bytes for each sample of a sector whose labels are written: its digit, itself, marks of particles,
/// and where its labels begin.
const BYTES_FOR_SAMPLE: f64 = 100.0;

/// Sector by sector, with an index beside them.
pub(super) struct TpcPages;

impl DataSet for TpcPages {
    fn info(&self) -> DataSetInfo {
        DataSetInfo {
            name: "tpc",
            summary: "Write a time frame of the TPC as raw pages, with an index beside it, and labels of \
                      particles if wanted",
            endings: ".pages, with .gz to compress",
        }
    }

    fn axes(&self) -> Vec<&'static Axis> {
        time_frame::AXES.iter().chain(OWN_AXES).collect()
    }

    fn plan<'a>(
        &'a self,
        mut params: Params,
        seed: u64,
        out: &'a Path,
    ) -> Result<(Plan, Write<'a>), DataError> {
        // Before anything is made: the name may be one that can't be written.
        index_of(out)?;
        params.complete(time_frame::AXES);
        params.complete(&[TRUTH.axis(), LABELS_PER_DIGIT.axis()]);
        let shape = time_frame::shape(&params)?;
        let generator = TimeFrameGenerator::new(&shape, &mapping(&params)?, seed)?;
        let sectors = shape.sectors;
        let estimate = generator.estimate();
        let [pages, samples] = [estimate.pages, estimate.digits].map(|all| all / sectors as u64);
        let of_sample = BYTES_FOR_SAMPLE + 8.0 * expected_labels(&params, samples)?;
        let labels = LabelsOf::new(&params, seed)?;
        let of_labels = if labels.are_wanted() { samples as f64 * of_sample } else { 0.0 };
        let of_pages = SECTORS_IN_MEMORY * pages * PAGE_BYTES as u64;
        let plan = Plan { params, memory_bytes: of_pages.max(of_labels as u64) };
        let write = move |say: &dyn Fn(&str)| {
            let written = write(&generator, out)?;
            say(&format!("{written} pages of {sectors} sectors written to {}", out.shown()));
            if labels.are_wanted() {
                let path = labels_of(out)?;
                let written = write_labels(&generator, labels, &path)?;
                say(&format!("{written} labels written to {}", path.shown()));
            }
            Ok(())
        };
        Ok((plan, Box::new(write)))
    }
}

/// The labels of all samples, sector by sector; returns how many there are.
fn write_labels(
    generator: &TimeFrameGenerator,
    labels: LabelsOf,
    path: &Path,
) -> Result<usize, DataError> {
    let (sectors, format) = (generator.shape().sectors, generator.shape().format);
    let gains = Gains::unit();
    let mut writer = LabelWriter::create(path, sectors)?;
    let mut written = 0;
    for sector in 0..sectors {
        let converter = Converter::new(&gains, sector as u8, format);
        let samples = charges(&generator.digits(sector), &converter);
        let labels = labels.of(&samples, generator, sector).unwrap_or_default();
        written += labels.all().len();
        writer.write(&SectorLabels { sector: sector as u8, labels })?;
    }
    writer.finish()?;
    Ok(written)
}

fn mapping(params: &Params) -> Result<PadMapping, DataError> {
    match MAPPING.given(params)? {
        Some(folder) => read_pad_mapping(&folder),
        None => Ok(PadMapping::regular()),
    }
}

/// Makes sectors while others are written; returns the number of pages.
fn write(generator: &TimeFrameGenerator, out: &Path) -> Result<usize, DataError> {
    let writer = PageWriter::create(out)?;
    let (sender, receiver) = sync_channel(WAITING);
    thread::scope(|scope| {
        let writing = scope.spawn(|| write_all(writer, receiver));
        for sector in 0..generator.shape().sectors {
            // Nobody receives any more if writing failed: the thread says why.
            if sender.send(generator.sector(sector)).is_err() {
                break;
            }
        }
        drop(sender);
        match writing.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn write_all(mut writer: PageWriter, sectors: Receiver<SectorPages>) -> Result<usize, DataError> {
    let mut pages = 0;
    for sector in sectors {
        writer.write(&sector)?;
        pages += sector.pages().len();
    }
    writer.finish()?;
    Ok(pages)
}
