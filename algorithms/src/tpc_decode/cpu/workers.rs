//! The threads that share tasks: a team, or nested teams with one for each sector.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::cast_slice_mut;

use super::tasks;
use crate::device::InnerTeams;
use crate::parallel::{for_each, map_dynamic};
use crate::tpc_decode::charge_map::Tile;
use crate::tpc_decode::input::TimeFrame;

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
        DecodeWorkers { tasks: tasks::for_threads(frame, threads), nested: None }
    }

    /// A team whose threads take sectors, each with an inner team that takes pages.
    pub(super) fn for_nested_teams(frame: &TimeFrame, inner: Arc<InnerTeams>) -> Self {
        let sectors = tasks::of_sectors(frame, inner.threads());
        DecodeWorkers::nested(&sectors, inner)
    }

    /// Workers of these threads, with regions of sectors instead of pages as tasks.
    pub(super) fn for_regions(&self, frame: &TimeFrame, threads: usize) -> Self {
        match &self.nested {
            Some((inner, _)) => {
                DecodeWorkers::nested(&tasks::of_regions_of_sectors(frame), Arc::clone(inner))
            }
            None => DecodeWorkers { tasks: tasks::of_regions(frame, threads), nested: None },
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
