//! Pages by stream, packet counters, and remarks.

use std::collections::BTreeMap;
use std::path::Path;

use generators_common::DataError;

use super::first_orbit::{OrbitWindow, Orbits};
use crate::Endpoint;
use crate::geometry::{Cru, HALVES, SECTORS};
use crate::io::PageSelection;
use crate::page::rdh::{
    DENSE_LINK_ID, LINK_LINK_ID, RDH_VERSION, ROW_LINK_ID, TPC_SOURCE_ID, ZS_DETECTOR_FIELD,
    set_version_and_link,
};
use crate::page::{PAGE_BYTES, Page, Rdh};
use crate::pages::{RawPages, StreamId};
use text::counted;

/// Source of simulated pages.
const SIMULATED_SOURCE_ID: u8 = 0;

/// Oldest version of the header with the same layout of all fields that are used.
pub(super) const OLDEST_VERSION: u8 = 6;

/// A page, in a slot of zeros.
pub(super) struct FilePage {
    pub(super) rdh: Rdh,
    pub(super) slot: [u8; PAGE_BYTES],
    /// Offset in the file.
    pub(super) start: u64,
}

pub(super) fn header_of(slot: &[u8; PAGE_BYTES]) -> Rdh {
    Rdh::from_bytes(slot.first_chunk().expect("a page is longer than its header"))
}

/// Remarks about the pages of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRemarks {
    /// Pages that the packet counters miss.
    pub missing: u64,
    /// True if the file ends within a page, or where none begins.
    pub is_cut: bool,
    sentences: Vec<String>,
}

impl PageRemarks {
    /// Sentences; none if all is well.
    pub fn sentences(&self) -> &[String] {
        &self.sentences
    }

    /// The sentences, if pages are missing.
    pub fn defects(&self) -> &[String] {
        if self.is_cut || self.missing > 0 { &self.sentences } else { &[] }
    }
}

/// Packet counters of all senders.
#[derive(Default)]
struct Packets {
    /// Counter of each sender's last page.
    last: BTreeMap<(u8, u16), u8>,
    missing: u64,
    /// Offset of the page before the first missing one.
    first_missing: Option<u64>,
    previous: u64,
}

impl Packets {
    /// Compares the counter of a page with that of its sender's page before.
    fn add(&mut self, rdh: &Rdh, start: u64) {
        let sender = (rdh.source_id, rdh.fee_id.0);
        if let Some(last) = self.last.insert(sender, rdh.packet_counter) {
            let missing = rdh.packet_counter.wrapping_sub(last).wrapping_sub(1);
            if missing > 0 {
                self.missing += u64::from(missing);
                self.first_missing.get_or_insert(self.previous);
            }
        }
        self.previous = start;
    }

    fn sentence(&self) -> Option<String> {
        let byte = self.first_missing?;
        let missing = self.missing;
        let are = if missing == 1 { "is" } else { "are" };
        let pages = counted(missing, "page");
        Some(format!("{pages} {are} missing, the first behind byte {byte}"))
    }
}

/// Examines the pages of streams: makes headers of version 6 those of version 7, which have the
/// same fields, and returns the first orbit, and remarks.
pub(in crate::io) fn examine(
    pages: &mut [Page],
    streams: &[(StreamId, usize)],
) -> (Option<u32>, PageRemarks) {
    let mut orbits = Orbits::default();
    let mut packets = Packets::default();
    let mut start = 0;
    let mut first = 0;
    for (_, count) in streams {
        for page in &mut pages[first..first + count] {
            let rdh = header_of(page);
            if rdh.header_version == OLDEST_VERSION {
                set_version_and_link(page, RDH_VERSION, rdh.link_id);
            }
            orbits.add(&rdh);
            packets.add(&rdh, start);
            start += PAGE_BYTES as u64;
        }
        first += count;
    }
    let sentences = packets.sentence().into_iter().collect();
    (orbits.first(), PageRemarks { missing: packets.missing, is_cut: false, sentences })
}

/// The pages of a file.
pub(super) struct Collected {
    selection: PageSelection,
    streams: BTreeMap<StreamId, Vec<Page>>,
    orbits: Orbits,
    packets: Packets,
    pages: u64,
    kept: u64,
    alone: u64,
    others: BTreeMap<String, u64>,
    end: Option<String>,
    filter: PageFilter,
    /// Number of time frames, if the file states where they begin.
    time_frames: Option<u64>,
}

/// Pages to keep, apart from the selected sector.
pub(super) enum PageFilter {
    /// All.
    All,
    /// Those of some time frames.
    Within(OrbitWindow),
    /// None: only orbits are collected.
    None,
}

impl Collected {
    pub(super) fn new(selection: PageSelection, filter: PageFilter) -> Self {
        Collected {
            selection,
            streams: BTreeMap::new(),
            orbits: Orbits::default(),
            packets: Packets::default(),
            pages: 0,
            kept: 0,
            alone: 0,
            others: BTreeMap::new(),
            end: None,
            filter,
            time_frames: None,
        }
    }

    /// The number of time frames that were read, as the file states where they begin.
    pub(super) fn state_time_frames(&mut self, count: u64) {
        self.time_frames = Some(count);
    }

    /// Bytes of the pages that are kept.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.kept * PAGE_BYTES as u64
    }

    /// Orbits of all pages of the TPC.
    pub(super) fn into_orbits(self) -> Orbits {
        self.orbits
    }

    /// The first orbit of the time frame, as the file states it.
    pub(super) fn state_first_orbit(&mut self, orbit: u32) {
        self.orbits.state(orbit);
    }

    /// The file ends within what begins at this byte.
    pub(super) fn cut(&mut self, byte: u64) {
        self.chain_ends(byte, "the file is cut within this page".to_owned());
    }

    /// There is no page at this byte.
    pub(super) fn chain_ends(&mut self, byte: u64, problem: String) {
        let were = if self.pages == 1 { "was" } else { "were" };
        let pages = counted(self.pages, "page");
        self.end = Some(format!("{pages} {were} read up to byte {byte}: {problem}"));
    }

    pub(super) fn add(&mut self, page: FilePage) {
        self.pages += 1;
        let FilePage { rdh, mut slot, start } = page;
        if ![TPC_SOURCE_ID, SIMULATED_SOURCE_ID].contains(&rdh.source_id) {
            self.pass_over(format!("source {}, not of the TPC ({TPC_SOURCE_ID})", rdh.source_id));
            return;
        }
        match &self.filter {
            PageFilter::None => return self.orbits.add(&rdh),
            PageFilter::Within(window) if !window.contains(rdh.orbit) => {
                return self.pass_over("other time frames".to_owned());
            }
            _ => {}
        }
        self.packets.add(&rdh, start);
        self.orbits.add(&rdh);
        let stream = match stream_of(&rdh) {
            Ok(stream) => stream,
            Err(kind) => return self.pass_over(kind),
        };
        if rdh.is_alone() {
            self.alone += 1;
        } else if self.selection.sector.is_none_or(|sector| sector == stream.sector) {
            set_version_and_link(&mut slot, RDH_VERSION, rdh.fee_id.link());
            self.streams.entry(stream).or_default().push(slot);
            self.kept += 1;
        } else {
            self.pass_over(format!("sector {}", stream.sector));
        }
    }

    fn pass_over(&mut self, kind: String) {
        *self.others.entry(kind).or_default() += 1;
    }

    /// The pages, stream after stream.
    pub(super) fn finish(mut self, path: &Path) -> Result<(RawPages, PageRemarks), DataError> {
        if self.streams.is_empty() {
            return Err(self.why_none(path));
        }
        let mut sentences = Vec::new();
        sentences.extend(self.end.clone());
        sentences.extend(self.packets.sentence());
        for (kind, count) in &self.others {
            sentences.push(format!("{} of {kind} passed over", counted(*count, "page")));
        }
        let first_orbit = self.selection.first_orbit.or_else(|| self.orbits.first());
        let time_frames = self.time_frames.or_else(|| self.orbits.time_frames());
        if let Some(frames) = time_frames.filter(|&frames| frames > 1) {
            sentences.push(format!("{frames} time frames, read as one"));
        }
        let lengths: Vec<_> = self.streams.iter().map(|(id, pages)| (*id, pages.len())).collect();
        let mut pages = Vec::new();
        for (_, stream) in std::mem::take(&mut self.streams) {
            pages.extend(stream);
        }
        let remarks =
            PageRemarks { missing: self.packets.missing, is_cut: self.end.is_some(), sentences };
        Ok((RawPages::new(first_orbit.unwrap_or(0), pages, &lengths), remarks))
    }

    fn why_none(&self, path: &Path) -> DataError {
        let of_kind =
            |(kind, &count): (&String, &u64)| format!("{} of {kind}", counted(count, "page"));
        let mut kinds: Vec<String> = self.others.iter().map(of_kind).collect();
        if self.alone > 0 {
            kinds.push(headers(self.alone));
        }
        no_pages_with_data(path, &kinds.join(", "))
    }
}

/// Error for a file whose pages are headers alone.
pub fn headers_alone(path: &Path, count: usize) -> DataError {
    no_pages_with_data(path, &headers(count as u64))
}

fn headers(count: u64) -> String {
    format!("{} without data", counted(count, "header"))
}

fn no_pages_with_data(path: &Path, found: &str) -> DataError {
    let problem = format!("no zero-suppressed page of the TPC is among them: {found}");
    DataError::incomplete(path, problem)
}

/// The stream of a page with zero-suppressed data, or a description of the page.
fn stream_of(rdh: &Rdh) -> Result<StreamId, String> {
    let fee_id = rdh.fee_id;
    let link = fee_id.link();
    if ![ROW_LINK_ID, LINK_LINK_ID, DENSE_LINK_ID].contains(&link) {
        return Err(format!("link {link}, not zero-suppressed"));
    }
    if rdh.detector_field != ZS_DETECTOR_FIELD {
        return Err(format!("detector field {}, not zero-suppressed", rdh.detector_field));
    }
    if ![0, ROW_LINK_ID, link].contains(&rdh.link_id) {
        return Err(format!("link {} in the RDH, {link} in the FEE id", rdh.link_id));
    }
    let cru = Cru::new(fee_id.cru().into());
    let cru = cru.filter(|cru| cru.sector() < SECTORS);
    let cru = cru.ok_or_else(|| format!("CRU {}, which does not exist", fee_id.cru()))?;
    let number = cru.region().number() * HALVES + fee_id.half();
    let endpoint = Endpoint::new(number).expect("halves of regions are endpoints");
    Ok(StreamId { sector: cru.sector() as u8, endpoint })
}
