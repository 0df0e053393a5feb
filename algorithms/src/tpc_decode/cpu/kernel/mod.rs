//! The inner loops of decoding, for each instruction set.
//!
//! Each kernel is inlined (`#[inline(always)]`) into a walk that is compiled for its instruction
//! set: see `levels`.

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
