//! The inner work of decoding, for each set of instructions.
//!
//! Each kernel is written for `#[inline(always)]` into a walk that is compiled for
//! its instructions: see `levels`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod isa;
mod pad_list;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sequences;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(super) use avx512::Avx512;
pub(super) use isa::{Bytes, Group, Isa, Packing, RowOfPads, SEQUENCE, array_at};
pub(super) use pad_list::PadList;
pub(super) use scalar::Scalar;
