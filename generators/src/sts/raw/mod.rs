//! Raw data of the STS, as read-out boards deliver them, and what unpackers make of them.
//!
//! `docs/unpack.md` has formats and rules. What unpackers do is not here: `algorithms` has it.
//!
//! | module | holds |
//! |---|---|
//! | `clock` | ticks, epochs and cycles |
//! | `message` | words of 32 bits: hits, epochs, and the rest |
//! | `descriptor` | what stands before a microslice |
//! | `data` | timeslices of components of microslices |
//! | `rules` | which generation of the experiment's code is right |
//! | `readout`, `tables` | what an e-link reads, and how; the same as JSON |
//! | `cabling` | the same by how boards are cabled |
//! | `encode`, `generate` | raw data of simulated digis |
//! | `damage` | raw data in which something is wrong |
//! | `unpacked` | digis, and what was counted on the way |

mod cabling;
pub mod clock;
mod damage;
mod data;
mod descriptor;
mod encode;
mod generate;
mod message;
mod readout;
mod rules;
mod tables;
mod unpacked;

pub use cabling::{CabledBoard, CabledElink, CabledModule, Cabling, WalkOfAsic};
pub use damage::damaged;
pub use data::{Component, ComponentProblem, MAX_MESSAGES, RawData, RawTimeslice, block_of};
pub use descriptor::{DESCRIPTOR_BYTES, Descriptor, STS_SYSTEM, SYSTEM_VERSION};
pub use encode::EpochOrder;
pub use generate::{RawShape, generate};
pub use message::{Kind, MESSAGE_BYTES, Message};
pub use readout::{
    ASIC_CHANNELS, ASICS, ELINKS, Elink, Elink2023, Link, MAX_WALK_NS, Readout, ReadoutProblem,
};
pub use rules::Rules;
pub use unpacked::{MicrosliceCounts, TimesliceCounts, Unpacked};
