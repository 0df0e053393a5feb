//! Helpers of these tests.

pub mod digits;
pub mod slow_reader;
pub mod wiring;
