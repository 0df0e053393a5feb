//! Samples without a particle.

use rand::Rng;

use super::grid::Grid;
use crate::random::{Exponential, Stream};

/// Adds charges of at least `threshold` to a share of all cells and time bins.
pub(super) fn add(
    grid: &mut Grid,
    cells: usize,
    share: f64,
    threshold: u16,
    gaps: &Exponential,
    stream: &mut Stream,
) {
    if share <= 0.0 {
        return;
    }
    let bins = grid.time_bins().len();
    // From one sample to the next: geometrically distributed, an exponential gap
    // rounded down.
    let places_per_gap = -1.0 / (libm::log1p(-share) * f64::from(Exponential::MEAN));
    let mut place = 0;
    loop {
        let bits = stream.next_u64();
        let gap = f64::from(gaps.gap((bits >> 32) as u32)) * places_per_gap;
        place += gap as usize;
        if place >= cells * bins {
            return;
        }
        grid.add_to_bin(place / bins, place % bins, threshold + excess(bits as u32));
        place += 1;
    }
}

/// How far noise is above the threshold, in quarters of an ADC unit: half as often
/// with each unit.
fn excess(bits: u32) -> u16 {
    bits.trailing_zeros().min(15) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use crate::tpc::ZsFormat;

    #[test]
    fn the_share_is_as_asked() {
        let gaps = Exponential::new();
        for share in [0.0, 0.001, 0.1, 0.8] {
            let mut grid = Grid::new(800, 800);
            grid.begin(0..446);
            add(&mut grid, 800, share, 12, &gaps, &mut stream(1, [2]));
            let places: Vec<_> = (0..800).collect();
            let samples = grid.take(0, &places, 12, ZsFormat::Link).len();
            let expected = share * 800.0 * 446.0;
            let off = (samples as f64 - expected).abs();
            assert!(off <= 4.0 * expected.sqrt(), "{samples} for {expected}");
        }
    }
}
