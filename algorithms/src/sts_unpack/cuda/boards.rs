//! The tables of boards as kernels have them.

use crate::device::gpu::same_as;
use crate::kernels::sts_unpack_cuda_raw_board_h as kernels;
use crate::sts_unpack::lookup::{ADDRESS_HIGH, MASKED, UNKNOWN_ELINK};
use crate::sts_unpack::tables::{Board, Link, Tables};

same_as!(Link {
    address, time_offset, walk_ns, walks, cut, masked, charges, channels
} => kernels::Link);

const _: () = assert!(MASKED == kernels::MASKED && ADDRESS_HIGH == kernels::ADDRESS_HIGH);
// `UNKNOWN_TIME`.
const _: () = assert!(UNKNOWN_ELINK == -0x7fff_ffff);

/// Those of all boards.
pub(super) fn boards(tables: &Tables) -> Vec<kernels::Board> {
    tables.all().map(|board| on_device(&board)).collect()
}

fn on_device(board: &Board<'_>) -> kernels::Board {
    let (inner, mut links) = (board.window.epochs(), [kernels::Link::default(); _]);
    for (link, own) in links.iter_mut().zip(board.links) {
        *link = bytemuck::cast(*own);
    }
    kernels::Board {
        inner_begin: inner.start,
        inner_end: inner.end,
        elinks: board.links.len() as u32,
        unused: 0,
        lookup: lookup(board),
        links,
    }
}

/// Upper halves of digis are those of an e-link, and of a channel of it.
fn lookup(board: &Board<'_>) -> kernels::Lookup {
    let (addresses, _) = board.channels.as_chunks::<{ kernels::ASIC_CHANNELS as usize }>();
    let address = |elink: usize| addresses[elink][0] & (0xffff_0000 | ADDRESS_HIGH);
    kernels::Lookup {
        times: *board.times,
        addresses: std::array::from_fn(address),
        channels: board.channels.map(|upper| upper as u16),
    }
}
