//! Slowdown of concurrent work by gathering.

use std::time::Instant;

use portable_gpu::ceilings::MemoryStreams;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};

use crate::kernels::tpc_gather_beside::{GATHER_BESIDE_COMPUTE, GatherBesideCompute, THREADS};
use crate::tpc_gather::{SLOWDOWN_OF_COMPUTE, SLOWDOWN_OF_COPY};
use tasks::algorithm::{Metric, Relation};

/// Blocks on each multiprocessor: more than are resident, so that none is ever idle.
const BLOCKS_EACH: u32 = 32;
/// Bytes of each array that is copied: larger than caches.
const COPIED_BYTES: usize = 256 << 20;
/// Maximum number of starts of a kernel: more would fill the driver's queue, and the host would
/// wait.
const MAX_STARTS: usize = 500;

/// Ratio of the times with and without gathering: of a copy in device memory and of work in
/// registers, each of which takes as long as gathering. Nothing if the device has no meaningful
/// times.
pub(in crate::tpc_gather) fn slowdowns(
    gpu: &Gpu,
    mut gather: impl FnMut() -> Result<(), DeviceError>,
) -> Result<Vec<Metric>, DeviceError> {
    gpu.finish()?;
    let since = Instant::now();
    gather()?;
    gpu.finish()?;
    let alone = since.elapsed().as_secs_f64();
    let streams = MemoryStreams::new(gpu, COPIED_BYTES)?;
    let compute = Compute::new(gpu)?;
    let copy = slowdown(gpu, alone, |gpu| streams.copy(gpu), &mut gather)?;
    let compute = slowdown(gpu, alone, |gpu| compute.start(gpu), &mut gather)?;
    let named = [(&SLOWDOWN_OF_COPY, copy), (&SLOWDOWN_OF_COMPUTE, compute)];
    let known = named.into_iter().filter_map(|(info, value)| Some((info, value?)));
    Ok(known.map(|(info, value)| Metric::new(info, value, Relation::Itself)).collect())
}

/// The slowdown of a kernel that is started repeatedly for `seconds` seconds.
fn slowdown(
    gpu: &Gpu,
    seconds: f64,
    start: impl Fn(&Gpu) -> Result<(), DeviceError>,
    gather: &mut impl FnMut() -> Result<(), DeviceError>,
) -> Result<Option<f64>, DeviceError> {
    let nothing = |_: &Gpu| Ok(());
    // The first launch is not timed, as it may have to load the kernel.
    start(gpu)?;
    let Some(once) = gpu.seconds_alongside(&start, nothing)? else {
        return Ok(None);
    };
    let starts = ((seconds / once).ceil() as usize).clamp(1, MAX_STARTS);
    let all = |gpu: &Gpu| (0..starts).try_for_each(|_| start(gpu));
    let alone = gpu.seconds_alongside(all, nothing)?;
    let together = gpu.seconds_alongside(all, |_| gather())?;
    Ok(together.zip(alone).map(|(together, alone)| together / alone))
}

struct Compute {
    results: DeviceBuffer<f32>,
    blocks: u32,
}

impl Compute {
    fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let blocks = BLOCKS_EACH * gpu.properties().multiprocessors;
        Ok(Compute { results: gpu.buffer((blocks * THREADS) as usize)?, blocks })
    }

    fn start(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let results = self.results.ptr();
        let grid = LaunchConfig::blocks(self.blocks);
        let arguments = GatherBesideCompute { results };
        // SAFETY: there is a result for each thread.
        unsafe { gpu.launch(&GATHER_BESIDE_COMPUTE, grid, arguments) }
    }
}
