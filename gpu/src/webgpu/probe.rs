//! Finds the GPUs.

use std::sync::LazyLock;

use wgpu::{Backends, DeviceType, Features, Instance, InstanceDescriptor, InstanceFlags};

use super::Adapter;

/// A GPU with wgpu's handle to it.
pub(super) struct KnownAdapter {
    pub(super) adapter: Adapter,
    pub(super) handle: wgpu::Adapter,
}

/// The GPUs, found once: this takes a while, and drivers print messages meanwhile.
static ADAPTERS: LazyLock<Vec<KnownAdapter>> = LazyLock::new(look);

const NONE: &str = "no driver for Vulkan knows a GPU; on Debian, libvulkan1 \
                    and the driver of the GPU are needed, or mesa-vulkan-drivers for shaders on \
                    the CPU";

pub(super) fn adapters() -> Result<&'static [KnownAdapter], String> {
    match ADAPTERS.as_slice() {
        [] => Err(NONE.to_owned()),
        found => Ok(found),
    }
}

fn look() -> Vec<KnownAdapter> {
    let instance = Instance::new(InstanceDescriptor {
        backends: Backends::PRIMARY,
        // No validation layers between shaders and the driver, whatever the build profile.
        flags: InstanceFlags::empty(),
        ..InstanceDescriptor::new_without_display_handle()
    });
    let mut handles = pollster::block_on(instance.enumerate_adapters(Backends::PRIMARY));
    handles.sort_by_key(|handle| handle.get_info().device_type == DeviceType::Cpu);
    let found = handles.into_iter().zip(0..);
    found
        .map(|(handle, index)| KnownAdapter { adapter: described(&handle, index), handle })
        .collect()
}

fn described(handle: &wgpu::Adapter, index: u32) -> Adapter {
    let info = handle.get_info();
    let limits = handle.limits();
    let features = handle.features();
    let lanes = (info.subgroup_min_size, info.subgroup_max_size);
    Adapter {
        number: index,
        name: info.name,
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        pci_bus_id: info.device_pci_bus_id,
        interface: info.backend.to_string(),
        is_software: info.device_type == DeviceType::Cpu,
        lanes: features.contains(Features::SUBGROUP).then_some(lanes),
        shared_bytes: limits.max_compute_workgroup_storage_size,
        max_threads: limits.max_compute_invocations_per_workgroup,
        largest_buffer: limits.max_storage_buffer_binding_size.min(limits.max_buffer_size),
        has_times: features.contains(Features::TIMESTAMP_QUERY),
    }
}
