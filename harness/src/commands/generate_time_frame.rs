//! `bench generate tpc`

use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use algorithms::algorithm::Plan;
use algorithms::time_frame;
use generators::DataError;
use generators::io::{PageWriter, index_of, read_pad_mapping};
use generators::tpc::PadMapping;
use generators::tpc::page::PAGE_BYTES;
use generators::tpc::pages::SectorPages;
use generators::tpc::simulate::TimeFrameGenerator;

use crate::failure::{Exit, Failure};
use crate::request::TimeFrameRequest;

/// Sectors that wait to be written: one is being made meanwhile.
const WAITING: usize = 1;
/// Sectors in memory at once: being made (its frames, and put together), waiting,
/// being written.
const SECTORS_IN_MEMORY: u64 = 4;

pub(super) fn run(request: &TimeFrameRequest) -> Result<Exit, Failure> {
    // Before anything is made: the name may be one that can't be written.
    index_of(&request.out)?;
    let mut params = request.axes.combinations().pop().unwrap_or_default();
    params.complete(time_frame::AXES);
    let shape = time_frame::shape(&params)?;
    let mapping = mapping(request.mapping.as_deref())?;
    let generator = TimeFrameGenerator::new(&shape, &mapping, request.seed)?;
    let pages = generator.estimate().pages / shape.sectors as u64;
    crate::plan::check_memory(&Plan {
        params,
        memory_bytes: SECTORS_IN_MEMORY * pages * PAGE_BYTES as u64,
    })?;
    let written = write(&generator, &request.out)?;
    super::say(&format!(
        "{written} pages of {} sectors written to {}",
        shape.sectors,
        request.out.display()
    ));
    Ok(Exit::Success)
}

fn mapping(folder: Option<&Path>) -> Result<PadMapping, DataError> {
    folder.map_or_else(|| Ok(PadMapping::regular()), read_pad_mapping)
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
