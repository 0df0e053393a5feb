//! Variants on the CPU: waveforms in parallel, on all threads of the team.

use recobench::parallel::for_each;
use recobench::tasks::algorithm::{PrepareResult, Variant, VariantContext};

use super::Pulses;
use super::pulse::{Pulse, baseline, pulse_at, pulse_in};

/// Waveforms that a thread takes at a time.
const BATCH: usize = 256;

/// The definition as it is written.
pub const WAVEFORMS: Variant<Pulses> =
    Variant::cpu("waveforms", "waveform by waveform, as it is defined", |at| {
        each_waveform(at, pulse_in)
    });

/// The largest value in a loop without branches, which the compiler makes vectors of, and its index
/// in a second pass over what is in the nearest cache by then.
pub const TWO_PASSES: Variant<Pulses> =
    Variant::cpu("two-passes", "the largest value first, its index second", |at| {
        each_waveform(at, in_two_passes)
    });

/// Finds the pulse of each waveform by a function of its samples and the threshold.
fn each_waveform<'a>(
    at: &VariantContext<'a, '_, Pulses>,
    find: impl Fn(&[u16], u32) -> Pulse + Send + Sync + 'a,
) -> PrepareResult<'a, Pulses> {
    let input = at.input;
    at.fill_output(input.count(), size_of_val(input.samples()), move |pulses| {
        let batches = pulses.chunks_mut(BATCH);
        let samples = input.samples().chunks(BATCH * input.length());
        for_each(batches.zip(samples), |(pulses, samples)| {
            for (pulse, samples) in pulses.iter_mut().zip(samples.chunks_exact(input.length())) {
                *pulse = find(samples, input.threshold());
            }
        });
    })
}

fn in_two_passes(samples: &[u16], threshold: u32) -> Pulse {
    let largest = samples.iter().fold(0, |largest: u16, sample| largest.max(*sample));
    let baseline = baseline(samples);
    if u32::from(largest).saturating_sub(baseline) < threshold.max(1) {
        return Pulse::default();
    }
    let peak = samples.iter().position(|sample| *sample == largest).unwrap_or_default();
    pulse_at(samples, peak, baseline, threshold)
}
