//! Sorting digis: `block-merge`, with blocks of two kinds.

use std::ffi::{CStr, c_void};
use std::marker::PhantomData;

use crate::gpu::kernels::{BLOCK_MERGE_SORT, BLOCK_MERGE_SORT_256_11};
use crate::gpu::{Kernel, Loaded};
use crate::recobench::{self, Host, IN_PLACE, Problem, Sort};
use crate::variant::{About, Ready, entry};

const DIFFERS: &CStr = c"each access to one of two arrays is a branch, as arrays are no values in \
    CubeCL; it has no words for blocks on a multiprocessor, so threads may have more registers; \
    begins of segments have 64 bits";

pub(crate) static BLOCK_MERGE: recobench::Variant = entry::<BySegment<Published>>(About {
    name: c"cubecl-block-merge",
    summary: c"CubeCL: a block a segment, chunks of 5632 digis by radix sort, Merge Path",
    native: c"block-merge",
    differs: Some(DIFFERS),
});

pub(crate) static BLOCK_MERGE_256: recobench::Variant = entry::<BySegment<Small>>(About {
    name: c"cubecl-block-merge-256x11",
    summary: c"CubeCL: the same by blocks of 256 threads with 11 digis each",
    native: c"block-merge-256x11",
    differs: Some(DIFFERS),
});

/// A block a segment, digis where they are, and as much scratch memory.
struct BySegment<B> {
    loaded: Loaded,
    segments: u32,
    scratch_bytes: u64,
    blocks: PhantomData<B>,
}

trait Blocks {
    const KERNEL: &'static Kernel;
}

/// 512 threads with 11 digis each.
struct Published;
/// 256 threads.
struct Small;

impl Blocks for Published {
    const KERNEL: &'static Kernel = &BLOCK_MERGE_SORT;
}

impl Blocks for Small {
    const KERNEL: &'static Kernel = &BLOCK_MERGE_SORT_256_11;
}

impl<B: Blocks> Ready for BySegment<B> {
    type Input = Sort;
    const TASK: &'static CStr = c"sort";
    const BUFFERS: u32 = IN_PLACE;

    fn prepare(host: &Host, sort: &Sort) -> Result<Self, Problem> {
        let segments = u32::try_from(sort.segments).ok().filter(|&it| it <= i32::MAX as u32);
        let has_few_digis = u32::try_from(sort.digis).is_ok();
        let Some(segments) = segments.filter(|_| has_few_digis) else {
            let problem = "it counts digis with 32 bits and segments with 31; use fewer";
            return Err(Problem::Unavailable(problem.to_owned()));
        };
        let loaded = Loaded::new(host, B::KERNEL)?;
        let scratch_bytes = sort.digis * size_of::<u64>() as u64;
        Ok(BySegment { loaded, segments, scratch_bytes, blocks: PhantomData })
    }

    fn memory(&self) -> (u64, u64) {
        (self.scratch_bytes, 0)
    }

    fn run(&self, host: &Host, sort: &Sort) -> Result<(), Problem> {
        if sort.digis == 0 {
            return Ok(());
        }
        let arrays: [*const c_void; 3] =
            [sort.input.cast(), host.scratch.cast_const(), sort.device_offsets.cast()];
        // SAFETY: digis, scratch memory of the same size, and the offsets of all segments with a
        // final end.
        unsafe { self.loaded.launch(host, self.segments, &arrays, &[]) }
    }
}
