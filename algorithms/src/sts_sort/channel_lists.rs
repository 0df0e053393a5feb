//! Precondition of Concat Sort on its input.

use generators::sts::SegmentedDigis;

use crate::device::Unavailable;

/// All 11 bits of a channel.
pub(super) const CHANNELS: usize = 1 << 11;

/// Refuses inputs with a channel whose digis are not in order of time.
pub(super) fn channels_in_order(input: &SegmentedDigis) -> Result<(), Unavailable> {
    for (index, segment) in input.segments().enumerate() {
        let mut latest = [0; CHANNELS];
        for &digi in segment {
            let latest = &mut latest[usize::from(digi.channel())];
            if digi.time_ns() < *latest {
                return Err(Unavailable(format!(
                    "its digis must be in order of time in each channel; channel {} of segment \
                     {index} has {} ns after {latest} ns",
                    digi.channel(),
                    digi.time_ns()
                )));
            }
            *latest = digi.time_ns();
        }
    }
    Ok(())
}
