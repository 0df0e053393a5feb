//! The STS chain from the outside: what it finds in data whose answer is known.

mod columns;
mod common;
mod fixtures;
mod goldens;
mod presets;
mod quality;
