//! Unpacking raw data of the STS.

mod reference;

pub use reference::unpack;
