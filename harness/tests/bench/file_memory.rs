//! Files that do not fit into memory.

use std::fs::File;
use std::io::Write;

use crate::common::{Folder, folder};

/// Writes a sparse file of digis, with 8 million in each of 24 segments.
fn sparse_digis(folder: &Folder) {
    const SEGMENTS: u32 = 24;
    const DIGIS: u32 = 8_000_000;
    let mut file = File::create(folder.join("d.bin")).expect("created");
    let digis = u64::from(SEGMENTS) * u64::from(DIGIS);
    let header = [&b"STSDIGI1"[..], &12_u32.to_le_bytes(), &SEGMENTS.to_le_bytes()].concat();
    file.write_all(&header).expect("written");
    file.write_all(&digis.to_le_bytes()).expect("written");
    file.write_all(&DIGIS.to_le_bytes().repeat(SEGMENTS as usize)).expect("written");
    file.set_len(120 + 7 * digis).expect("sparse");
}

#[test]
fn files_that_do_not_fit_are_refused_before_they_are_read() {
    let folder = folder();
    sparse_digis(&folder);
    let run = folder.bench_with_limit("-v 4000000", "sort --input d.bin --dry-run").exits(2);
    run.says("d.bin has 1.34 GB of data").says("of data fit: use a smaller file");
}

#[test]
fn compressed_files_that_do_not_fit_are_refused_while_they_are_decompressed() {
    let folder = folder();
    sparse_digis(&folder);
    let mut digis = File::open(folder.join("d.bin")).expect("written");
    let file = File::create(folder.join("z.bin")).expect("created");
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::copy(&mut digis, &mut encoder).expect("compressed");
    encoder.finish().expect("written");
    let run = folder.bench_with_limit("-v 1000000", "sort --input z.bin --dry-run").exits(2);
    run.says("z.bin has more than").says("of data fit: use a smaller file");
}

#[test]
fn a_part_of_an_archive_is_read_where_all_of_it_does_not_fit() {
    let folder = folder();
    folder.bench("generate sts-raw --preset mcbm-2024 --scale 0.01 --out d.tsa").exits(0);
    let inputs = "--input d.tsa ".repeat(40);
    let unpack = format!("unpack {inputs} --dry-run");
    let limit = "-v 1000000";
    let run = folder.bench_with_limit(limit, &unpack).exits(2);
    run.says("d.tsa has more than").says("with --timeslices, --skip, --take");
    folder.bench_with_limit(limit, &format!("{unpack} --skip 3 --take 1")).exits(0);
}
