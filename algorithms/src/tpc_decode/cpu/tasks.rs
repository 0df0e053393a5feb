//! Tasks: pages that one thread decodes.

use std::ops::Range;

use generators::tpc::geometry::{REGIONS, SECTORS};

use crate::tpc_decode::input::{TimeFrame, WorkDistribution};

/// Pages of a task where all pages are one pool: large enough that scheduling costs nothing
/// compared with decoding, small enough that threads finish together.
const PAGES_IN_TASK: usize = 32;
/// Tasks of a sector for each thread of its team, so that the threads finish together.
const TASKS_OF_THREAD: usize = 4;

/// Pages of a time frame, in order; each page is in one task.
pub(super) fn for_threads(frame: &TimeFrame, threads: usize) -> Vec<Range<usize>> {
    match frame.settings.sharing {
        WorkDistribution::Sectors => {
            // Threads beyond the detector's sectors help with those.
            let threads_of_sector = threads.div_ceil(SECTORS);
            let sectors = frame.sectors().into_iter();
            sectors.flat_map(|pages| split(pages, threads_of_sector)).collect()
        }
        WorkDistribution::Pages => {
            let pages = frame.pages.pages().len();
            split(0..pages, pages.div_ceil(PAGES_IN_TASK)).collect()
        }
    }
}

/// The pages of each sector, in tasks for `threads` threads.
pub(super) fn of_sectors(frame: &TimeFrame, threads: usize) -> Vec<Vec<Range<usize>>> {
    let sectors = frame.sectors().into_iter();
    sectors.map(|pages| split(pages, TASKS_OF_THREAD * threads).collect()).collect()
}

/// The regions of all sectors that have pages, numbered one sector after the other; each region
/// is in one task.
pub(super) fn of_regions(frame: &TimeFrame, threads: usize) -> Vec<Range<usize>> {
    let tasks_of_sector = match frame.settings.sharing {
        WorkDistribution::Sectors => threads.div_ceil(SECTORS).min(REGIONS),
        WorkDistribution::Pages => REGIONS,
    };
    let sectors = 0..frame.sectors().len();
    sectors.flat_map(|sector| split(regions_of(sector), tasks_of_sector)).collect()
}

/// The regions of each sector, each a task.
pub(super) fn of_regions_of_sectors(frame: &TimeFrame) -> Vec<Vec<Range<usize>>> {
    let sectors = 0..frame.sectors().len();
    sectors.map(|sector| split(regions_of(sector), REGIONS).collect()).collect()
}

fn regions_of(sector: usize) -> Range<usize> {
    sector * REGIONS..(sector + 1) * REGIONS
}

/// Splits a range into `parts` parts of nearly equal length.
fn split(all: Range<usize>, parts: usize) -> impl Iterator<Item = Range<usize>> {
    let at = move |part: usize| all.start + all.len() * part / parts;
    (0..parts).map(move |part| at(part)..at(part + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_nearly_equal_and_complete() {
        let parts: Vec<_> = split(5..15, 4).collect();
        assert_eq!(parts, [5..7, 7..10, 10..12, 12..15]);
        assert_eq!(split(0..0, 0).count(), 0);
    }
}
