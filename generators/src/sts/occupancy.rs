//! Distribution of digis over segments.

use super::{ModuleSide, Skew};

/// Fractional part of the golden ratio: its multiples fill 0..1 evenly.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Spreads `digis` over `segments`; the sum is exact.
pub(super) fn counts(digis: u64, segments: usize, skew: Skew) -> Vec<usize> {
    let weights: Vec<f64> = (0..segments).map(|segment| weight(segment, segments, skew)).collect();
    let total: f64 = weights.iter().sum();
    // Rounding the running sum rather than each share keeps the total exact.
    let mut running = 0.0;
    let mut assigned = 0;
    let mut share = |weight: &f64| {
        running += weight;
        let end = libm::round(running / total * digis as f64) as u64;
        let count = end.clamp(assigned, digis) - assigned;
        assigned += count;
        count as usize
    };
    let mut counts: Vec<usize> = weights.iter().map(&mut share).collect();
    counts[segments - 1] += (digis - assigned) as usize;
    counts
}

fn weight(segment: usize, segments: usize, skew: Skew) -> f64 {
    match skew {
        Skew::Ratio(ratio) => libm::exp(-libm::log(ratio) * distance(segment, segments)),
        Skew::Hot(_) if segments == 1 => 1.0,
        Skew::Hot(share) if segment == segments / 2 => share,
        Skew::Hot(share) => (1.0 - share) / (segments - 1) as f64,
    }
}

/// The distance of a module from the beam, 0 to 1; both of its sides have it.
/// Neighbouring modules are at unlike distances, so that no run of segments is
/// fuller than another.
fn distance(segment: usize, segments: usize) -> f64 {
    let ModuleSide { module, .. } = ModuleSide::of_segment(segment, segments);
    match module {
        0 => 0.0,
        1 => 1.0,
        _ => {
            let multiple = module as f64 * GOLDEN;
            multiple - libm::floor(multiple)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_exact() {
        for segments in [1, 2, 3, 24, 1792] {
            for digis in [1, 7, 1000, 1_000_003] {
                for skew in [Skew::Ratio(1.0), Skew::Ratio(100.0), Skew::Hot(0.5)] {
                    let counts = counts(digis, segments, skew);
                    assert_eq!(counts.len(), segments);
                    assert_eq!(counts.iter().sum::<usize>() as u64, digis);
                }
            }
        }
    }

    #[test]
    fn without_skew_segments_differ_by_one_at_most() {
        let counts = counts(1_000_003, 24, Skew::Ratio(1.0));
        let min = counts.iter().min();
        let max = counts.iter().max();
        assert!(max.expect("24") - min.expect("24") <= 1);
    }

    #[test]
    fn the_ratio_is_that_of_fullest_to_emptiest() {
        let counts = counts(10_000_000, 1792, Skew::Ratio(10.0));
        let min = counts.iter().min();
        let max = counts.iter().max();
        let ratio = *max.expect("1792") as f64 / *min.expect("1792") as f64;
        assert!((ratio - 10.0).abs() < 0.1, "{ratio}");
    }

    #[test]
    fn the_hot_segment_has_its_share() {
        let counts = counts(1_000_000, 24, Skew::Hot(0.5));
        assert_eq!(counts[12], 500_000);
        assert!(counts[11].abs_diff(500_000 / 23) <= 1);
        let all = super::counts(1000, 24, Skew::Hot(1.0));
        assert_eq!(all[12], 1000);
    }
}
