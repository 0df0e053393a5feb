//! Pieces on the device, and the computation of their offsets.

use std::ops::Range;
use std::sync::Arc;

use generators_tpc::clusters::{Clusters, FIELDS, Layout, Per};
use parallel::first_difference;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, Ptr};

use crate::kernels::tpc_gather_chunks::GatherPack;
use crate::kernels::tpc_gather_cuda_pieces_h::{ATTACHED, Array, DIFFERENCES, UNATTACHED, WHOLE};
use crate::kernels::tpc_gather_places::{
    GATHER_PLACES, GATHER_SUMS, GatherPlaces, GatherSums, PieceCounts, TILE as OFFSETS_TILE,
};
use tasks::device::{Arena, CachedPerInput, buffers};

/// Padding after the source, which may be read together with its last bytes.
const SLACK: usize = 32;
/// Pieces whose offsets a block computes.
const TILE: usize = OFFSETS_TILE as usize;

/// Input on the device, as the compression leaves it. Runs only read it, so it is uploaded once.
pub(super) struct GatherInput {
    pub(super) source: DeviceBuffer<u8>,
    pub(super) arrays: DeviceBuffer<Array>,
    pub(super) track_starts: DeviceBuffer<u32>,
    pub(super) row_starts: DeviceBuffer<u32>,
}

buffers!(GatherInput: source, arrays, track_starts, row_starts);

/// Clusters on the device, for kernels.
pub(super) struct DevicePieces<'a> {
    pub(super) input_buffers: CachedPerInput<'a, GatherInput>,
    pub(super) track_offsets: DeviceBuffer<u32>,
    pub(super) row_offsets: DeviceBuffer<u32>,
    sums: DeviceBuffer<u32>,
    /// Offsets of the numbers of clusters of tracks and of rows.
    counts: [u32; 2],
    pub(super) packed_bytes: u64,
}

buffers!(DevicePieces<'_>: input_buffers, track_offsets, row_offsets, sums);

impl GatherInput {
    fn new(gpu: &Gpu, input: &Clusters) -> Result<Self, DeviceError> {
        let device_input = GatherInput {
            source: gpu.buffer(input.bytes().len() + SLACK)?,
            arrays: gpu.buffer(FIELDS.len())?,
            track_starts: gpu.buffer(input.tracks().len())?,
            row_starts: gpu.buffer(input.rows().len())?,
        };
        device_input.upload(gpu, input)?;
        Ok(device_input)
    }

    fn upload(&self, gpu: &Gpu, input: &Clusters) -> Result<(), DeviceError> {
        gpu.upload(&self.source, input.bytes())?;
        let arrays = arrays(input);
        gpu.upload(&self.arrays, &arrays)?;
        gpu.upload(&self.track_starts, &input.tracks().starts)?;
        gpu.upload(&self.row_starts, &input.rows().starts)?;
        // The host's copy of the table is dropped after this call.
        gpu.finish()
    }

    /// The name of an input buffer that was modified, if any.
    fn changed(&self, gpu: &Gpu, input: &Clusters) -> Result<Option<&'static str>, DeviceError> {
        let tracks = &input.tracks().starts;
        let rows = &input.rows().starts;
        let changes = [
            ("its source", differs(gpu, &self.source, input.bytes())?),
            ("its table of arrays", differs(gpu, &self.arrays, &arrays(input))?),
            ("the starts of tracks", differs(gpu, &self.track_starts, tracks)?),
            ("the starts of rows", differs(gpu, &self.row_starts, rows)?),
        ];
        let changed = changes.into_iter().find(|(_, is_changed)| *is_changed);
        Ok(changed.map(|(name, _)| name))
    }
}

/// True if the start of a buffer differs from these values.
fn differs<T: bytemuck::Pod + Default + PartialEq + Send + Sync>(
    gpu: &Gpu,
    buffer: &DeviceBuffer<T>,
    expected: &[T],
) -> Result<bool, DeviceError> {
    let now = gpu.read_back(buffer, 0..expected.len())?;
    Ok(first_difference(expected, &now).is_some())
}

impl<'a> DevicePieces<'a> {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        input: &Clusters,
        arena: &'a Arena,
    ) -> Result<Self, DeviceError> {
        let [tracks, rows] = [input.tracks().len(), input.rows().len()];
        let begin = |name| {
            let field = FIELDS.iter().position(|field| field.name == name);
            input.layout().range(field.unwrap_or_default()).start as u32
        };
        Ok(DevicePieces {
            input_buffers: CachedPerInput::get_or_make("pieces", input, arena, gpu, |gpu| {
                GatherInput::new(gpu, input)
            })?,
            track_offsets: gpu.buffer(tracks + 1)?,
            row_offsets: gpu.buffer(rows + 1)?,
            sums: gpu.buffer(tracks.div_ceil(TILE) + rows.div_ceil(TILE))?,
            counts: ["track_n_clusters", "row_n_clusters"].map(begin),
            packed_bytes: input.packed().bytes() as u64,
        })
    }

    /// Reports modification of read-only input by a run. The input is then uploaded again, as other
    /// runs use it too.
    pub(super) fn damage(
        &self,
        gpu: &Gpu,
        input: &Clusters,
    ) -> Result<Option<&'static str>, DeviceError> {
        let changed = self.input_buffers.changed(gpu, input)?;
        if changed.is_some() {
            self.input_buffers.upload(gpu, input)?;
        }
        Ok(changed)
    }

    /// Computes the offsets of all pieces.
    pub(super) fn compute_offsets(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let [track_counts, row_counts] = self.counts;
        let tracks = self.tracks();
        let rows = self.rows();
        let source = self.input_buffers.source.ptr();
        let counts = PieceCounts { source, track_counts, row_counts, tracks, rows };
        let sums = self.sums.ptr();
        let summing = GatherSums { counts, sums };
        let track_offsets = self.track_offsets.ptr();
        let row_offsets = self.row_offsets.ptr();
        let scan = GatherPlaces { counts, sums, track_offsets, row_offsets };
        let counts_bytes = 2 * u64::from(tracks) + 4 * u64::from(rows);
        let offsets_bytes = 4 * u64::from(tracks + rows);
        let grid = LaunchConfig::blocks(self.sums.len() as u32);
        // SAFETY: the numbers of clusters are in the source, and there is a sum for each block and
        // an offset for each piece and for the end.
        unsafe {
            gpu.launch(&GATHER_SUMS, grid.with_traffic(counts_bytes), summing)?;
            gpu.launch(&GATHER_PLACES, grid.with_traffic(counts_bytes + offsets_bytes), scan)
        }
    }

    /// Arguments of a kernel that packs some arrays into `target`.
    pub(super) fn arguments(&self, target: Ptr<u8>, arrays: Range<usize>) -> GatherPack {
        GatherPack {
            source: self.input_buffers.source.ptr(),
            target,
            arrays: self.input_buffers.arrays.ptr(),
            track_starts: self.input_buffers.track_starts.ptr(),
            track_offsets: self.track_offsets.ptr(),
            row_starts: self.input_buffers.row_starts.ptr(),
            row_offsets: self.row_offsets.ptr(),
            first_array: arrays.start as u32,
            end_array: arrays.end as u32,
            tracks: self.tracks(),
            rows: self.rows(),
        }
    }

    fn tracks(&self) -> u32 {
        self.input_buffers.track_starts.len() as u32
    }

    fn rows(&self) -> u32 {
        self.input_buffers.row_starts.len() as u32
    }
}

/// All arrays, in the order of their fields.
fn arrays(input: &Clusters) -> Vec<Array> {
    let packed = Layout::new(&input.packed());
    let array = |(number, field): (usize, &generators_tpc::clusters::Field)| {
        let from = input.layout().range(number).start as u64;
        let to = packed.range(number);
        Array {
            from,
            to: to.start as u64,
            bytes: to.len() as u32,
            width: field.bytes as u32,
            pieces: match field.per {
                Per::Row | Per::Track => WHOLE,
                Per::Attached => ATTACHED,
                Per::Difference => DIFFERENCES,
                Per::Unattached => UNATTACHED,
            },
            unused: 0,
        }
    };
    FIELDS.iter().enumerate().map(array).collect()
}
