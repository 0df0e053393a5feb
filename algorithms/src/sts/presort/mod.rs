//! From the stream of a detector to digis by module side.
//!
//! | file | algorithm |
//! |---|---|
//! | `hash_map` | a list for each address, found by hashing: the offline reconstruction |
//! | `from_raw` | recobench: digis are counted while they are unpacked, with the same table |
//! | `lookup_table` | count, then scatter, by a table of all 2^17 addresses: the online one |
//!
//! `pages` returns the output's pages to the system, as before their first use.
//!
//! Event selection by multiplicity needs digis in order of time, and hit finding needs them by
//! sensor. With a table both orders can be kept: the permutation is a by-product.

mod from_raw;
mod hash_map;
mod lookup_table;
mod pages;

use generators::sts::{Address, CHANNELS_PER_SIDE, Digi};

pub(super) use from_raw::capacity_for_parts;
pub(super) use hash_map::by_hash_map;
pub(super) use lookup_table::{LookupTable, Permutation};
pub(super) use pages::{Pages, give_pages_back};

/// Counting of digis before they are scattered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    /// With one thread, which then scatters them.
    Serial,
    /// With all threads, each on a part of the stream.
    Parallel,
}

/// The orders of digis that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Orders {
    /// By sensor only, as hit finding needs it.
    OfSensors,
    /// And that of time, in which events are found: where each digi of the stream has
    /// gone.
    Both,
}

/// The digi with its channel counted on its side.
#[inline]
fn on_side(digi: Digi) -> Digi {
    const BACK: u16 = CHANNELS_PER_SIDE;
    digi.with_channel(digi.channel() & (BACK - 1))
}

/// True if the digi was read out on the back side.
#[inline]
fn is_back(digi: Digi) -> bool {
    digi.channel() >= CHANNELS_PER_SIDE
}

/// All addresses that digis can have.
const ADDRESSES: usize = Address::COUNT;
