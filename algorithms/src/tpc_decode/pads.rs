//! The pads of each endpoint's links, laid out for decoders.

use generators::tpc::geometry::{CHANNELS_IN_LINK, MAX_FECS, REGIONS, Region};
use generators::tpc::{Endpoint, PadId, PadMapping};

/// Entries for the pads of a front-end card by raw channel, with padding so that whole vectors can
/// be read.
pub(super) const LINK_STRIDE: usize = 96;

/// The pads of all links.
pub struct LinkPads {
    /// For each region and each card that a partition can have.
    pads: Vec<[PadId; LINK_STRIDE]>,
}

impl LinkPads {
    /// The pads of a mapping.
    pub fn new(mapping: &PadMapping) -> Self {
        let mut pads = vec![[PadId::default(); LINK_STRIDE]; REGIONS * MAX_FECS];
        for region in Region::all() {
            let links = mapping.pads(region).chunks(CHANNELS_IN_LINK);
            for (link, of_link) in pads[region.number() * MAX_FECS..].iter_mut().zip(links) {
                link[..CHANNELS_IN_LINK].copy_from_slice(of_link);
            }
        }
        LinkPads { pads }
    }

    /// The pads of the links of an endpoint's region, by card in the partition.
    pub(super) fn of_endpoint(&self, endpoint: Endpoint) -> &[[PadId; LINK_STRIDE]; MAX_FECS] {
        let first = endpoint.region().number() * MAX_FECS;
        match self.pads[first..].first_chunk() {
            Some(links) => links,
            None => unreachable!("there are links for each region"),
        }
    }
}
