//! A part of a suite: a product of axes, as points; and shards of a suite, one per machine.

use generators_common::DataError;
use reports::record::{Params, Point, Shard};
use tasks::device::Device;
use tasks::task::{Task, VariantInfo};

use super::{Settings, Suite};
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

    /// Adds the variants that `additional` returns for its points, unless it has all variants. If
    /// there are any, all points are restored.
    pub(super) fn with_variants(
        mut self,
        additional: impl Fn(&Point) -> Vec<&'static str>,
    ) -> Result<Self, DataError> {
        let known = self.settings.variants.len();
        if known == 0 {
            return Ok(self);
        }
        let also: Vec<&str> = self.points().flat_map(additional).collect();
        for name in also {
            if !self.settings.variants.iter().any(|known| known == name) {
                self.settings.variants.push(name.to_owned());
            }
        }
        if self.settings.variants.len() == known {
            return Ok(self);
        }
        Part::product(self.task, self.axes, self.settings)
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

/// Identity of an input: task, parameters and seed.
type InputKey = (&'static str, Params, u64);

impl Suite {
    /// Returns the inputs of a shard with all their points, so that the variants of an input are
    /// measured interleaved. Inputs are distributed round-robin. The hash remains that of the complete
    /// suite.
    #[must_use]
    pub fn shard(mut self, shard: Shard) -> Self {
        let mut dealt: Vec<InputKey> = Vec::new();
        for part in &mut self.parts {
            let task = part.task.name();
            let seed = part.settings.seed;
            part.inputs.retain(|input| {
                let number = number(&mut dealt, (task, input.params.clone(), seed));
                number % shard.of == shard.number - 1
            });
        }
        self.parts.retain(|part: &Part| !part.inputs.is_empty());
        self
    }
}

/// Returns the index of an input; parts with the same input share it.
fn number(dealt: &mut Vec<InputKey>, key: InputKey) -> usize {
    let known = dealt.iter().position(|other| *other == key);
    known.unwrap_or_else(|| {
        dealt.push(key);
        dealt.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use reports::record::Point;

    use super::*;

    /// Two parts that share an input.
    const TEXT: &str = r#"
        name = "shared"
        [defaults]
        threads = [1]
        [[task]]
        name = "sort"
        variants = ["std-*", "rdst"]
        axes = { segments = [24, 1792], digis = ["1k", "2k", "3k"], order = ["random", "time"] }
        [[task.include]]
        threads = 2
        [[task.include]]
        digis = "9k"
        threads = [1, 2]
    "#;

    fn suite() -> Suite {
        Suite::parse("shared", TEXT).unwrap_or_else(|error| panic!("{error}"))
    }

    fn inputs(suite: &Suite) -> HashSet<&Params> {
        let inputs = suite.parts.iter().flat_map(|part| &part.inputs);
        inputs.map(|input| &input.params).collect()
    }

    fn shards(of: usize) -> Vec<Suite> {
        let shard = |number| suite().shard(Shard { number, of });
        (1..=of).map(shard).collect()
    }

    #[test]
    fn shards_together_are_the_whole_and_share_nothing() {
        let whole = suite();
        for of in 1..=20 {
            let shards = shards(of);
            let points: Vec<&Point> = shards.iter().flat_map(Suite::points).collect();
            let distinct: HashSet<_> = points.iter().copied().collect();
            assert_eq!(points.len(), distinct.len(), "a point twice of {of}");
            assert_eq!(distinct, whole.points().collect(), "{of} shards");
            assert!(shards.iter().all(|shard| shard.hash == whole.hash));
        }
    }

    #[test]
    fn an_input_stays_whole_and_shards_are_alike() {
        let whole = suite();
        assert_eq!(inputs(&whole).len(), 13);
        for of in [2, 3, 5] {
            let shards = shards(of);
            let counts: Vec<_> = shards.iter().map(|shard| inputs(shard).len()).collect();
            assert_eq!(counts.iter().sum::<usize>(), 13, "{counts:?}");
            let min = counts.iter().min();
            let max = counts.iter().max();
            assert!(max <= min.map(|min| min + 1).as_ref(), "{counts:?}");
        }
    }
}
