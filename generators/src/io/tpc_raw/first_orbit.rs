//! The orbit of time bin 0.

use std::collections::BTreeMap;

use crate::tpc::page::Rdh;

/// Trigger type of the first heartbeat of a time frame.
const TIME_FRAME_START: u32 = 1 << 11;
/// More orbits than a file has: pages further away have a damaged orbit.
const MAX_DISTANCE: u32 = 1 << 20;

/// Orbits of the pages of a file, with the number of pages of each.
#[derive(Default)]
pub(super) struct Orbits {
    stated: Option<u32>,
    all: BTreeMap<u32, u64>,
    of_starts: BTreeMap<u32, u64>,
}

impl Orbits {
    /// The file states the first orbit.
    pub(super) fn state(&mut self, orbit: u32) {
        self.stated.get_or_insert(orbit);
    }

    pub(super) fn add(&mut self, rdh: &Rdh) {
        *self.all.entry(rdh.orbit).or_default() += 1;
        if rdh.trigger_type & TIME_FRAME_START != 0 {
            *self.of_starts.entry(rdh.orbit).or_default() += 1;
        }
    }

    /// The first orbit: the stated one, or that of the first time frame's first heartbeat, or the
    /// first of all pages. Orbits wrap; single pages with a damaged orbit are ignored.
    pub(super) fn first(&self) -> Option<u32> {
        let center = center(&self.all)?;
        let starts = trusted(&self.of_starts, center);
        let first = |orbits: Vec<u32>| {
            orbits.into_iter().min_by_key(|&orbit| orbit.wrapping_sub(center) as i32)
        };
        self.stated.or_else(|| first(starts)).or_else(|| first(trusted(&self.all, center)))
    }

    /// Number of time frames, if pages mark their first heartbeats.
    pub(super) fn time_frames(&self) -> Option<usize> {
        let starts = trusted(&self.of_starts, center(&self.all)?);
        Some(starts.len()).filter(|&count| count > 0)
    }
}

/// The orbit that most pages have: all right ones lie around it.
fn center(orbits: &BTreeMap<u32, u64>) -> Option<u32> {
    orbits.iter().max_by_key(|(_, pages)| **pages).map(|(orbit, _)| *orbit)
}

/// Orbits near the center; those of a single page only if pages are mostly single.
fn trusted(orbits: &BTreeMap<u32, u64>, center: u32) -> Vec<u32> {
    let near = |orbit: u32| (orbit.wrapping_sub(center) as i32).unsigned_abs() < MAX_DISTANCE;
    let near: Vec<_> = orbits.iter().filter(|(orbit, _)| near(**orbit)).collect();
    let singles = near.iter().filter(|(_, pages)| **pages == 1).count();
    let are_mostly_single = 2 * singles > near.len();
    let trusted = near.into_iter().filter(|(_, pages)| **pages > 1 || are_mostly_single);
    trusted.map(|(orbit, _)| *orbit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orbits(pages: &[(u32, u32)]) -> Orbits {
        let mut orbits = Orbits::default();
        for &(orbit, trigger_type) in pages {
            orbits.add(&Rdh { orbit, trigger_type, ..Rdh::default() });
        }
        orbits
    }

    #[test]
    fn the_first_orbit_is_that_of_the_time_frame() {
        let late = orbits(&[(7, 2), (7, 2), (8, 2), (8, 2)]);
        assert_eq!(late.first(), Some(7));
        let marked = orbits(&[(9, 2050), (9, 2050), (8, 2), (8, 2), (41, 2050), (41, 2050)]);
        assert_eq!((marked.first(), marked.time_frames()), (Some(9), Some(2)));
        let mut stated = orbits(&[(9, 2050)]);
        stated.state(5);
        assert_eq!(stated.first(), Some(5));
        assert_eq!(orbits(&[]).first(), None);
    }

    #[test]
    fn orbits_wrap() {
        let wrapping = [u32::MAX - 1, u32::MAX, 0, 1].map(|orbit| [(orbit, 2); 3]);
        assert_eq!(orbits(wrapping.as_flattened()).first(), Some(u32::MAX - 1));
    }

    #[test]
    fn a_damaged_orbit_moves_no_other_page() {
        let right = [100, 101, 102].map(|orbit| [(orbit, 2); 4]);
        for damaged in [0, 99, 100 ^ 1 << 31, 1 << 20, 98] {
            let pages = [right.as_flattened(), &[(damaged, 2)]].concat();
            assert_eq!(orbits(&pages).first(), Some(100), "{damaged}");
            let pages =
                [right.as_flattened(), &[(damaged, 2050), (100, 2050), (100, 2050)]].concat();
            assert_eq!(orbits(&pages).first(), Some(100), "{damaged}");
        }
    }
}
