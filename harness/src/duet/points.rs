//! The points of plans, or of a comparison, input by input.

use std::collections::HashMap;
use std::time::Duration;

use reports::record::{Params, Point};

use super::protocol::InputPoints;
use crate::measure::Job;

/// An input with its points, and the memory that it takes on either side.
#[derive(Clone, Debug)]
pub(crate) struct InputOrder {
    /// What children are asked to open.
    pub(crate) input: InputPoints,
    /// Bytes of an input with its reference and buffers.
    pub(crate) memory_bytes: u64,
    /// The time that each of its points may take on either side.
    pub(crate) max_time: Duration,
}

/// The inputs of all jobs, each once.
pub(crate) fn of_jobs(jobs: &[Job<'_>]) -> Vec<InputOrder> {
    let mut orders = Orders::default();
    for Job { request, plan } in jobs {
        let settings = &request.settings;
        for input in &plan.inputs {
            for spec in &input.candidates {
                let (point, bytes) = (plan.point(input, spec), input.memory_bytes);
                orders.add(point, settings.seed, bytes, settings.max_time);
            }
        }
    }
    orders.inputs
}

/// The inputs of some points with one seed.
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

#[derive(Default)]
struct Orders {
    inputs: Vec<InputOrder>,
    places: HashMap<(String, Params, u64), usize>,
}

impl Orders {
    fn add(&mut self, point: Point, seed: u64, memory_bytes: u64, max_time: Duration) {
        let key = (point.algorithm.clone(), point.params.clone(), seed);
        let place = *self.places.entry(key).or_insert(self.inputs.len());
        if place == self.inputs.len() {
            self.inputs.push(InputOrder {
                input: InputPoints { seed, points: Vec::new() },
                memory_bytes,
                max_time,
            });
        }
        let points = &mut self.inputs[place].input.points;
        if !points.contains(&point) {
            points.push(point);
        }
    }
}
