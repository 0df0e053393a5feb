//! Gathering in the host's memory.
//!
//! | module | holds |
//! |---|---|
//! | `naive`, `parallel_pieces`, `parallel_bytes`, `streamed` | the variants |
//! | `vectors`, `masked` | copies by whole vectors, and past the caches; by masked ones |
//! | `prepared` | a variant that is ready to run |

mod masked;
mod naive;
mod parallel_bytes;
mod parallel_pieces;
mod prepared;
mod streamed;
mod vectors;

use generators::tpc::clusters::Clusters;

use super::TpcGather;
use super::packing::{Array, Packing, Part};
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::{Arena, Backend, Place};
use prepared::PreparedCpuGather;

/// A way to gather.
pub(super) struct CpuGather {
    name: &'static str,
    summary: &'static str,
    gather: Gather,
}

/// Moves all pieces to the bytes of the packed arrays.
type Gather = fn(&Packing<'_>, &mut [u8]);

pub(super) static NAIVE: CpuGather = CpuGather {
    name: "naive",
    summary: "a memcpy a piece and array, one thread",
    gather: naive::gather,
};

pub(super) static PARALLEL_PIECES: CpuGather = CpuGather {
    name: "parallel-pieces",
    summary: "a memcpy a piece and array, as many pieces for each thread",
    gather: parallel_pieces::gather,
};

pub(super) static PARALLEL_BYTES: CpuGather = CpuGather {
    name: "parallel-bytes",
    summary: "a memcpy a piece and array, as many bytes for each thread",
    gather: parallel_bytes::gather,
};

pub(super) static STREAMED: CpuGather = CpuGather {
    name: "streamed",
    summary: "ours: pieces by whole vectors into a cached page, and that past the caches",
    gather: streamed::gather,
};

/// Copies what of the pieces goes to a part, by a memcpy each.
fn copy_part(array: Array<'_>, part: &Part, to: &mut [u8]) {
    for piece in array.within(part.bytes.clone()) {
        let length = piece.from.len();
        to[piece.to..piece.to + length].copy_from_slice(&array.bytes()[piece.from]);
    }
}

impl Variant<TpcGather> for CpuGather {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cpu
    }

    fn stable(&self) -> bool {
        true
    }

    fn prepare<'a>(
        &self,
        input: &'a Clusters,
        arena: &'a Arena,
        _: &Place<'_>,
    ) -> Result<Box<dyn Prepared<TpcGather> + 'a>, Unavailable> {
        Ok(Box::new(PreparedCpuGather::new(self.gather, input, arena)))
    }
}
