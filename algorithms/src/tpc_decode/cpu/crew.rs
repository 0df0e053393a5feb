//! The threads that share tasks: a team, or a team for each sector within a team.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::tasks;
use crate::device::InnerTeams;
use crate::parallel::{for_each, map_singly};
use crate::tpc_decode::input::TimeFrame;

/// Entries of a map that are cleared at a time.
const CLEARED: usize = 1 << 18;

/// Who decodes, and what is one thread's work.
pub(super) struct Crew {
    /// Pages of a time frame, in order; each page is in one task.
    pub(super) tasks: Vec<Range<usize>>,
    /// The teams for sectors, and how many tasks each sector has.
    nested: Option<(Arc<InnerTeams>, Vec<usize>)>,
}

impl Crew {
    /// A team of so many threads, which share the work as the time frame says.
    pub(super) fn of_one_team(frame: &TimeFrame, threads: usize) -> Self {
        Crew { tasks: tasks::of(frame, threads), nested: None }
    }

    /// A team whose threads take sectors, each with a team of its own that takes pages.
    pub(super) fn of_nested_teams(frame: &TimeFrame, inner: Arc<InnerTeams>) -> Self {
        let sectors = tasks::of_sectors(frame, inner.threads());
        let counts = sectors.iter().map(Vec::len).collect();
        Crew { tasks: sectors.concat(), nested: Some((inner, counts)) }
    }

    /// What is made of each task, in order, with what belongs to it.
    pub(super) fn map<T: Send, R: Send>(
        &self,
        of_tasks: impl IntoIterator<Item = T>,
        work: impl Fn(&Range<usize>, T) -> R + Sync,
    ) -> Vec<R> {
        let all = self.tasks.iter().zip(of_tasks);
        let Some((teams, sectors)) = &self.nested else {
            return map_singly(all, |(pages, item)| work(pages, item));
        };
        let mut all = all.collect::<Vec<_>>().into_iter();
        let of_sector = |&count: &usize| Mutex::new(all.by_ref().take(count).collect::<Vec<_>>());
        let of_sectors: Vec<_> = sectors.iter().map(of_sector).collect();
        let done = teams.map(of_sectors.len(), |sector| {
            let mut own = of_sectors[sector].lock().unwrap_or_else(PoisonError::into_inner);
            map_singly(std::mem::take(&mut *own), |(pages, item)| work(pages, item))
        });
        done.into_iter().flatten().collect()
    }

    /// Clears the maps of all sectors, each of so many entries.
    pub(super) fn clear(&self, maps: &mut [u16], entries: usize) {
        let clear = |map: &mut [u16]| for_each(map.chunks_mut(CLEARED), |part| part.fill(0));
        let Some((teams, _)) = &self.nested else {
            return clear(maps);
        };
        let maps: Vec<_> = maps.chunks_mut(entries.max(1)).map(Mutex::new).collect();
        teams.map(maps.len(), |sector| {
            clear(&mut maps[sector].lock().unwrap_or_else(PoisonError::into_inner));
        });
    }
}
