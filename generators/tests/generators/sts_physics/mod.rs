//! Tests of simulated digis of the STS: published counts, physics, truth.

mod counts;
mod physics;
mod reproducible;
mod simple_chain;
mod truth;
