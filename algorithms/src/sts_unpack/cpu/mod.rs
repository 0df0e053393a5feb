//! Unpacking on the host.
//!
//! | module | holds |
//! |---|---|
//! | `runner` | descriptors are looked at, then one of the others has its way |
//! | `microslice` | message by message |
//! | `published` | a microslice at a time into a list of its own, which are copied together |
//! | `count_place` | twice: for sizes, and into place |
//! | `simd` | ours: once, by wide instructions, with parts placed in their order |

mod count_place;
mod microslice;
mod published;
mod runner;
mod simd;

use super::StsUnpack;
use crate::algorithm::Variant;
use runner::OnHost;

pub(crate) use runner::{Held, Unpack, Work, unpack};
pub(crate) use simd::{even_parts, messages_of, room_for, unpack_part};

/// Variants that chains begin with.
pub(crate) const PUBLISHED: Unpack = published::unpack;
pub(crate) const COUNT_PLACE: Unpack = count_place::unpack;

pub(super) const VARIANTS: &[Variant<StsUnpack>] = &[
    Variant::cpu(
        "published",
        "a list of digis for each microslice, copied together at the end, as the experiment on a CPU",
        |at| at.session(OnHost::new(at, published::unpack)),
    )
    .by_published_rules(),
    Variant::cpu(
        "count-place",
        "messages are looked at twice: how many digis there are, then each into its place",
        |at| at.session(OnHost::new(at, count_place::unpack)),
    )
    .by_published_rules(),
    Variant::cpu(
        "simd",
        "ours: tables by a hit's own bits, 16 messages at a time with AVX-512; parts are placed \
         one behind the other, past the caches",
        |at| at.session(OnHost::new(at, simd::unpack)),
    )
    .by_published_rules(),
];
