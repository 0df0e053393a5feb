//! Plugins from the outside: correct ones are measured like all variants; the others are reported
//! and affect nothing else.

mod against;
pub mod compiled;
mod ending;
mod examples;
mod failing;
mod measured;
mod refused;
mod spoilt;
mod task;
mod version_1;
