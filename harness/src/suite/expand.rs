//! From values of axes to points.

use algorithms::device::Device;
use algorithms::task::Task;
use generators::DataError;
use reports::record::{Params, Point};

use super::settings::Settings;
use crate::plan::{record_params, select_variants};
use crate::platform::placement::Placement;
use crate::request::{AxisValues, CacheMode};

/// An input with the points that are measured on it, interleaved.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteInput {
    /// What describes it, complete with defaults.
    pub params: Params,
    /// The points.
    pub points: Vec<Point>,
}

/// Every input with every point of the settings.
///
/// # Errors
/// If a combination of values makes no sense.
pub(super) fn product(
    task: &dyn Task,
    axes: &AxisValues,
    settings: &Settings,
) -> Result<Vec<SuiteInput>, DataError> {
    let inputs = axes.combinations().into_iter().map(|params| {
        let params = record_params(&task.plan(params)?.params);
        let points = points(task, &params, settings);
        Ok(SuiteInput { params, points })
    });
    inputs.collect()
}

/// The points of an input, in the order of the settings' lists.
fn points(task: &dyn Task, params: &Params, settings: &Settings) -> Vec<Point> {
    let placements = Placement::combinations(&settings.places, &settings.binds);
    let mut points = Vec::new();
    for &device in &settings.devices {
        for variant in variants(task, settings, device) {
            for &threads in &settings.threads {
                for placement in &placements {
                    points.extend(settings.caches.iter().map(|cache: &CacheMode| Point {
                        algorithm: task.name().to_owned(),
                        variant: variant.to_owned(),
                        device: device.to_string(),
                        threads,
                        places: placement.places_name(),
                        bind: placement.bind_name(),
                        cache: cache.name().to_owned(),
                        params: params.clone(),
                    }));
                }
            }
        }
    }
    points
}

/// The variants that run on a device. Globs that match nothing have been
/// told before.
fn variants(task: &dyn Task, settings: &Settings, device: Device) -> Vec<&'static str> {
    let infos = task.variants();
    let selected = select_variants(&infos, &settings.variants).unwrap_or_default();
    let infos = selected.into_iter().map(|number| infos[number]);
    let here = infos.filter(|info| info.backend == device.backend());
    here.map(|info| info.name).collect()
}
