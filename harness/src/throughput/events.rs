//! The events of all streams.

use std::sync::Arc;

use algorithms::device::Arena;
use algorithms::task::Case;
use generators::DataError;

use super::plan::PointSpec;
use crate::plan::{Input, Origin, Plan};

/// The events of a stream.
pub(super) type Batch<'a> = &'a [Box<dyn Case>];

/// Events of one set of parameters, each with a seed of its own, kept for all points that have it.
#[derive(Default)]
pub(super) struct Events {
    input: Option<usize>,
    cases: Vec<Box<dyn Case>>,
}

impl Events {
    /// The events of a point, a batch for each stream; those of a stream share buffers. They are
    /// made if there are not so many yet, by seeds that follow each other; of a file all are the
    /// same.
    ///
    /// # Errors
    /// If they can't be made or read.
    pub(super) fn of_point(
        &mut self,
        point: &PointSpec,
        plan: &Plan,
        seed: u64,
    ) -> Result<Vec<Batch<'_>>, DataError> {
        if self.input != Some(point.input) {
            self.cases.clear();
            self.input = Some(point.input);
        }
        let input = &plan.inputs[point.input];
        while self.cases.len() < point.events() {
            let seed = seed.wrapping_add(self.cases.len() as u64);
            self.cases.push(event(plan, input, seed)?);
        }
        for batch in self.cases.chunks_mut(point.batch).take(point.streams) {
            let arena = Arc::new(Arena::default());
            batch.iter_mut().for_each(|case| case.take_buffers_from(Arc::clone(&arena)));
        }
        Ok(self.cases.chunks(point.batch).take(point.streams).collect())
    }

    /// Gives the buffers of all streams back to the system.
    pub(super) fn drop_buffers(&self) {
        self.cases.iter().for_each(|case| case.drop_buffers());
    }
}

fn event(plan: &Plan, input: &Input, seed: u64) -> Result<Box<dyn Case>, DataError> {
    match &input.origin {
        Origin::Generated(params) => plan.task().generate(params, seed),
        Origin::Read { path, options, .. } => plan.task().read(path, options),
    }
}
