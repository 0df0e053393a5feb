//! All stages by plugins. The input of a stage after the first is the expected hits of the one before.
//!
//! | module | holds |
//! |---|---|
//! | `abi` | structs of the header |
//! | `outputs` | hits and tracks that plugins write |

mod abi;
mod outputs;
#[cfg(test)]
mod tests;

use bytemuck::Zeroable;
use generators_lhcb::{BankKind, Event, Events};

use self::abi::{Bank, Pair, Velo, VeloBanks};
use self::outputs::{EventHitOutputs, HitOutputs, TrackLists};
use super::{Stage, VeloInput, VeloOutput, VeloTask};
use crate::velo::model::{Hits, Tracks};
use tasks::plugin::abi::SEPARATE;
use tasks::plugin::{Contract, Stable};
use tasks::plugin_session::{Description, Layout, PluginRequest, PluginTask};

/// Contract of all stages; the header has their structs since version 3. Stages whose number of
/// clusters or tracks is a result have no plugins for GPUs.
const NEW: Contract = Contract { since: 3, ..Contract::NEW };

static CLUSTERS: Contract = Contract { task: Stage::Clusters.name(), stable: Stable::Never, ..NEW };
static DECODE: Contract = Contract { task: Stage::Decode.name(), cuda: &[SEPARATE], ..NEW };
static SORT: Contract = Contract { task: Stage::Sort.name(), cuda: &[SEPARATE], ..NEW };
static TRACKS: Contract = Contract { task: Stage::Tracks.name(), stable: Stable::Never, ..NEW };
static CHAIN: Contract = Contract { task: Stage::Chain.name(), stable: Stable::Never, ..NEW };

/// Features that plugins of a stage may declare.
pub(super) fn contract(stage: Stage) -> &'static Contract {
    match stage {
        Stage::Clusters => &CLUSTERS,
        Stage::Decode => &DECODE,
        Stage::Sort => &SORT,
        Stage::Tracks => &TRACKS,
        Stage::Chain => &CHAIN,
    }
}

impl PluginTask for VeloTask {
    fn describe<'a>(&self, input: &'a VeloInput, _: PluginRequest) -> Description<'a, VeloOutput> {
        match self.stage {
            Stage::Clusters | Stage::Decode | Stage::Chain => describe_banks(self.stage, input),
            Stage::Sort => describe_sort(input),
            Stage::Tracks => describe_tracks(input),
        }
    }
}

fn describe_sort(input: &VeloInput) -> Description<'_, VeloOutput> {
    let before = input.unsorted();
    let mut layout = Layout::new();
    show_hits(input, before, &mut layout);
    let sorted = HitOutputs::new(before.arrays.len(), &mut layout);
    let read = move |outputs: &[&[u8]]| {
        let hits = Hits {
            offsets: before.offsets.clone(),
            pairs: before.pairs.clone(),
            arrays: sorted.read(outputs),
        };
        Ok(VeloOutput { hits, tracks: Tracks::new() })
    };
    layout.describe(shown_hits(input, before), Box::new(read))
}

fn describe_tracks(input: &VeloInput) -> Description<'_, VeloOutput> {
    let hits = input.sorted();
    let mut layout = Layout::new();
    show_hits(input, hits, &mut layout);
    let lists = TrackLists::new(input, &mut layout);
    let read =
        move |outputs: &[&[u8]]| Ok(VeloOutput { hits: Hits::new(), tracks: lists.read(outputs)? });
    layout.describe(shown_hits(input, hits), Box::new(read))
}

fn describe_banks(stage: Stage, input: &VeloInput) -> Description<'_, VeloOutput> {
    let offsets = slot_offsets(&input.events);
    let shown = VeloBanks {
        size: size_of::<VeloBanks>(),
        events: input.events.len() as u64,
        batch: input.batch as u64,
        banks: input.events.banks().len() as u64,
        words: input.events.words().len() as u64,
        slots: offsets.last().copied().unwrap_or(0).into(),
        max_slots: max_slots(&offsets).into(),
        phi_tolerance: input.cuts.phi_tolerance.into(),
        max_scatter: input.cuts.max_scatter,
        ..Zeroable::zeroed()
    };
    let mut layout = Layout::new();
    show_banks(input, &offsets, &mut layout);
    let hits = EventHitOutputs::new(offsets, &mut layout);
    let tracks = stage.has_tracks().then(|| TrackLists::new(input, &mut layout));
    let read = move |outputs: &[&[u8]]| {
        let tracks = tracks.as_ref().map_or(Ok(Tracks::new()), |lists| lists.read(outputs))?;
        Ok(VeloOutput { hits: hits.read(outputs)?, tracks })
    };
    layout.describe(shown, Box::new(read))
}

/// First slot of each event, and the end of the last one: a slot for each hit that its words can have.
fn slot_offsets(events: &Events) -> Vec<u32> {
    let slots = |event: Event<'_>| match event.format.kind {
        BankKind::SuperPixel => 2 * event.word_count(),
        BankKind::Retina => event.word_count(),
    };
    let mut end = 0;
    let ends = events.iter().map(|event| {
        end += slots(event);
        u32::try_from(end).expect("slots have indices of 32 bits")
    });
    std::iter::once(0).chain(ends).collect()
}

fn max_slots(offsets: &[u32]) -> u32 {
    offsets.windows(2).map(|offsets| offsets[1] - offsets[0]).max().unwrap_or(0)
}

/// The struct of hits without its arrays.
fn shown_hits(input: &VeloInput, hits: &Hits) -> Velo {
    Velo {
        size: size_of::<Velo>(),
        events: hits.events() as u64,
        batch: input.batch as u64,
        slots: hits.arrays.len() as u64,
        max_slots: max_slots(&hits.offsets).into(),
        phi_tolerance: input.cuts.phi_tolerance.into(),
        max_scatter: input.cuts.max_scatter,
        ..Zeroable::zeroed()
    }
}

fn show_hits<'a>(input: &'a VeloInput, hits: &'a Hits, layout: &mut Layout<'a, Velo>) {
    let Hits { offsets, pairs, arrays } = hits;
    let pairs: Vec<_> = pairs.iter().map(Pair::from).collect();
    layout.array("the slots of its events", &offsets[..], |shown| &mut shown.event_slots);
    layout.array("its pairs of modules", pairs, |shown| &mut shown.pairs);
    layout.array("its identifiers", &arrays.ids[..], |shown| &mut shown.hits.ids);
    layout.array("its x", &arrays.x[..], |shown| &mut shown.hits.x);
    layout.array("its y", &arrays.y[..], |shown| &mut shown.hits.y);
    layout.array("its z", &arrays.z[..], |shown| &mut shown.hits.z);
    layout.array("its angles", &arrays.phi[..], |shown| &mut shown.hits.phi);
    let module_z = &input.geometry.module_z[..];
    layout.array("the positions of modules", module_z, |shown| &mut shown.module_z);
}

fn show_banks<'a>(input: &'a VeloInput, offsets: &[u32], layout: &mut Layout<'a, VeloBanks>) {
    let events: Vec<_> = input.events.headers().iter().map(abi::Event::from).collect();
    let banks: Vec<_> = input.events.banks().iter().map(Bank::from).collect();
    layout.array("its events", events, |shown| &mut shown.event);
    layout.array("its banks", banks, |shown| &mut shown.bank);
    layout.array("its words", input.events.words(), |shown| &mut shown.word);
    layout.array("the slots of its events", offsets.to_vec(), |shown| &mut shown.event_slots);
    let geometry = &*input.geometry;
    layout.array("the positions of modules", &geometry.module_z[..], |shown| &mut shown.module_z);
    layout.array("the positions of columns", &geometry.column_x[..], |shown| &mut shown.column_x);
    let pitch = &geometry.column_pitch[..];
    layout.array("the widths of columns", pitch, |shown| &mut shown.column_pitch);
    let transformations = geometry.sensors.as_flattened();
    layout.array("the transformations", transformations, |shown| &mut shown.transformations);
}
