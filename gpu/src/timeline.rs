//! The times of copies and kernels.
//!
//! All run one after the other, so a mark after each gives the times of all. Where the host has
//! waited in between, the next step has a mark before it too: the host's time between steps counts
//! for no stage, except work that the host reports as part of the run.

use std::borrow::Cow;

use super::DeviceError;
use super::engine::{BlockEnd, Engine, FIRST_QUEUE};
use crate::timing::{StageTiming, Stages};

/// Stage of all kernels together.
const KERNEL: &str = "kernel";
/// Stage of host work that the device waits for.
pub(super) const HOST: &str = "host";
/// Stages that are not kernels.
const NO_KERNELS: [&str; 5] = ["h2d", "d2h", "p2p", "memset", HOST];
/// Reserved names, which no kernel or scope can have.
pub const RESERVED_STAGES: [&str; 6] = ["total", KERNEL, "h2d", "d2h", "memset", HOST];
/// Separator between a scope and the stages in it.
const WITHIN: char = '/';

/// Work that was started since the timeline was cleared.
#[derive(Default)]
pub(super) struct Timeline {
    mode: Mode,
    entries: Vec<Entry>,
    scopes: Vec<&'static str>,
    marks: usize,
    /// True if work was started since the host has waited.
    queued: bool,
    late: bool,
}

/// Treatment of work that is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// No times are taken.
    #[default]
    Off,
    /// Times are taken.
    Noting,
    /// Work is recorded; the value is the number of bytes that the recorded work moves so far.
    Recording(u64),
}

/// A copy, a kernel or work of the host.
#[derive(Clone, Debug)]
struct Entry {
    path: Cow<'static, str>,
    bytes: u64,
    time: Time,
}

/// Source of the time of an entry.
#[derive(Clone, Copy, Debug)]
enum Time {
    /// Two marks by their indices.
    Between(usize, usize),
    /// Time by the host's clock, after the step that the mark follows.
    Host { seconds: f64, mark: usize },
}

impl Timeline {
    /// Clears the timeline and starts to take times.
    pub(super) fn start(&mut self) {
        *self = Timeline { mode: Mode::Noting, ..Timeline::default() };
    }

    pub(super) fn stop(&mut self) {
        self.mode = Mode::Off;
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// Switches to another mode and returns the previous one.
    pub(super) fn switch(&mut self, mode: Mode) -> Mode {
        std::mem::replace(&mut self.mode, mode)
    }

    /// True if the device started before all work was queued, so that times may include the host's
    /// time for launches.
    pub(super) fn is_late(&self) -> bool {
        self.late
    }

    /// Called before work is started. The stream is blocked first, until the host waits: so all
    /// marks are queued when the first one is reached.
    pub(super) fn before(&mut self, engine: &dyn Engine) -> Result<(), DeviceError> {
        if self.mode != Mode::Noting || self.queued {
            return Ok(());
        }
        engine.block_stream()?;
        self.queued = true;
        self.mark(engine)
    }

    /// Called after work was started.
    pub(super) fn after(
        &mut self,
        name: &'static str,
        bytes: u64,
        engine: &dyn Engine,
    ) -> Result<(), DeviceError> {
        match &mut self.mode {
            Mode::Off => Ok(()),
            Mode::Recording(recorded) => {
                *recorded += bytes;
                Ok(())
            }
            Mode::Noting => {
                self.entries.push(Entry {
                    path: self.path(name),
                    bytes,
                    time: Time::Between(self.marks - 1, self.marks),
                });
                self.mark(engine)
            }
        }
    }

    /// Adds work of the host that took `seconds`.
    pub(super) fn add_host_time(&mut self, seconds: f64) {
        if self.mode == Mode::Noting {
            let path = self.path(HOST);
            let time = Time::Host { seconds, mark: self.marks.saturating_sub(1) };
            self.entries.push(Entry { path, bytes: 0, time });
        }
    }

    /// Called before the host waits.
    pub(super) fn before_wait(&mut self, hold: BlockEnd) {
        self.released(hold);
        self.queued = false;
    }

    /// Called when the stream is released and the host continues.
    pub(super) fn released(&mut self, hold: BlockEnd) {
        self.late |= self.queued && hold == BlockEnd::TimedOut;
    }

    pub(super) fn enter(&mut self, scope: &'static str) {
        self.scopes.push(scope);
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    fn mark(&mut self, engine: &dyn Engine) -> Result<(), DeviceError> {
        engine.mark(FIRST_QUEUE, self.marks)?;
        self.marks += 1;
        Ok(())
    }

    /// Path of a stage in the current scopes.
    pub(super) fn path(&self, name: &'static str) -> Cow<'static, str> {
        if self.scopes.is_empty() {
            return name.into();
        }
        format!("{}{WITHIN}{name}", self.scopes.join("/")).into()
    }

    /// Returns the stages by name; the stages in a scope follow it.
    pub(super) fn stages(
        &self,
        seconds_between: impl Fn(usize, usize) -> Result<Option<f64>, DeviceError>,
    ) -> Result<Stages, DeviceError> {
        if self.entries.is_empty() {
            return Ok(Stages::new());
        }
        let mut stages = vec![StageTiming::new(KERNEL)];
        for entry in &self.entries {
            let (seconds, mark) = match entry.time {
                Time::Between(from, to) => (seconds_between(from, to)?, from),
                Time::Host { seconds, mark } => (Some(seconds), mark),
            };
            let start_s = if mark == 0 { Some(0.0) } else { seconds_between(0, mark)? };
            let Some(seconds) = seconds else {
                return Ok(Stages::new());
            };
            let add = |stage: &mut StageTiming| {
                stage.start_s = stage.start_s.or(start_s);
                stage.add(seconds, entry.bytes);
            };
            if !NO_KERNELS.contains(&leaf(&entry.path)) {
                add(&mut stages[0]);
            }
            for scope in scopes(&entry.path) {
                add(stage(&mut stages, scope.to_owned().into()));
            }
            add(stage(&mut stages, entry.path.clone()));
        }
        Ok(stages)
    }
}

/// Last component of a path.
fn leaf(path: &str) -> &str {
    path.rsplit(WITHIN).next().unwrap_or(path)
}

/// The paths of all enclosing scopes, the outermost first.
fn scopes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices(WITHIN).map(|(end, _)| &path[..end])
}

/// The stage of that name; a new one is inserted as the last of its scope.
fn stage<'s>(stages: &'s mut Stages, name: Cow<'static, str>) -> &'s mut StageTiming {
    let known = stages.iter().position(|stage| stage.name == name);
    let at = known.unwrap_or_else(|| {
        let end = end_of_scope(stages, &name);
        stages.insert(end, StageTiming::new(name));
        end
    });
    &mut stages[at]
}

fn end_of_scope(stages: &Stages, name: &str) -> usize {
    let Some((scope, _)) = name.rsplit_once(WITHIN) else {
        return stages.len();
    };
    let is_within = |stage: &StageTiming| {
        let rest = stage.name.strip_prefix(scope);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(WITHIN))
    };
    stages.iter().rposition(is_within).map_or(stages.len(), |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A timeline with these paths and bytes, one after the other.
    fn timeline(paths: &[(&'static str, u64)]) -> Timeline {
        let entry = |(i, (path, bytes)): (usize, &(&'static str, u64))| Entry {
            path: (*path).into(),
            bytes: *bytes,
            time: Time::Between(i, i + 1),
        };
        Timeline { entries: paths.iter().enumerate().map(entry).collect(), ..Timeline::default() }
    }

    fn stage(
        name: &'static str,
        start_s: f64,
        seconds: f64,
        calls: u32,
        bytes: u64,
    ) -> StageTiming {
        StageTiming { name: name.into(), seconds, calls, bytes, start_s: Some(start_s) }
    }

    #[test]
    fn calls_of_the_same_name_are_one_stage() {
        let timeline = timeline(&[("h2d", 80), ("sort", 10), ("sort", 20), ("merge", 5)]);
        let marks = [0.0, 1.0, 3.0, 6.0, 10.0];
        let found = timeline.stages(|from, to| Ok(Some(marks[to] - marks[from])));
        let expected = vec![
            stage("kernel", 1.0, 9.0, 3, 35),
            stage("h2d", 0.0, 1.0, 1, 80),
            stage("sort", 1.0, 5.0, 2, 30),
            stage("merge", 6.0, 4.0, 1, 5),
        ];
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn stages_follow_their_scope_and_are_summed_there() {
        let paths = [("again/sort", 1), ("d2h", 2), ("again/h2d", 4), ("again/sort", 8)];
        let found = timeline(&paths).stages(|from, to| Ok(Some((to - from) as f64)));
        let expected = vec![
            stage("kernel", 0.0, 2.0, 2, 9),
            stage("again", 0.0, 3.0, 3, 13),
            stage("again/sort", 0.0, 2.0, 2, 9),
            stage("again/h2d", 2.0, 1.0, 1, 4),
            stage("d2h", 1.0, 1.0, 1, 2),
        ];
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn host_work_is_a_stage_but_not_a_kernel() {
        let mut timeline = timeline(&[("sort", 8)]);
        timeline.mode = Mode::Noting;
        timeline.marks = 2;
        timeline.enter("presort");
        timeline.add_host_time(0.5);
        let expected = vec![
            stage("kernel", 0.0, 1.0, 1, 8),
            stage("sort", 0.0, 1.0, 1, 8),
            stage("presort", 1.0, 0.5, 1, 0),
            stage("presort/host", 1.0, 0.5, 1, 0),
        ];
        assert_eq!(timeline.stages(|from, to| Ok(Some((to - from) as f64))), Ok(expected));
    }

    #[test]
    fn without_times_there_are_no_stages() {
        let found = timeline(&[("sort", 1)]).stages(|_, _| Ok(None));
        assert_eq!(found, Ok(Stages::new()));
        let found = timeline(&[]).stages(|_, _| Ok(Some(1.0)));
        assert_eq!(found, Ok(Stages::new()));
    }
}
