//! `bench portability`: kernels over native ones that do the same, on one GPU.

mod devices;

use std::path::Path;

use reports::charts;
use reports::portability::{self, Comparison, Comparisons, Pair};
use reports::record::Point;
use reports::screen::Screen;
use reports::store::Run;
use reports::table::{Format, Tabular};
use tasks::device::Device;
use text::Untrusted;

use super::pairs::{counterparts, pairs_of_tasks};
use super::suite_run::SuiteRun;
use crate::commands::open_suite;
use crate::commands::suite::not_empty;
use crate::failure::{Exit, Failure};
use crate::measure::KernelTimes;
use crate::platform::Interrupt;
use crate::plugins::{self, Baseline};
use crate::request::PortabilityRequest;
use crate::suite::Suite;

/// The suite with the inputs.
pub(super) const SUITE: &str = "gpu-portability";

/// The table in the run's folder.
const TABLE: &str = "portability.csv";

pub(super) fn run(request: &PortabilityRequest) -> Result<Exit, Failure> {
    plugins::load(&request.plugins, Baseline::Measured)?;
    let pairs = pairs_of_tasks(&request.tasks)?;
    let from = SuiteRun {
        run: request.run.as_deref(),
        budget: request.budget,
        output: &request.output,
        command: &request.command,
        config: &request.config,
        name: "portability",
        kernels: KernelTimes::OfAll,
        interrupt: &Interrupt::listen(),
    };
    let (run, exit) = from.run(|| {
        let gpu = devices::Gpus::here(&request.devices).choose(&request.devices)?;
        part(&gpu.devices(), &pairs)
    })?;
    let compared = portability::comparisons(&run.summary, &run.samples, &pairs);
    if compared.is_empty() {
        let folder = run.folder.escaped();
        let nothing = format!("nothing was compared: no native kernel of {folder} has a partner");
        return Err(Failure::NothingMeasured(nothing));
    }
    present(&compared, &run, &from)?;
    Ok(exit)
}

/// Writes chart and table, then prints: a closed pipe does not affect files.
fn present(compared: &[Comparison], run: &Run, from: &SuiteRun<'_>) -> Result<(), Failure> {
    let table = Comparisons { run: &run.record, all: compared };
    let text = |format, screen| Ok(table.render(format, screen)?);
    if let Some(folder) = from.folder(run) {
        let path = folder.join(TABLE);
        files::create_folder(folder).map_err(Failure::writing(folder))?;
        let table = text(Format::Csv, Screen::default())?;
        files::write_own(&path, table).map_err(Failure::writing(&path))?;
        if from.output.charts {
            charts::write(folder, &charts::draw_portability(&run.record, compared)?)?;
        }
    }
    super::put(&from.output.format, text)
}

/// Keeps the pairs of which a variant other than the native one runs on one of these devices.
fn on_devices(devices: &[Device], mut pairs: Vec<Pair>) -> Vec<Pair> {
    let has =
        |pair: &Pair| devices.iter().any(|device| device.backend().to_string() == pair.backend);
    pairs.retain(has);
    pairs
}

/// Returns true if a point belongs to a pair: native kernels on the GPU (measured twice), portable
/// ones where they run.
fn want(pairs: &[Pair], point: &Point) -> bool {
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

/// The part of the suite that is compared, on these devices. The suite does not know of plugins:
/// theirs are measured wherever it has the native variant.
fn part(devices: &[Device], all: &[Pair]) -> Result<Suite, Failure> {
    let compared = on_devices(devices, all.to_vec());
    let suite = open_suite(Path::new(SUITE), &[])?;
    let suite = suite.with_variants(|point| counterparts(&compared, point))?.on(devices)?;
    let suite = suite.restricted(|point| want(&compared, point));
    not_empty(suite, "nothing is written otherwise in CUDA of these tasks")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::commands::open_suite;
    use crate::commands::pairs::all_pairs;

    #[test]
    fn the_suite_has_both_sides_of_every_pair() {
        let suite = open_suite(Path::new(SUITE), &[]).expect("a suite");
        for pair in all_pairs() {
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
        let pairs = all_pairs();
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
        assert!(on_devices(&[Device::Cuda(0)], pairs).iter().all(|pair| pair.backend == "cuda"));
    }

    #[test]
    fn points_are_on_the_devices_that_were_chosen() {
        let all = pairs_of_tasks(&["unpack".to_owned()]).expect("known");
        let devices = ["cuda:1", "cuda:1+again", "wgpu:3", "wgpu:3+checked"];
        let devices = devices.map(|name| name.parse().expect("a device"));
        let suite = part(&devices, &all).expect("points");
        let of = |device: &str| suite.points().filter(|point| point.device == device).count();
        assert_eq!((of("wgpu:3"), of("wgpu:3+checked"), of("cuda:1+again")), (2, 2, 2));
        assert!(of("cuda:1") >= 2, "natives, and idioms");
        assert_eq!(of("cuda:0") + of("wgpu:0"), 0);
        assert!(suite.points().all(|point| point.algorithm == "unpack"));
    }
    #[test]
    fn what_a_plugin_brings_is_measured_next_to_its_native_variant() {
        // A variant that the suite does not have, as if a plugin had brought it.
        let mut all = pairs_of_tasks(&["sort".to_owned()]).expect("known");
        all.push(Pair {
            task: "sort",
            native: "block-merge-256x11",
            variant: "block-merge-512x7",
            backend: "cuda",
            written_as: "a layer",
            differs: "",
        });
        let devices = ["cuda:1", "cuda:1+again"].map(|name| name.parse().expect("a device"));
        let suite = part(&devices, &all).expect("points");
        let of = |variant: &str| {
            let points = suite.points().filter(|point| point.variant == variant);
            points.map(|point| (point.device.clone(), point.params.clone())).collect::<Vec<_>>()
        };
        let native = of("block-merge-256x11");
        let brought = of("block-merge-512x7");
        assert_eq!((native.len(), brought.len()), (4, 2), "once more only what is native");
        assert!(brought.iter().all(|point| native.contains(point)), "{brought:?}");
    }
}
