//! Threads of each stream, and their placement.

use algorithms::device::gpu::cuda;
use algorithms::device::{Device, Team, TeamError};

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
///
/// # Errors
/// If the threads or the CPU sets are not available.
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
///
/// # Errors
/// If the CPU sets don't exist.
pub(crate) fn team_specs(
    layout: &TeamLayout,
    device_set: &DeviceSet,
    streams: usize,
) -> Result<Vec<TeamSpec>, PlacementError> {
    let topology = &Topology::this_machine();
    let mask = &usable_cpus();
    let all = TeamLayout { threads: layout.threads * streams, ..layout.clone() };
    let placed = all.cpus(topology, mask)?;
    let of_stream = |stream: usize| {
        let cpus = match (&placed, &layout.placement) {
            (Some(placed), _) => placed.chunks(layout.threads).nth(stream).map(<[CpuSet]>::to_vec),
            (None, Placement::None) => near(device_set.of_stream(stream), topology, mask)
                .map(|cpus| vec![cpus; layout.threads]),
            (None, _) => None,
        };
        TeamSpec { layout: layout.clone(), cpus }
    };
    Ok((0..streams).map(of_stream).collect())
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
