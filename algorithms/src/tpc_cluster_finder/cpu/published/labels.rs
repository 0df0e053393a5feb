//! Labels of clusters, from the indices of the samples in the cells around their peaks.

use generators::tpc::charges::{Charge, ChargeCase};

use super::maps::{CHARGE, Maps, plus};
use crate::parallel::{Grain, for_each_range};
use crate::shared::SharedSlice;
use crate::tpc_cluster_finder::cpu::labels::of_sample;
use crate::tpc_cluster_finder::directions::{DIRECTIONS, Step};
use crate::tpc_cluster_finder::labels::collect::Collect;
use crate::tpc_cluster_finder::settings::sixteenths;
use crate::tpc_decode::{FragmentOfFrame, Position};

/// The samples of a fragment of a sector, by their cells.
#[derive(Clone, Copy)]
pub(in crate::tpc_cluster_finder) struct Numbered<'n> {
    /// The sector.
    pub(in crate::tpc_cluster_finder) case: &'n ChargeCase,
    /// The index in the sector of the sample of each entry of the map that has one.
    pub(in crate::tpc_cluster_finder) indices: &'n [u32],
}

/// Stores the index of each sample in the sector at the entry of its charge in the map of a
/// fragment.
pub(in crate::tpc_cluster_finder) fn number_samples(
    case: &ChargeCase,
    fragment: &FragmentOfFrame,
    samples: &[Charge],
    indices: &mut [u32],
) {
    let times = &fragment.time_bins;
    let first = samples.as_ptr_range().start.addr() - case.charges.as_ptr_range().start.addr();
    let first = first / size_of::<Charge>();
    let shared = SharedSlice::new(indices);
    for_each_range(samples.len(), Grain::Adaptive, |range| {
        for number in range.filter(|number| times.contains(&samples[*number].time)) {
            let Charge { time, pad, .. } = samples[number];
            let cell = Position::new(pad, time - times.start);
            // SAFETY: no two samples are in the same cell.
            unsafe { shared.write(cell.index(), (first + number) as u32) };
        }
    });
}

impl Numbered<'_> {
    /// The labels of the cluster around a peak, once charges are divided.
    pub(in crate::tpc_cluster_finder) fn collected<C: Collect>(
        &self,
        maps: &Maps<'_>,
        peak: Position,
    ) -> Vec<u64> {
        let mut collect = C::default();
        let mut list = Vec::new();
        self.labelled(maps, peak, |cell| {
            let sample = self.indices[cell.index()] as usize;
            let labels = of_sample(self.case.labels.as_ref(), sample);
            labels.iter().for_each(|label| collect.add(*label));
        });
        collect.take(&mut list);
        list
    }

    /// Calls `add` for the cells whose samples give their labels to the cluster around a peak: the
    /// neighbours, then the outer cells, as far as they have charge.
    fn labelled(&self, maps: &Maps<'_>, peak: Position, mut add: impl FnMut(Position)) {
        let threshold = sixteenths(self.case.settings.inner_threshold);
        let charge = |step| i32::from(maps.charge(plus(peak, step)) & CHARGE);
        let mut give = |step: Step| {
            if charge(step) > 0 {
                add(plus(peak, step));
            }
        };
        give((0, 0));
        DIRECTIONS.iter().for_each(|(inner, _)| give(*inner));
        for (inner, behind) in DIRECTIONS {
            if charge(inner) > threshold {
                behind.iter().for_each(|step| give(*step));
            }
        }
    }
}
