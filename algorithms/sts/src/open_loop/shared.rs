//! Timeslices in memory that processes share: arrays of digis and raw data in their memory format,
//! and a description in JSON.

use std::ops::Range;
use std::sync::Arc;

use generators_sts::Digi;
use generators_sts::raw::{RawData, RawTimeslice, Readout, Rules};
use generators_sts::setup::Setup;
use serde::{Deserialize, Serialize};

use crate::sts::Timeslice;
use crate::sts_unpack::RawTimeslices;
use tasks::algorithm::Semantics;
use tasks::open_loop::LentBytes;

/// Properties of timeslices in addition to their arrays.
#[derive(Serialize, Deserialize)]
struct Description {
    /// Semantics of the reference result, for variants that support two.
    semantics: String,
    setup: Setup,
    /// Raw data of each timeslice, if any.
    raw: Vec<Option<RawLayout>>,
}

/// Raw data of a timeslice.
#[derive(Serialize, Deserialize)]
struct RawLayout {
    index: u64,
    start_ns: u64,
    core_microslices: u32,
    /// Byte range of each component's block, and the number of its descriptors.
    blocks: Vec<(Range<usize>, u64)>,
    /// Each timeslice has its own: masks and corrections of generated data depend on the seed.
    readout: Readout,
}

/// Describes timeslices of one detector.
pub(super) fn describe(timeslices: &[&Timeslice]) -> Result<Vec<u8>, String> {
    let first = timeslices.first().ok_or("there are no timeslices")?;
    if timeslices.iter().any(|timeslice| timeslice.setup() != first.setup()) {
        return Err("there are timeslices of several detectors".to_owned());
    }
    let description = Description {
        semantics: first.online().name().to_owned(),
        setup: first.setup().clone(),
        raw: timeslices.iter().map(|timeslice| raw_layout(timeslice)).collect(),
    };
    serde_json::to_vec(&description).map_err(|error| error.to_string())
}

fn raw_layout(timeslice: &Timeslice) -> Option<RawLayout> {
    let raw = timeslice.raw()?;
    let (head, components) = raw.data().timeslices().next()?;
    Some(RawLayout {
        index: head.index,
        start_ns: head.start_ns,
        core_microslices: head.core_microslices,
        blocks: components.map(|it| (it.range(), it.microslices() as u64)).collect(),
        readout: raw.readout().clone(),
    })
}

/// Digis, and raw data if there are any.
pub(super) fn arrays(timeslice: &Timeslice) -> Vec<&[u8]> {
    let digis = bytemuck::cast_slice(timeslice.stream());
    let raw = timeslice.raw().map(|raw| raw.data().bytes());
    std::iter::once(digis).chain(raw).collect()
}

/// Timeslices of lent arrays.
pub(super) fn attach(
    description: &[u8],
    arrays: Vec<Vec<LentBytes>>,
) -> Result<Vec<Timeslice>, String> {
    let description = serde_json::from_slice(description);
    let Description { semantics, setup, raw } = description.map_err(|error| error.to_string())?;
    let online = Semantics::ALL.into_iter().find(|it| it.name() == semantics).ok_or(semantics)?;
    let setup = Arc::new(setup);
    if raw.len() != arrays.len() {
        return Err(format!("{} timeslices, but arrays of {}", raw.len(), arrays.len()));
    }
    let timeslice = |(layout, arrays): (Option<RawLayout>, Vec<LentBytes>)| {
        let mut arrays = arrays.into_iter();
        let mut next = || arrays.next().ok_or("a timeslice lacks an array");
        let digis = next()?.array::<Digi>()?;
        let raw = match layout {
            Some(layout) => Some(raw_timeslices(&next()?, layout)?),
            None => None,
        };
        Timeslice::of_stream(digis, raw, Arc::clone(&setup), online)
            .map_err(|address| format!("{address:?} belongs to no module"))
    };
    raw.into_iter().zip(arrays).map(timeslice).collect()
}

fn raw_timeslices(bytes: &LentBytes, layout: RawLayout) -> Result<RawTimeslices, String> {
    let RawLayout { index, start_ns, core_microslices, blocks, readout } = layout;
    let head = RawTimeslice { index, start_ns, core_microslices };
    let data = RawData::in_place(bytes.array()?, head, blocks);
    let data = data.map_err(|problem| problem.to_string())?;
    Ok(RawTimeslices::new(data, readout, Rules::Current))
}
