//! recobench: messages are read once, digis written once.
//!
//! The number of digis of a microslice is known after it is unpacked. So a thread unpacks some of
//! them into a cached buffer, waits for the end offset of the parts before, publishes its own, and
//! copies the digis there with streaming stores.
//!
//! | module | holds |
//! |---|---|
//! | `even_parts` | unpacking in independent parts, for chains that move digis on |
//! | `parts` | microslices that are unpacked together |
//! | `tickets` | offsets of parts, in order |
//! | `messages` | the inner loop, for each instruction set |

mod even_parts;
mod messages;
mod parts;
mod tickets;

use generators::sts::Digi;
use generators::sts::raw::MicrosliceCounts;

use super::runner::UnpackInput;
use crate::device::{Stores, streaming};
use crate::parallel::{Grain, for_each_range};
use crate::shared::SharedSlice;
use crate::timing::Laps;
use parts::parts;
use tickets::OrderedTickets;

pub(crate) use even_parts::{capacity_for, even_parts, messages as messages_of, unpack_part};

pub(super) fn unpack(
    input: &UnpackInput<'_>,
    counts: &mut [MicrosliceCounts],
    digis: &mut [Digi],
    laps: &mut Laps,
) {
    let parts = parts(input.jobs);
    let longest = parts.iter().map(|part| part.messages).max().unwrap_or(0);
    let tickets = OrderedTickets::new(parts.len());
    let counts = SharedSlice::new(counts);
    let digis = SharedSlice::new(digis);
    for_each_range(rayon::current_num_threads().min(parts.len()), Grain::Shares, |_| {
        let mut nearby = vec![Digi::default(); capacity_for(longest)];
        streaming(|stores| {
            while let Some(ticket) = tickets.next(&parts) {
                let part = ticket.part;
                // SAFETY: each microslice is in one part only.
                let counts = unsafe { counts.part(part.jobs.clone()) };
                let found =
                    unpack_part(input, &input.jobs[part.jobs.clone()], counts, &mut nearby, |_| ());
                let offset = ticket.reserve(found);
                // SAFETY: `reserve` gives consecutive ranges to the parts, so no other part writes
                // to this one.
                let offset = unsafe { digis.part(offset..offset + found) };
                stream(stores, offset, &nearby[..found]);
            }
        });
    });
    laps.lap("unpack", 0);
}

fn stream(stores: &Stores, to: &mut [Digi], from: &[Digi]) {
    stores.stream(bytemuck::cast_slice_mut(to), bytemuck::cast_slice(from));
}
