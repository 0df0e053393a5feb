//! Charge, position and errors of clusters and hits.
//!
//! After V. Friese and H. Malygina, as CBM's reconstruction has them. All are written
//! once, for single and double precision; operations are done in the order in which they
//! are written, and none are fused, so that results are the same to the last bit on any
//! machine.
//!
//! | module | holds |
//! |---|---|
//! | `charges` | what the steps of the converter mean in electrons |
//! | `shape` | charge, position and errors of a cluster |
//! | `sensor` | where strips of both sides cross |

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
