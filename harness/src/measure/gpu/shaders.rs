//! GPUs of a run that shaders run on, as in its record.

use std::collections::BTreeSet;

use algorithms::device::Device;
use algorithms::device::gpu::webgpu::{self, Checks};
use reports::record::{Adapter, Shaders};

use crate::plan::Plan;

/// GPUs on which candidates of these plans run shaders; `None` if there are none.
pub(crate) fn shaders<'a>(plans: impl Iterator<Item = &'a Plan> + Clone) -> Option<Shaders> {
    let inputs = plans.flat_map(|plan| &plan.inputs);
    let devices = inputs.flat_map(|input| input.candidates.iter().map(|spec| spec.device));
    let opened: BTreeSet<_> = devices.filter_map(Device::adapter).collect();
    let checked = opened.iter().all(|(_, checks)| *checks == Checks::All);
    let adapters: Vec<_> =
        opened.into_iter().filter_map(|(number, checks)| adapter(number, checks)).collect();
    (!adapters.is_empty()).then_some(Shaders { adapters, checked })
}

fn adapter(number: u32, checks: Checks) -> Option<Adapter> {
    let known = webgpu::adapters().ok()?.into_iter().nth(number as usize)?;
    let device = Device::Wgpu(number);
    let device = if checks == Checks::All { device.checked() } else { device };
    Some(Adapter {
        device: device.to_string(),
        model: known.name,
        driver: known.driver,
        interface: known.interface,
        lanes: known.lanes.map_or(Vec::new(), |(min, max)| vec![min, max]),
    })
}
