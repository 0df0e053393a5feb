//! Variants that do the same as native ones.

use algorithms::device::{Backend, Device};
use algorithms::registry;
use algorithms::task::VariantInfo;
use reports::portability::Pair;
use reports::record::Point;
use text::Untrusted;

use crate::failure::Failure;
use crate::request::values::instead_of;

/// All pairs of these tasks; of all tasks if none is named.
///
/// # Errors
/// If a task is unknown, or has no such variants.
pub(super) fn of_tasks(names: &[String]) -> Result<Vec<Pair>, Failure> {
    let mut pairs = all();
    if let Some(unknown) = names.iter().find(|name| !pairs.iter().any(|pair| pair.task == **name)) {
        let mut known: Vec<&str> = pairs.iter().map(|pair| pair.task).collect();
        known.dedup();
        let problem = "has no kernels that are there natively and portably";
        let instead = instead_of(unknown, &known);
        return Err(Failure::Usage(format!("task {} {problem}; {instead}", unknown.quoted())));
    }
    pairs.retain(|pair| names.is_empty() || names.iter().any(|name| name == pair.task));
    Ok(pairs)
}

/// Returns the pairs of all tasks.
fn all() -> Vec<Pair> {
    let tasks = registry::tasks().iter();
    tasks
        .flat_map(|task| task.variants().into_iter().filter_map(|it| pair(task.name(), &it)))
        .collect()
}

fn pair(task: &'static str, info: &VariantInfo) -> Option<Pair> {
    let native = info.native?;
    let backend = match info.backend {
        Backend::Cpu => return None,
        Backend::Cuda => "cuda",
        Backend::Wgpu => "wgpu",
    };
    Some(Pair {
        task,
        native: native.variant,
        variant: info.name,
        backend,
        written_as: native.written_as,
        differs: native.differs,
    })
}

/// Keeps the pairs of which a variant other than the native one runs on one of these devices.
pub(super) fn on(devices: &[Device], mut pairs: Vec<Pair>) -> Vec<Pair> {
    let has =
        |pair: &Pair| devices.iter().any(|device| device.backend().to_string() == pair.backend);
    pairs.retain(has);
    pairs
}

/// Returns true if a point belongs to a pair: native kernels on the GPU (measured twice), portable
/// ones where they run.
pub(super) fn want(pairs: &[Pair], point: &Point) -> bool {
    let Ok(device) = point.device.parse::<Device>() else { return false };
    let is_cuda = device.cuda_number().is_some();
    let is_native = |pair: &Pair| is_cuda && pair.native == point.variant;
    let is_other = |pair: &Pair| {
        pair.variant == point.variant
            && device.backend().to_string() == pair.backend
            && !matches!(device, Device::CudaAgain(_))
    };
    let mut of_task = pairs.iter().filter(|pair| pair.task == point.algorithm);
    of_task.any(|pair| is_native(pair) || is_other(pair))
}

/// The variants that do the same as the one of a point.
pub(super) fn counterparts(pairs: &[Pair], point: &Point) -> Vec<&'static str> {
    let is_its = |pair: &&Pair| (pair.task, pair.native) == (&*point.algorithm, &*point.variant);
    pairs.iter().filter(is_its).map(|pair| pair.variant).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::commands::open_suite;

    #[test]
    fn each_pair_has_a_native_variant_of_its_task() {
        let pairs = all();
        assert!(pairs.len() >= 10, "{}", pairs.len());
        for pair in pairs {
            let task = registry::task(pair.task).expect("a task");
            let mut infos = task.variants().into_iter();
            let native = infos.find(|it| it.name == pair.native && it.backend == Backend::Cuda);
            let native = native.unwrap_or_else(|| panic!("{pair:?}"));
            assert_eq!(native.native, None, "{pair:?}");
            assert!(!pair.written_as.is_empty(), "{pair:?}");
        }
    }

    #[test]
    fn the_suite_has_both_sides_of_every_pair() {
        let suite = open_suite(Path::new(super::super::SUITE), &[]).expect("a suite");
        for pair in all() {
            let is_there = |variant: &str, device: &str| {
                suite.points().any(|point| {
                    point.algorithm == pair.task
                        && point.variant == variant
                        && point.device == device
                        && want(&[pair], point)
                })
            };
            assert!(is_there(pair.native, "cuda:0"), "{pair:?}");
            assert!(is_there(pair.native, "cuda:0+again"), "{pair:?}");
            assert!(is_there(pair.variant, &format!("{}:0", pair.backend)), "{pair:?}");
            let is_checked = is_there(pair.variant, "wgpu:0+checked");
            assert_eq!(is_checked, pair.backend == "wgpu", "{pair:?}");
        }
    }

    #[test]
    fn what_is_not_compared_is_not_wanted() {
        let pairs = all();
        let point = |variant: &str, device: &str| Point {
            algorithm: "sort".into(),
            variant: variant.into(),
            device: device.into(),
            ..Point::default()
        };
        assert!(want(&pairs, &point("block-merge-256x11", "cuda:1")));
        assert!(want(&pairs, &point("block-merge", "wgpu:0")));
        assert!(!want(&pairs, &point("block-merge", "cuda:0")), "chunks of 512 digis");
        assert!(!want(&pairs, &point("std-stable", "cpu")));
        assert!(on(&[Device::Cuda(0)], pairs).iter().all(|pair| pair.backend == "cuda"));
    }

    #[test]
    fn unknown_tasks_get_a_suggestion() {
        let names = ["sort".to_owned()];
        assert!(of_tasks(&names).expect("known").iter().all(|pair| pair.task == "sort"));
        for name in ["sorrt", "merge"] {
            let problem = of_tasks(&[name.to_owned()]).expect_err(name).to_string();
            assert!(
                problem.contains("natively and portably") && problem.contains("sort"),
                "{problem}"
            );
        }
    }
}
