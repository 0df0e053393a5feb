//! The effective clock of the CPU, from a chain of instructions.
//!
//! What the system says about clocks is a nominal value on virtual machines
//! and an average over who knows what elsewhere. A chain of additions, each of
//! which needs the result of the one before, takes a cycle a link on every
//! x86-64 and arm64 core, so its duration tells the clock of this core at this
//! moment. Anything that takes the core away meanwhile makes it look slow.

use std::time::Instant;

/// Links in a turn of the loop: many, so that the loop itself costs nothing.
const LINKS_PER_TURN: u32 = 128;
/// Some 4 µs in all: long against the timer's resolution, short against a sample.
const TURNS: u32 = 100;

/// A sample taken at less than this part of the usual clock is marked.
const SLOW: f64 = 0.9;
/// Readings that make a usual clock.
const MIN_READINGS: usize = 5;

/// The clock of this core right now, in MHz; `None` where no chain is known.
pub(super) fn read_mhz() -> Option<f64> {
    let start = Instant::now();
    if !run_chain() {
        return None;
    }
    let seconds = start.elapsed().as_secs_f64();
    Some(f64::from(TURNS * LINKS_PER_TURN) / seconds * 1e-6)
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn run_chain() -> bool {
    let mut value = 1_u64;
    for _ in 0..TURNS {
        // SAFETY: the instructions change one register and nothing else.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::asm!(
                ".rept {links}", "add {value}, {value}", ".endr",
                value = inout(reg) value,
                links = const LINKS_PER_TURN,
                options(pure, nomem, nostack),
            );
        }
        // SAFETY: the instructions change one register and nothing else.
        #[cfg(target_arch = "aarch64")]
        unsafe {
            std::arch::asm!(
                ".rept {links}", "add {value}, {value}, {value}", ".endr",
                value = inout(reg) value,
                links = const LINKS_PER_TURN,
                options(pure, nomem, nostack),
            );
        }
    }
    std::hint::black_box(value);
    true
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn run_chain() -> bool {
    false
}

/// The usual clock of a run so far.
#[derive(Default)]
pub(super) struct UsualClock(Vec<f64>);

impl UsualClock {
    /// Takes a reading; tells whether it is far below the usual clock.
    pub(super) fn is_slow(&mut self, mhz: f64) -> bool {
        let place = self.0.partition_point(|&known| known < mhz);
        self.0.insert(place, mhz);
        self.0.len() >= MIN_READINGS && mhz < SLOW * self.0[self.0.len() / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_far_below_the_usual_are_slow() {
        let mut usual = UsualClock::default();
        assert!(!usual.is_slow(1000.0), "nothing to compare with yet");
        for mhz in [3000.0, 3010.0, 2990.0, 3005.0, 3001.0] {
            assert!(!usual.is_slow(mhz));
        }
        assert!(usual.is_slow(2000.0));
        assert!(!usual.is_slow(2900.0));
    }

    #[test]
    fn a_reading_is_a_plausible_clock() {
        let readings: Option<Vec<_>> = (0..100).map(|_| read_mhz()).collect();
        let Some(readings) = readings else {
            eprintln!("skipped: no chain of instructions for this architecture");
            return;
        };
        let fastest = readings.into_iter().fold(0.0, f64::max);
        assert!((400.0..10_000.0).contains(&fastest), "{fastest} MHz");
    }
}
