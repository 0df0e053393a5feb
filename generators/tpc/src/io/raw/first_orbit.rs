//! The orbit of time bin 0, and the first orbits of time frames.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use generators_common::DataError;
use generators_common::io::Selection;

use crate::page::Rdh;

/// Trigger type of the first heartbeat of a time frame.
const TIME_FRAME_START: u32 = 1 << 11;
/// More orbits than a file has: pages further away have a damaged orbit.
const MAX_DISTANCE: u32 = 1 << 20;

/// Orbits of the pages of a file, with the number of pages of each.
#[derive(Default)]
pub(in crate::io) struct Orbits {
    stated: Option<u32>,
    all: BTreeMap<u32, u64>,
    of_starts: BTreeMap<u32, u64>,
}

impl Orbits {
    /// The file states the first orbit.
    pub(super) fn state(&mut self, orbit: u32) {
        self.stated.get_or_insert(orbit);
    }

    pub(in crate::io) fn add(&mut self, rdh: &Rdh) {
        *self.all.entry(rdh.orbit).or_default() += 1;
        if rdh.trigger_type & TIME_FRAME_START != 0 {
            *self.of_starts.entry(rdh.orbit).or_default() += 1;
        }
    }

    /// The first orbit: the stated one, or that of the first time frame's first heartbeat, or the
    /// first of all pages. Orbits wrap; single pages with a damaged orbit are ignored.
    pub(super) fn first(&self) -> Option<u32> {
        let center = center(&self.all)?;
        let first = |orbits: &BTreeMap<u32, u64>| {
            let orbits = trusted(orbits, center).into_iter();
            orbits.min_by_key(|&orbit| orbit.wrapping_sub(center) as i32)
        };
        self.stated.or_else(|| first(&self.of_starts)).or_else(|| first(&self.all))
    }

    /// First orbits of the time frames, in order, if pages mark their first heartbeats.
    fn starts(&self) -> Vec<u32> {
        let Some(center) = center(&self.all) else { return Vec::new() };
        let mut starts = trusted(&self.of_starts, center);
        starts.sort_by_key(|&orbit| orbit.wrapping_sub(center) as i32);
        starts
    }

    /// Number of time frames, if pages mark their first heartbeats.
    pub(super) fn time_frames(&self) -> Option<u64> {
        Some(self.starts().len() as u64).filter(|&count| count > 0)
    }

    /// The orbits of the selected time frames. Without marks, all pages are of one time frame.
    pub(in crate::io) fn window(
        &self,
        path: &Path,
        selection: &Selection,
    ) -> Result<OrbitWindow, DataError> {
        let starts = self.starts();
        let Range { start, end } = selection.time_frames(path, starts.len().max(1) as u64)?;
        let orbits = starts.get(start as usize).map(|&first| {
            let next = starts.get(end as usize);
            let length = next.map_or(MAX_DISTANCE, |next| next.wrapping_sub(first));
            FirstAndLength { first, length }
        });
        Ok(OrbitWindow { orbits })
    }
}

/// Orbits of the selected time frames.
pub(in crate::io) struct OrbitWindow {
    /// `None` for all orbits.
    orbits: Option<FirstAndLength>,
}

struct FirstAndLength {
    first: u32,
    length: u32,
}

impl OrbitWindow {
    /// The first orbit of the first time frame, if pages mark it.
    pub(in crate::io) fn first_orbit(&self) -> Option<u32> {
        self.orbits.as_ref().map(|orbits| orbits.first)
    }

    pub(in crate::io) fn contains(&self, orbit: u32) -> bool {
        let within = |window: &FirstAndLength| orbit.wrapping_sub(window.first) < window.length;
        self.orbits.as_ref().is_none_or(within)
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
    fn time_frames_are_selected_by_their_orbits() {
        let first = u32::MAX - 1;
        let frame = |number: u32| {
            let first = first.wrapping_add(32 * number);
            [(first, 2050), (first, 2050), (first.wrapping_add(31), 2), (first.wrapping_add(31), 2)]
        };
        let all = orbits([frame(1), frame(0), frame(2)].as_flattened());
        let selected = |indices| {
            let selection = Selection { indices: Some(indices), ..Selection::ALL };
            let window = all.window(Path::new("d.raw"), &selection).expect("there are three");
            let orbits = (0..100).filter(|&orbit| window.contains(first.wrapping_add(orbit)));
            orbits.collect::<Vec<_>>()
        };
        assert_eq!(selected(0..1), (0..32).collect::<Vec<_>>());
        assert_eq!(selected(1..2), (32..64).collect::<Vec<_>>());
        assert_eq!(selected(1..3), (32..100).collect::<Vec<_>>());
        let unmarked = orbits(&[(7, 2), (9, 2)]);
        let window = unmarked.window(Path::new("d.raw"), &Selection::ALL).expect("one");
        assert!(window.contains(3));
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
