//! Pages on the device, with the buffers that the stages exchange.

use generators_tpc::Layout;
use generators_tpc::page::PAGE_BYTES;
use portable_gpu::{DeviceBuffer, DeviceError, FromHost, Gpu, PinnedBuffer};

use super::division::Index;
use super::parts::Part;
use super::tables::DeviceTables;
use crate::kernels::tpc_decode_cuda_pages_page_h::{Fragment, Job, PageRecord, Piece};
use crate::kernels::tpc_decode_fused::{BLOCKS_OF_DENSE_LINK_PAGE, BLOCKS_OF_LINK_PAGE};
use crate::kernels::tpc_decode_place::TILE;
use crate::tpc_decode::charge_map::scale_of;
use crate::tpc_decode::input::TimeFrame;
use tasks::device::buffers;

/// Bit in the word of a page: it is the last one of its stream. Below are sector, endpoint and map,
/// a byte each.
const LAST_OF_STREAM: u32 = 1 << 24;
/// Pages whose samples are summed by a block.
const PAGES_IN_TILE: usize = TILE as usize;

/// Pages on the device with their records.
pub(crate) struct Resident<'a> {
    pub(crate) frame: &'a TimeFrame,
    pub(crate) part: &'a Part,
    pub(crate) tables: &'a DeviceTables,
    pub(crate) buffers: &'a PageBuffers,
}

/// Buffers of a run, except for the output.
pub(crate) struct PageBuffers {
    host_streams: PinnedBuffer<u32>,
    /// Verdict of each page.
    host_verdicts: PinnedBuffer<u8>,
    /// The index of the first job of each fragment, the number of all jobs, and of all samples.
    host_job_offsets: PinnedBuffer<u32>,
    pub(super) pages: DeviceBuffer<u8>,
    pub(super) streams: DeviceBuffer<u32>,
    pub(crate) records: DeviceBuffer<PageRecord>,
    pub(crate) extents: DeviceBuffer<[u32; 2]>,
    pub(super) verdicts: DeviceBuffer<u8>,
    pub(super) index: DeviceBuffer<Piece>,
    /// Entries of the index for each page; 0 if there is no index.
    pub(super) stride: u32,
    pub(super) fragments: DeviceBuffer<Fragment>,
    /// Jobs and samples of the tiles of each fragment.
    pub(super) sums: DeviceBuffer<[u32; 2]>,
    pub(crate) job_offsets: DeviceBuffer<u32>,
    pub(crate) jobs: DeviceBuffer<Job>,
}

buffers!(
    PageBuffers: host_verdicts, host_job_offsets, pages, streams, records, extents, verdicts, index,
    sums, job_offsets, jobs; kept: fragments
);

impl PageBuffers {
    pub(crate) fn new(
        gpu: &Gpu,
        frame: &TimeFrame,
        part: &Part,
        index: Index,
    ) -> Result<Self, DeviceError> {
        let pages = part.pages.len();
        let stride = stride(index, frame.format().layout());
        let job_offsets = part.fragments.len() + 2;
        let tiles = part.fragments.len() * pages.div_ceil(PAGES_IN_TILE);
        let mut buffers = PageBuffers {
            host_streams: gpu.pinned(pages)?,
            host_verdicts: gpu.pinned(pages)?,
            host_job_offsets: gpu.pinned(job_offsets)?,
            pages: gpu.buffer(pages * PAGE_BYTES)?,
            streams: gpu.buffer(pages)?,
            records: gpu.buffer(pages)?,
            extents: gpu.buffer(pages)?,
            verdicts: gpu.buffer(pages)?,
            index: gpu.buffer(pages * stride as usize)?,
            stride,
            fragments: gpu.buffer(part.fragments.len())?,
            sums: gpu.buffer(tiles)?,
            job_offsets: gpu.buffer(job_offsets)?,
            jobs: gpu.buffer(part.jobs())?,
        };
        buffers.host_streams.copy_from_slice(&streams(frame, part));
        gpu.upload(&buffers.fragments, &fragments(frame, part))?;
        gpu.finish()?;
        Ok(buffers)
    }

    /// Copies pages to the device.
    pub(crate) fn upload(&self, gpu: &Gpu, pages: FromHost<'_, u8>) -> Result<(), DeviceError> {
        gpu.upload(&self.pages, pages)?;
        gpu.upload(&self.streams, &self.host_streams)
    }

    /// Copies the data back that the host needs.
    pub(super) fn download(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.download(&mut self.host_verdicts, &self.verdicts)?;
        gpu.download(&mut self.host_job_offsets, &self.job_offsets)
    }

    /// Verdict of each page, once it is downloaded.
    pub(super) fn verdicts(&self) -> &[u8] {
        &self.host_verdicts
    }

    /// Samples of all valid pages, in all fragments.
    pub(super) fn samples(&self) -> usize {
        self.host_job_offsets.last().map_or(0, |&samples| samples as usize)
    }

    /// Number of tiles of the pages of a fragment.
    pub(super) fn tiles(&self) -> usize {
        self.streams.len().div_ceil(PAGES_IN_TILE)
    }
}

/// Maximum number of blocks with samples of a page (records of a row page): limited by the time
/// bins of an orbit, and by the size of the page.
fn stride(index: Index, layout: Layout) -> u32 {
    match (index, layout) {
        (Index::Unused, _) => 0,
        (Index::Written, Layout::Row | Layout::Link) => BLOCKS_OF_LINK_PAGE,
        (Index::Written, Layout::DenseLink) => BLOCKS_OF_DENSE_LINK_PAGE,
    }
}

/// The stream word of each page.
fn streams(frame: &TimeFrame, part: &Part) -> Vec<u32> {
    let sectors = &frame.sectors()[part.sectors.clone()];
    let map_of = |page: usize| sectors.partition_point(|pages| pages.end <= page) as u32;
    let streams = frame.pages.streams().filter(|stream| !stream.pages.is_empty());
    let streams = streams.filter(|stream| part.pages.contains(&stream.first_page));
    let words = streams.flat_map(|stream| {
        let sector = u32::from(stream.id.sector);
        let endpoint = stream.id.endpoint.number() as u32;
        let word = sector | endpoint << 8 | map_of(stream.first_page) << 16;
        let others = std::iter::repeat_n(word, stream.pages.len() - 1);
        others.chain([word | LAST_OF_STREAM])
    });
    words.collect()
}

fn fragments(frame: &TimeFrame, part: &Part) -> Vec<Fragment> {
    let fragments = part.fragments.iter().map(|fragment| Fragment {
        first_time_bin: fragment.time_bins.start,
        time_bins: fragment.time_bins.end - fragment.time_bins.start,
        entries: part.entries() as u32,
        scale: scale_of(frame.format()),
    });
    fragments.collect()
}
