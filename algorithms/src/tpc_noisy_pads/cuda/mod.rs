//! Finding noisy pads on a GPU.
//!
//! Maps go to the device, a kernel finds what each pad did, and that comes back. In an
//! experiment the maps are on the device already: decoders have left them there.
//!
//! | module | holds |
//! |---|---|
//! | `groups` | the pads whose charges are in the same tiles |
//! | `prepared` | a variant that is ready to run |
//!
//! Kernels are in files of their own: `cache_line.cu`, `bit_runs.cu`.

mod groups;
mod prepared;
#[cfg(test)]
mod tests;

use super::TpcNoisyPads;
use super::input::ChargeMaps;
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::gpu::{Image, Kernel, Ptr, image};
use crate::device::{Arena, Backend, Place};
use prepared::PreparedCudaNoisyPads;

static CACHE_LINE_IMAGE: Image = image!("tpc_noisy_pads-cache_line");
static BIT_RUNS_IMAGE: Image = image!("tpc_noisy_pads-bit_runs");

/// A [`PadActivity`](super::PadActivity) as kernels write it.
type Activity = [u16; 4];

/// Maps, groups, activity; the number of groups of a sector, rows of tiles; thresholds of
/// charges, runs and saturation.
type FindKernel = Kernel<(
    Ptr<u16>,
    Ptr<groups::Group>,
    Ptr<Activity>,
    u32,
    u32,
    u32,
    u32,
    u32,
)>;

static CACHE_LINE_KERNEL: FindKernel = Kernel::new(&CACHE_LINE_IMAGE, "noisy_pads_cache_line");
static BIT_RUNS_KERNEL: FindKernel = Kernel::new(&BIT_RUNS_IMAGE, "noisy_pads_bit_runs");

/// A way to find noisy pads on a GPU.
pub(super) struct CudaNoisyPads {
    name: &'static str,
    summary: &'static str,
    launch: Launch,
}

/// A kernel, and how it is started.
#[derive(Clone, Copy)]
struct Launch {
    kernel: &'static FindKernel,
    threads: u32,
    /// The groups of pads that a block has, by the lanes of a warp.
    groups_of_block: fn(u32) -> u32,
}

pub(super) static CACHE_LINE: CudaNoisyPads = CudaNoisyPads {
    name: "cache-line",
    summary: "published: a block for the eight pads of a cache line, through shared memory",
    launch: Launch {
        kernel: &CACHE_LINE_KERNEL,
        threads: 64,
        groups_of_block: |_| 1,
    },
};

pub(super) static BIT_RUNS: CudaNoisyPads = CudaNoisyPads {
    name: "bit-runs",
    summary: "ours: charges read once, 16 bytes a lane, as bits; runs of 32 time bins at once",
    launch: Launch {
        kernel: &BIT_RUNS_KERNEL,
        threads: 256,
        groups_of_block: |lanes| lanes / groups::LANES_OF_GROUP,
    },
};

impl Variant<TpcNoisyPads> for CudaNoisyPads {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cuda
    }

    fn stable(&self) -> bool {
        true
    }

    fn prepare<'a>(
        &self,
        maps: &'a ChargeMaps,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<TpcNoisyPads> + 'a>, Unavailable> {
        let gpu = place.required_gpu()?;
        let prepared = PreparedCudaNoisyPads::new(self.launch, maps, arena, gpu);
        Ok(Box::new(prepared))
    }
}
