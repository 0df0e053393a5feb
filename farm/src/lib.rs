//! A farm of nodes that timeslices come to, as discrete events: whether it keeps up, how late results
//! are, and what is lost where nodes fail.
//!
//! | module | holds |
//! |---|---|
//! | [`arrivals`] | when timeslices are due, and how much is in them |
//! | [`service`] | how long a worker takes for one, as measured |
//! | [`nodes`] | nodes, workers, queues, failures |
//! | [`simulation`] | the events, in order of time |
//! | [`outcome`] | what became of the timeslices |
//!
//! Nothing here knows how times were measured. All times are in seconds.

pub mod arrivals;
pub mod nodes;
pub mod outcome;
mod problem;
pub mod service;
pub mod simulation;

pub use arrivals::{Arrivals, Spills};
pub use nodes::{Failures, Farm, WhenFull};
pub use outcome::Outcome;
pub use problem::Problem;
pub use service::{Service, ServiceTime};
pub use simulation::simulate;
