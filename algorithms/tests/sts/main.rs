//! The STS chain from the outside.

mod columns;
mod fixtures;
mod presets;
