//! Digis of the Silicon Tracking System, and its setup.

use generators::io::{read_digis, read_setup, write_digis, write_setup};

use crate::scratch::{Scratch, comes_back};

pub(crate) fn csv(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "digis.csv", input, read_digis, write_digis)
}

pub(crate) fn bin(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "digis.bin", input, read_digis, write_digis)
}

pub(crate) fn parquet(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "digis.parquet", input, read_digis, write_digis)
}

/// Reads any compressed data.
pub(crate) fn gz(scratch: &Scratch, input: &[u8]) -> bool {
    let read = |name| comes_back(scratch, name, input, read_digis, write_digis);
    read("digis.csv.gz") | read("digis.bin.gz")
}

pub(crate) fn setup(scratch: &Scratch, input: &[u8]) -> bool {
    comes_back(scratch, "setup.json", input, read_setup, write_setup)
}
