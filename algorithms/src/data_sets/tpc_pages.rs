//! Raw pages of a time frame of the TPC.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use generators::DataError;
use generators::io::{PageWriter, index_of, read_pad_mapping};
use generators::tpc::PadMapping;
use generators::tpc::page::PAGE_BYTES;
use generators::tpc::pages::SectorPages;
use generators::tpc::simulate::TimeFrameGenerator;
use text::Foreign;

use super::{DataSet, DataSetInfo, Write};
use crate::algorithm::Plan;
use crate::axis::{Axis, Flag, Params};
use crate::time_frame;

/// The pad mapping of the experiment.
const MAPPING: Flag<PathBuf> =
    Flag::path("mapping", "Pad mapping: a folder with TABLE-*.txt [default: a regular one]")
        .called("DIR");

static OWN_AXES: &[Axis] = &[MAPPING.axis()];

/// Sectors that wait to be written: one is being made meanwhile.
const WAITING: usize = 1;
/// Sectors in memory at once: being made (its frames, and put together), waiting,
/// being written.
const SECTORS_IN_MEMORY: u64 = 4;

/// Sector by sector, with an index beside them.
pub(super) struct TpcPages;

impl DataSet for TpcPages {
    fn info(&self) -> DataSetInfo {
        DataSetInfo {
            name: "tpc",
            summary: "Write a time frame of the TPC as raw pages, with an index beside it",
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
        let shape = time_frame::shape(&params)?;
        let generator = TimeFrameGenerator::new(&shape, &mapping(&params)?, seed)?;
        let sectors = shape.sectors;
        let pages = generator.estimate().pages / sectors as u64;
        let plan = Plan { params, memory_bytes: SECTORS_IN_MEMORY * pages * PAGE_BYTES as u64 };
        let write = move |say: &dyn Fn(&str)| {
            let (written, out) = (write(&generator, out)?, out.shown());
            say(&format!("{written} pages of {sectors} sectors written to {out}"));
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
