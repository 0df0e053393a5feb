//! The tables of boards as kernels have them.

use generators_sts::Digi;
use portable_gpu::same_as;

use crate::kernels::sts_unpack_cuda_raw_h as kernels;
use crate::sts_unpack::exact::Link;
use crate::sts_unpack::tables::{ADDRESS_HIGH, Board, MASKED, Tables, UNKNOWN_ELINK};

same_as!(Link {
    address, time_offset, walk_ns, walks, cut, masked, charges, channels
} => kernels::Link);

const _: () = assert!(ADDRESS_HIGH == kernels::ADDRESS_HIGH);
// `UNKNOWN_TIME`.
const _: () = assert!(UNKNOWN_ELINK == -0x7fff_ffff);

/// Tables of all boards.
pub(super) fn boards(tables: &Tables) -> Vec<kernels::Board> {
    tables.all().map(|board| on_device(&board)).collect()
}

fn on_device(board: &Board<'_>) -> kernels::Board {
    let mut links = [kernels::Link::default(); _];
    for (link, own) in links.iter_mut().zip(board.links) {
        *link = bytemuck::cast(*own);
    }
    let lookup = lookup(board);
    let inner = if lookup.is_some() { board.window.epochs() } else { 0..0 };
    kernels::Board {
        inner_begin: inner.start,
        inner_end: inner.end,
        elinks: board.links.len() as u32,
        unused: 0,
        lookup: lookup.unwrap_or_default(),
        links,
    }
}

/// The lookup table of a board, if its channels can be encoded, as those of all known rules can.
fn lookup(board: &Board<'_>) -> Option<kernels::Lookup> {
    let mut lookup = kernels::Lookup::default();
    let (uppers, _) = board.channels.as_chunks::<{ kernels::ASIC_CHANNELS as usize }>();
    let (channels, _) = lookup.channels.as_chunks_mut::<{ kernels::ASIC_CHANNELS as usize }>();
    let (times, _) = board.times.as_chunks::<{ kernels::ADC_VALUES as usize }>();
    let (padded, _) = lookup.times.as_chunks_mut::<{ kernels::TIMES_OF_ELINK as usize }>();
    for elink in 0..kernels::ELINKS as usize {
        let min = uppers[elink].map(channel_of).into_iter().min()?;
        let of_elink = uppers[elink][0] & (0xffff_0000 | ADDRESS_HIGH);
        lookup.uppers[elink] = of_elink | u32::from(min) << kernels::CHANNEL_SHIFT_IN_UPPER;
        for (channel, &upper) in channels[elink].iter_mut().zip(&uppers[elink]) {
            *channel = if upper & MASKED != 0 {
                kernels::MASKED as u8
            } else {
                above(min, channel_of(upper))?
            };
        }
        padded[elink][..times[elink].len()].copy_from_slice(&times[elink]);
    }
    Some(lookup)
}

/// The channel in the upper half of a digi.
fn channel_of(upper: u32) -> u16 {
    Digi::from_bits(u64::from(upper) << 32).channel()
}

/// Channel minus the smallest one of its e-link, or a code for it.
fn above(min: u16, channel: u16) -> Option<u8> {
    if u32::from(channel) == kernels::FAR_CHANNEL {
        return Some(kernels::FAR as u8);
    }
    u8::try_from(channel - min).ok().filter(|&above| u32::from(above) < kernels::FAR)
}
