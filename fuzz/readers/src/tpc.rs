//! Data of the time projection chamber.

use std::sync::{Arc, OnceLock};

use algorithms_tpc::tpc_decode::{Gains, Output, Settings, Tables, TimeFrame, WorkDistribution};
use generators_tpc::io::{
    PageSelection, read_charges, read_clusters, read_labels, read_pad_mapping, read_raw_pages,
    read_slice_tracks, read_tpc_file, write_charges, write_clusters, write_labels, write_raw_pages,
    write_slice_tracks,
};
use generators_tpc::page::PAGE_BYTES;
use generators_tpc::page::rdh::RDH_BYTES;
use generators_tpc::pages::{RawPages, StreamId};
use generators_tpc::{Endpoint, PadMapping, ZsFormat};

use crate::parts;
use crate::scratch::{Scratch, comes_back, refused};

const PAGES: &str = "frame.pages";
const INDEX: &str = "frame.index.csv";
/// Orbits of a time frame that is decoded.
const ORBITS: u32 = 3;

/// An index and its pages.
pub(crate) fn pages(scratch: &Scratch, input: &[u8]) -> bool {
    let [index, pages] = parts(input);
    frame(scratch, index, pages, PageSelection::default())
}

/// An index of a sector that the first byte names, of empty files.
pub(crate) fn page_index(scratch: &Scratch, input: &[u8]) -> bool {
    let Some((&sector, index)) = input.split_first() else {
        return false;
    };
    let selection = PageSelection { sector: Some(sector), ..PageSelection::ALL };
    frame(scratch, index, &[], selection)
}

/// Files of ALICE's by their headers: pages, time frames, dumps.
pub(crate) fn files(scratch: &Scratch, input: &[u8]) -> bool {
    let path = scratch.file("pages.raw", input);
    match read_tpc_file(&path, PageSelection::default()) {
        Ok((pages, _)) => {
            assert!(pages.bytes().len() <= input.len() * PAGE_BYTES / RDH_BYTES);
            true
        }
        Err(error) => refused(&error, "pages.raw"),
    }
}

fn frame(scratch: &Scratch, index: &[u8], pages: &[u8], selection: PageSelection) -> bool {
    let index = scratch.file(INDEX, index);
    let path = scratch.file(PAGES, pages);
    let frame = match read_raw_pages(&path, &index, selection.clone()) {
        Ok((frame, _)) => frame,
        // A sector that does not exist is in no file.
        Err(error) if selection.sector.is_none() => return refused(&error, "frame."),
        Err(_) => return false,
    };
    let again = scratch.path("again.pages");
    let index = write_raw_pages(&again, &frame).expect("what was read is written");
    // An index of a single sector does not contain its number.
    let mut sectors: Vec<_> = frame.streams().map(|stream| stream.id.sector).collect();
    sectors.dedup();
    let sector = Some(sectors[0]).filter(|_| sectors.len() == 1);
    let selection =
        PageSelection { sector, first_orbit: Some(frame.first_orbit()), ..PageSelection::ALL };
    let (read, _) = read_raw_pages(&again, &index, selection).expect("what was written is read");
    assert!(read == frame, "what is read is what was written");
    true
}

/// Pages of one stream in the format that the first byte selects, decoded: valid ones give digits,
/// others an error. The last page may be cut off.
pub(crate) fn decode(_: &Scratch, input: &[u8]) -> bool {
    let Some((&version, bytes)) = input.split_first() else {
        return false;
    };
    let Some(format) = ZsFormat::from_version(version) else {
        return false;
    };
    let pages: Vec<_> = bytes.chunks(PAGE_BYTES).map(padded).collect();
    let stream = StreamId { sector: 0, endpoint: Endpoint::new(0).expect("an endpoint") };
    let streams = [(stream, pages.len())];
    let decoded = |pages: &RawPages| {
        let settings =
            Settings { output: Output::Digits, sharing: WorkDistribution::Pages, fragment: 4000 };
        let frame = TimeFrame::new(pages.clone(), format, ORBITS, tables(), settings);
        let decoded = frame.digits();
        for page in &decoded.damaged {
            assert!(page.page < pages.pages().len(), "{page}");
            assert!(page.file_offset() <= pages.bytes().len() as u64, "{page}");
        }
        decoded
    };
    let pages = RawPages::new(0, pages, &streams);
    let once = decoded(&pages);
    let twice = decoded(&pages);
    assert!(once == twice, "decoding is deterministic");
    once.damaged.is_empty()
}

fn padded(bytes: &[u8]) -> [u8; PAGE_BYTES] {
    let mut page = [0; PAGE_BYTES];
    page[..bytes.len()].copy_from_slice(bytes);
    page
}

fn tables() -> Arc<Tables> {
    static TABLES: OnceLock<Arc<Tables>> = OnceLock::new();
    let tables = || Arc::new(Tables::new(PadMapping::regular(), Gains::unit()));
    Arc::clone(TABLES.get_or_init(tables))
}

/// The first of four tables: without the others no mapping is complete.
pub(crate) fn mapping(scratch: &Scratch, input: &[u8]) -> bool {
    let table = scratch.file("TABLE-IROC.txt", input);
    let folder = table.parent().expect("a folder");
    let error = read_pad_mapping(folder).map(drop).expect_err("other tables are missing");
    let is_accepted = error.to_string().contains("TABLE-OROC1");
    is_accepted || refused(&error, "TABLE-IROC")
}

pub(crate) fn slice_tracks_csv(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "tracks.csv", input, read_slice_tracks, write_slice_tracks)
}

pub(crate) fn slice_tracks_bin(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "tracks.bin", input, read_slice_tracks, write_slice_tracks)
}

pub(crate) fn clusters(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "clusters.bin", input, read_clusters, write_clusters)
}

pub(crate) fn charges(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "frame.cases", input, read_charges, |path, cases| {
        write_charges(path, cases)
    })
}

/// Labels and their pages.
pub(crate) fn page_labels(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "frame.labels", input, read_labels, |path, labels| {
        write_labels(path, labels)
    })
}
