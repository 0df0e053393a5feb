//! Decoding by plugins.
//!
//! Plugins reject damaged pages without a reason: the reference finds it.

use bytemuck::{Pod, Zeroable, cast_slice};
use generators_tpc::geometry::{CHANNELS_IN_LINK, ROWS, pads_in_row};
use generators_tpc::pages::StreamPages;
use generators_tpc::{Digit, Endpoint};
use parallel::{map, par_map};

use super::charge_map::{Position, entries, present};
use super::fragments::{Fragments, time_bins_of};
use super::header::OpenPage;
use super::input::{Output, Tables, TimeFrame, WorkDistribution};
use super::{Decoded, TpcDecode, check};
use tasks::plugin::abi::{Lists, SEPARATE, structs, values};
use tasks::plugin::{Contract, Stable};
use tasks::plugin_session::{Description, Layout, OutputLists, PluginRequest, PluginTask};

/// Features that plugins of this task may declare.
pub(super) const CONTRACT: Contract =
    Contract { task: "decode", cuda: &[SEPARATE], stable: Stable::Chosen, ..Contract::NEW };

/// The verdict on a page that is rejected.
const REJECTED: u8 = 1;

impl PluginTask for TpcDecode {
    fn describe<'a>(&self, frame: &'a TimeFrame, _: PluginRequest) -> Description<'a, Decoded> {
        let mut layout = Layout::new();
        layout.array("its pages", frame.pages.bytes(), |shown: &mut Decode| &mut shown.bytes);
        layout.array("its streams", streams(frame), |shown| &mut shown.stream);
        layout.array("its endpoints", endpoints(), |shown| &mut shown.endpoint);
        layout.array("its pads", pads(&frame.tables), |shown| &mut shown.pads);
        let rows: Vec<_> = (0..ROWS).map(|row| pads_in_row(row) as u32).collect();
        layout.array("the numbers of pads in rows", rows, |shown| &mut shown.pads_in_row);
        layout.array("its gains", frame.tables.gains.factors(), |shown| &mut shown.gains);
        let capacity = SampleCapacity::new(frame);
        let pages = frame.pages.pages().len();
        let damaged = layout.output("its damaged pages", pages, |shown| &mut shown.damaged);
        let is_map = frame.settings.output == Output::ChargeMap;
        let sectors = frame.sector_numbers().len();
        let map_entries = if is_map { capacity.map_entries } else { 0 };
        let maps = layout.output("its charges", sectors * map_entries, |shown| &mut shown.charges);
        let output_samples = match frame.settings.output {
            Output::Digits => Layout::output_lists::<u64>,
            Output::ChargeMap => Layout::output_lists::<SamplePosition>,
        };
        let samples =
            output_samples(&mut layout, "samples", 1, capacity.samples, |shown| &mut shown.samples);
        let shown = Decode {
            size: size_of::<Decode>(),
            format: frame.format().version().into(),
            output: if is_map { CHARGE_MAP } else { DIGITS },
            sharing: match frame.settings.sharing {
                WorkDistribution::Sectors => SECTORS,
                WorkDistribution::Pages => PAGES,
            },
            first_orbit: frame.bounds.first_orbit,
            orbits: frame.bounds.orbits,
            fragment: frame.settings.fragment,
            pages: pages as u64,
            streams: frame.pages.streams().len() as u64,
            sectors: sectors as u64,
            map_entries: map_entries as u64,
            ..Zeroable::zeroed()
        };
        layout.describe(
            shown,
            Box::new(move |outputs| {
                let maps = is_map.then_some(cast_slice(outputs[maps]));
                let maps = maps.map(|maps| (maps, map_entries));
                read(frame, outputs[damaged], samples, outputs, maps)
            }),
        )
    }
}

/// Output of a plugin: its verdicts, its samples, and its maps if it produces some.
fn read(
    frame: &TimeFrame,
    verdicts: &[u8],
    samples: OutputLists,
    outputs: &[&[u8]],
    maps: Option<(&[u16], usize)>,
) -> Result<Decoded, String> {
    if let Some(page) = verdicts.iter().position(|&verdict| verdict > REJECTED) {
        let verdict = verdicts[page];
        return Err(format!("page {page}: damaged is {verdict}; 1 is yes and 0 is no"));
    }
    let damaged = check::damaged(frame, 0, verdicts, REJECTED);
    let Some((maps, entries)) = maps else {
        let samples: Vec<&[u64]> = samples.read(outputs)?;
        let digits = par_map(samples[0], |&bits| Digit::from_bits(bits));
        return Ok(Decoded { digits, damaged, ..Decoded::default() });
    };
    let samples: Vec<&[SamplePosition]> = samples.read(outputs)?;
    let position = |&SamplePosition { column, time }: &SamplePosition| Position { column, time };
    Ok(Decoded {
        positions: par_map(samples[0], position),
        charges: maps.chunks(entries.max(1)).map(present).collect(),
        damaged,
        ..Decoded::default()
    })
}

/// Upper bounds of the samples' memory, from the headers.
#[derive(Default)]
struct SampleCapacity {
    samples: usize,
    map_entries: usize,
}

impl SampleCapacity {
    fn new(frame: &TimeFrame) -> Self {
        let fragments = Fragments::new(frame.settings.fragment);
        let times = |page: &OpenPage| match frame.settings.output {
            Output::Digits => 1,
            Output::ChargeMap => fragments.touching(time_bins_of(page)).len(),
        };
        let of_page = |page: OpenPage| {
            let end = page.last_time_bin() + 1;
            (usize::from(page.samples) * times(&page), end)
        };
        let pages = map(0..frame.pages.pages().len(), |page| {
            frame.open(page).ok().flatten().map_or((0, 0), of_page)
        });
        let end = pages.iter().map(|(_, end)| *end).max().unwrap_or(0);
        SampleCapacity {
            samples: pages.iter().map(|(samples, _)| samples).sum(),
            map_entries: entries(end.min(frame.settings.fragment)),
        }
    }
}

fn streams(frame: &TimeFrame) -> Vec<Stream> {
    let sectors = frame.sector_numbers();
    let stream = |stream: StreamPages<'_>| Stream {
        first_page: stream.first_page as u64,
        pages: stream.pages.len() as u64,
        sector: stream.id.sector.into(),
        endpoint: stream.id.endpoint.number() as u32,
        map: sectors.iter().position(|&sector| sector == stream.id.sector).unwrap_or(0) as u64,
    };
    frame.pages.streams().map(stream).collect()
}

fn endpoints() -> Vec<EndpointShape> {
    let endpoint = |endpoint: Endpoint| {
        let rows = endpoint.rows();
        let cards = endpoint.fecs();
        EndpointShape {
            first_row: rows.start as u32,
            rows: rows.len() as u32,
            first_card: cards.start as u32,
            cards: cards.len() as u32,
        }
    };
    Endpoint::all().map(endpoint).collect()
}

/// The pads of all channels of all cards of a region, padded to the maximum number.
fn pads(tables: &Tables) -> Vec<u16> {
    let regions = Endpoint::all().filter(|endpoint| endpoint.half() == 0);
    let links = regions.flat_map(|endpoint| tables.links.of_endpoint(endpoint));
    let pads = links.flat_map(|link| &link[..CHANNELS_IN_LINK]);
    pads.map(|pad| pad.bits()).collect()
}

values! { u32: DIGITS = 0, CHARGE_MAP = 1, SECTORS = 0, PAGES = 1; }

structs! {
    "recobench_page_stream" #[derive(Clone, Copy, Pod, Zeroable)] Stream {
        first_page: u64,
        pages: u64,
        sector: u32,
        endpoint: u32,
        map: u64,
    }

    "recobench_endpoint" #[derive(Clone, Copy, Pod, Zeroable)] EndpointShape {
        first_row: u32,
        rows: u32,
        first_card: u32,
        cards: u32,
    }

    "recobench_position" #[derive(Clone, Copy, Pod, Zeroable)] SamplePosition {
        column: i16,
        time: i16,
    }

    "recobench_decode" #[derive(Zeroable)] Decode {
        size: usize,
        format: u32,
        output: u32,
        sharing: u32,
        first_orbit: u32,
        orbits: u32,
        fragment: u32,
        pages: u64,
        streams: u64,
        sectors: u64,
        map_entries: u64,
        bytes: *const u8,
        stream: *const Stream,
        endpoint: *const EndpointShape,
        pads: *const u16,
        pads_in_row: *const u32,
        gains: *const f32,
        damaged: *mut u8,
        charges: *mut u16,
        samples: Lists,
    }
}

#[cfg(test)]
mod tests {
    use crate::tpc_decode::{TpcDecode, hard_inputs};
    use tasks::plugin_session::testing::Compiled;

    #[test]
    fn the_example_is_right_on_all_hard_inputs() {
        let Some(example) = Compiled::from_example(TpcDecode) else { return };
        example.assert_right(&["example-pages"], &hard_inputs::all(1));
    }
}
