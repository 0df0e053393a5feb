//! recobench's chain: pages are decoded to digits with SIMD, digits to charges by row, and the
//! noisy pads and clusters of each row are found while it is in the nearest caches.

use std::borrow::Cow;

use generators_tpc::Digit;
use generators_tpc::charges::Charge;
use portable_gpu::DeviceError;
use portable_gpu::timing::{Laps, Stages};

use super::noisy_pads;
use crate::tpc::Tpc;
use crate::tpc::finding::{Finding, looked_at};
use crate::tpc::input::RawFrame;
use crate::tpc_cluster_finder::RowCluster;
use crate::tpc_cluster_finder::cpu::{Buckets, Finder, Row, RowSamples, Source, Starts, sort};
use crate::tpc_decode::charge_map::Converter;
use crate::tpc_decode::cpu::{DecodedPages, DigitsRunner};
use tasks::algorithm::Runner;
use tasks::device::{Arena, ArenaVec, buffers};

pub(super) struct Rows<'a> {
    input: &'a RawFrame,
    arena: &'a Arena,
    threads: usize,
    decoder: DigitsRunner<'a>,
    sectors: Vec<u8>,
    starts: Starts,
    laps: Laps,
}

pub(super) struct RowsBuffers<'a> {
    decoded: DecodedPages<'a>,
    by_row: ArenaVec<'a, Charge>,
    finder: Finder<'a>,
    clusters: Buckets<'a>,
}

buffers!(RowsBuffers<'_>: decoded, by_row, finder, clusters);

impl Source for Digit {
    #[inline]
    fn row(self) -> usize {
        self.pad_id().row().into()
    }
}

impl<'a> Rows<'a> {
    pub(super) fn new(input: &'a RawFrame, arena: &'a Arena, threads: usize) -> Self {
        Rows {
            input,
            arena,
            threads,
            decoder: DigitsRunner::fastest(&input.frame, arena, threads),
            sectors: input.frame.sector_numbers(),
            starts: Starts::new(),
            laps: Laps::default(),
        }
    }

    /// The digits of each sector.
    fn sectors_of<'d>(&self, digits: &'d [Digit]) -> Vec<&'d [Digit]> {
        let mut left = digits;
        let of_sector = |sector: &u8| {
            let end = left.iter().position(|digit| digit.sector() != *sector);
            let (own, others) = left.split_at(end.unwrap_or(left.len()));
            left = others;
            own
        };
        self.sectors.iter().map(of_sector).collect()
    }
}

impl<'a> Runner<Tpc> for Rows<'a> {
    type Buffers = RowsBuffers<'a>;

    fn allocate(&self) -> Result<RowsBuffers<'a>, DeviceError> {
        let samples = self.decoder.promised();
        Ok(RowsBuffers {
            decoded: self.decoder.allocate()?,
            by_row: self.arena.vector(samples),
            finder: Finder::take(self.arena, self.threads),
            clusters: Buckets::take(self.arena, samples, self.sectors.len()),
        })
    }

    fn load(&mut self, buffers: &mut RowsBuffers<'a>) -> Result<(), DeviceError> {
        self.decoder.load(&mut buffers.decoded)
    }

    fn run(&mut self, buffers: &mut RowsBuffers<'a>) -> Result<(), DeviceError> {
        self.laps.start();
        self.decoder.run(&mut buffers.decoded)?;
        self.laps.lap("decode", 0);
        let frame = &self.input.frame;
        let converters: Vec<_> = self
            .sectors
            .iter()
            .map(|&sector| Converter::new(frame.gains(), sector, frame.format()))
            .collect();
        let charge = |sector: usize, digit: Digit| converters[sector].sample(digit);
        let digits = self.sectors_of(buffers.decoded.digits());
        let (rows, starts) = sort(&digits, charge, &mut buffers.by_row, &());
        self.starts = starts;
        self.laps.lap("rows", 0);
        let finding = &self.input.finding;
        let Finding { time_bins, rule, settings, .. } = finding;
        let limits = finding.limits();
        let looked_at = looked_at(*rule);
        let row = |samples: &RowSamples<'_>| {
            let is_noisy = noisy_pads(samples.all(), &looked_at[samples.row], &limits);
            Row { settings, time_bins: *time_bins, is_noisy }
        };
        buffers.finder.find(rows, row, &buffers.clusters.emptied(&self.starts), &());
        self.laps.lap("clusters", 0);
        Ok(())
    }

    fn stages(&self, _: &RowsBuffers<'a>) -> Stages {
        self.laps.stages()
    }

    fn output<'b>(&'b self, buffers: &'b RowsBuffers<'a>) -> Cow<'b, Vec<RowCluster>> {
        Cow::Owned(buffers.clusters.sorted(&self.starts))
    }

    fn input_bytes(&self) -> u64 {
        self.decoder.input_bytes()
    }
}
