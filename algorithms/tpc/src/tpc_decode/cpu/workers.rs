//! The threads that share tasks, some pages each, and count samples by headers first: a team, or
//! nested teams with one for each sector.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::cast_slice_mut;
use generators_tpc::geometry::{REGIONS, SECTORS};
use parallel::{for_each, map_dynamic, split_mut};

use crate::tpc_decode::charge_map::Tile;
use crate::tpc_decode::damage::Damage;
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::{TimeFrame, WorkDistribution};
use tasks::device::{InnerTeams, Poison};

/// Tiles of a map that are cleared at a time.
const CLEARED: usize = 1 << 13;

/// Threads that decode, and the tasks of each.
pub(super) struct DecodeWorkers {
    /// Pages of a time frame, or regions of its sectors, in order; each is in one task.
    pub(super) tasks: Vec<Range<usize>>,
    /// The teams for sectors, and the number of tasks of each sector.
    nested: Option<(Arc<InnerTeams>, Vec<usize>)>,
}

impl DecodeWorkers {
    /// A team of `threads` threads, which share the work by the time frame's settings.
    pub(super) fn for_one_team(frame: &TimeFrame, threads: usize) -> Self {
        DecodeWorkers { tasks: for_threads(frame, threads), nested: None }
    }

    /// A team whose threads take sectors, each with an inner team that takes pages.
    pub(super) fn for_nested_teams(frame: &TimeFrame, inner: Arc<InnerTeams>) -> Self {
        let sectors = of_sectors(frame, inner.threads());
        DecodeWorkers::nested(&sectors, inner)
    }

    /// Workers of these threads, with regions of sectors instead of pages as tasks.
    pub(super) fn for_regions(&self, frame: &TimeFrame, threads: usize) -> Self {
        match &self.nested {
            Some((inner, _)) => {
                DecodeWorkers::nested(&of_regions_of_sectors(frame), Arc::clone(inner))
            }
            None => DecodeWorkers { tasks: of_regions(frame, threads), nested: None },
        }
    }

    fn nested(sectors: &[Vec<Range<usize>>], inner: Arc<InnerTeams>) -> Self {
        let counts = sectors.iter().map(Vec::len).collect();
        DecodeWorkers { tasks: sectors.concat(), nested: Some((inner, counts)) }
    }

    /// Maps each task, in order, with its element of `of_tasks`.
    pub(super) fn map<T: Send, R: Send>(
        &self,
        of_tasks: impl IntoIterator<Item = T>,
        work: impl Fn(&Range<usize>, T) -> R + Sync,
    ) -> Vec<R> {
        let all = self.tasks.iter().zip(of_tasks);
        let Some((teams, sectors)) = &self.nested else {
            return map_dynamic(all, |(pages, item)| work(pages, item));
        };
        let mut all = all.collect::<Vec<_>>().into_iter();
        let of_sector = |&count: &usize| Mutex::new(all.by_ref().take(count).collect::<Vec<_>>());
        let of_sectors: Vec<_> = sectors.iter().map(of_sector).collect();
        let done = teams.map(of_sectors.len(), |sector| {
            let mut own = of_sectors[sector].lock().unwrap_or_else(PoisonError::into_inner);
            map_dynamic(std::mem::take(&mut *own), |(pages, item)| work(pages, item))
        });
        done.into_iter().flatten().collect()
    }

    /// Clears the maps of all sectors, each of `tiles` tiles.
    pub(super) fn clear(&self, maps: &mut [Tile], tiles: usize) {
        let clear = |map: &mut [Tile]| {
            for_each(map.chunks_mut(CLEARED), |part| cast_slice_mut::<_, u8>(part).fill(0));
        };
        let Some((teams, _)) = &self.nested else {
            return clear(maps);
        };
        let maps: Vec<_> = maps.chunks_mut(tiles.max(1)).map(Mutex::new).collect();
        teams.map(maps.len(), |sector| {
            clear(&mut maps[sector].lock().unwrap_or_else(PoisonError::into_inner));
        });
    }
}

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

// A first pass over headers finds the numbers of samples, and their offsets. The headers are
// checked here, once. Decoding verifies that the payload agrees with their statements.

/// Result of reading a page's headers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Slot {
    /// A page with only an RDH.
    #[default]
    Empty,
    /// A page with valid headers.
    Page(OpenPage),
    /// A page with damaged headers.
    Damaged(Damage),
}

/// An invalid page.
impl Poison for Slot {
    const POISON: Self = Slot::Empty;
}

impl Slot {
    /// The page, if its headers are valid.
    pub(super) fn page(&self) -> Option<&OpenPage> {
        match self {
            Slot::Page(page) => Some(page),
            _ => None,
        }
    }

    /// Number of samples that the header states.
    pub(super) fn samples(&self) -> usize {
        self.page().map_or(0, |page| page.samples.into())
    }
}

/// Reads the headers of all pages, the tasks in parallel.
pub(super) fn read(frame: &TimeFrame, workers: &DecodeWorkers, slots: &mut [Slot]) {
    let parts = split_mut(slots, workers.tasks.iter().map(Range::len));
    workers.map(parts, |pages, slots| {
        for (page, slot) in pages.clone().zip(slots) {
            *slot = match frame.open(page) {
                Ok(None) => Slot::Empty,
                Ok(Some(page)) => Slot::Page(page),
                Err(damage) => Slot::Damaged(damage),
            };
        }
    });
}

/// The slots of all pages, for callers that need the number of samples before decoding.
pub(super) fn slots(frame: &TimeFrame) -> Vec<Slot> {
    let mut slots = vec![Slot::default(); frame.pages.pages().len()];
    read(frame, &DecodeWorkers::for_one_team(frame, 1), &mut slots);
    slots
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
