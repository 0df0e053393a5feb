//! Slices of a track in lanes, in each of which any two are nested or apart. Viewers draw a lane as a
//! stack, and drop slices that overlap otherwise.

use super::model::Slice;

/// Nanoseconds in a second.
const NANOSECONDS: f64 = 1e9;

/// Maximum time in nanoseconds: differences can be represented, too.
const LONGEST: f64 = 4e18;

/// A slice with its times in nanoseconds. Nesting is exact for whole numbers.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'t> {
    pub slice: &'t Slice,
    pub start_ns: i64,
    pub end_ns: i64,
}

impl<'t> Placed<'t> {
    pub fn new(slice: &'t Slice) -> Self {
        let start_ns = nanoseconds(slice.start_s);
        let end_ns = nanoseconds(slice.end_s()).max(start_ns);
        Placed { slice, start_ns, end_ns }
    }
}

/// Time in nanoseconds.
pub fn nanoseconds(seconds: f64) -> i64 {
    (seconds * NANOSECONDS).round().clamp(-LONGEST, LONGEST) as i64
}

/// Slices by lane, in order of their starts, enclosing ones first.
pub fn lanes(slices: &[Slice]) -> Vec<Vec<Placed<'_>>> {
    let mut placed: Vec<Placed<'_>> = slices.iter().map(Placed::new).collect();
    // Slices of no length that end where others start come before these.
    placed.sort_by_key(|it| (it.start_ns, std::cmp::Reverse(it.end_ns)));
    let mut lanes: Vec<Lane<'_>> = Vec::new();
    for slice in placed {
        match lanes.iter_mut().find_map(|lane| lane.fits(&slice).then_some(lane)) {
            Some(lane) => lane.push(slice),
            None => {
                let mut lane = Lane::default();
                lane.push(slice);
                lanes.push(lane);
            }
        }
    }
    lanes.into_iter().map(|lane| lane.slices).collect()
}

/// A lane up to a time.
#[derive(Default)]
struct Lane<'t> {
    slices: Vec<Placed<'t>>,
    /// Ends of the open slices, the outermost first.
    open: Vec<i64>,
}

impl<'t> Lane<'t> {
    /// True if the slice is within the innermost open one or after all.
    fn fits(&mut self, slice: &Placed<'_>) -> bool {
        while self.open.last().is_some_and(|end| *end <= slice.start_ns) {
            self.open.pop();
        }
        self.open.last().is_none_or(|end| slice.end_ns <= *end)
    }

    fn push(&mut self, slice: Placed<'t>) {
        self.open.push(slice.end_ns);
        self.slices.push(slice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lanes of slices with these starts and ends, by their numbers.
    fn numbered(times: &[(f64, f64)]) -> Vec<Vec<usize>> {
        let slice = |(number, (start_s, end_s)): (usize, &(f64, f64))| Slice {
            name: number.to_string(),
            start_s: *start_s,
            seconds: end_s - start_s,
            ..Slice::default()
        };
        let slices: Vec<Slice> = times.iter().enumerate().map(slice).collect();
        let number = |placed: &Placed<'_>| placed.slice.name.parse().expect("a number");
        lanes(&slices).iter().map(|lane| lane.iter().map(number).collect()).collect()
    }

    #[test]
    fn nested_and_adjacent_slices_share_a_lane() {
        let times = [(0.0, 4.0), (1.0, 2.0), (2.0, 4.0), (2.5, 3.0), (4.0, 5.0)];
        assert_eq!(numbered(&times), [[0, 1, 2, 3, 4]]);
        // Enclosing ones are first, whatever their order was.
        assert_eq!(numbered(&[(1.0, 2.0), (1.0, 4.0)]), [[1, 0]]);
    }

    #[test]
    fn slices_that_overlap_get_lanes() {
        let times = [(0.0, 2.0), (1.0, 3.0), (1.5, 2.5), (3.0, 4.0)];
        assert_eq!(numbered(&times), [vec![0, 3], vec![1, 2]]);
    }
}
