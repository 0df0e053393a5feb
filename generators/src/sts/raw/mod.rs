//! Raw data of the STS, as read-out boards send them, and the results of unpackers.
//!
//! `docs/unpack.md` has formats and rules. The unpackers themselves are in the crate `algorithms`.
//!
//! | module | content |
//! |---|---|
//! | `clock` | ticks, epochs and cycles |
//! | `message` | words of 32 bits: hits, epochs, and the rest |
//! | `descriptor` | the header of a microslice |
//! | `component` | the microslices of a board in a timeslice |
//! | `data` | timeslices of components of microslices |
//! | `rules` | version of the experiment's code that defines the right results |
//! | `elink` | an e-link: its ASIC and corrections |
//! | `readout`, `tables` | channels and corrections of e-links, and their JSON format |
//! | `cabling` | the same tables, derived from the cabling of boards |
//! | `encode`, `generate` | raw data of simulated digis |
//! | `damage` | damaged raw data |
//! | `unpacked` | digis, and counters |

mod cabling;
pub mod clock;
mod component;
mod damage;
mod data;
mod descriptor;
mod elink;
mod encode;
mod generate;
mod message;
mod readout;
mod rules;
mod tables;
mod unpacked;

pub use cabling::{CabledBoard, CabledElink, CabledModule, Cabling, WalkOfAsic};
pub use component::{Component, ComponentProblem, MAX_MESSAGES, block_of};
pub use damage::damaged;
pub use data::{RawData, RawTimeslice};
pub use descriptor::{DESCRIPTOR_BYTES, Descriptor, STS_SYSTEM, SYSTEM_VERSION};
pub use elink::{ASIC_CHANNELS, ASICS, Elink, Elink2023};
pub use encode::EpochOrder;
pub use generate::{RawShape, generate};
pub use message::{Kind, MESSAGE_BYTES, Message};
pub use readout::{ELINKS, Link, MAX_WALK_NS, Readout, ReadoutProblem};
pub use rules::Rules;
pub use unpacked::{MicrosliceCounts, TimesliceCounts, Unpacked};
