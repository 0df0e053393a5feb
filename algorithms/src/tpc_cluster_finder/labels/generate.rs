//! Labels of generated samples.

use generators::random::{below, mix};
use generators::tpc::charges::{Charge, Labels};
use generators::tpc::simulate::Mark;
use generators::{DataError, named};

use super::NOISE;

/// Source of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TruthKind {
    /// No labels.
    None,
    /// The particles of each sample, from the simulation.
    Tracks,
    /// Any number of artificial labels, without a meaning.
    MadeUp,
}

named! { "truth", TruthKind { None = "none", Tracks = "tracks", MadeUp = "made-up" } }

/// Bits of a label for the track and its event.
const TRACK_AND_EVENT: u64 = (1 << 50) - 1;
/// Pads and time bins with equal artificial labels: the size of some clusters.
const ALIKE: (u32, u32) = (8, 10);

/// The labels of samples in the order of time and pad, from the simulation.
pub(in super::super) fn of_tracks(charges: &[Charge], marks: &[Mark]) -> Labels {
    let mut labels = Labels::default();
    let mut left = marks;
    let mut of_sample = Vec::new();
    for sample in charges {
        let position = (sample.time, sample.pad);
        let before = left.partition_point(|mark| (mark.time, mark.pad) < position);
        left = &left[before..];
        of_sample.clear();
        for mark in left.iter().take_while(|mark| (mark.time, mark.pad) == position) {
            let label = mark.particle & TRACK_AND_EVENT;
            if !of_sample.contains(&label) {
                of_sample.push(label);
            }
        }
        if of_sample.is_empty() {
            of_sample.push(NOISE);
        }
        labels.push(&of_sample);
    }
    labels
}

/// `per_sample` labels for each sample, where a fraction adds one to some samples. Samples near
/// each other have the same labels, except for the first, which is one of three.
pub(in super::super) fn made_up(charges: &[Charge], per_sample: f64, seed: u64) -> Labels {
    let whole = per_sample as u64;
    let fraction = per_sample.fract();
    let mut labels = Labels::default();
    let mut of_sample = Vec::new();
    for sample in charges {
        let row = u64::from(sample.pad.row());
        let pad = u32::from(sample.pad.pad());
        let near = u64::from(pad / ALIKE.0) << 32 | u64::from(sample.time / ALIKE.1);
        let near = mix(seed ^ mix(row << 60 ^ row >> 4 ^ near));
        let own = mix(near ^ u64::from(pad) << 32 ^ u64::from(sample.time));
        let one_more = below(own as u32, 1 << 20) < (fraction * f64::from(1 << 20)) as u64;
        of_sample.clear();
        for index in 0..whole + u64::from(one_more) {
            let differs = if index == 0 { own % 3 } else { 0 };
            of_sample.push(mix(near ^ index << 8 ^ differs) & TRACK_AND_EVENT);
        }
        labels.push(&of_sample);
    }
    labels
}

/// Checks that labels can be counted with 32 bits.
pub(in super::super) fn fit(samples: u64, per_sample: f64) -> Result<(), DataError> {
    let labels = samples as f64 * per_sample;
    let max = f64::from(u32::MAX);
    if labels < max {
        return Ok(());
    }
    Err(DataError::Shape(format!(
        "about {labels:.1e} labels of a sector exceed the limit of {max:.1e}; use fewer orbits, or lower --labels-per-digit"
    )))
}

#[cfg(test)]
mod tests {
    use generators::tpc::PadId;

    use super::*;

    fn charges(count: u32) -> Vec<Charge> {
        let sample = |i| Charge { time: i / 50, pad: PadId::new(3, (i % 50) as u8), charge: 9 };
        (0..count).map(sample).collect()
    }

    #[test]
    fn samples_have_the_labels_of_their_particles() {
        let charges = charges(4);
        let mark = |index: usize, particle| Mark { particle, time: 0, pad: charges[index].pad };
        let marks = [mark(0, 5), mark(2, 7), mark(2, 1 << 60 | 8), mark(2, 7)];
        let labels = of_tracks(&charges, &marks);
        let of: Vec<_> = (0..4).map(|sample| labels.list(sample).to_vec()).collect();
        assert_eq!(of, [vec![5], vec![NOISE], vec![7, 8], vec![NOISE]]);
    }

    #[test]
    fn number_of_artificial_labels_matches_the_parameter() {
        let charges = charges(10_000);
        for (per_sample, min, max) in [(0.0, 0, 0), (2.3, 22_500, 23_500), (4.0, 40_000, 40_000)] {
            let labels = made_up(&charges, per_sample, 1);
            let count = labels.all().len();
            assert!((min..=max).contains(&count), "{per_sample}: {count}");
        }
        assert_ne!(made_up(&charges, 1.0, 1), made_up(&charges, 1.0, 2));
    }
}
