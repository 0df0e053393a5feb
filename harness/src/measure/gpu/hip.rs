//! AMD GPUs of a run, as in its record.

use std::collections::BTreeSet;

use algorithms::device::Device;
use algorithms::device::gpu::hip;
use reports::record::HipGpu;

use crate::plan::Plan;

/// AMD GPUs used by candidates of these plans.
pub(crate) fn hip_gpus<'a>(plans: impl Iterator<Item = &'a Plan>) -> Vec<HipGpu> {
    let inputs = plans.flat_map(|plan| &plan.inputs);
    let devices = inputs.flat_map(|input| input.candidates.iter().map(|spec| spec.device));
    let numbers: BTreeSet<u32> = devices.filter_map(number).collect();
    let gpus = hip::devices().unwrap_or_default().iter();
    gpus.filter(|gpu| numbers.contains(&gpu.number)).map(described).collect()
}

fn number(device: Device) -> Option<u32> {
    if let Device::Hip(number) = device { Some(number) } else { None }
}

fn described(gpu: &hip::HipGpu) -> HipGpu {
    HipGpu {
        device: Device::Hip(gpu.number).to_string(),
        model: gpu.name.clone(),
        architecture: gpu.architecture.clone(),
        runtime: gpu.runtime.clone(),
        lanes: gpu.lanes,
        memory_bytes: gpu.memory_bytes,
    }
}
