//! Charge, position and errors of clusters and hits.
//!
//! After V. Friese and H. Malygina, as CBM's reconstruction has them. All formulas are written
//! once, generic over single and double precision; operations are done in the order in which they
//! are written, and none are fused, so results are the same to the last bit on any machine.
//!
//! | module | holds |
//! |---|---|
//! | `shape` | charge, position and errors of a cluster |
//! | `sensor` | crossings of the strips of both sides |

mod sensor;
mod shape;

use std::fmt::Debug;
use std::ops::{Add, Div, Mul, Neg, Sub};

pub use sensor::{
    CLUSTER_PRUNING, Lines, Local, Sensor, Side, Spread, Strips, pair_time_error, time_cut,
};
pub use shape::{
    BelowFirstStep, ChargeModel, Charges, Shape, Shapes, Sums, charge, digi_window, plus, variance,
};

/// A floating-point number of either precision.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + 'static
{
    /// The nearest number of this precision.
    fn from_f64(value: f64) -> Self;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The absolute value.
    fn abs(self) -> Self;
    /// The tangent of an angle, the same on any machine.
    fn tangent(self) -> Self;
    /// The cosine of an angle, the same on any machine.
    fn cosine(self) -> Self;
    /// The whole number towards zero, as far as 32 bits go.
    fn truncated(self) -> i32;
    /// The whole number below, as far as 32 bits go.
    fn floored(self) -> i32;

    /// The larger of two values; `other` if they are unordered.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    /// The smaller of two values; `other` if they are unordered.
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
}

macro_rules! real {
    ($float:ty) => {
        impl Real for $float {
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $float
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            fn tangent(self) -> Self {
                libm::tan(f64::from(self)) as $float
            }
            fn cosine(self) -> Self {
                libm::cos(f64::from(self)) as $float
            }
            #[inline(always)]
            fn truncated(self) -> i32 {
                self as i32
            }
            #[inline(always)]
            fn floored(self) -> i32 {
                self.floor() as i32
            }
        }
    };
}

real!(f32);
real!(f64);
