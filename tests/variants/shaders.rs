//! All variants that are shaders, on a GPU that wgpu knows or on a software renderer.

use std::sync::Arc;

use crate::common::tasks;
use portable_gpu::webgpu::{self, Checks};
use portable_gpu::{DeviceError, Gpu};
use tasks::device::{Backend, Device, Target, Team};

/// Checks all variants of all tasks on small hard inputs; returns the number of checked runs.
fn all_are_right(gpu: Arc<Gpu>) -> usize {
    const MAX_ITEMS: u64 = 6_000;
    let team = Team::new(1).expect("a thread");
    let target = Target { device: Device::Wgpu(0), gpu: Some(gpu), team: &team };
    let mut run = 0;
    for task in tasks() {
        let infos = task.variants();
        let of_shaders = |index: &usize| infos[*index].backend == Backend::Wgpu;
        let numbers: Vec<_> = (0..infos.len()).filter(of_shaders).collect();
        let mut cases = if numbers.is_empty() { Vec::new() } else { task.hard_cases(5) };
        cases.retain(|(_, case)| case.work().items <= MAX_ITEMS);
        for (name, case) in &cases {
            for &index in &numbers {
                let Ok(mut candidate) = case.prepare(index, &target) else { continue };
                let ran = candidate.reset().and_then(|()| candidate.poison());
                let ran = ran.and_then(|()| candidate.run()).map(drop);
                if matches!(ran, Err(DeviceError::Lacking { .. } | DeviceError::TooLarge { .. })) {
                    continue;
                }
                let what = format!("{} {}, {name}", task.name(), infos[index].name);
                assert_eq!(ran, Ok(()), "{what}");
                candidate.check().unwrap_or_else(|error| panic!("{what}: {error}"));
                run += 1;
            }
        }
    }
    run
}

#[test]
fn variants_are_right_with_whole_subgroups_and_with_parts_of_them() {
    let Ok(gpu) = webgpu::open(0, Checks::None) else {
        eprintln!("skipped: no shaders run here");
        return;
    };
    assert!(all_are_right(Arc::new(gpu)) > 80);
    if let Some(gpu) = webgpu::with_min_lanes(4) {
        assert!(all_are_right(Arc::new(gpu)) > 80);
    }
}
