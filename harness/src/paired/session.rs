//! Execution of a paired run: two children, two run folders.
//!
//! The run folder is that of the new side; `base/` in it is that of the base. Both name their pair
//! in `run.json`, so that later comparisons are paired by rounds, too.
//! rounds, too.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use reports::aliases::ALIASES;
use reports::clock::now;
use reports::record::{Effort, Point, RunRecord, SampleRow, SummaryRow};
use reports::store::RunFolder;
use reports::units;

use super::PairedError;
use super::against::{Against, PairedResult};
use super::child::{Child, Side};
use super::folders::{BASE, folders, groups, preparing, records, remaining, same_data};
use super::paired_points::{self, PairSampler, PairedPoint, Rule, Stop};
use super::points::{InputOrder, asked_of, under_former_names};
use super::protocol::{BlockRequest, InputPoints, PreparedInput, Request, Response};
use crate::measure::{Deadline, TOTAL};
use crate::platform::control_groups::StoppedPeriods;
use crate::platform::{Interrupt, address_space};

/// Timeout for generating an input and checking all its points.
const PREPARE_TIMEOUT: Duration = Duration::from_secs(600);
/// Maximum time beyond the budget of a run, as a fraction and as a duration.
const MAX_BEYOND: f64 = 0.1;
const MIN_BEYOND: Duration = Duration::from_secs(3);
/// Timeout of a block: this, plus a multiple of the duration of the last one.
pub(super) const BLOCK_TIMEOUT: Duration = Duration::from_secs(60);
pub(super) const TIMES_LAST: u32 = 20;

/// Reasons for points that a side can't measure, by side, input and point.
type Unknown = [Vec<Vec<Option<String>>>; 2];

/// True if a side can measure a point.
fn knows(unknown: &Unknown, side: Side, input: usize, point: usize) -> bool {
    let problems = unknown[side as usize].get(input);
    problems.is_some_and(|problems| matches!(problems.get(point), Some(None)))
}

/// Both children with their inputs, and the destinations of their responses.
pub(super) struct PairedRun<'a> {
    /// Inputs that both sides have open.
    pub(super) inputs: Vec<InputOrder>,
    /// These inputs under the names that the base knows.
    of_base: Vec<InputPoints>,
    pub(super) against: &'a Against<'a>,
    pub(super) children: [Child; 2],
    /// Rows of each point of a side, by input and point.
    pub(super) samples: [HashMap<(usize, usize), Vec<SampleRow>>; 2],
    /// Fingerprints of the machine code of each point of a side, by input and point.
    pub(super) fingerprints: [Vec<Vec<String>>; 2],
    folders: [RunFolder; 2],
    pub(super) interrupt: &'a Interrupt,
    pub(super) deadline: Deadline,
    pub(super) effort: Effort,
    /// Duration of the last block.
    pub(super) last: Duration,
    /// Duration of the last restart of both sides.
    pub(super) restart_time: Duration,
}

/// Measures all points of both sides, alternating between them.
pub(crate) fn measure(
    against: &Against<'_>,
    interrupt: &Interrupt,
) -> Result<PairedResult, PairedError> {
    let stopped = StoppedPeriods::start();
    let children = children(against, false)?;
    let mut records = records(against, &children);
    let stay_random = address_space::stay_random();
    records.iter_mut().for_each(|record| record.environment.aslr = Some(stay_random));
    let (mut folders, mut done) = folders(against, &records)?;
    for row in &against.refused {
        if done.insert(row.point()) {
            folders[Side::New as usize].append_summary(std::slice::from_ref(row))?;
        }
    }
    let inputs = remaining(&against.inputs, &done);
    let mut sides = PairedRun {
        inputs: Vec::new(),
        of_base: Vec::new(),
        against,
        children,
        samples: Default::default(),
        fingerprints: Default::default(),
        folders,
        interrupt,
        deadline: Deadline::new(against.started, against.budget),
        effort: Effort::default(),
        last: Duration::ZERO,
        restart_time: Duration::ZERO,
    };
    let measured = sides.measure_all(inputs);
    let (left_out, failure) = match measured {
        Ok(left_out) => (left_out, None),
        Err(failure) => (0, Some(failure)),
    };
    let interrupted = interrupt.asked();
    records.iter_mut().for_each(|record| record.throttled = stopped.so_far());
    sides.describe(records, left_out, failure.is_none() && !interrupted)?;
    Ok(PairedResult {
        base: against.out.join(BASE),
        folder: against.out.clone(),
        interrupted,
        left_out,
        failure,
    })
}

/// Starts both executables at the same time; see [`Request::Hello`] for `again`.
pub(super) fn children(against: &Against<'_>, again: bool) -> Result<[Child; 2], PairedError> {
    let start = |side: Side| -> Result<Child, PairedError> {
        let (executable, plugins) = against.side(side);
        let mut child = Child::start(side, &executable.bench, &plugins.files)?;
        child.greet(again)?;
        Ok(child)
    };
    let mut children = [start(Side::Base)?, start(Side::New)?];
    for child in &mut children {
        child.introduced()?;
    }
    Ok(children)
}

impl PairedRun<'_> {
    /// Measures all inputs, in groups that fit into memory on both sides; returns the number of
    /// points without results because time ran out.
    fn measure_all(&mut self, inputs: Vec<InputOrder>) -> Result<usize, PairedError> {
        let points = |inputs: &[InputOrder]| -> usize {
            inputs.iter().map(|order| order.input.points.len()).sum()
        };
        let all = points(&inputs);
        let rule = Rule { thresholds: self.against.thresholds, seed: self.against.record.seed };
        let mut left_out = 0;
        for (number, group) in groups(inputs).into_iter().enumerate() {
            if self.ends_before(Duration::ZERO) {
                left_out += points(&group);
                continue;
            }
            if number > 0 {
                // A new process releases the memory of the old one.
                self.children = children(self.against, false)?;
            }
            let inputs = group.iter().map(|order| order.input.clone());
            let version = &self.children[Side::Base as usize].software.version;
            self.of_base = asked_of(inputs, version, &ALIASES);
            self.inputs = group;
            self.samples = Default::default();
            self.fingerprints = Default::default();
            let unknown = self.open_by_any_name()?;
            let (paired_points, too_late) = self.prepare_all(&unknown)?;
            left_out += too_late;
            let unfinished = paired_points::measure(paired_points, all, &rule, self)?;
            let why = if self.interrupt.asked() { Stop::Interrupt } else { Stop::Time };
            for paired in unfinished {
                self.finish(&paired, why)?;
            }
        }
        Ok(left_out)
    }

    /// Opens inputs like [`PairedRun::open`], with a base that may know variants by former names.
    fn open_by_any_name(&mut self) -> Result<Unknown, PairedError> {
        let mut unknown = self.open()?;
        while let Some(renamed) =
            under_former_names(&self.of_base, &unknown[Side::Base as usize], &ALIASES)
        {
            self.of_base = renamed;
            // A child opens inputs only once.
            self.children = children(self.against, false)?;
            unknown = self.open()?;
        }
        Ok(unknown)
    }

    /// Opens the inputs; returns the points that a side can't measure, by input and point.
    pub(super) fn open(&mut self) -> Result<Unknown, PairedError> {
        let of_new = self.inputs.iter().map(|order| order.input.clone());
        let inputs = [self.of_base.clone(), of_new.collect()];
        let task = "find the points that are to be measured";
        for (side, inputs) in Side::BOTH.into_iter().zip(inputs) {
            self.child(side).send(&Request::Open { inputs }, task)?;
        }
        let mut both = Unknown::default();
        for side in Side::BOTH {
            let limit = self.timeout(PREPARE_TIMEOUT);
            match self.child(side).receive(task, limit)? {
                Response::Open { unknown, fingerprints } if unknown.len() == self.inputs.len() => {
                    both[side as usize] = self.with_lost_plugins(side, unknown);
                    // A restarted child does not send fingerprints.
                    if fingerprints.iter().flatten().any(|known| !known.is_empty()) {
                        self.fingerprints[side as usize] = fingerprints;
                    }
                }
                _ => return Err(self.child(side).unexpected(task)),
            }
        }
        Ok(both)
    }

    /// Points that a side can't measure, by input and point: as reported by the side, and those of
    /// a plugin that is no longer available, which the side can't know.
    fn with_lost_plugins(
        &self,
        side: Side,
        mut unknown: Vec<Vec<Option<String>>>,
    ) -> Vec<Vec<Option<String>>> {
        let (_, plugins) = self.against.side(side);
        for (problems, order) in unknown.iter_mut().zip(&self.inputs) {
            for (problem, point) in problems.iter_mut().zip(&order.input.points) {
                if let Some(reason) = plugins.why_lost(point) {
                    *problem = Some(reason);
                }
            }
        }
        unknown
    }

    /// Has both sides generate an input at the same time, as far as they know its points.
    pub(super) fn make(
        &mut self,
        input: usize,
        unknown: &Unknown,
    ) -> Result<[Option<PreparedInput>; 2], PairedError> {
        let order = self.inputs[input].input.clone();
        let task = format!("make the input of {}", order.points[0].algorithm);
        let knows_any = |&side: &Side| {
            let mut points = 0..order.points.len();
            points.any(|point| knows(unknown, side, input, point))
        };
        let knowing: Vec<_> = Side::BOTH.into_iter().filter(knows_any).collect();
        for &side in &knowing {
            self.child(side).send(&Request::Prepare { input }, &task)?;
        }
        let mut prepared: [Option<PreparedInput>; 2] = Default::default();
        for &side in &knowing {
            let limit = self.timeout(PREPARE_TIMEOUT);
            let response = self.child(side).receive(&task, limit)?;
            let Response::Prepare(made) = response else {
                return Err(self.child(side).unexpected(&task));
            };
            prepared[side as usize] = Some(made);
        }
        same_data(&order.points[0], &prepared)?;
        self.effort.add(&preparing(&prepared));
        Ok(prepared)
    }

    /// Prepares inputs in up to half of the time, because a point that is prepared but never
    /// sampled is useless. Returns the points to be sampled, and the number of points that there
    /// was no time for.
    fn prepare_all(&mut self, unknown: &Unknown) -> Result<(Vec<PairedPoint>, usize), PairedError> {
        let half = self.deadline.left().map(|left| left / 2);
        let preparing = Deadline::new(Instant::now(), half);
        let mut paired_points = Vec::new();
        let mut left_out = 0;
        for input in 0..self.inputs.len() {
            let is_late = !paired_points.is_empty() && !preparing.allows(Duration::ZERO);
            if is_late || self.ends_before(Duration::ZERO) {
                left_out += self.inputs[input].input.points.len();
            } else {
                paired_points.extend(self.prepare(input, unknown)?);
            }
        }
        Ok((paired_points, left_out))
    }

    /// Prepares an input; returns its points to be sampled.
    fn prepare(
        &mut self,
        input: usize,
        unknown: &Unknown,
    ) -> Result<Vec<PairedPoint>, PairedError> {
        let prepared = self.make(input, unknown)?;
        let order = self.inputs[input].clone();
        let mut paired_points = Vec::new();
        for (point, identity) in order.input.points.iter().enumerate() {
            let mut sides = Vec::new();
            for side in Side::BOTH {
                let made = prepared[side as usize].as_ref();
                let refused = made.and_then(|made| made.refused.get(point));
                match refused.map(Vec::as_slice) {
                    Some([]) if knows(unknown, side, input, point) => {
                        let quality = made.and_then(|made| made.quality.get(point));
                        let quality = quality.map_or(&[][..], Vec::as_slice);
                        self.folders[side as usize].append_quality(quality)?;
                        sides.push(side);
                    }
                    Some(rows) if !rows.is_empty() => self.write(side, &[], rows)?,
                    _ => self.write_lost(side, identity)?,
                }
            }
            // The base alone yields nothing to compare.
            if sides.contains(&Side::New) {
                let mut paired = PairedPoint::new(input, point, sides, order.max_time);
                paired.slowdown = (self.against.slowdown)(identity);
                paired_points.push(paired);
            }
        }
        Ok(paired_points)
    }

    /// Writes the row of a point whose plugin is no longer available.
    fn write_lost(&mut self, side: Side, point: &Point) -> Result<(), PairedError> {
        let (_, plugins) = self.against.side(side);
        let row = plugins
            .why_lost(point)
            .map(|note| SummaryRow { note, ..SummaryRow::new(point, TOTAL) });
        self.write(side, &[], row.as_slice())
    }

    /// Rows of a block that was requested after `offset_s` of the run, numbered over all processes,
    /// and stored.
    pub(super) fn numbered(
        &mut self,
        side: Side,
        order: &BlockRequest,
        offset_s: f64,
        mut rows: Vec<SampleRow>,
    ) -> Vec<SampleRow> {
        let key = (order.input, order.point);
        let all = self.samples[side as usize].entry(key).or_default();
        let next = all.last().map_or(0, |row| row.sample + 1);
        let first = rows.first().map_or(0, |row| row.sample);
        for row in &mut rows {
            row.sample = next + row.sample.saturating_sub(first);
            row.start_s = row.start_s.map(|start_s| start_s + offset_s);
        }
        all.extend_from_slice(&rows);
        rows
    }

    pub(super) fn child(&mut self, side: Side) -> &mut Child {
        &mut self.children[side as usize]
    }

    pub(super) fn exchange(
        &mut self,
        side: Side,
        request: &Request,
        task: &str,
        limit: Duration,
    ) -> Result<Response, PairedError> {
        let limit = self.timeout(limit);
        self.child(side).exchange(request, task, limit)
    }

    /// Timeout for a response: limited by the maximum time beyond the budget.
    fn timeout(&self, limit: Duration) -> Duration {
        let left = self.deadline.left().zip(self.against.budget);
        left.map_or(limit, |(left, budget)| {
            let beyond = budget.mul_f64(MAX_BEYOND).max(MIN_BEYOND);
            limit.min(left + beyond)
        })
    }

    pub(super) fn write(
        &mut self,
        side: Side,
        samples: &[SampleRow],
        summary: &[SummaryRow],
    ) -> Result<(), PairedError> {
        let folder = &mut self.folders[side as usize];
        folder.append_samples(samples)?;
        Ok(folder.append_summary(summary)?)
    }

    /// Writes the metadata of both sides at the end.
    fn describe(
        &self,
        records: [RunRecord; 2],
        left_out: usize,
        finished: bool,
    ) -> Result<(), PairedError> {
        let mut effort = self.effort;
        effort.wall_s = self.against.started.elapsed().as_secs_f64();
        for (side, mut record) in Side::BOTH.into_iter().zip(records) {
            if left_out > 0 {
                record.notes.push(format!(
                    "the time was over before the first round of {}",
                    units::counted(left_out, "point")
                ));
            }
            record.effort = (side == Side::New).then_some(effort);
            record.finished = finished.then(now);
            self.folders[side as usize].describe(&record)?;
        }
        Ok(())
    }

    pub(super) fn report(&self, text: &str) {
        if !self.against.quiet {
            crate::progress::say(text);
        }
    }
}
