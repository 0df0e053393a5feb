//! Unpacking by plugins.
//!
//! Plugins are shown microslices whose descriptors have been looked up, so the counts of timeslices
//! are known but for their digis.

mod abi;
#[cfg(test)]
mod tests;

use bytemuck::{Zeroable, cast_slice};
use generators_sts::Digi;
use generators_sts::raw::{ELINKS, MESSAGE_BYTES, MicrosliceCounts, TimesliceCounts, Unpacked};
use parallel::par_map;

use self::abi::{Elink, Microslice, Unpack};
use super::StsUnpack;
use super::exact::Link;
use super::input::{DigiOrder, RawTimeslices};
use super::survey::{Job, Survey, sum_up, survey};
use super::tables::Tables;
use tasks::plugin::Contract;
use tasks::plugin::abi::{BY_TIME, SEPARATE, USUAL_ORDER};
use tasks::plugin_session::{Description, Layout, PluginRequest, PluginTask};

/// Features that plugins of this task may declare.
pub(super) const CONTRACT: Contract =
    Contract { task: "unpack", since: 3, cuda: &[SEPARATE], ..Contract::NEW };

impl PluginTask for StsUnpack {
    fn describe<'a>(
        &self,
        input: &'a RawTimeslices,
        _: PluginRequest,
    ) -> Description<'a, Unpacked> {
        let data = input.data();
        let (microslices, timeslices) = surveyed(input);
        let messages = microslices.last().map_or(0, |last| last.first_message + messages_of(last));
        let elinks: Vec<u32> = links(input.tables()).map(|links| links.len() as u32).collect();
        let mut layout = Layout::new();
        layout.array("its raw data", data.bytes(), |shown: &mut Unpack| &mut shown.data);
        layout.array("its microslices", microslices.clone(), |shown| &mut shown.microslice);
        let first_microslices = first_microslices(&timeslices);
        layout.array("the microslices of its timeslices", first_microslices, |shown| {
            &mut shown.first_microslice
        });
        let boards = elinks.len() as u64;
        layout.array("the numbers of e-links", elinks, |shown| &mut shown.elinks);
        layout.array("its e-links", all_elinks(input.tables()), |shown| &mut shown.elink);
        let counts = layout.output("its counts", microslices.len(), |shown| &mut shown.counts);
        let digis = layout.output("its digis", messages as usize, |shown| &mut shown.digis);
        let shown = Unpack {
            size: size_of::<Unpack>(),
            timeslices: timeslices.len() as u64,
            microslices: microslices.len() as u64,
            messages,
            data_bytes: data.bytes().len() as u64,
            boards,
            rules: abi::value_of(input.rules()),
            order: match input.order() {
                DigiOrder::Arrival => USUAL_ORDER,
                DigiOrder::Time => BY_TIME,
            },
            host_microslice: microslices.as_ptr(),
            ..Zeroable::zeroed()
        };
        layout.describe(
            shown,
            Box::new(move |outputs| {
                let counts = cast_slice(outputs[counts]);
                read(&microslices, &timeslices, counts, cast_slice(outputs[digis]))
            }),
        )
    }

    fn given(&self, _: PluginRequest) -> &'static str {
        "descriptors looked up"
    }
}

/// Microslices as plugins see them, and counts of descriptors.
fn surveyed(input: &RawTimeslices) -> (Vec<Microslice>, Vec<TimesliceCounts>) {
    let mut jobs = vec![Job::default(); input.data().microslices()];
    let Survey { jobs, timeslices } =
        survey(input.data(), input.tables(), input.rules(), &mut jobs);
    let mut messages = 0;
    let microslices = jobs.iter().map(|job| {
        let microslice = Microslice::new(job, messages);
        messages += messages_of(&microslice);
        microslice
    });
    (microslices.collect(), timeslices)
}

fn messages_of(microslice: &Microslice) -> u64 {
    u64::from(microslice.bytes) / MESSAGE_BYTES as u64
}

/// First microslice of each timeslice, and the number of all.
fn first_microslices(timeslices: &[TimesliceCounts]) -> Vec<u64> {
    let ends = timeslices.iter().scan(0, |end, timeslice| {
        *end += timeslice.microslices;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// The e-links of each board.
fn links(tables: &Tables) -> impl Iterator<Item = &[Link]> {
    tables.all().map(|board| board.links)
}

/// The e-links of all boards, each padded to the maximum number.
fn all_elinks(tables: &Tables) -> Vec<Elink> {
    let mut elinks = Vec::new();
    for (board, links) in (1..).zip(links(tables)) {
        elinks.extend(links.iter().map(|link| bytemuck::cast::<Link, Elink>(*link)));
        elinks.resize(board * ELINKS, Elink::zeroed());
    }
    elinks
}

/// Output of a plugin: its counts, and the number of digis that they announce.
fn read(
    microslices: &[Microslice],
    timeslices: &[TimesliceCounts],
    counts: &[MicrosliceCounts],
    digis: &[u64],
) -> Result<Unpacked, String> {
    let mut total = 0;
    for (index, (microslice, counts)) in microslices.iter().zip(counts).enumerate() {
        let found = u64::from(counts.digis);
        let messages = messages_of(microslice);
        if found > messages {
            return Err(format!(
                "microslice {index}: its counts have {found} digis, but it has {messages} messages"
            ));
        }
        total += found;
    }
    let mut timeslices = timeslices.to_vec();
    sum_up(&mut timeslices, counts);
    let digis = par_map(&digis[..total as usize], |&bits| Digi::from_bits(bits));
    Ok(Unpacked { timeslices, microslices: counts.to_vec(), digis })
}
