//! The inner work of decoding, for each set of instructions.
//!
//! Each kernel is inlined (`#[inline(always)]`) into a walk that is compiled for its
//! instructions: see `levels`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod isa;
mod pad_list;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sequences;
#[cfg(test)]
mod tests;

pub(super) use isa::{Bytes, Group, Isa, Packing, RowOfPads, SEQUENCE, array_at};
pub(super) use pad_list::PadList;
pub(super) use scalar::Scalar;
