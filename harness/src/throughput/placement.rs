//! Threads of each stream, their placement, and its GPU handle with queues and buffers of its own.

use std::sync::{Arc, Mutex, PoisonError};

use portable_gpu::cuda::{self, ContextSharing};
use portable_gpu::emulator::Config;
use portable_gpu::{DeviceError, Gpu, hip, webgpu};
use tasks::device::{Device, Team, TeamError};

use super::plan::PointSpec;
use crate::plan::{Plan, TeamLayout, TeamSpec};
use crate::platform::placement::{CpuSet, Placement, PlacementError};
use crate::platform::{Topology, gpu_node, usable_cpus};
use crate::request::DeviceSet;

/// Starts the teams of some streams.
///
/// With CPU sets, the threads of all streams together are bound as one team, and each stream gets
/// its share of them, in order. Without, the streams of a GPU run on the CPUs of the GPU's
/// NUMA node, and all others where the system schedules them.
pub(super) fn start_teams(
    point: &PointSpec,
    streams: &[usize],
    plan: &Plan,
) -> Result<Vec<Team>, TeamError> {
    let layout = &plan.teams[point.candidate.team].layout;
    let specs = team_specs(layout, &point.device_set, point.streams);
    let specs = specs.map_err(|PlacementError(problem)| TeamError::Bind { worker: 0, problem })?;
    streams.iter().filter_map(|&stream| specs.get(stream)).map(TeamSpec::start).collect()
}

/// Teams for `streams` streams on some devices, with `layout` each; see [`start_teams`].
pub(crate) fn team_specs(
    layout: &TeamLayout,
    device_set: &DeviceSet,
    streams: usize,
) -> Result<Vec<TeamSpec>, PlacementError> {
    let team =
        |stream| StreamTeam { threads: layout.threads, device: device_set.of_stream(stream) };
    stream_specs(&layout.placement, &(0..streams).map(team).collect::<Vec<_>>())
}

/// Number of threads of a stream, and its device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamTeam {
    pub(crate) threads: usize,
    pub(crate) device: Device,
}

/// Specifies the teams of streams. All their threads are bound as one team: each stream gets its
/// share of the CPU sets, in order. Without CPU sets, see [`start_teams`].
pub(crate) fn stream_specs(
    placement: &Placement,
    streams: &[StreamTeam],
) -> Result<Vec<TeamSpec>, PlacementError> {
    let topology = &Topology::this_machine();
    let mask = &usable_cpus();
    let layout = |threads| TeamLayout { threads, placement: placement.clone(), inner: None };
    let all = layout(streams.iter().map(|stream| stream.threads).sum());
    let mut placed = all.cpus(topology, mask)?.map(Vec::into_iter);
    let of_stream = |&StreamTeam { threads, device }: &StreamTeam| {
        let cpus = match (&mut placed, placement) {
            (Some(placed), _) => Some(placed.take(threads).collect()),
            (None, Placement::None) => near(device, topology, mask).map(|cpus| vec![cpus; threads]),
            (None, _) => None,
        };
        TeamSpec { layout: layout(threads), cpus }
    };
    Ok(streams.iter().map(of_stream).collect())
}

/// Usable CPUs of the NUMA node of a GPU; `None` if all are equally near.
fn near(device: Device, topology: &Topology, mask: &[usize]) -> Option<CpuSet> {
    let number = device.cuda_number()?;
    if topology.nodes() < 2 {
        return None;
    }
    let (_, gpus) = cuda::devices().ok()?;
    let node = gpu_node(&gpus.get(number as usize)?.pci_bus_id)?;
    let of_node = topology.cpus.iter().filter(|cpu| cpu.node == node).map(|cpu| cpu.number);
    let cpus: CpuSet = of_node.filter(|cpu| mask.contains(cpu)).collect();
    (!cpus.is_empty()).then_some(cpus)
}

/// GPUs of streams, kept between points, because opening one loads all its kernels.
#[derive(Default)]
pub(crate) struct StreamGpus(Mutex<Vec<(Device, usize, Arc<Gpu>)>>);

impl StreamGpus {
    /// GPU of a stream; `None` on the host.
    pub(crate) fn for_stream(
        &self,
        device: Device,
        stream: usize,
    ) -> Result<Option<Arc<Gpu>>, DeviceError> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            open.iter().find(|(other, for_stream, _)| (*other, *for_stream) == (device, stream));
        if let Some((.., gpu)) = known.filter(|(.., gpu)| !gpu.is_lost()) {
            return Ok(Some(Arc::clone(gpu)));
        }
        let gpu = match (device, device.cuda_number(), device.adapter()) {
            (Device::Cpu, ..) => return Ok(None),
            // Kernels of separate contexts would be time-sliced.
            (_, Some(number), _) => cuda::open(number, ContextSharing::Primary)?,
            (_, _, Some((number, checks))) => webgpu::open(number, checks)?,
            (Device::Hip(number), ..) => hip::open(number)?,
            // Commands refuse it; tests check the results of streams on a GPU with it.
            _ => Gpu::emulated(Config::default())?,
        };
        if gpu.copies_wait_for_others() {
            gpu.copy_small_by_kernel();
        }
        let gpu = Arc::new(gpu);
        open.retain(|(other, for_stream, _)| (*other, *for_stream) != (device, stream));
        open.push((device, stream, Arc::clone(&gpu)));
        Ok(Some(gpu))
    }

    /// Releases unused memory.
    pub(crate) fn trim(&self) {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().for_each(|(.., gpu)| gpu.trim());
    }
}
