//! Tests of simulated digis of the STS: published counts, physics, truth.

mod physics;
mod truth;
