//! Ours: messages are read once, digis written once.
//!
//! How many digis a microslice has is known once it is unpacked. So a thread unpacks some of them
//! into a nearby array, waits until those before have told where they end, tells where its own
//! will, and copies them there, past the caches.
//!
//! | module | holds |
//! |---|---|
//! | `even_parts` | the same, for chains that move digis on |
//! | `parts` | microslices that are unpacked together |
//! | `turns` | who comes where |
//! | `messages` | the inner work, for each set of instructions |

mod even_parts;
mod messages;
mod parts;
mod turns;

use generators::sts::Digi;
use generators::sts::raw::MicrosliceCounts;

use super::runner::Work;
use crate::device::{SharedSlice, Stores, streaming};
use crate::parallel::{Grain, for_each_range};
use crate::timing::Laps;
use parts::parts;
use turns::OrderedTickets;

pub(crate) use even_parts::{even_parts, messages as messages_of, room_for, unpack_part};

pub(super) fn unpack(
    work: &Work<'_>,
    counts: &mut [MicrosliceCounts],
    digis: &mut [Digi],
    laps: &mut Laps,
) {
    let parts = parts(work.jobs);
    let longest = parts.iter().map(|part| part.messages).max().unwrap_or(0);
    let turns = OrderedTickets::new(parts.len());
    let (counts, digis) = (SharedSlice::new(counts), SharedSlice::new(digis));
    for_each_range(rayon::current_num_threads().min(parts.len()), Grain::Shares, |_| {
        let mut nearby = vec![Digi::default(); room_for(longest)];
        streaming(|stores| {
            while let Some(turn) = turns.next(&parts) {
                let part = turn.part;
                // SAFETY: each microslice is in one part only.
                let counts = unsafe { counts.part(part.jobs.clone()) };
                let found =
                    unpack_part(work, &work.jobs[part.jobs.clone()], counts, &mut nearby, |_| ());
                let offset = turn.reserve(found);
                // SAFETY: whoever comes before and behind has other places.
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
