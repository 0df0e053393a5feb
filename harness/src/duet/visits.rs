//! Blocks of samples of points in a paired run.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use reports::units;

use super::DuetError;
use super::child::Side;
use super::protocol::{Answer, Ask, VisitOrder};
use super::session::{Sides, TIMES_LAST, VISIT_TIMEOUT, children};
use super::turns::{PairSampler, Stop, Turn, Visited};
use crate::measure::TOTAL;

impl PairSampler for Sides<'_> {
    fn visit(&mut self, side: Side, order: &VisitOrder) -> Result<Visited, DuetError> {
        let point = &self.inputs[order.input].input.points[order.point];
        let task = format!("sample {} {}", point.algorithm, point.variant);
        let limit = VISIT_TIMEOUT + TIMES_LAST * self.last;
        let start = Instant::now();
        let answer = self.ask(side, &Ask::Visit(*order), &task, limit)?;
        let Answer::Visit { rows, seconds, failed } = answer else {
            return Err(self.child(side).unexpected(&task));
        };
        let rows = self.numbered(side, order, rows);
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
        Ok(Visited { rows, took, failed: !failed.is_empty() })
    }

    fn finish(&mut self, turn: &Turn, why: Stop) -> Result<(), DuetError> {
        let task = "sum up a point";
        // The base is first: a point that the new side has is complete on both sides.
        for &side in &turn.sides {
            let place = (turn.input, turn.point);
            let samples = self.samples[side as usize].remove(&place);
            let ask = Ask::Finish {
                input: turn.input,
                point: turn.point,
                stopped_by: why.name().to_owned(),
                samples: samples.unwrap_or_default(),
            };
            let Answer::Finish { mut rows } = self.ask(side, &ask, task, VISIT_TIMEOUT)? else {
                return Err(self.child(side).unexpected(task));
            };
            let known = self.fingerprints[side as usize].get(turn.input);
            let known = known.and_then(|of_input| of_input.get(turn.point));
            if let Some(fingerprint) = known.filter(|known| !known.is_empty()) {
                for row in &mut rows {
                    row.fingerprint.clone_from(fingerprint);
                }
            }
            self.write(side, &[], &rows)?;
        }
        let point = &self.inputs[turn.input].input.points[turn.point];
        let rounds = units::counted(turn.rounds(), "round");
        self.tell(&format!(
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

    fn restart(&mut self, turns: &[Turn]) -> Result<(), DuetError> {
        let start = Instant::now();
        self.children = children(self.against, true)?;
        let unknown = self.open()?;
        let needed: BTreeSet<usize> = turns.iter().map(|turn| turn.input).collect();
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
