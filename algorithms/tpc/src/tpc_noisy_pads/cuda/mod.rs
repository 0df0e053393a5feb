//! Finding noisy pads on a GPU.
//!
//! Maps are copied to the device, a kernel finds the activity of each pad, and that is copied back.
//! In an experiment the maps are on the device already: decoders have stored them there.
//!
//! Kernels are in separate files: `cache_line.cu`, `bit_runs.cu`.

use std::borrow::Cow;

use generators_tpc::geometry::{ROWS, first_pad_of_row, pads_in_row};
use parallel::par_map;
use portable_gpu::{DeviceBuffer, DeviceError, Kernel, LaunchConfig, PinnedBuffer};

use super::TpcNoisyPads;
use super::input::{PadActivity, Verdict};
use crate::kernels::tpc_noisy_pads_bit_runs::{NOISY_PADS_BIT_RUNS, NoisyPads, TILE_TIMES};
use crate::kernels::tpc_noisy_pads_cache_line::NOISY_PADS_CACHE_LINE;
use crate::kernels::tpc_noisy_pads_cuda_map_h::{PadActivity as Activity, Thresholds};
use crate::tpc_decode::charge_map::{TILE_PADS, tiles_of_row};
use tasks::algorithm::{GpuRunner, GpuTask, PrepareResult, Variant, VariantContext};
use tasks::device::{CachedPerInput, PinnedInput, buffers};

pub(super) const VARIANTS: &[Variant<TpcNoisyPads>] = &[CACHE_LINE, BIT_RUNS];

/// Variants whose kernels also exist as shaders.
pub(super) const AS_SHADERS: &[Variant<TpcNoisyPads>] =
    &[CACHE_LINE.as_shaders(), BIT_RUNS.as_shaders()];

const CACHE_LINE: Variant<TpcNoisyPads> = Variant::cuda(
    "cache-line",
    "published: a block for the eight pads of a cache line, through shared memory",
    |at| on_gpu(at, &NOISY_PADS_CACHE_LINE, |_| 1),
);

const BIT_RUNS: Variant<TpcNoisyPads> = Variant::cuda(
    "bit-runs",
    "ours: charges read once, 16 bytes a lane, as bits; runs of 32 time bins at once",
    |at| on_gpu(at, &NOISY_PADS_BIT_RUNS, |lanes| lanes / TILE_TIMES),
);

struct NoisyPadsKernel {
    kernel: &'static Kernel<NoisyPads>,
    /// Number of groups of pads of a block, by the lanes of a warp.
    groups_of_block: fn(u32) -> u32,
}

struct NoisyPadsBuffers<'a> {
    charges: PinnedInput<'a, u16>,
    on_device: DeviceBuffer<u16>,
    /// Identical for all time frames, so that no run copies it.
    groups: CachedPerInput<'a, DeviceBuffer<Group>>,
    activity: DeviceBuffer<Activity>,
    found: PinnedBuffer<Activity>,
}

buffers!(NoisyPadsBuffers<'_>: charges, on_device, groups, activity, found);

fn on_gpu<'a>(
    at: &VariantContext<'a, '_, TpcNoisyPads>,
    kernel: &'static Kernel<NoisyPads>,
    groups_of_block: fn(u32) -> u32,
) -> PrepareResult<'a, TpcNoisyPads> {
    at.on_gpu::<NoisyPadsBuffers<'a>>(NoisyPadsKernel { kernel, groups_of_block })
}

impl<'a> GpuTask<'a> for NoisyPadsBuffers<'a> {
    type Task = TpcNoisyPads;
    type Config = NoisyPadsKernel;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input: maps, arena, gpu, .. } = at;
        let entries = maps.entries();
        Ok(NoisyPadsBuffers {
            charges: PinnedInput::take(arena, gpu, entries, 0..entries.len())?,
            on_device: gpu.buffer(entries.len())?,
            groups: CachedPerInput::get_or_make("groups", maps, arena, gpu, |gpu| {
                gpu.table(&groups())
            })?,
            activity: gpu.buffer(maps.pads())?,
            found: gpu.pinned(maps.pads())?,
        })
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input: maps, gpu, config, .. } = at;
        gpu.upload(&self.on_device, &self.charges)?;
        let groups = self.groups.len() as u32;
        let of_block = (config.groups_of_block)(gpu.properties().lanes);
        let blocks = maps.sectors() as u32 * groups.div_ceil(of_block);
        let grid = LaunchConfig::blocks(blocks)
            .with_traffic(maps.bytes_with_pads() + self.activity.bytes());
        let most = maps.thresholds();
        let thresholds = Thresholds {
            charges: most.charges.into(),
            run: most.run.into(),
            saturation: most.saturation.into(),
        };
        let arguments = NoisyPads {
            maps: self.on_device.ptr(),
            groups: self.groups.ptr(),
            activity: self.activity.ptr(),
            group_count: groups,
            tile_rows: maps.tile_rows() as u32,
            thresholds,
        };
        // SAFETY: each group of each sector has its tile in all rows of tiles of a map, and its
        // pads have an entry among the activities.
        unsafe { gpu.launch(config.kernel, grid, arguments) }?;
        gpu.download(&mut self.found, &self.activity)
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Vec<PadActivity>> {
        Cow::Owned(par_map(&self.found, activity))
    }
}

fn activity(found: &Activity) -> PadActivity {
    PadActivity {
        charges: found.charges,
        longest_run: found.longest_run,
        largest: found.largest,
        verdict: if found.verdict == 0 { Verdict::Good } else { Verdict::Noisy },
    }
}

/// Pads whose charges are in the same tiles, eight or fewer at the end of a row, in the format of
/// kernels: the tile with the number of pads above it, and the index of the first pad. See
/// `pads/map.h`.
type Group = [u32; 2];

/// The groups of a sector, in the order of their pads.
fn groups() -> Vec<Group> {
    let of_row = |row: usize| {
        let pads = pads_in_row(row);
        let first = first_pad_of_row(row);
        let groups = (0..pads).step_by(TILE_PADS).zip(tiles_of_row(row));
        groups.map(move |(pad, tile)| {
            let in_tile = TILE_PADS.min(pads - pad);
            [(in_tile << 16 | tile) as u32, (first + pad) as u32]
        })
    };
    (0..ROWS).flat_map(of_row).collect()
}
