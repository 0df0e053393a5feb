//! What these tests share.

pub mod digits;
pub mod slow_reader;
pub mod wiring;
