//! Whether the driver agrees on the bytes that a launcher counts.

use algorithms::device::gpu::Gpu;
use reports::units;

/// Small buffers take whole pages of 2 MiB, and kernels take some for themselves.
const TOLERANCE_BYTES: u64 = 128 << 20;
const TOLERANCE: f64 = 0.05;

/// The memory that a GPU had to give before a candidate ran.
pub(in crate::measure) struct FreeBefore(Option<u64>);

impl FreeBefore {
    /// Frees what nobody has, and looks.
    pub(in crate::measure) fn look(gpu: &Gpu) -> Self {
        gpu.trim();
        FreeBefore(free(gpu))
    }

    /// What a candidate has taken until now. What it gave back counts too: it
    /// is kept for the next one.
    pub(in crate::measure) fn taken(&self, gpu: &Gpu) -> Option<u64> {
        Some(self.0?.saturating_sub(free(gpu)?))
    }
}

fn free(gpu: &Gpu) -> Option<u64> {
    gpu.free_bytes().ok().flatten()
}

/// What a reader should know if the driver gave more than was counted.
pub(in crate::measure) fn disagreement(taken: u64, counted: u64) -> Option<String> {
    let most = counted as f64 * (1.0 + TOLERANCE) + TOLERANCE_BYTES as f64;
    (taken as f64 > most).then(|| {
        format!(
            "the device gave {} of memory, of which {} are counted: what else uses it?",
            units::bytes(taken as f64),
            units::bytes(counted as f64)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_far_more_than_counted_is_worth_a_word() {
        assert_eq!(disagreement(3_000_000_000, 3_000_000_000), None);
        assert_eq!(disagreement(100 << 20, 1 << 20), None, "the kernels' own");
        let note = disagreement(4_500_000_000, 3_000_000_000).expect("half as much again");
        assert!(note.contains("4.5 GB") && note.contains("3 GB"), "{note}");
    }
}
