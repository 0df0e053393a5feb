//! A timeslice in parts of its time: one is processed while others are copied.
//!
//! Modules are split one by one, at a time with no digis on either side for longer than digis of a
//! cluster, or clusters of a hit, can be apart. So the clusters and hits of all parts together are
//! exactly those of the whole timeslice.
//!
//! Split points are searched in the stream as if that were in order of time. Whether all digis are
//! on the right side of a split point is checked later: a part leaves out digis outside its times,
//! and no part takes those in a gap, so the parts have too few digis in total if there are any.

use std::ops::Range;

use generators_sts::Digi;
use portable_gpu::{DeviceError, Gpu};

use crate::kernels::sts_tiles::PartTimes;
use crate::sts::Timeslice;
use crate::sts::formulas::{BelowFirstStep, CLUSTER_PRUNING, Shapes, time_cut};
use crate::sts::presort::LookupTable;
use crate::sts::rules::Window;
use tasks::algorithm::Semantics;
use tasks::device::{CachedPerInput, Execution};

/// Maximum number of digis searched for a split point. Nearly all modules have a gap within some
/// 100 ns.
const MAX_SEARCHED: usize = 1 << 16;
/// Largest gap; with rules that need longer ones, timeslices are not split.
const LONGEST_GAP_NS: f64 = 1e6;

/// Digis of a part of a timeslice.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::sts) struct TimePart {
    /// Range of the stream that contains them, with some digis of the parts before and after.
    pub(super) positions: Range<usize>,
    /// The times of each module.
    pub(super) times: Vec<PartTimes>,
}

/// Splits a timeslice into parts.
pub(in crate::sts) struct TimeParts<'a> {
    stream: &'a [Digi],
    table: CachedPerInput<'a, LookupTable>,
    modules: usize,
    /// Length of a gap in a module, in ns, that is enough to split there.
    gap_ns: u32,
    count: usize,
    /// Between the parts so far.
    cuts: Vec<SplitPoint>,
}

/// Boundary of two parts.
struct SplitPoint {
    /// Digis that may be of either part.
    positions: Range<usize>,
    /// Last time of each module before the boundary; the first one after it follows the gap.
    last: Vec<u32>,
}

impl<'a> TimeParts<'a> {
    /// Splits into `count` parts. `None` if, by the rules and cuts, the result of a part depends on
    /// others too.
    pub(in crate::sts) fn new(
        execution: Execution<'_, 'a>,
        input: &'a Timeslice,
        count: usize,
    ) -> Result<Option<Self>, DeviceError> {
        let Execution { gpu, arena, .. } = execution;
        let Some(gap_ns) = gap_ns(input) else { return Ok(None) };
        let make = |_: &Gpu| Ok(LookupTable::new(input.modules()));
        Ok(Some(TimeParts {
            stream: input.stream(),
            table: CachedPerInput::get_or_make("time parts", input, arena, gpu, make)?,
            modules: input.modules(),
            gap_ns,
            count,
            cuts: Vec::new(),
        }))
    }

    /// Digis of a part at most.
    pub(in crate::sts) fn max_digis(&self) -> usize {
        let longest = (0..self.count).map(|part| self.nominal(part + 1) - self.nominal(part)).max();
        self.stream.len().min(longest.unwrap_or(0) + MAX_SEARCHED)
    }

    /// Nominal begin of a part, if all modules were split at the same index. The first part is half
    /// as long as others: nothing else can be processed until it is copied.
    fn nominal(&self, part: usize) -> usize {
        let halves = 2 * self.count - 1;
        self.stream.len() * (2 * part).saturating_sub(1) / halves
    }

    /// Returns the parts, one after the other; `None` if some module has no gap near the end of a
    /// part.
    pub(in crate::sts) fn part(&mut self, index: usize) -> Option<TimePart> {
        self.cuts.truncate(index);
        if index + 1 < self.count {
            let cut = self.split_after(self.nominal(index + 1))?;
            let is_behind = self.cuts.last().is_none_or(|before| self.is_behind(before, &cut));
            self.cuts.push(is_behind.then_some(cut)?);
        }
        Some(self.between(index))
    }

    /// Scans the stream from an index on until each module has had a gap.
    fn split_after(&self, first: usize) -> Option<SplitPoint> {
        let end = self.stream.len().min(first + MAX_SEARCHED);
        let looked_at = self.stream.get(first..end)?;
        let begin = looked_at.first()?.time_ns();
        let mut last = vec![begin; self.modules];
        let mut open: Vec<_> = (0..self.modules).collect();
        // Time of the next check of all modules.
        let mut next_look = begin + self.gap_ns;
        for (position, &digi) in (first..).zip(looked_at) {
            let time = digi.time_ns();
            if time > next_look {
                open.retain(|&module| time <= last[module] + self.gap_ns);
                if open.is_empty() {
                    return Some(SplitPoint { positions: first..position, last });
                }
                next_look = time + self.gap_ns / 4;
            }
            let last = &mut last[self.table.known_side(digi)? % self.modules];
            if time <= *last + self.gap_ns {
                *last = time.max(*last);
            }
        }
        None
    }

    /// True if a split point is after another one in all modules.
    fn is_behind(&self, before: &SplitPoint, behind: &SplitPoint) -> bool {
        let mut modules = before.last.iter().zip(&behind.last);
        before.positions.end <= behind.positions.start
            && modules.all(|(before, behind)| before + self.gap_ns < *behind)
    }

    /// Part between two split points.
    fn between(&self, index: usize) -> TimePart {
        let before = index.checked_sub(1).map(|before| &self.cuts[before]);
        let behind = self.cuts.get(index);
        let times = (0..self.modules).map(|module| PartTimes {
            first: before.map_or(0, |cut| cut.last[module] + self.gap_ns + 1),
            last: behind.map_or(u32::MAX, |cut| cut.last[module]),
        });
        let begin = before.map_or(0, |cut| cut.positions.start);
        let end = behind.map_or(self.stream.len(), |cut| cut.positions.end);
        TimePart { positions: begin..end, times: times.collect() }
    }
}

/// Length of a gap in a module, in ns, such that digis before and after it are independent. `None`
/// if there is no such length: as published, times are rounded by an amount that depends on the
/// time; and if the cut is wider than the limit of pruning, the largest error of a side counts,
/// which depends on the whole timeslice.
fn gap_ns(input: &Timeslice) -> Option<u32> {
    let cuts = input.setup().cuts();
    let is_never_pruned =
        cuts.time_cut_cluster_abs <= 0.0 && cuts.time_cut_cluster_sig <= CLUSTER_PRUNING;
    if input.online() != Semantics::Exact || !is_never_pruned {
        return None;
    }
    let of_digis = Window::new(input.setup()).whole_ns as f64;
    let largest = Shapes::<f32>::new(input.setup(), BelowFirstStep::Flat).time_error(1);
    let of_clusters = f64::from(time_cut(cuts, largest, largest, largest));
    let gap = of_digis.max(of_clusters).max(0.0).ceil();
    (gap <= LONGEST_GAP_NS).then_some(gap as u32)
}

#[cfg(test)]
mod tests;
