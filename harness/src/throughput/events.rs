//! Events of all streams.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use algorithms::device::Arena;
use algorithms::task::Case;
use generators::DataError;

use super::plan::PointSpec;
use crate::plan::{Input, Origin, Plan};

/// Events of a stream.
pub(super) type Batch<'a> = Vec<&'a dyn Case>;

/// Events of one set of parameters, each with its own seed, kept for all points with these
/// parameters.
#[derive(Default)]
pub(super) struct Events {
    input: Option<usize>,
    /// Events by index: those of a stream are consecutive.
    cases: BTreeMap<usize, Box<dyn Case>>,
}

impl Events {
    /// Events of some streams of a point, a batch for each; those of a stream share buffers.
    /// Missing events are generated, with consecutive seeds; all events of a file are the same.
    ///
    /// # Errors
    /// If they can't be generated or read.
    pub(super) fn of_streams(
        &mut self,
        point: &PointSpec,
        streams: &[usize],
        plan: &Plan,
        seed: u64,
    ) -> Result<Vec<Batch<'_>>, DataError> {
        if self.input != Some(point.input) {
            self.cases.clear();
            self.input = Some(point.input);
        }
        let input = &plan.inputs[point.input];
        for &stream in streams {
            let arena = Arena::default();
            for number in point.events_of(stream) {
                let case = match self.cases.entry(number) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        new.insert(event(plan, input, seed.wrapping_add(number as u64))?)
                    }
                };
                case.take_buffers_from(&arena);
            }
        }
        let of_stream = |&stream: &usize| -> Batch<'_> {
            self.cases.range(point.events_of(stream)).map(|(_, case)| case.as_ref()).collect()
        };
        Ok(streams.iter().map(of_stream).collect())
    }

    /// Releases the buffers of all streams.
    pub(super) fn drop_buffers(&self) {
        self.cases.values().for_each(|case| case.drop_buffers());
    }
}

fn event(plan: &Plan, input: &Input, seed: u64) -> Result<Box<dyn Case>, DataError> {
    match &input.origin {
        Origin::Generated(params) => plan.task().generate(params, seed),
        Origin::Read { files, options, .. } => plan.task().read(files, options),
    }
}
