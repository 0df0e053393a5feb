//! Plugins from the outside: those that are right are measured like all others, and
//! those that are not are told and cost nothing but themselves.

mod against;
pub mod compiled;
mod ending;
mod examples;
mod failing;
mod gather;
mod measured;
mod refused;
mod spoilt;
mod version_1;
