//! The times of copies and kernels.
//!
//! All run one after the other, so a mark after each tells the times of all.

use super::DeviceError;
use crate::algorithm::{Stage, Stages};

/// The stage that all kernels are together.
const KERNEL: &str = "kernel";
/// Stages that are no kernels.
const COPIES: [&str; 3] = ["h2d", "d2h", "memset"];
/// Names that mean something, and that nothing else can have.
pub(crate) const RESERVED_STAGES: [&str; 5] = ["total", KERNEL, COPIES[0], COPIES[1], COPIES[2]];

/// Something that was started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) bytes: u64,
}

/// What was started since the timeline was cleared: mark 0 at the start, and
/// mark i + 1 after entry i.
#[derive(Default)]
pub(super) struct Timeline(Vec<Entry>);

impl Timeline {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn push(&mut self, entry: Entry) {
        self.0.push(entry);
    }

    /// The number of the mark to be set now.
    pub(super) fn next_mark(&self) -> usize {
        self.0.len()
    }

    /// What was done, by name.
    pub(super) fn stages(
        &self,
        seconds_between: impl Fn(usize, usize) -> Result<Option<f64>, DeviceError>,
    ) -> Result<Stages, DeviceError> {
        let mut stages = vec![Stage::new(KERNEL)];
        for (i, entry) in self.0.iter().enumerate() {
            let Some(seconds) = seconds_between(i, i + 1)? else {
                return Ok(Stages::new());
            };
            if !COPIES.contains(&entry.name) {
                stages[0].add(seconds, entry.bytes);
            }
            let known = stages.iter().position(|stage| stage.name == entry.name);
            let at = known.unwrap_or_else(|| {
                stages.push(Stage::new(entry.name));
                stages.len() - 1
            });
            stages[at].add(seconds, entry.bytes);
        }
        Ok(stages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_same_name_are_one_stage() {
        let mut timeline = Timeline::default();
        for (name, bytes) in [("h2d", 80), ("sort", 10), ("sort", 20), ("merge", 5)] {
            timeline.push(Entry { name, bytes });
        }
        let marks = [0.0, 1.0, 3.0, 6.0, 10.0];
        let found = timeline.stages(|from, to| Ok(Some(marks[to] - marks[from])));
        let stage = |name, seconds, calls, bytes| Stage {
            name,
            seconds,
            calls,
            bytes,
        };
        let expected = vec![
            stage("kernel", 9.0, 3, 35),
            stage("h2d", 1.0, 1, 80),
            stage("sort", 5.0, 2, 30),
            stage("merge", 4.0, 1, 5),
        ];
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn without_times_there_are_no_stages() {
        let mut timeline = Timeline::default();
        timeline.push(Entry {
            name: "sort",
            bytes: 1,
        });
        assert_eq!(timeline.stages(|_, _| Ok(None)), Ok(Stages::new()));
    }
}
