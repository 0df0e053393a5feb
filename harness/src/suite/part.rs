//! A part of a suite: a product of axes, as points.

use algorithms::device::Device;
use algorithms::task::{Task, VariantInfo};
use generators::DataError;
use reports::record::{Params, Point};

use super::Settings;
use crate::plan::{TeamLayout, record_params, select_variants};
use crate::platform::gpus::why_not_measured;
use crate::request::{AxisValues, MeasureRequest, Source};

/// Product of axes, or of an include: the points of one measuring command, except excluded ones.
pub struct Part {
    /// The task.
    pub task: &'static dyn Task,
    /// The values of its axes.
    pub axes: AxisValues,
    /// Variants, devices, threads and sampling.
    pub settings: Settings,
    /// The inputs with the points to be measured, at least one each.
    pub inputs: Vec<SuiteInput>,
}

/// An input with the points that are measured on it, interleaved.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteInput {
    /// Parameters, completed with defaults.
    pub params: Params,
    /// The points.
    pub points: Vec<Point>,
}

impl Part {
    /// Every input with every point of the settings.
    ///
    /// # Errors
    /// If a combination of values makes no sense.
    pub(super) fn product(
        task: &'static dyn Task,
        axes: AxisValues,
        settings: Settings,
    ) -> Result<Self, DataError> {
        let inputs = axes.combinations().into_iter().map(|params| {
            let params = record_params(&task.plan(params)?.params);
            let points = points(task, &params, &settings);
            Ok(SuiteInput { params, points })
        });
        Ok(Part { inputs: inputs.collect::<Result<_, DataError>>()?, task, axes, settings })
    }

    /// Replaces the devices, and restores all points.
    pub(super) fn on(self, devices: &[Device]) -> Result<Self, DataError> {
        let settings = Settings { devices: devices.to_vec(), ..self.settings };
        Part::product(self.task, self.axes, settings)
    }

    /// Adds the variants that `additional` returns for its points, unless it has all variants.
    pub(super) fn name_also(&mut self, additional: impl Fn(&Point) -> Vec<&'static str>) {
        if self.settings.variants.is_empty() {
            return;
        }
        let also: Vec<&str> = self.points().flat_map(additional).collect();
        for name in also {
            if !self.settings.variants.iter().any(|known| known == name) {
                self.settings.variants.push(name.to_owned());
            }
        }
    }

    /// All points.
    pub fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.inputs.iter().flat_map(|input| &input.points)
    }

    /// Returns true if a point is measured: part of the product, not excluded, and of this shard.
    pub fn keeps(&self, point: &Point) -> bool {
        let of_input = |input: &&SuiteInput| input.params == point.params;
        let mut inputs = self.inputs.iter().filter(of_input);
        inputs.any(|input| input.points.contains(point))
    }

    /// Keeps some points, and the inputs that have any.
    pub(super) fn retain(&mut self, keep: impl Fn(&Point) -> bool) {
        for input in &mut self.inputs {
            input.points.retain(&keep);
        }
        self.inputs.retain(|input| !input.points.is_empty());
    }

    /// Why nothing can be measured on its devices here; `None` if something can.
    pub(super) fn unusable(&self) -> Option<String> {
        let problem = |&device: &Device| Some(format!("{device}: {}", why_not_measured(device)?));
        let problems: Option<Vec<_>> = self.settings.devices.iter().map(problem).collect();
        problems.map(|problems| problems.join("; "))
    }

    /// The measuring command that has all its points, and those excluded.
    pub fn request(&self, command: &[String]) -> MeasureRequest {
        let source = Source::Generated(self.axes.clone());
        MeasureRequest {
            command: command.to_vec(),
            ..MeasureRequest::new(self.task, source, self.settings.clone())
        }
    }
}

/// The points of an input, in the order of the settings' lists.
fn points(task: &dyn Task, params: &Params, settings: &Settings) -> Vec<Point> {
    let mut points = Vec::new();
    for &device in &settings.devices {
        for variant in variants(task, settings, device) {
            for team in TeamLayout::all(settings, variant.nested) {
                points.extend(settings.caches.iter().map(|cache| Point {
                    algorithm: task.name().to_owned(),
                    variant: variant.name.to_owned(),
                    device: device.to_string(),
                    threads: team.threads,
                    cpu_sets: team.placement.cpu_sets_name(),
                    bind: team.bind_name(),
                    cache: cache.name().to_owned(),
                    params: params.clone(),
                }));
            }
        }
    }
    points
}

/// Returns the variants that run on a device. Globs without a match were reported before.
fn variants(task: &dyn Task, settings: &Settings, device: Device) -> Vec<VariantInfo> {
    let infos = task.variants();
    let selected = select_variants(&infos, &settings.variants).unwrap_or_default();
    let infos = selected.into_iter().map(|number| infos[number]);
    infos.filter(|info| info.backend == device.backend()).collect()
}
