//! Background loads, which are not tasks: arithmetic, copies of arrays, and copies over a link. They
//! run in the same windows as the loads, as streams whose events are short pieces of work.

use std::hint::black_box;

use portable_gpu::DeviceError;
use reports::mixed::{BACKGROUND, LoadRow};
use tasks::algorithm::CheckError;
use tasks::device::{Device, HostStreams};
use tasks::task::Candidate;

use super::file::LoadSpec;
use crate::plan::PlanError;
use crate::platform::{Topology, last_level_bytes, usable_threads};
use crate::request::{Background, MixedRequest};
use crate::throughput::{EventGpuMetrics, LinkLoad, LinksError, StreamGpus};

/// Iterations of arithmetic in a piece of work: about a millisecond.
const ITERATIONS: u64 = 1 << 20;
/// Total size of the arrays to copy, in multiples of the last-level cache, and the smallest size for
/// a thread.
const TIMES_CACHE: u64 = 4;
const MIN_BYTES: u64 = 8 << 20;
/// Arrays of a thread: `HostStreams` has three.
const ARRAYS: u64 = 3;

/// A background load with its threads and device.
#[derive(Clone, Copy, Debug)]
pub(super) struct BackgroundSpec {
    pub(super) kind: Background,
    pub(super) threads: usize,
    device: Device,
    /// Bytes of each array of a thread.
    array_bytes: u64,
}

impl BackgroundSpec {
    /// Background loads of a request; copies over a link are of the first GPU of the loads, or of
    /// this machine.
    pub(super) fn all<'a>(
        request: &MixedRequest,
        loads: impl Iterator<Item = &'a LoadSpec>,
    ) -> Result<Vec<Self>, PlanError> {
        let is_gpu = |device: &Device| *device != Device::Cpu;
        let mut of_loads = loads.map(LoadSpec::device).filter(is_gpu);
        let mut gpu = || of_loads.next().or_else(|| usable_gpus().into_iter().next());
        let specs = request.backgrounds.iter().map(|&kind| {
            let device = match kind {
                Background::Cores | Background::Memory => Device::Cpu,
                Background::Link => gpu().ok_or_else(|| {
                    let problem = "--background link needs a GPU, and there is none; run bench \
                                   devices, or use --background cores or memory";
                    PlanError::NothingToMeasure(problem.to_owned())
                })?,
            };
            let threads = match kind {
                Background::Link => 1,
                _ => request.background_threads.map_or_else(usable_threads, |it| it as usize),
            };
            let array_bytes = if kind == Background::Memory { array_bytes(threads) } else { 0 };
            Ok(BackgroundSpec { kind, threads, device, array_bytes })
        });
        specs.collect()
    }

    pub(super) fn name(&self) -> String {
        format!("{BACKGROUND}{}", self.kind.name())
    }

    pub(super) fn device(&self) -> Device {
        self.device
    }

    /// Bytes of memory of all threads.
    pub(super) fn bytes(&self) -> u64 {
        ARRAYS * self.array_bytes * self.threads as u64
    }

    /// The work of one thread, to be called by it.
    pub(super) fn work(&self, gpus: &StreamGpus) -> Result<BackgroundWork, LinksError> {
        Ok(match self.kind {
            Background::Cores => BackgroundWork::Arithmetic,
            Background::Memory => {
                BackgroundWork::Copies(HostStreams::new((self.array_bytes / 8) as usize))
            }
            Background::Link => BackgroundWork::Link(LinkLoad::open(self.device, gpus)?),
        })
    }

    /// Its row, without results. Each thread is a stream.
    pub(super) fn row(&self, items: u64) -> LoadRow {
        let is_copy = self.kind != Background::Cores;
        LoadRow {
            load: self.name(),
            algorithm: "background".to_owned(),
            variant: self.kind.name().to_owned(),
            backend: self.device.backend().to_string(),
            device: self.device.to_string(),
            threads: 1,
            cpu_sets: "none".to_owned(),
            bind: "false".to_owned(),
            streams: self.threads,
            batch: 1,
            items: items as f64,
            item_unit: if is_copy { "byte" } else { "iteration" }.to_owned(),
            bytes_min: if self.kind == Background::Memory { items as f64 } else { 0.0 },
            working_set_bytes: self.bytes(),
            ..LoadRow::default()
        }
    }
}

fn usable_gpus() -> Vec<Device> {
    let mut devices = crate::platform::gpus::usable_devices();
    devices.retain(|&device| device != Device::Cpu);
    devices
}

/// Bytes of an array of a thread, so that the arrays of all threads are larger than the caches.
fn array_bytes(threads: usize) -> u64 {
    let (cache, _) = last_level_bytes(&Topology::this_machine());
    (TIMES_CACHE * cache / threads as u64).max(MIN_BYTES)
}

/// Work of a thread of a background load.
pub(super) enum BackgroundWork {
    Arithmetic,
    Copies(HostStreams),
    Link(LinkLoad),
}

impl BackgroundWork {
    /// Items of a piece of work.
    pub(super) fn items(&self) -> u64 {
        match self {
            BackgroundWork::Arithmetic => ITERATIONS,
            BackgroundWork::Copies(streams) => 2 * streams.array_bytes() as u64,
            BackgroundWork::Link(link) => link.bytes(),
        }
    }

    /// GPU metrics of a piece of work: its copies over a link.
    pub(super) fn gpu_metrics(&self) -> Option<EventGpuMetrics> {
        match self {
            BackgroundWork::Link(link) => Some(EventGpuMetrics::copies(link.bytes() as f64 / 2.0)),
            BackgroundWork::Arithmetic | BackgroundWork::Copies(_) => None,
        }
    }
}

impl Candidate for BackgroundWork {
    fn reset(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        match self {
            BackgroundWork::Arithmetic => {
                black_box(spin(black_box(1.0)));
            }
            BackgroundWork::Copies(streams) => {
                streams.copy();
                black_box(streams);
            }
            BackgroundWork::Link(link) => link.copy()?,
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), CheckError> {
        Ok(())
    }

    fn release(&mut self) {}

    fn buffer_bytes(&self) -> u64 {
        match self {
            BackgroundWork::Arithmetic => 0,
            BackgroundWork::Copies(streams) => ARRAYS * streams.array_bytes() as u64,
            BackgroundWork::Link(link) => link.bytes(),
        }
    }
}

/// Multiplications and additions in registers, each of which needs the result of the previous one of
/// its chain.
fn spin(start: f64) -> f64 {
    let mut chains = [start, start + 1.0, start + 2.0, start + 3.0];
    for _ in 0..ITERATIONS / 4 {
        for chain in &mut chains {
            *chain = *chain * 0.999_999 + 1e-6;
        }
    }
    chains.iter().sum()
}
