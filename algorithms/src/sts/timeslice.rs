//! Digis with the setup of their detector.

use std::sync::Arc;

use generators::partition::Partition;
use generators::sts::setup::Setup;
use generators::sts::{Digi, SegmentedDigis};

/// What the chain starts from.
#[derive(Clone, Debug)]
pub struct Timeslice {
    /// All digis, by module side; two sides for each module of the setup.
    pub digis: SegmentedDigis,
    /// The detector.
    pub setup: Arc<Setup>,
}

impl Timeslice {
    /// The digis of a detector. Modules behind the last one that has digis get empty
    /// sides.
    ///
    /// # Panics
    /// If there are digis of more modules than the setup has.
    pub fn new(digis: SegmentedDigis, setup: Arc<Setup>) -> Self {
        let (found, wanted) = (digis.partition().segments(), 2 * setup.modules().len());
        assert!(
            found <= wanted,
            "{found} segments, but {wanted} module sides"
        );
        let digis = if found == wanted {
            digis
        } else {
            with_empty_sides(&digis, wanted)
        };
        Timeslice { digis, setup }
    }

    /// The number of modules.
    pub fn modules(&self) -> usize {
        self.setup.modules().len()
    }
}

/// The same digis in more sides: fronts stay in front, backs move behind them.
fn with_empty_sides(digis: &SegmentedDigis, sides: usize) -> SegmentedDigis {
    let fronts = digis.partition().segments().div_ceil(2);
    let modules = sides / 2;
    let segment = |side: usize| {
        let (module, first) = (side % modules, if side < modules { 0 } else { fronts });
        let there = module < fronts && first + module < digis.partition().segments();
        if there {
            digis.segment(first + module)
        } else {
            &[]
        }
    };
    let flat: Vec<Digi> = (0..sides).flat_map(segment).copied().collect();
    let partition = Partition::from_lengths((0..sides).map(|side| segment(side).len()));
    SegmentedDigis::new(flat, partition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_without_digis_get_empty_sides() {
        let digi = Digi::from_bits;
        let digis = SegmentedDigis::from_segments(&[vec![digi(1)], vec![digi(2), digi(3)]]);
        let setup = Arc::new(Setup::regular(3).expect("sensible"));
        let timeslice = Timeslice::new(digis, setup);
        let lengths: Vec<_> = timeslice.digis.partition().lengths().collect();
        assert_eq!(lengths, [1, 0, 0, 2, 0, 0]);
        assert_eq!(timeslice.digis.segment(3)[1], digi(3));
    }
}
