//! Charge, position and errors of clusters and hits.
//!
//! After V. Friese and H. Malygina, as CBM's reconstruction has them. All formulas are written
//! once, generic over single and double precision; operations are done in the order in which they
//! are written, and none are fused, so results are the same to the last bit on any machine.
//!
//! | module | holds |
//! |---|---|
//! | `charges` | charges in electrons of the steps of the converter |
//! | `shape` | charge, position and errors of a cluster |
//! | `sensor` | crossings of the strips of both sides |

mod charges;
mod real;
mod sensor;
mod shape;

pub use charges::{BelowFirstStep, ChargeModel, Charges, charge, variance};
pub use real::Real;
pub use sensor::{
    CLUSTER_PRUNING, Lines, Local, Sensor, Side, Spread, Strips, pair_time_error, time_cut,
};
pub use shape::{Shape, Shapes, Sums, digi_window, plus};
