//! The chain as a task whose time frames can be streamed.

use std::sync::Arc;

use generators_common::DataError;
use generators_tpc::geometry::{CHANNELS_IN_LINK, Region};
use generators_tpc::page::Page;
use generators_tpc::pages::{RawPages, StreamId};
use generators_tpc::simulate::Load;
use generators_tpc::time::BC_PER_ORBIT;
use generators_tpc::{Endpoint, LinkChannel, PadId, PadMapping, ZsFormat};
use serde::{Deserialize, Serialize};

use super::finding::{Finding, NoisyRule};
use super::{RawFrame, Tpc, axes};
use crate::tpc_cluster_finder::{RowCluster, Settings, sums_of};
use crate::tpc_decode::{Gains, Tables, TimeFrame};
use crate::{time_frame, tpc_decode};
use tasks::algorithm::{Algorithm, SegmentSums, Segments};
use tasks::axis::Params;
use tasks::open_loop::{
    FramePlan, LentBytes, NoStage, OpenLoopInfo, RelativeRate, StreamMemory, StreamedTask,
};

/// Length of a bunch crossing, in ns.
const BC_NS: u64 = 25;

/// Shares of the memory of a time frame that is measured, which counts pages twice, and their
/// samples. Estimated; a worker counts as much as all variants.
const MEMORY: StreamMemory = StreamMemory {
    prepared: 0.5,
    reference: 1.0,
    worker: 1.0,
    // Gains and the pads of links.
    table_bytes: 4 << 20,
    over_input: axes::MEMORY_FOR_BYTE,
};

const EXAMPLES: &str =
    "  bench stream {task} --orbits 32 --sectors 4 --processes 2 --speed 0.01,0.02
  bench stream {task} --rate 10kHz --orbits 32 --sectors 2 --jitter 0.3 --find-limit
  bench stream {task} --sectors 36 --device cuda:0 --processes 4 --speed 0.1,0.2
  bench stream {task} --input sectors.pages --timeslice 2.85ms --duration 1m";

impl StreamedTask for Tpc {
    type Stage<'a> = NoStage;

    fn open_loop(&self) -> OpenLoopInfo {
        OpenLoopInfo {
            on_cpu: "rows",
            on_gpu: "fused",
            examples: EXAMPLES,
            length_flag: "orbits",
            results: |[clusters, _]| format!("{clusters} clusters"),
            file: None,
            stage: None,
        }
    }

    fn frame(&self, params: &Params) -> Result<FramePlan, DataError> {
        let orbits = u64::from(time_frame::shape(params)?.orbits);
        let frame_ns = orbits * BC_PER_ORBIT * BC_NS;
        Ok(FramePlan { params: params.clone(), frames: 1, frame_ns })
    }

    fn generate_frame(
        &self,
        plan: &FramePlan,
        rate: RelativeRate,
        seed: u64,
    ) -> Result<RawFrame, DataError> {
        let mut params = plan.params.clone();
        if let Some(rate) = rate {
            scale_load(&mut params, rate)?;
        }
        self.generate(&params, seed)
    }

    fn stream_memory(&self, _: Option<&Params>, _: &[&str], _: bool) -> StreamMemory {
        MEMORY
    }

    fn describe(&self, frames: &[RawFrame]) -> Result<Vec<u8>, String> {
        let description: Vec<_> = frames.iter().map(Description::new).collect();
        serde_json::to_vec(&description).map_err(|error| error.to_string())
    }

    fn arrays<'i>(&self, frame: &'i RawFrame) -> Vec<&'i [u8]> {
        let factors = frame.frame.gains().factors();
        vec![frame.frame.page_bytes(), bytemuck::cast_slice(factors)]
    }

    fn attach(
        &self,
        description: &[u8],
        arrays: Vec<Vec<LentBytes>>,
    ) -> Result<Vec<RawFrame>, String> {
        let description = serde_json::from_slice::<Vec<Description>>(description);
        let frames = description.map_err(|error| error.to_string())?;
        if frames.len() != arrays.len() {
            return Err(format!("{} time frames, but arrays of {}", frames.len(), arrays.len()));
        }
        let frames = frames.into_iter().zip(&arrays);
        frames.map(|(frame, arrays)| frame.attach(arrays)).collect()
    }

    fn sums(&self, output: &Vec<RowCluster>, segments: Segments) -> SegmentSums {
        sums_of(output, segments)
    }
}

/// Scales the rate of particles; none are left at 0, but for noise.
fn scale_load(params: &mut Params, rate: f64) -> Result<(), DataError> {
    let load = match time_frame::shape(params)?.load {
        Load::Occupancy(share) if rate > 0.0 => {
            params.set(time_frame::OCCUPANCY.axis().name, (share * rate).to_string());
            return Ok(());
        }
        Load::Occupancy(_) => 0.0,
        Load::Rate(hz) => hz * rate,
    };
    params.remove(&[time_frame::OCCUPANCY.axis()]);
    params.set(time_frame::RATE.axis().name, load.to_string());
    Ok(())
}

/// Properties of a time frame in addition to its pages and gains.
#[derive(Serialize, Deserialize)]
struct Description {
    format: String,
    orbits: u32,
    first_orbit: u32,
    /// Sector, endpoint and number of pages of each stream.
    streams: Vec<(u8, usize, usize)>,
    /// Pads of each region by channel, as bits; `None` for the regular mapping.
    pads: Option<Vec<Vec<u16>>>,
    time_bins: u32,
    fragment: u32,
    rule: String,
    /// Thresholds in the order of [`Settings`].
    thresholds: [u8; 8],
    time_shift_bits: u32,
}

impl Description {
    fn new(frame: &RawFrame) -> Self {
        let Finding { time_bins, fragment, rule, settings } = frame.finding;
        let frame = &frame.frame;
        let mapping = frame.tables().mapping();
        let pads = |region| mapping.pads(region).iter().map(|pad| pad.bits()).collect();
        let is_regular = *mapping == PadMapping::regular();
        let streams = frame.pages().streams();
        let stream = |stream: generators_tpc::pages::StreamPages<'_>| {
            (stream.id.sector, stream.id.endpoint.number(), stream.pages.len())
        };
        Description {
            format: frame.format().name().to_owned(),
            orbits: frame.orbits(),
            first_orbit: frame.pages().first_orbit(),
            streams: streams.map(stream).collect(),
            pads: (!is_regular).then(|| Region::all().map(pads).collect()),
            time_bins,
            fragment,
            rule: rule.name().to_owned(),
            thresholds: thresholds(&settings),
            time_shift_bits: settings.time_shift.to_bits(),
        }
    }

    /// The time frame of lent arrays.
    fn attach(self, arrays: &[LentBytes]) -> Result<RawFrame, String> {
        let [pages, gains] = arrays else {
            return Err(format!("{} arrays of a time frame", arrays.len()));
        };
        let stream = |(sector, endpoint, pages)| {
            let endpoint = Endpoint::new(endpoint).ok_or("there is no such endpoint")?;
            Ok::<_, &str>((StreamId { sector, endpoint }, pages))
        };
        let streams: Vec<_> = self.streams.iter().copied().map(stream).collect::<Result<_, _>>()?;
        let pages = pages.array::<Page>()?;
        if streams.iter().map(|(_, pages)| pages).sum::<usize>() != pages.len() {
            return Err("there are pages outside streams".to_owned());
        }
        let pages = RawPages::from_shared(self.first_orbit, pages, &streams);
        let gains = Gains::from_factors(gains.array::<f32>()?.to_vec());
        let gains = gains.ok_or("there are gains of other pads")?;
        let mapping = match &self.pads {
            None => PadMapping::regular(),
            Some(pads) => mapping(pads)?,
        };
        let named = ZsFormat::ALL.into_iter().find(|it| it.name() == self.format);
        let format = named.ok_or("the format of the pages is unknown")?;
        let rule = NoisyRule::ALL.into_iter().find(|it| it.name() == self.rule);
        let finding = Finding {
            time_bins: self.time_bins,
            fragment: self.fragment,
            rule: rule.ok_or("the rule for noisy pads is unknown")?,
            settings: settings(self.thresholds, f32::from_bits(self.time_shift_bits)),
        };
        let tables = Arc::new(Tables::new(mapping, gains));
        let decoding = tpc_decode::default_settings();
        let frame = TimeFrame::new(pages, format, self.orbits, tables, decoding);
        Ok(RawFrame::new(frame, finding))
    }
}

/// A mapping of pads by region and channel.
fn mapping(pads: &[Vec<u16>]) -> Result<PadMapping, String> {
    let pad = |channel: LinkChannel| {
        let of_region = pads.get(channel.region.number());
        let index = usize::from(channel.fec) * CHANNELS_IN_LINK + usize::from(channel.channel);
        let bits = of_region.and_then(|pads| pads.get(index)).copied();
        PadId::from_bits(bits.unwrap_or(u16::MAX))
    };
    PadMapping::new(pad).map_err(|error| error.to_string())
}

fn thresholds(settings: &Settings) -> [u8; 8] {
    [
        settings.qmax_cutoff,
        settings.inner_threshold,
        settings.noise_eps,
        settings.noise_eps_rel,
        settings.qtot_cutoff,
        settings.qmax_single_time,
        settings.qmax_single_pad,
        settings.min_split,
    ]
}

fn settings(thresholds: [u8; 8], time_shift: f32) -> Settings {
    let [
        qmax_cutoff,
        inner_threshold,
        noise_eps,
        noise_eps_rel,
        qtot_cutoff,
        qmax_single_time,
        qmax_single_pad,
        min_split,
    ] = thresholds;
    Settings {
        qmax_cutoff,
        inner_threshold,
        noise_eps,
        noise_eps_rel,
        qtot_cutoff,
        qmax_single_time,
        qmax_single_pad,
        min_split,
        time_shift,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_cluster_finder::Cluster;

    fn frame(given: &[(&'static str, &str)], rate: RelativeRate) -> RawFrame {
        let params = Tpc.plan(given.iter().copied().collect()).expect("sensible").params;
        let plan = Tpc.frame(&params).expect("sensible");
        Tpc.generate_frame(&plan, rate, 3).expect("made")
    }

    const SMALL: [(&str, &str); 3] = [("sectors", "2"), ("orbits", "1"), ("zs", "link")];

    /// Time frames as another process would see them.
    fn seen(made: &[RawFrame]) -> Vec<RawFrame> {
        let lent = |bytes: &[u8]| {
            let length = bytes.len();
            LentBytes::new(&Arc::new(bytes.to_vec()), 0..length).expect("within bounds")
        };
        let arrays = |frame| Tpc.arrays(frame).into_iter().map(lent).collect();
        let description = Tpc.describe(made).expect("time frames");
        Tpc.attach(&description, made.iter().map(arrays).collect()).expect("time frames")
    }

    #[test]
    fn attached_time_frames_have_the_same_clusters() {
        let changed = [("qmax-cutoff", "5"), ("noisy", "lab"), ("fragment", "300")];
        let made = [frame(&SMALL, None), frame(&[&SMALL[..], &changed].concat(), None)];
        for (made, seen) in made.iter().zip(seen(&made)) {
            assert_eq!(made.frame.pages(), seen.frame.pages());
            assert_eq!(made.finding, seen.finding);
            assert_eq!(made.frame.gains().factors(), seen.frame.gains().factors());
            assert!(!made.expected().clusters.is_empty());
            assert_eq!(made.expected().clusters, seen.expected().clusters);
        }
    }

    #[test]
    fn frames_last_their_orbits_and_pauses_have_noise_only() {
        let params = Tpc.plan([("orbits", "32")].into_iter().collect()).expect("sensible").params;
        assert_eq!(Tpc.frame(&params).expect("sensible").frame_ns, 2_851_200);
        let dense = [&SMALL[..], &[("occupancy", "0.1")]].concat();
        for given in [&SMALL[..], &dense] {
            let samples = |rate| Tpc.work(&frame(given, rate)).items;
            let [pause, half, usual] = [Some(0.0), Some(0.5), None].map(samples);
            assert!(pause < half && half < usual, "{pause} {half} {usual}");
        }
    }

    #[test]
    fn sums_ignore_the_order_in_rows_only() {
        let cluster = |row, pad| RowCluster {
            case: 0,
            row,
            cluster: Cluster { pad, qmax: 7, ..Cluster::default() },
        };
        let digest = |clusters: &[RowCluster]| {
            Tpc.sums(&clusters.to_vec(), Segments::ALL).digest(Segments::ALL)
        };
        let right = digest(&[cluster(1, 2), cluster(1, 3), cluster(2, 4)]);
        assert_eq!(right.counts, [3, 0]);
        assert_eq!(digest(&[cluster(1, 3), cluster(1, 2), cluster(2, 4)]), right);
        assert_ne!(digest(&[cluster(1, 2), cluster(2, 3), cluster(1, 4)]), right);
        let nowhere = RowCluster { case: u32::MAX, ..cluster(9, 4) };
        assert_ne!(digest(&[cluster(1, 2), cluster(1, 3), nowhere]), right);
        let all = [cluster(1, 2), cluster(1, 3), cluster(2, 4)].to_vec();
        let sums = Tpc.sums(&all, Segments::ALL);
        for turn in 0..3 {
            let segments = Segments::every(3, turn);
            let some = Tpc.sums(&all, segments).digest(Segments::ALL);
            assert_eq!(some, sums.digest(segments), "{turn}");
        }
    }
}
