//! Differences between the published online reconstruction and the one considered right.
//!
//! Both find the same clusters and hits as long as times are below 2^24 ns, channels have a dead
//! time and no strips lean to the left. `docs/sts-chain.md` explains each difference.

use generators_sts::setup::Setup;

use super::formulas::{Real, Sensor, Spread, digi_window};
use tasks::algorithm::Semantics;

/// The rules of the online reconstruction.
pub trait Rules: Copy + Send + Sync + 'static {
    /// The semantics that these rules implement.
    const SEMANTICS: Semantics;
    /// Number of predecessors that a digi may have.
    const SUCCESSORS: Successors;
    /// Times that were summed up.
    type TimeSum: Copy + Default;

    /// True if `follower` is not too early to follow a digi at `time`.
    fn not_before(window: &Window, time: u32, follower: u32) -> bool;
    /// True if `follower` is not too late to follow a digi at `time`.
    fn not_after(window: &Window, time: u32, follower: u32) -> bool;
    /// The time of a cluster of these digis, in order of channels.
    fn cluster_time(times: &[u32]) -> u32;
    /// Adds the time of the digi in the next channel.
    fn add_time(sum: Self::TimeSum, time: u32) -> Self::TimeSum;
    /// The time of a cluster of three digis or more, by the sum of theirs.
    fn mean_time(sum: Self::TimeSum, digis: usize) -> u32;
    /// Time of the front's cluster minus that of the back's, in ns.
    fn delay(front: u32, back: u32) -> f32;
    /// The time of a hit of these clusters.
    fn hit_time(front: u32, back: u32) -> u32;
    /// Widths of the sensor that a strip runs, from the exact ratio.
    fn widths(exact: f32) -> i32;
    /// Standard deviations of the global coordinates, and the covariance of x and y.
    fn spread(sensor: &Sensor<f32>, spread: Spread<f32>) -> ([f32; 3], f32);
}

/// Number of predecessors that a digi may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Successors {
    /// Each takes the earliest one within its window: clusters may share digis.
    Shared,
    /// The digis of a channel choose in order of time; each takes the earliest one
    /// within its window that is not yet taken.
    Exclusive,
}

/// Largest time difference of a digi and its successor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    pub(super) ns: f32,
    /// The window for integer differences; below 0 no digis are near.
    pub(super) whole_ns: i64,
}

impl Window {
    /// The window of a detector.
    pub fn new(setup: &Setup) -> Self {
        let ns = digi_window::<f32>(setup);
        Window { ns, whole_ns: ns.floor() as i64 }
    }

    /// Smallest time difference of two digis of a channel for which no third one can be near to
    /// both, if none is later than `last`: in ns, rounded up.
    pub(super) fn crowd_ns<P: Rules>(&self, last: u32) -> u32 {
        let rounding = match P::SEMANTICS {
            Semantics::Published => single_precision_step(last),
            Semantics::Exact | Semantics::Offline => 0.0,
        };
        // A window reaches further by the errors of three roundings.
        let reach = f64::from(self.ns.max(0.0)) + 2.0 * rounding;
        (2.0 * reach).ceil() as u32
    }
}

/// From a number of this size to the next in single precision, where that is more than
/// a whole one.
fn single_precision_step(value: u32) -> f64 {
    let bits = value.checked_ilog2().unwrap_or(0);
    f64::from(1_u32 << bits.saturating_sub(f32::MANTISSA_DIGITS - 1))
}

/// Integer times, exact to the nanosecond anywhere in a timeslice; no digi in two clusters; strips
/// that lean to the left have all their lines; errors are those of the global coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

/// Single precision, as in the experiment's code.
#[derive(Clone, Copy, Debug)]
pub struct Published;

impl Rules for Exact {
    const SEMANTICS: Semantics = Semantics::Exact;
    const SUCCESSORS: Successors = Successors::Exclusive;
    type TimeSum = u64;

    #[inline]
    fn not_before(window: &Window, time: u32, follower: u32) -> bool {
        i64::from(follower) >= i64::from(time) - window.whole_ns
    }

    #[inline]
    fn not_after(window: &Window, time: u32, follower: u32) -> bool {
        i64::from(time) + window.whole_ns >= i64::from(follower)
    }

    #[inline]
    fn cluster_time(times: &[u32]) -> u32 {
        let sum = times.iter().fold(0, |sum, &time| Self::add_time(sum, time));
        Self::mean_time(sum, times.len())
    }

    #[inline]
    fn add_time(sum: u64, time: u32) -> u64 {
        sum + u64::from(time)
    }

    #[inline]
    fn mean_time(sum: u64, digis: usize) -> u32 {
        (sum / digis as u64) as u32
    }

    #[inline(always)]
    fn delay(front: u32, back: u32) -> f32 {
        // Times have 31 bits.
        front.wrapping_sub(back) as i32 as f32
    }

    #[inline(always)]
    fn hit_time(front: u32, back: u32) -> u32 {
        ((u64::from(front) + u64::from(back)) / 2) as u32
    }

    #[inline(always)]
    fn widths(exact: f32) -> i32 {
        exact.floored()
    }

    #[inline(always)]
    fn spread(sensor: &Sensor<f32>, spread: Spread<f32>) -> ([f32; 3], f32) {
        let ([xx, yy, zz], covariance) = sensor.rotated(spread);
        ([xx.sqrt(), yy.sqrt(), zz.sqrt()], covariance)
    }
}

impl Rules for Published {
    const SEMANTICS: Semantics = Semantics::Published;
    const SUCCESSORS: Successors = Successors::Shared;
    type TimeSum = f32;

    #[inline]
    fn not_before(window: &Window, time: u32, follower: u32) -> bool {
        follower as f32 >= time as f32 - window.ns
    }

    #[inline]
    fn not_after(window: &Window, time: u32, follower: u32) -> bool {
        time as f32 + window.ns >= follower as f32
    }

    #[inline]
    fn cluster_time(times: &[u32]) -> u32 {
        match *times {
            [time] => return time,
            [first, second] => return (0.5 * (first + second) as f32) as u32,
            _ => {}
        }
        let sum = times.iter().fold(0.0, |sum, &time| Self::add_time(sum, time));
        Self::mean_time(sum, times.len())
    }

    #[inline]
    fn add_time(sum: f32, time: u32) -> f32 {
        sum + time as f32
    }

    #[inline]
    fn mean_time(sum: f32, digis: usize) -> u32 {
        (sum / digis as f32) as u32
    }

    #[inline(always)]
    fn delay(front: u32, back: u32) -> f32 {
        front as f32 - back as f32
    }

    #[inline(always)]
    fn hit_time(front: u32, back: u32) -> u32 {
        (0.5 * (front as f32 + back as f32)) as u32
    }

    #[inline(always)]
    fn widths(exact: f32) -> i32 {
        exact.truncated()
    }

    /// The spread in the coordinates of the sensor, which are the global ones if the sensor is not
    /// turned, or by half a turn about z.
    #[inline(always)]
    fn spread(_: &Sensor<f32>, spread: Spread<f32>) -> ([f32; 3], f32) {
        ([spread.xx.sqrt(), spread.yy.sqrt(), 0.0], spread.xy)
    }
}
