//! Raw data of the STS, as read-out boards send them, and the results of unpackers.
//!
//! `docs/unpack.md` has formats and rules. The unpackers themselves are in the crate `algorithms-sts`.
//!
//! | module | content |
//! |---|---|
//! | `clock` | ticks, epochs and cycles |
//! | `message` | words of 32 bits: hits, epochs, and the rest |
//! | `component` | the microslices of a board in a timeslice, with their headers |
//! | `data` | timeslices of components of microslices |
//! | `elink` | an e-link: its ASIC and corrections |
//! | `readout` | channels and corrections of e-links |
//! | `cabling` | the same tables, derived from the cabling of boards |
//! | `encode`, `generate` | raw data of simulated digis, damaged ones too |
//! | `unpacked` | digis and counters; the version of the experiment's code that defines them |

mod cabling;
pub mod clock;
mod component;
mod data;
mod elink;
mod encode;
mod generate;
mod message;
mod readout;
mod unpacked;

pub use cabling::{CabledBoard, CabledElink, CabledModule, Cabling, WalkOfAsic};
pub use component::{
    Component, ComponentProblem, DESCRIPTOR_BYTES, Descriptor, MAX_MESSAGES, STS_SYSTEM,
    SYSTEM_VERSION, block_of,
};
pub use data::{RawData, RawTimeslice};
pub use elink::{ASIC_CHANNELS, ASICS, Elink, Elink2023};
pub use encode::EpochOrder;
pub use generate::{RawShape, damaged, generate};
pub use message::{Kind, MESSAGE_BYTES, Message};
pub use readout::{ELINKS, Link, MAX_WALK_NS, Readout, ReadoutProblem};
pub use unpacked::{MicrosliceCounts, Rules, TimesliceCounts, Unpacked};
