//! Pads of the experiment's channels, as far as its pages show them.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;

use flate2::read::GzDecoder;
use generators::tpc::mapping::LinkChannel;
use generators::tpc::{PadId, PadMapping, Region};

use crate::experiments::fixtures;

/// A channel with the number of its endpoint and its pad.
pub struct Wire {
    pub channel: LinkChannel,
    pub endpoint: usize,
    pub pad: PadId,
}

/// Wires of all channels of three regions:
/// `region,endpoint,fec_in_partition,raw_fec_channel,row,pad`.
pub fn wires() -> Vec<Wire> {
    let file = File::open(fixtures("tpc-pages").join("wiring.csv.gz")).expect("a fixture");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("text");
    text.lines().skip(1).map(wire).collect()
}

fn wire(line: &str) -> Wire {
    let fields: Vec<usize> =
        line.split(',').map(|field| field.parse().expect("a number")).collect();
    let [region, endpoint, fec, channel, row, pad] = fields[..] else {
        panic!("six columns: {line}");
    };
    let region = Region::new(region).expect("a region");
    Wire {
        channel: LinkChannel { region, fec: fec as u8, channel: channel as u8 },
        endpoint,
        pad: PadId::new(row as u8, pad as u8),
    }
}

/// A mapping with these wires; the regular one elsewhere.
pub fn mapping() -> PadMapping {
    let regular = PadMapping::regular();
    let wires: HashMap<_, _> = wires().iter().map(|wire| (wire.channel, wire.pad)).collect();
    let pad = |channel| wires.get(&channel).copied().or_else(|| regular.pad(channel));
    PadMapping::new(|channel| pad(channel).expect("a channel")).expect("one to one")
}
