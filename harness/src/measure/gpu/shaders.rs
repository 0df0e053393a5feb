//! The GPUs of a run that shaders run on, as its record has them.

use std::collections::BTreeSet;

use algorithms::device::Device;
use algorithms::device::gpu::webgpu::{self, Checks};
use reports::record::{Adapter, Shaders};

use crate::plan::Plan;

/// Those that candidates of these plans run on; `None` if there are none.
pub(crate) fn shaders<'a>(plans: impl Iterator<Item = &'a Plan> + Clone) -> Option<Shaders> {
    let checked = Plan::checks_of(plans.clone()) == Checks::All;
    let inputs = plans.flat_map(|plan| &plan.inputs);
    let devices = inputs.flat_map(|input| input.candidates.iter().map(|spec| spec.device));
    let number = |device| match device {
        Device::Wgpu(number) => Some(number),
        _ => None,
    };
    let numbers: BTreeSet<u32> = devices.filter_map(number).collect();
    let adapters: Vec<_> = numbers.into_iter().filter_map(adapter).collect();
    (!adapters.is_empty()).then_some(Shaders { adapters, checked })
}

fn adapter(number: u32) -> Option<Adapter> {
    let known = webgpu::adapters().ok()?.into_iter().nth(number as usize)?;
    Some(Adapter {
        device: Device::Wgpu(number).to_string(),
        model: known.name,
        driver: known.driver,
        interface: known.interface,
        lanes: known.lanes.map_or(Vec::new(), |(least, most)| vec![least, most]),
    })
}
