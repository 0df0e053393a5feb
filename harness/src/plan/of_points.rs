//! Plan for explicitly named points, all of one input.

use crate::registry;
use clap::ValueEnum;
use reports::record::Point;
use tasks::axis;
use tasks::device::Device;
use tasks::task::{Task, VariantInfo};

use super::teams::TeamList;
use super::{CandidateSpec, Input, Origin, Plan, TeamLayout, check_memory, record_params};
use crate::platform::gpus::problem_of;
use crate::request::CacheMode;

/// Candidate of each point, or the reason why it can't be measured.
pub(crate) type Candidates = Vec<Result<usize, String>>;

impl Plan {
    /// Creates the plan for points of one input; `None` if no point can be measured.
    pub(crate) fn from_points(points: &[Point]) -> (Option<Plan>, Candidates) {
        let made = points.first().map(input_of);
        let (task, input) = match made {
            Some(Ok(made)) => made,
            Some(Err(problem)) => return (None, vec![Err(problem); points.len()]),
            None => return (None, Vec::new()),
        };
        let mut plan = Plan {
            inputs: vec![input],
            teams: Vec::new(),
            notes: Vec::new(),
            missing_devices: Vec::new(),
            task,
            infos: task.variants(),
        };
        let mut teams = TeamList::new();
        let candidates: Candidates =
            points.iter().map(|point| plan.add(point, &mut teams)).collect();
        plan.teams = teams.teams;
        let plan = candidates.iter().any(Result::is_ok).then_some(plan);
        (plan, candidates)
    }

    /// Adds a candidate to the only input; returns its index.
    fn add(&mut self, point: &Point, teams: &mut TeamList) -> Result<usize, String> {
        let device: Device = point.device.parse()?;
        if let Some(problem) = problem_of(device) {
            return Err(format!("{device} can't be used: {problem}"));
        }
        let is_it =
            |info: &VariantInfo| info.name == point.variant && info.backend == device.backend();
        let unknown = || format!("{} has no variant {} here", point.algorithm, point.variant);
        let variant = self.infos.iter().position(is_it).ok_or_else(unknown)?;
        let layout = TeamLayout::from_point(point)?;
        let cache = CacheMode::from_str(&point.cache, false).ok();
        let cache = cache.ok_or_else(|| format!("there is no cache mode {}", point.cache))?;
        let team = teams.index_of(layout).map_err(|problem| problem.to_string())?;
        let candidates = &mut self.inputs[0].candidates;
        candidates.push(CandidateSpec { variant, device, team, cache });
        Ok(candidates.len() - 1)
    }
}

/// Task and input of a point, without candidates.
fn input_of(point: &Point) -> Result<(&'static dyn Task, Input), String> {
    let name = &point.algorithm;
    let wanted = &point.params;
    let task = registry::task(name).ok_or_else(|| format!("there is no task {name} here"))?;
    let mut params = axis::Params::default();
    for (name, value) in wanted.iter() {
        let axis = task.axes().iter().find(|axis| axis.name == name);
        let axis = axis.ok_or_else(|| format!("{} has no axis {name} here", task.name()))?;
        params.set(axis.name, value);
    }
    let plan = task.plan(params).map_err(|error| error.to_string())?;
    // A default or a meaning that has changed since would yield other data.
    let planned = record_params(&plan.params);
    if planned != *wanted {
        return Err(format!("{name} makes other data of it here: {planned}"));
    }
    check_memory(&plan).map_err(|error| error.to_string())?;
    let input = Input {
        origin: Origin::Generated(plan.params),
        memory_bytes: plan.memory_bytes,
        candidates: Vec::new(),
    };
    Ok((task, input))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(variant: &str, params: &str) -> Point {
        Point {
            algorithm: "sort".into(),
            variant: variant.into(),
            device: "cpu".into(),
            threads: 1,
            cpu_sets: "none".into(),
            bind: "false".into(),
            cache: "hot".into(),
            params: params.parse().expect("well formed"),
        }
    }

    /// All parameters of a small input.
    fn params() -> String {
        let task = registry::task("sort").expect("a task");
        let mut params = axis::Params::default();
        params.set("digis", "1000");
        let plan = task.plan(params).expect("a plan");
        record_params(&plan.params).to_string()
    }

    #[test]
    fn points_survive_a_round_trip() {
        let points = [
            point("std-stable", &params()),
            point("bogo", &params()),
            Point {
                cpu_sets: "cores".into(),
                bind: "close".into(),
                cache: "cold".into(),
                ..point("rdst", &params())
            },
        ];
        let (plan, candidates) = Plan::from_points(&points);
        let planned: Vec<_> = plan.expect("a plan").points().collect();
        assert_eq!(planned, [points[0].clone(), points[2].clone()]);
        let problem = candidates[1].clone().expect_err("unknown");
        assert!(problem.contains("no variant bogo"), "{problem}");
        assert_eq!((&candidates[0], &candidates[2]), (&Ok(0), &Ok(1)));
    }

    #[test]
    fn other_data_are_refused() {
        let less = params().replace("order=random;", "");
        for (wrong, word) in [(less.as_str(), "other data"), ("spin=up", "no axis spin")] {
            let (plan, candidates) = Plan::from_points(&[point("rdst", wrong)]);
            let problem = candidates[0].as_ref().expect_err("a problem");
            assert!(plan.is_none() && problem.contains(word), "{problem}");
        }
    }
}
