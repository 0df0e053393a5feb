//! Sizes at which the faster of two changes.
//!
//! Medians over sizes are joined by straight lines on logarithmic scales, so the logarithm of their
//! ratio is a straight line between sizes, too, and is zero where they cross.
//!
//! The interval of the ratio at a size is derived from those of the medians: squared distances to
//! their ends add up, separately on either side (Zou and Donner 2008). Between sizes its ends are
//! joined by straight lines: errors at two sizes are independent, so this is rather too wide. The
//! interval of a crossing contains all sizes around it at which the interval of the ratio contains
//! one, as in Fieller's theorem. It does not account for medians between sizes that deviate from
//! the line: more sizes help.

use super::interval::Interval;

/// The medians of two at a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MedianPair {
    /// Size of the input.
    pub size: f64,
    /// One of them.
    pub first: Timing,
    /// The other one.
    pub second: Timing,
}

/// A median in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The median.
    pub median: f64,
    /// Its 95 % interval; `None` for too few samples.
    pub interval: Option<Interval>,
}

/// The one with the shorter time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faster {
    /// The first of two.
    First,
    /// The second of two.
    Second,
}

/// A size at which two have the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Size at which the lines cross.
    pub size: f64,
    /// Lower bound of the size; `None` if it is below all measured ones.
    pub low: Option<f64>,
    /// Upper bound of the size; `None` if it is beyond all measured ones.
    pub high: Option<f64>,
    /// The faster one beyond it.
    pub faster: Faster,
}

impl MedianPair {
    /// True if both medians have an interval.
    pub fn has_intervals(&self) -> bool {
        self.first.interval.is_some() && self.second.interval.is_some()
    }

    /// The significantly faster one: the interval of the ratio is on one side of one.
    pub fn clearly_faster(&self) -> Option<Faster> {
        Ratio::from_pair(self).clearly_faster()
    }
}

/// The crossings of two, by size; the pairs must be sorted by size.
///
/// Crossings with overlapping intervals are one, and none if the same one wins at both ends of
/// their interval. Without any significant winner there is none. A median without an interval is
/// taken as exact.
pub fn crossings(pairs: &[MedianPair]) -> Vec<Crossing> {
    let ratios: Vec<Ratio> = pairs.iter().map(Ratio::from_pair).collect();
    let changes = 1..ratios.len();
    let found: Vec<Crossing> = changes.filter_map(|i| crossing(&ratios, i)).collect();
    let groups = found.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high));
    groups.filter_map(merged).collect()
}

/// The logarithm of the first median over the second.
#[derive(Clone, Copy, Debug)]
struct Ratio {
    /// The logarithm of the size.
    at: f64,
    low: f64,
    middle: f64,
    high: f64,
}

impl Ratio {
    fn from_pair(pair: &MedianPair) -> Ratio {
        let (first, [first_below, first_above]) = pair.first.logarithm();
        let (second, [second_below, second_above]) = pair.second.logarithm();
        let middle = first - second;
        Ratio {
            at: pair.size.ln(),
            low: middle - first_below.hypot(second_above),
            middle,
            high: middle + first_above.hypot(second_below),
        }
    }

    fn faster(&self) -> Faster {
        if self.middle < 0.0 { Faster::First } else { Faster::Second }
    }

    fn clearly_faster(&self) -> Option<Faster> {
        match (self.low > 0.0, self.high < 0.0) {
            (true, _) => Some(Faster::Second),
            (_, true) => Some(Faster::First),
            _ => None,
        }
    }
}

impl Timing {
    /// The logarithm of the median, and how far below and above it the interval reaches.
    fn logarithm(&self) -> (f64, [f64; 2]) {
        let middle = self.median.ln();
        let reach =
            self.interval.map_or([0.0; 2], |it| [middle - it.low.ln(), it.high.ln() - middle]);
        (middle, reach.map(|distance| distance.max(0.0)))
    }
}

/// The crossing between the ratio at this index and the previous one. Its interval extends to the
/// nearest significant leads on either side.
fn crossing(ratios: &[Ratio], index: usize) -> Option<Crossing> {
    let before = &ratios[index - 1];
    let after = &ratios[index];
    let mut below = ratios[..=index].windows(2).rev();
    let mut above = ratios[index - 1..].windows(2);
    (before.faster() != after.faster()).then(|| Crossing {
        size: root([before.at, before.middle], [after.at, after.middle]),
        low: below.find_map(|pair| end_of_lead(&pair[0], &pair[1])),
        high: above.find_map(|pair| end_of_lead(&pair[1], &pair[0])),
        faster: after.faster(),
    })
}

/// Size at which a significant lead ends on the line to a neighbour; `None` if it is not
/// significant.
fn end_of_lead(clear: &Ratio, neighbour: &Ratio) -> Option<f64> {
    let end = match clear.clearly_faster()? {
        Faster::First => |ratio: &Ratio| [ratio.at, ratio.high],
        Faster::Second => |ratio: &Ratio| [ratio.at, ratio.low],
    };
    Some(root(end(clear), end(neighbour)))
}

/// The size at which a line between two logarithms of different sign is zero.
fn root([at, value]: [f64; 2], [other, other_value]: [f64; 2]) -> f64 {
    (at + (other - at) * value / (value - other_value)).exp()
}

/// Merges crossings with overlapping intervals; `None` if they cancel out, or have no bounds.
fn merged(group: &[Crossing]) -> Option<Crossing> {
    let first = group.first()?;
    let is_somewhere = first.low.is_some() || first.high.is_some();
    (is_somewhere && group.len() % 2 == 1)
        .then(|| Crossing { size: group[group.len() / 2].size, ..*first })
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    /// Half width of the interval with 95 % of a normal distribution.
    const WIDTH: f64 = 1.96;

    fn timing(median: f64, width: f64) -> Timing {
        Timing {
            median,
            interval: Some(Interval { low: median * (-width).exp(), high: median * width.exp() }),
        }
    }

    /// Contests at powers of ten from 10 on: a ratio of first over second each,
    /// with the half-width of the logarithm of either.
    fn pairs(ratios: &[f64], width: f64) -> Vec<MedianPair> {
        let pair = |(size, ratio): (f64, &f64)| MedianPair {
            size,
            first: timing(size * ratio, width),
            second: timing(size, width),
        };
        let sizes = (1..).map(|power| 10f64.powi(power));
        sizes.zip(ratios).map(pair).collect()
    }

    fn near(found: Option<f64>, expected: f64) -> bool {
        found.is_some_and(|found| (found / expected - 1.0).abs() < 1e-9)
    }

    #[test]
    fn power_laws_cross_where_algebra_says() {
        // In proportion to the size, and to its root: straight lines on logarithmic scales.
        let pair = |size: f64| MedianPair {
            size,
            first: timing(3e-9 * size, 0.0),
            second: timing(1e-6 * size.sqrt(), 0.0),
        };
        let found = crossings(&[1e3, 1e4, 1e5, 1e6].map(pair));
        let expected = (1e-6_f64 / 3e-9).powi(2);
        assert_eq!(found.len(), 1);
        assert!(near(Some(found[0].size), expected), "{found:?}");
        assert!(near(found[0].low, expected) && near(found[0].high, expected));
        assert_eq!(found[0].faster, Faster::Second);
    }

    #[test]
    fn the_interval_ends_where_those_of_the_ratio_do() {
        // The logarithm of the ratio rises by ln 4 a decade through zero at 10^2.5,
        // and its half-width is that of one median times the root of two.
        let found = crossings(&pairs(&[0.125, 0.5, 2.0, 8.0], 0.1));
        let decades = 0.1 * 2f64.sqrt() / 4f64.ln();
        let at = |decades: f64| 10f64.powf(2.5 + decades);
        assert!(near(Some(found[0].size), at(0.0)), "{found:?}");
        assert!(near(found[0].low, at(-decades)), "{found:?}");
        assert!(near(found[0].high, at(decades)), "{found:?}");
    }

    #[test]
    fn intervals_may_be_longer_on_one_side() {
        let mut pairs = pairs(&[0.5, 2.0], 0.0);
        for pair in &mut pairs {
            let low = pair.first.median * 0.8;
            let high = pair.first.median;
            pair.first.interval = Some(Interval { low, high });
        }
        let found = crossings(&pairs);
        assert!(near(found[0].low, found[0].size), "{found:?}");
        assert!(found[0].high.is_some_and(|high| high > found[0].size * 1.2));
    }

    #[test]
    fn a_lead_at_all_sizes_and_touching_lines_are_not_crossings() {
        for (ratios, width) in [
            (&[2.0, 3.0, 2.0][..], 0.1),
            (&[0.2, 0.3, 0.2], 0.1),
            (&[2.0], 0.1),
            (&[], 0.1),
            (&[0.5, 1.0, 0.5], 0.0),
            (&[2.0, 1.0, 2.0], 0.0),
            // Beyond one, but not beyond doubt.
            (&[0.5, 1.02, 0.5], 0.05),
        ] {
            assert_eq!(crossings(&pairs(ratios, width)), [], "{ratios:?}");
        }
        assert_eq!(crossings(&pairs(&[0.5, 1.02, 0.5], 0.01)).len(), 2);
    }

    #[test]
    fn several_crossings_come_in_order() {
        let found = crossings(&pairs(&[0.5, 2.0, 2.0, 0.5, 0.5, 2.0], 0.05));
        let faster: Vec<Faster> = found.iter().map(|crossing| crossing.faster).collect();
        assert_eq!(faster, [Faster::Second, Faster::First, Faster::Second]);
        let ends: Vec<_> = found
            .iter()
            .flat_map(|crossing| [crossing.low, Some(crossing.size), crossing.high])
            .collect();
        assert!(ends.iter().all(Option::is_some) && ends.is_sorted());
    }

    #[test]
    fn crossings_that_are_not_clearly_apart_are_one() {
        let found = crossings(&pairs(&[0.5, 1.01, 0.99, 2.0], 0.05));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].faster, Faster::Second);
        assert!(found[0].low.is_some_and(|low| low < 100.0));
        assert!(found[0].high.is_some_and(|high| high > 1000.0));
    }

    #[test]
    fn an_interval_may_reach_beyond_what_was_measured() {
        let found = crossings(&pairs(&[0.98, 1.02, 2.0], 0.05));
        assert_eq!((found.len(), found[0].low), (1, None), "{found:?}");
        assert!(found[0].high.is_some());
        let found = crossings(&pairs(&[0.5, 0.98, 1.02], 0.05));
        assert_eq!((found.len(), found[0].high), (1, None), "{found:?}");
        assert_eq!(crossings(&pairs(&[0.98, 1.02, 1.03], 0.05)), []);
    }

    #[test]
    fn a_lead_is_significant_if_the_intervals_allow_no_other() {
        let faster = |ratio: f64| pairs(&[ratio], 0.05)[0].clearly_faster();
        assert_eq!(faster(1.2), Some(Faster::Second));
        assert_eq!(faster(0.8), Some(Faster::First));
        // Root of two times 0.05 is 0.0707.
        assert_eq!(faster(1.07), None);
        assert_eq!(faster(1.08), Some(Faster::Second));
    }

    #[test]
    fn the_interval_of_a_crossing_has_its_coverage() {
        let mut noise = Noise::new(3);
        let error = 0.03;
        let mut measured =
            |truth: f64| timing(truth * (error * noise.normal()).exp(), WIDTH * error);
        // Through one at 10^2.5, in the middle between sizes, where joining the
        // ends is the widest, and at 10^3, where it changes nothing.
        for (truths, crossing) in
            [([0.25, 0.5, 2.0, 4.0], 10f64.powf(2.5)), ([0.25, 0.5, 1.0, 2.0], 1000.0)]
        {
            let mut is_held = || {
                let mut pairs = pairs(&truths, 0.0);
                for (pair, truth) in pairs.iter_mut().zip(truths) {
                    (pair.first, pair.second) = (measured(truth), measured(1.0));
                }
                crossings(&pairs).iter().any(|found| {
                    found.low.is_none_or(|low| low <= crossing)
                        && found.high.is_none_or(|high| crossing <= high)
                })
            };
            let share = (0..2000).filter(|_| is_held()).count() as f64 / 2000.0;
            assert!((0.935..0.998).contains(&share), "{crossing}: {share}");
        }
    }
}
