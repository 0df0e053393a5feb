//! Points of plans, or of a comparison, input by input.

use std::collections::HashMap;
use std::time::Duration;

use reports::aliases::Aliases;
use reports::record::{Params, Point};

use super::protocol::InputPoints;
use crate::measure::Job;

/// An input with its points, and the memory that it takes on either side.
#[derive(Clone, Debug)]
pub(crate) struct InputOrder {
    /// Specification that is sent to children.
    pub(crate) input: InputPoints,
    /// Bytes of an input with its reference and buffers.
    pub(crate) memory_bytes: u64,
    /// Time limit of each of its points, on either side.
    pub(crate) max_time: Duration,
}

/// Inputs of all jobs, each once.
pub(crate) fn of_jobs(jobs: &[Job<'_>]) -> Vec<InputOrder> {
    let mut orders = Orders::default();
    for Job { request, plan } in jobs {
        let settings = &request.settings;
        for input in &plan.inputs {
            for spec in &input.candidates {
                let point = plan.point(input, spec);
                let bytes = input.memory_bytes;
                orders.add(point, settings.seed, bytes, settings.max_time);
            }
        }
    }
    orders.inputs
}

/// Inputs of some points with one seed.
pub(crate) fn of_points(
    points: impl Iterator<Item = Point>,
    seed: u64,
    max_time: Duration,
) -> Vec<InputOrder> {
    let mut orders = Orders::default();
    for point in points {
        orders.add(point, seed, 0, max_time);
    }
    orders.inputs
}

/// A version before all renamings.
const OLDEST: &str = "0";

/// Inputs with the names that a base of some version knows.
pub(super) fn asked_of(
    inputs: impl Iterator<Item = InputPoints>,
    version: &str,
    aliases: &Aliases,
) -> Vec<InputPoints> {
    let renamed = |mut input: InputPoints| {
        let points = input.points.into_iter();
        input.points = points.map(|point| aliases.asked_of(point, version)).collect();
        input
    };
    inputs.map(renamed).collect()
}

/// Inputs of a base that does not know some of their points, with former names of the variants of
/// these; `None` if there are no further names to try.
pub(super) fn under_former_names(
    inputs: &[InputPoints],
    unknown: &[Vec<Option<String>>],
    aliases: &Aliases,
) -> Option<Vec<InputPoints>> {
    let mut renamed = inputs.to_vec();
    let points = renamed.iter_mut().zip(unknown);
    let points = points.flat_map(|(input, unknown)| input.points.iter_mut().zip(unknown));
    let mut any = false;
    for (point, _) in points.filter(|(_, why)| why.is_some()) {
        if let Some(former) = former_name(point, aliases) {
            point.variant = former;
            any = true;
        }
    }
    any.then_some(renamed)
}

/// Former name of the variant of a point.
fn former_name(
    Point { algorithm: task, device, variant, .. }: &Point,
    aliases: &Aliases,
) -> Option<String> {
    let of = [task.as_str(), device];
    let today = aliases.current(of, variant, OLDEST);
    let mut names = std::iter::once(today).chain(aliases.former(of, today));
    names.find(|name| name == variant)?;
    names.next().map(str::to_owned)
}

#[derive(Default)]
struct Orders {
    inputs: Vec<InputOrder>,
    indices: HashMap<(String, Params, u64), usize>,
}

impl Orders {
    fn add(&mut self, point: Point, seed: u64, memory_bytes: u64, max_time: Duration) {
        let key = (point.algorithm.clone(), point.params.clone(), seed);
        let index = *self.indices.entry(key).or_insert(self.inputs.len());
        if index == self.inputs.len() {
            self.inputs.push(InputOrder {
                input: InputPoints { seed, points: Vec::new() },
                memory_bytes,
                max_time,
            });
        }
        let points = &mut self.inputs[index].input.points;
        if !points.contains(&point) {
            points.push(point);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::tasks;
    use reports::aliases::{ALIASES, Alias};
    use tasks::task::VariantInfo;

    use super::*;

    #[test]
    fn former_names_are_unique() {
        for Alias { task, backend, old, new, until, .. } in ALIASES.rows() {
            let of_task = tasks().iter().find(|known| known.name() == task).expect(task);
            let variants = of_task.variants();
            let is_of =
                |info: &&VariantInfo| backend.is_empty() || info.backend.to_string() == *backend;
            let has = |name| variants.iter().filter(is_of).any(|variant| variant.name == name);
            let is_retired =
                reports::aliases::retired().iter().any(|retired| retired.is(task, backend, new));
            assert!(has(new) != is_retired, "{task}: {old} is {new}");
            assert_eq!(has(old), !until.is_empty(), "{task}: {old} is {new}");
        }
    }

    #[test]
    fn unknown_variants_are_requested_by_former_names() {
        let aliases = "task,backend,old,new,since,until\n\
            sort,,oldest,new,,\nsort,,old,new,,\nsts,,other,new,,\n";
        let aliases = Aliases::parse(aliases);
        let point = |variant: &str| Point {
            algorithm: "sort".into(),
            variant: variant.into(),
            device: "cpu".into(),
            threads: 1,
            cpu_sets: String::new(),
            bind: String::new(),
            cache: String::new(),
            params: Params::default(),
        };
        let mut inputs =
            vec![InputPoints { seed: 1, points: ["new", "known", "odd"].map(point).to_vec() }];
        let unknown = vec![vec![Some("unknown".to_owned()), None, Some("unknown".to_owned())]];
        for expected in ["old", "oldest"] {
            inputs = under_former_names(&inputs, &unknown, &aliases).expect("another name");
            let names: Vec<_> = inputs[0].points.iter().map(|it| it.variant.as_str()).collect();
            assert_eq!(names, [expected, "known", "odd"]);
        }
        assert_eq!(under_former_names(&inputs, &unknown, &aliases), None);
    }
}
