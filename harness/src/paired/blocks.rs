//! Blocks of samples of points in a paired run.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use reports::units;

use super::PairedError;
use super::child::Side;
use super::paired_points::{BlockResult, PairSampler, PairedPoint, Stop};
use super::protocol::{BlockRequest, Request, Response};
use super::session::{BLOCK_TIMEOUT, PairedRun, TIMES_LAST, children};
use crate::measure::TOTAL;

impl PairSampler for PairedRun<'_> {
    fn sample_block(
        &mut self,
        side: Side,
        order: &BlockRequest,
    ) -> Result<BlockResult, PairedError> {
        let point = &self.inputs[order.input].input.points[order.point];
        let task = format!("sample {} {}", point.algorithm, point.variant);
        let limit = BLOCK_TIMEOUT + TIMES_LAST * self.last;
        let start = Instant::now();
        let response = self.exchange(side, &Request::SampleBlock(*order), &task, limit)?;
        let Response::SampleBlock { rows, seconds, failed } = response else {
            return Err(self.child(side).unexpected(&task));
        };
        let offset_s = (start - self.against.started).as_secs_f64();
        let rows = self.numbered(side, order, offset_s, rows);
        self.write(side, &rows, &failed)?;
        let took = start.elapsed();
        self.last = took;
        let timed = rows.iter().filter(|row| row.stage == TOTAL);
        let timed: f64 = timed.map(|row| row.seconds).sum();
        match side {
            Side::Base => self.effort.base_s += seconds,
            Side::New => {
                self.effort.sampling_s += seconds;
                self.effort.timed_s += timed;
            }
        }
        Ok(BlockResult { rows, took, failed: !failed.is_empty() })
    }

    fn finish(&mut self, paired: &PairedPoint, why: Stop) -> Result<(), PairedError> {
        let task = "sum up a point";
        // The base is first: a point that the new side has is complete on both sides.
        for &side in &paired.sides {
            let key = (paired.input, paired.point);
            let samples = self.samples[side as usize].remove(&key);
            let request = Request::Finish {
                input: paired.input,
                point: paired.point,
                stopped_by: why.name().to_owned(),
                samples: samples.unwrap_or_default(),
            };
            let Response::Finish { mut rows } =
                self.exchange(side, &request, task, BLOCK_TIMEOUT)?
            else {
                return Err(self.child(side).unexpected(task));
            };
            let known = self.fingerprints[side as usize].get(paired.input);
            let known = known.and_then(|of_input| of_input.get(paired.point));
            if let Some(fingerprint) = known.filter(|known| !known.is_empty()) {
                for row in &mut rows {
                    row.fingerprint.clone_from(fingerprint);
                }
            }
            self.write(side, &[], &rows)?;
        }
        let point = &self.inputs[paired.input].input.points[paired.point];
        let rounds = units::counted(paired.rounds(), "round");
        self.report(&format!(
            "  {} {}: {rounds}, stopped by {}",
            point.algorithm,
            point.variant,
            why.name()
        ));
        Ok(())
    }

    fn restart_time(&self) -> Duration {
        self.restart_time
    }

    fn restart(&mut self, paired_points: &[PairedPoint]) -> Result<(), PairedError> {
        let start = Instant::now();
        self.children = children(self.against, true)?;
        let unknown = self.open()?;
        let needed: BTreeSet<usize> = paired_points.iter().map(|paired| paired.input).collect();
        for input in needed {
            self.make(input, &unknown)?;
        }
        self.restart_time = start.elapsed();
        Ok(())
    }

    fn ends_before(&self, next: Duration) -> bool {
        self.interrupt.asked() || !self.deadline.allows(next)
    }
}
