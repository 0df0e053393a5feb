//! MDF files with invalid events.

use std::fs;
use std::path::PathBuf;

use generators_common::DataError;
use generators_common::io::content_limit::with_content_limit;
use generators_common::random::hash;
use generators_lhcb::io::mdf;
use generators_lhcb::{BankFormat, BankKind, Events};
use tempfile::{TempDir, tempdir};

use crate::small;

const FORMAT: BankFormat = BankFormat { kind: BankKind::SuperPixel, version: 2 };
const CHECKSUM: usize = 12;
const FIRST_BANK: usize = 48;
/// Bytes of the ODIN bank, which is the first.
const ODIN: usize = 48;
/// Bytes of a bank of the VELO.
const BANK: usize = 16;

/// A file of three events, whose bytes are changed.
struct File {
    folder: TempDir,
    bytes: Vec<u8>,
    /// Bytes of an event.
    size: usize,
}

impl File {
    fn new(format: BankFormat) -> Self {
        let folder = tempdir().expect("a folder");
        let path = folder.path().join("events.mdf");
        mdf::write(&path, &small::events(format, 3)).expect("written");
        let bytes = fs::read(path).expect("read");
        let size = bytes.len() / 3;
        File { folder, bytes, size }
    }

    /// Sets bytes of the event in the middle, which then has no checksum.
    fn set(&mut self, offset: usize, bytes: &[u8]) {
        self.put(CHECKSUM, &[0; 4]);
        self.put(offset, bytes);
    }

    fn put(&mut self, offset: usize, bytes: &[u8]) {
        let start = self.size + offset;
        self.bytes[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("changed.mdf")
    }

    fn read(&self) -> Result<Events, DataError> {
        fs::write(self.path(), &self.bytes).expect("written");
        mdf::read(&self.path(), BankKind::SuperPixel)
    }
}

/// Offset in an event of the bank of a source.
fn bank(source: usize) -> usize {
    FIRST_BANK + ODIN + BANK * source
}

/// Changes bytes of the second of three events; the sentence that is reported. The others are read.
fn defect(offset: usize, bytes: &[u8]) -> String {
    let mut file = File::new(FORMAT);
    file.set(offset, bytes);
    let events = file.read().expect("two events");
    assert_eq!(events.names(), ["7-100", "7-102"]);
    assert!(events.truth().is_some());
    assert_eq!(events.defects.len(), 1, "{:?}", events.defects);
    events.defects[0].clone()
}

#[test]
fn invalid_banks_leave_out_their_event_alone() {
    let cases: &[(usize, &[u8], &str)] = &[
        (bank(17), &[0xCC], "0xcbcc, not 0xcbcb"),
        (bank(17) + 2, &[7, 0], "the bank has 7 bytes, fewer than its header of 8"),
        (bank(17) + 2, &[0xFF, 0xFF], "a bank of 65535 bytes in the last"),
        (bank(17) + 2, &[15], "event 1: bank 17: 7 bytes are no words of 32 bits"),
        (bank(17) + 4, &[64], "event 1: it has 207 banks of the VELO; a complete event has 208"),
        (bank(17) + 4, &[73], "event 1: it has 207 banks of the VELO; a complete event has 208"),
        (bank(17) + 5, &[3], "event 1: bank 17: it is of version 3, others of 2"),
        (bank(17) + 6, &[18], "event 1: bank 18: there are two banks of this source"),
        (bank(207) + 6, &[208], "event 1: bank 208: there is no sensor 208: they are 0 to 207"),
        (bank(17) + 8, &[2], "event 1: bank 17: it counts 2 words, but has 1"),
        (bank(17) + 12, &[1, 0, 0x60, 0], "event 1: bank 17: word 0: column 384 of 384"),
        (FIRST_BANK + 2, &[31], "the ODIN bank has 23 bytes"),
    ];
    for (offset, bytes, expected) in cases {
        let found = defect(*offset, bytes);
        assert!(found.starts_with("event 1: ") && found.contains(expected), "{found}");
    }
}

#[test]
fn invalid_headers_leave_out_their_event_alone() {
    let cases: &[(usize, &[u8], &str)] = &[
        (16, &[3], "the banks are compressed (ROOT, level 3); decompress the file first"),
        (17, &[0x27], "the header is of version 2; version 3 is known"),
        (17, &[0x38], "the sub-header has 8 words, not 7"),
        (18, &[2], "the content is of type 2, not 1 (banks)"),
        (CHECKSUM, &[1, 0, 0, 0], "the checksum is 0x00000001, that of the content 0x"),
    ];
    for (offset, bytes, expected) in cases {
        let found = defect(*offset, bytes);
        assert!(found.starts_with("event 1: byte ") && found.contains(expected), "{found}");
    }
}

#[test]
fn events_after_damaged_sizes_are_lost() {
    let mut file = File::new(FORMAT);
    file.put(4, &[1]);
    let size = file.size;
    let events = file.read().expect("an event");
    assert_eq!(events.names(), ["7-100"]);
    let [defect] = &events.defects[..] else { panic!("{:?}", events.defects) };
    assert!(defect.starts_with(&format!("event 1: byte {size}: the sizes ")), "{defect}");

    let mut file = File::new(FORMAT);
    file.put(0, &[[8, 0, 0, 0]; 3].concat());
    let events = file.read().expect("an event");
    assert!(events.defects[0].contains("8 bytes hold no header of 48"), "{:?}", events.defects);
}

#[test]
fn truncated_files_have_the_events_before() {
    let size = File::new(FORMAT).size;
    for length in [2 * size + 5, 3 * size - 1] {
        let mut file = File::new(FORMAT);
        file.bytes.truncate(length);
        let events = file.read().expect("two events");
        assert_eq!(events.names(), ["7-100", "7-101"]);
        let expected = format!("event 2: byte {length}: the file ends here, within the event");
        assert_eq!(events.defects, [expected]);
    }
}

#[test]
fn files_without_valid_event_are_refused_with_the_first_reason() {
    let mut file = File::new(FORMAT);
    file.bytes[0] ^= 1;
    let error = file.read().expect_err("no event").to_string();
    assert!(error.contains("event 0: byte 0: the sizes"), "{error}");
    file.bytes.clear();
    let error = file.read().expect_err("empty").to_string();
    assert!(error.ends_with("byte 0: there are no events"), "{error}");
}

#[test]
fn invalid_truth_leaves_out_all_truth() {
    let mut file = File::new(FORMAT);
    let particles = bank(208);
    let properties = particles + 8 + 4 + 36;
    file.set(properties + 2, &[2]);
    let events = file.read().expect("three events");
    assert_eq!(events.len(), 3);
    assert!(events.truth().is_none());
    let expected = "event 1: particle 0: property 2 is 2, neither 0 nor 1; \
                    truth of the file is left out";
    assert_eq!(events.defects, [expected]);
}

#[test]
fn no_more_is_kept_than_the_caller_allows() {
    let file = File::new(FORMAT);
    file.read().expect("valid");
    let limited =
        |bytes| with_content_limit(bytes, || mdf::read(&file.path(), BankKind::SuperPixel));
    assert!(limited(1 << 16).is_ok());
    let error = limited(7000).expect_err("three events");
    assert!(matches!(error, DataError::TooLarge { max_bytes: 7000, .. }), "{error}");
}

/// Bytes and lengths that are tried.
const TRIALS: u64 = 200;

#[test]
fn changed_and_truncated_files_are_read_or_refused() {
    for version in [2, 4] {
        let mut file = File::new(BankFormat { kind: BankKind::Retina, version });
        let original = file.bytes.clone();
        for trial in 0..TRIALS {
            let random = hash(trial, [u64::from(version)]) as usize;
            let offset = random % file.size;
            file.bytes.clone_from(&original);
            if random >> 32 & 1 == 0 {
                file.put(CHECKSUM, &[0; 4]);
            }
            file.bytes[file.size + offset] ^= 1 << (trial % 8);
            if random >> 33 & 3 == 0 {
                let length = (random >> 35) % file.bytes.len();
                file.bytes.truncate(length);
            }
            if let Ok(events) = file.read() {
                let written = file.folder.path().join("written.mdf");
                mdf::write(&written, &events).expect("what was read can be written");
            }
        }
    }
}
