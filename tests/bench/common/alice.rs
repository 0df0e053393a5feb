//! Files as ALICE has them, made of simulated pages.

use std::fs;

use super::Folder;

const PAGE_BYTES: usize = 8192;
/// Trigger type of the first heartbeat of a time frame.
const TIME_FRAME_START: u32 = 1 << 11;
/// Endpoints of the TPC: counts of pages in a dump.
const ENDPOINTS: usize = 36 * 20;

/// Pages of sector 0 from an orbit on, with the marks of a time frame.
pub fn time_frame(folder: &Folder, first_orbit: u32) -> Vec<u8> {
    let shape = "--sectors 1 --orbits 2 --framing recorded --noise 0 --occupancy 0.0002";
    let line = format!("generate tpc {shape} --first-orbit {first_orbit} --out frame.pages");
    folder.bench(line).exits(0);
    let mut pages = fs::read(folder.join("frame.pages")).expect("written");
    for page in pages.chunks_exact_mut(PAGE_BYTES) {
        if page[20..24] == first_orbit.to_le_bytes() {
            page[32..36].copy_from_slice(&TIME_FRAME_START.to_le_bytes());
        }
    }
    for name in ["frame.pages", "frame.index.csv"] {
        fs::remove_file(folder.join(name)).expect("removed");
    }
    pages
}

/// A header of a time frame file.
fn header(description: &[u8], origin: &[u8], bytes: usize) -> Vec<u8> {
    let mut header = vec![0; 96];
    let mut put = |at: usize, part: &[u8]| header[at..at + part.len()].copy_from_slice(part);
    put(0, b"O2O2");
    put(4, &96_u32.to_le_bytes());
    put(12, &3_u32.to_le_bytes());
    put(32, description);
    put(48, origin);
    put(72, &(bytes as u64).to_le_bytes());
    header
}

/// A time frame file (`.tf`) of these pages of each time frame.
pub fn time_frame_file(frames: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for pages in frames {
        file.extend(header(b"FILE_STF_META", b"FLP", 24));
        file.extend([0; 24]);
        file.extend(header(b"RAWDATA", b"TPC", pages.len()));
        file.extend(pages);
    }
    file
}

/// A dump of O2's stand-alone benchmark of these pages.
pub fn dump(pages: &[u8]) -> Vec<u8> {
    let mut file = b"CAv1".to_vec();
    file.extend([2_u32, 14].map(u32::to_le_bytes).as_flattened());
    file.extend((pages.len() as u64).to_le_bytes());
    file.extend(pages);
    file.extend(((pages.len() / PAGE_BYTES) as u32).to_le_bytes());
    file.extend([0; 4 * (ENDPOINTS - 1)]);
    file
}
