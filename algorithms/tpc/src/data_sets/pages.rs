//! Raw pages of a time frame of the TPC.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::thread::Builder;

use generators_common::DataError;
use generators_tpc::PadMapping;
use generators_tpc::charges::Labels;
use generators_tpc::io::{
    LabelWriter, PageWriter, SectorLabels, index_of, labels_of, read_pad_mapping,
};
use generators_tpc::page::PAGE_BYTES;
use generators_tpc::pages::SectorPages;
use generators_tpc::simulate::TimeFrameGenerator;
use text::Untrusted;

use crate::time_frame;
use crate::tpc_cluster_finder::axes::{LABELS_PER_DIGIT, LabelSource, TRUTH, expected_labels};
use crate::tpc_cluster_finder::input::charges;
use crate::tpc_decode::charge_map::{Converter, Gains};
use tasks::algorithm::Plan;
use tasks::axis::{Axis, Flag, Params, axes};
use tasks::data_set::{DataSet, DataSetInfo, Write};

axes! {
    OWN_AXES {
        /// The pad mapping of the experiment.
        MAPPING: PathBuf = Flag::path("mapping").called("DIR") =>
            "Pad mapping: a folder with TABLE-*.txt [default: a regular one]";
        TRUTH;
        LABELS_PER_DIGIT;
    }
}

/// Sectors that wait to be written, while another one is generated.
const WAITING: usize = 1;
/// Sectors in memory at once: generated (its frames, and assembled), waiting, being written.
const SECTORS_IN_MEMORY: u64 = 4;
/// Bytes per sample of a sector whose labels are written: its digit, the sample, marks of
/// particles, and the offset of its labels.
const BYTES_FOR_SAMPLE: f64 = 100.0;

/// Pages sector by sector, with an index file next to them.
pub(super) struct TpcPages;

const EXAMPLES: &str = "  bench generate tpc --out frame.pages
  bench generate tpc --zs row12 --orbits 128 --rate 50kHz --out frame.pages.gz
  bench generate tpc --occupancy 0.3 --noise 0.01 --sectors 8 --out sectors.pages
  bench generate tpc --sectors 1 --orbits 1 --truth tracks --out labelled.pages
  bench generate tpc --preset laser --mapping DIR --out laser.pages";

impl DataSet for TpcPages {
    fn info(&self) -> DataSetInfo {
        DataSetInfo {
            name: "tpc",
            summary: "Write a time frame of the TPC as raw pages, with an index next to it, and labels of \
                      particles if wanted",
            endings: ".pages, with .gz to compress",
            examples: EXAMPLES,
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
        // Checked before anything is generated, because the name may be invalid.
        index_of(out)?;
        params.complete(time_frame::AXES);
        params.complete(OWN_AXES);
        let shape = time_frame::shape(&params)?;
        let generator = TimeFrameGenerator::new(&shape, &mapping(&params)?, seed)?;
        let sectors = shape.sectors;
        let estimate = generator.estimate();
        let [pages, samples] = [estimate.pages, estimate.digits].map(|all| all / sectors as u64);
        let label_bytes = 8.0 * expected_labels(&params, samples)?;
        let sample_bytes = BYTES_FOR_SAMPLE + SECTORS_IN_MEMORY as f64 * label_bytes;
        let labels = LabelSource::new(&params, seed)?;
        let label_bytes = if labels.are_wanted() { samples as f64 * sample_bytes } else { 0.0 };
        let page_bytes = SECTORS_IN_MEMORY * pages * PAGE_BYTES as u64;
        let plan = Plan { params, memory_bytes: page_bytes + label_bytes as u64 };
        let write = move |report: &dyn Fn(&str)| {
            let path = labels_of(out)?;
            let written = write(&generator, labels, out, &path)?;
            let pages = written.pages;
            report(&format!("{pages} pages of {sectors} sectors written to {}", out.escaped()));
            if labels.are_wanted() {
                report(&format!("{} labels written to {}", written.labels, path.escaped()));
            }
            Ok(())
        };
        Ok((plan, Box::new(write)))
    }
}

fn mapping(params: &Params) -> Result<PadMapping, DataError> {
    match MAPPING.given(params)? {
        Some(folder) => read_pad_mapping(&folder),
        None => Ok(PadMapping::regular()),
    }
}

/// Numbers of written items.
#[derive(Default)]
struct WrittenCounts {
    pages: usize,
    labels: usize,
}

/// Pages of a sector, and the labels of its samples if they are to be written.
struct SectorData {
    pages: SectorPages,
    labels: Option<Labels>,
}

fn make(generator: &TimeFrameGenerator, labels: LabelSource, sector: usize) -> SectorData {
    if !labels.are_wanted() {
        return SectorData { pages: generator.sector(sector), labels: None };
    }
    let (pages, digits, marks) = generator.sector_with_digits(sector, labels.marks());
    let gains = Gains::unit();
    let converter = Converter::new(&gains, sector as u8, generator.shape().format);
    let samples = charges(&digits, &converter);
    SectorData { pages, labels: labels.labels_for(&samples, &marks, sector) }
}

/// Generates sectors while others are written.
fn write(
    generator: &TimeFrameGenerator,
    labels: LabelSource,
    pages_path: &Path,
    labels_path: &Path,
) -> Result<WrittenCounts, DataError> {
    let sectors = generator.shape().sectors;
    let page_file = PageWriter::create(pages_path)?;
    let create_label_file = || LabelWriter::create(labels_path, sectors);
    let label_file = labels.are_wanted().then(create_label_file).transpose()?;
    let (sender, receiver) = sync_channel(WAITING);
    thread::scope(|scope| {
        let writing =
            Builder::new().spawn_scoped(scope, || write_all(page_file, label_file, receiver));
        let no_thread = |error| {
            DataError::Shape(format!(
                "the system gives no thread to write {}: {error}; raise the limit of threads \
                 (`ulimit -u`, pids.max of the control group)",
                pages_path.escaped()
            ))
        };
        let writing = writing.map_err(no_thread)?;
        for sector in 0..sectors {
            // The receiver is gone if writing failed; the thread's result has the reason.
            if sender.send(make(generator, labels, sector)).is_err() {
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

fn write_all(
    mut page_file: PageWriter,
    mut label_file: Option<LabelWriter<'_>>,
    sectors: Receiver<SectorData>,
) -> Result<WrittenCounts, DataError> {
    let mut written = WrittenCounts::default();
    for (SectorData { pages, labels }, sector) in sectors.into_iter().zip(0..) {
        page_file.write(&pages)?;
        written.pages += pages.pages().len();
        if let (Some(writer), Some(labels)) = (&mut label_file, labels) {
            written.labels += labels.all().len();
            writer.write(&SectorLabels { sector, labels })?;
        }
    }
    page_file.finish()?;
    label_file.map_or(Ok(()), LabelWriter::finish)?;
    Ok(written)
}
