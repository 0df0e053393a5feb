//! Memory check of points before anything is allocated, and of files before they are read and
//! while they are decompressed.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use generators_common::DataError;
use generators_common::io::{FileName, with_content_limit};
use reports::units;
use tasks::algorithm::{InputFiles, Plan, Reading};
use tasks::axis::{Axis, Kind, Params};
use tasks::task::Task;

use super::PlanError;
use crate::platform::available_memory;

/// Memory for the system and the measurement in addition to the data.
pub(super) const RESERVE: u64 = 512 << 20;

/// Advice if fewer items would not help.
const RAISE: &str =
    "raise the limit (ulimit -v, memory of the control group) or end other processes";

/// Returns an error if a point does not fit into the memory that is available now.
pub(crate) fn check_memory(plan: &Plan) -> Result<(), PlanError> {
    check(plan, available_memory())
}

/// Returns an error if a point needs more than `available`.
pub(super) fn check(plan: &Plan, available: u64) -> Result<(), PlanError> {
    let needed = plan.memory_bytes.saturating_add(RESERVE);
    if needed <= available {
        return Ok(());
    }
    let params = plan.params.iter().map(|(name, value)| format!("{name}={value}"));
    let params: Vec<_> = params.collect();
    let needed = needed as f64;
    let reserve = RESERVE as f64;
    let available = available as f64;
    let needs = format!("{} needs {} of memory", params.join(" "), units::bytes(needed));
    let available_words = format!("but {} are available", units::bytes(available));
    // Fewer items help only if the reserve itself is available.
    Err(PlanError::Usage(if reserve < available {
        format!("{needs}, {available_words}; use fewer items")
    } else {
        format!(
            "{needs}, {available_words}; {} of it are for the system and tests of bandwidth, \
             whatever the items: {RAISE}",
            units::bytes(reserve)
        )
    }))
}

/// Returns an error if there is less memory than work needs whose memory does not depend on the
/// number of items. An error reports the required and the available amount.
pub(crate) fn check_free_memory(what: &str, needed: u64) -> Result<(), PlanError> {
    check_free(what, needed, available_memory())
}

fn check_free(what: &str, needed: u64, available: u64) -> Result<(), PlanError> {
    if needed <= available {
        return Ok(());
    }
    Err(PlanError::Usage(format!(
        "{what} needs {} of memory, but {} are available; {RAISE}",
        units::bytes(needed as f64),
        units::bytes(available as f64),
    )))
}

/// Returns an error if `streams` concurrent streams, with `batch` events each, their references and
/// buffers, need more memory than is available now. An error reports the required and the available
/// amount.
pub(crate) fn check_events(of_stream: u64, streams: usize, batch: usize) -> Result<(), PlanError> {
    let needed = of_stream.saturating_mul(streams as u64).saturating_add(RESERVE);
    let available = available_memory();
    if needed <= available {
        return Ok(());
    }
    Err(PlanError::Usage(format!(
        "{streams} x {batch} events need {} of memory, {} a stream with references and buffers, but {} \
         are available; use fewer --streams, a smaller --batch or fewer items",
        units::bytes(needed as f64),
        units::bytes(of_stream as f64),
        units::bytes(available as f64),
    )))
}

/// Options that select a part of a file, in addition to ranges.
const SELECTIONS: [&str; 2] = ["skip", "take"];
/// Bytes of text for one of a binary file with the same data: a digi has 7 bytes, and 14 or more as
/// text.
const TEXT_BYTES: u64 = 2;

/// Memory for the data of files.
pub(super) struct FileMemory<'t> {
    task: &'t dyn Task,
    available: u64,
    /// Bytes of memory for each byte of content.
    for_byte: u64,
    /// Options of the task that select a part of a file.
    selections: Vec<&'static str>,
}

impl<'t> FileMemory<'t> {
    /// The memory that is available now to a task.
    pub(super) fn available_to(task: &'t dyn Task) -> Self {
        FileMemory::new(task, available_memory(), task.memory_for_byte())
    }

    fn new(task: &'t dyn Task, available: u64, for_byte: u64) -> Self {
        let selects = |axis: &&Axis| axis.kind == Kind::Range || SELECTIONS.contains(&axis.name);
        let selections = task.file_axes().iter().filter(selects).map(|axis| axis.name);
        FileMemory { task, available, for_byte, selections: selections.collect() }
    }

    /// Calls a reader of these files.
    pub(super) fn read<T>(
        &self,
        files: &InputFiles,
        options: &Params,
        read: impl FnOnce() -> Result<T, DataError>,
    ) -> Result<T, PlanError> {
        let is_part = self.selections.iter().any(|name| options.get(name).is_some());
        let bytes_of_data = if is_text(files.first()) { TEXT_BYTES } else { 1 };
        let fits = self.data_bytes().saturating_mul(bytes_of_data);
        let too_large = |name: &dyn Display, has: String, bytes: u64| {
            self.too_large(&format!("{name} has {has}"), bytes / bytes_of_data, fits)
        };
        if !is_part
            && let Some(bytes) = self.bytes_read_whole(files)
            && bytes > fits
        {
            return Err(too_large(files, size(bytes), bytes));
        }
        with_content_limit(fits, read).map_err(|error| match error {
            DataError::TooLarge { path, max_bytes } => {
                too_large(&FileName(&path), format!("more than {}", size(max_bytes)), max_bytes)
            }
            error => error.into(),
        })
    }

    /// Bytes of files that are read as a whole; `None` if one of them is read piece by piece, is no
    /// regular file, or can't be examined, which its reader reports.
    fn bytes_read_whole(&self, files: &InputFiles) -> Option<u64> {
        let mut bytes = 0_u64;
        for file in self.task.source_files(files).ok()? {
            let metadata = fs::metadata(&file.path).ok().filter(fs::Metadata::is_file)?;
            let is_whole = file.reading == Reading::Whole;
            bytes = is_whole.then(|| bytes.saturating_add(metadata.len()))?;
        }
        Some(bytes)
    }

    /// Bytes of binary data that fit.
    fn data_bytes(&self) -> u64 {
        self.available.saturating_sub(RESERVE) / self.for_byte
    }

    fn too_large(&self, found: &str, data_bytes: u64, fits: u64) -> PlanError {
        let remedy = if self.available <= RESERVE {
            RAISE.to_owned()
        } else if self.selections.is_empty() {
            "use a smaller file, or a machine with more memory".to_owned()
        } else {
            let flags: Vec<_> = self.selections.iter().map(|name| format!("--{name}")).collect();
            format!("select a part of it with {}", flags.join(", "))
        };
        let needed = data_bytes.saturating_mul(self.for_byte).saturating_add(RESERVE);
        PlanError::Usage(format!(
            "{found} of data and needs {} of memory, but {} are available; {} of data fit: {remedy}",
            size(needed),
            size(self.available),
            size(fits),
        ))
    }
}

fn size(bytes: u64) -> String {
    units::bytes(bytes as f64)
}

/// True for names of text files.
fn is_text(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let name = name.strip_suffix(b".gz").unwrap_or(name);
    [&b".csv"[..], b".cases"].iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use tasks::axis::Params;

    use super::*;

    #[test]
    fn too_much_is_refused_with_both_numbers() {
        let mut plan = Plan { params: Params::default(), memory_bytes: 32_000_000_000_000 };
        plan.params.set("digis", "1000000000000");
        let error = check(&plan, 8_000_000_000).expect_err("too much").to_string();
        assert!(error.contains("digis=1000000000000 needs 32 TB"), "{error}");
        assert!(error.contains("8 GB are available"), "{error}");
        assert!(error.ends_with("use fewer items"), "{error}");
        assert!(check(&plan, u64::MAX).is_ok());
        plan.memory_bytes = 32_000;
        let error = check(&plan, 123_000_000).expect_err("too much").to_string();
        let expected = "of memory, but 123 MB are available; 537 MB of it are for the system and \
                        tests of bandwidth, whatever the items: raise the limit (ulimit -v";
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_fixed_requirement_is_refused_with_both_numbers() {
        assert!(check_free("verifying", 1 << 30, 1 << 30).is_ok());
        let error =
            check_free("verifying", 1 << 30, 512 << 20).expect_err("too little").to_string();
        assert!(error.starts_with("verifying needs 1.07 GB of memory, but 537 MB"), "{error}");
    }

    #[test]
    fn too_many_events_are_refused_with_their_size() {
        assert!(check_events(1000, 2, 4).is_ok());
        let error = check_events(4_000_000_000_000, 8, 4).expect_err("too much").to_string();
        assert!(error.contains("8 x 4 events need 32 TB of memory, 4 TB a stream"), "{error}");
        assert!(check_events(u64::MAX, usize::MAX, 4).is_err());
    }

    const AVAILABLE: u64 = RESERVE + 7000;

    fn memory(task: &str) -> FileMemory<'static> {
        FileMemory::new(crate::registry::task(task).expect("known"), AVAILABLE, 7)
    }

    /// Reads a file of this many bytes, without its content.
    fn read(
        memory: &FileMemory<'_>,
        name: &str,
        bytes: u64,
        options: &Params,
    ) -> Result<(), String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        fs::File::create(&path).expect("created").set_len(bytes).expect("sparse");
        let files = InputFiles::from(path);
        memory.read(&files, options, || Ok(())).map_err(|error| error.to_string())
    }

    #[test]
    fn files_that_do_not_fit_are_refused_before_they_are_read() {
        let all = Params::default();
        assert_eq!(read(&memory("sort"), "d.bin", 1000, &all), Ok(()));
        let error = read(&memory("sort"), "d.bin", 1001, &all).expect_err("too large");
        assert!(error.contains("d.bin has 1 kB of data and needs 537 MB of memory"), "{error}");
        assert!(error.contains("1 kB of data fit: use a smaller file"), "{error}");
        assert_eq!(read(&memory("sort"), "d.csv", 2000, &all), Ok(()), "text has more bytes");
        assert!(read(&memory("sort"), "d.csv", 2001, &all).is_err());
    }

    #[test]
    fn selected_parts_and_files_read_piece_by_piece_are_bounded_by_their_reader() {
        let part: Params = [("take", "1")].into_iter().collect();
        let memory = memory("sts");
        assert_eq!(read(&memory, "d.bin", 5000, &part), Ok(()));
        let files = InputFiles::from(Path::new("d.tsa"));
        let error = memory.read(&files, &part, || {
            let path = files.first().to_owned();
            Err::<(), _>(DataError::TooLarge { path, max_bytes: 1000 })
        });
        let error = error.expect_err("too large").to_string();
        assert!(error.starts_with("d.tsa has more than 1 kB of data"), "{error}");
        assert!(error.ends_with("a part of it with --timeslices, --skip, --take"), "{error}");
    }
}
