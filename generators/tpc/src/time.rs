//! Bunch crossings, orbits and time bins.
//!
//! An orbit is 445.5 time bins long, so in odd orbits time bins start in the middle of a crossing's
//! group of eight: all arithmetic is in crossings.

use std::ops::Range;

/// Bunch crossings (periods of the LHC clock, 25 ns) in an orbit, which is also
/// a heartbeat frame.
pub const BC_PER_ORBIT: u64 = 3564;
/// Bunch crossings in a time bin.
pub const BC_PER_TIME_BIN: u64 = 8;
/// Length of a time bin in µs.
pub const TIME_BIN_US: f64 = 0.2;
/// Maximum number of time bins in an orbit.
pub const MAX_TIME_BINS_IN_ORBIT: usize = 446;

/// The heartbeat frame in which a time bin starts; both are counted from the start of the time
/// frame.
#[inline]
pub const fn frame_of(time_bin: u32) -> u32 {
    (time_bin as u64 * BC_PER_TIME_BIN / BC_PER_ORBIT) as u32
}

/// The time bins that start in a heartbeat frame: 446 in even ones, 445 in odd ones.
#[inline]
pub const fn time_bins_of(frame: u32) -> Range<u32> {
    first_time_bin(frame as u64)..first_time_bin(frame as u64 + 1)
}

const fn first_time_bin(frame: u64) -> u32 {
    (frame * BC_PER_ORBIT).div_ceil(BC_PER_TIME_BIN) as u32
}

/// The crossing in its orbit at which a time bin starts: a multiple of 8 in even heartbeat frames,
/// a multiple of 8 plus 4 in odd ones.
#[inline]
pub const fn crossing_of(time_bin: u32) -> u16 {
    (time_bin as u64 * BC_PER_TIME_BIN % BC_PER_ORBIT) as u16
}

/// The time bin of a crossing, `orbits` after the first one of the time frame. The sum is divided,
/// not its terms: orbits are not multiples of time bins.
#[inline]
pub const fn time_bin_of(orbits: u32, crossing: u64) -> u64 {
    (orbits as u64 * BC_PER_ORBIT + crossing) / BC_PER_TIME_BIN
}

/// Orbits from the first one of the time frame; the counter wraps at 2^32.
#[inline]
pub const fn orbits_since(first_orbit: u32, orbit: u32) -> u32 {
    orbit.wrapping_sub(first_orbit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_orbits_begin_in_the_middle_of_a_time_bin() {
        assert_eq!(time_bins_of(0), 0..446);
        assert_eq!(time_bins_of(1), 446..891);
        assert_eq!(time_bins_of(2), 891..1337);
        assert_eq!((crossing_of(446), crossing_of(891)), (4, 0));
    }

    #[test]
    fn a_time_bin_comes_back_from_its_crossing() {
        for bin in 0..10_000 {
            let frame = frame_of(bin);
            assert!(time_bins_of(frame).contains(&bin));
            assert_eq!(time_bin_of(frame, u64::from(crossing_of(bin))), u64::from(bin));
        }
    }

    #[test]
    fn orbits_wrap() {
        assert_eq!(orbits_since(0xffff_fffe, 1), 3);
    }
}
