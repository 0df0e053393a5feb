//! All readers of files and texts, each as a function of bytes.
//!
//! A target reads arbitrary bytes. It may refuse them; it must not panic, hang, or take more memory
//! than the input justifies. Accepted input is written again, and reading that must give the same.
//!
//! | module | content |
//! |---|---|
//! | `scratch` | files for readers that need paths |
//! | `sts`, `tpc`, `lhcb` | data of detectors |
//! | `texts` | files that people write, values of flags, and messages between processes |
//! | `runs` | files of runs |
//!
//! `cargo fuzz` runs them without end (`.ci/nightly`); the tests make small valid inputs, and replay
//! them and a few thousand mutations of them.

mod lhcb;
mod runs;
mod scratch;
mod sts;
mod texts;
mod tpc;

use scratch::Scratch;

/// A reader by its name.
pub struct Target {
    /// The name, also of the folder with its corpus.
    pub name: &'static str,
    read: fn(&Scratch, &[u8]) -> bool,
}

/// All of them.
pub static TARGETS: [Target; 37] = [
    Target { name: "digi_csv", read: sts::csv },
    Target { name: "digi_bin", read: sts::bin },
    Target { name: "digi_gz", read: sts::gz },
    Target { name: "digi_parquet", read: sts::parquet },
    Target { name: "setup", read: sts::setup },
    Target { name: "raw_timeslices", read: sts::timeslices },
    Target { name: "archives", read: sts::archives },
    Target { name: "raw_tables", read: sts::tables },
    Target { name: "raw_messages", read: sts::messages },
    Target { name: "unpacked", read: sts::unpacked },
    Target { name: "pages", read: tpc::pages },
    Target { name: "tpc_files", read: tpc::files },
    Target { name: "page_index", read: tpc::page_index },
    Target { name: "decode", read: tpc::decode },
    Target { name: "mapping", read: tpc::mapping },
    Target { name: "slice_tracks_csv", read: tpc::slice_tracks_csv },
    Target { name: "slice_tracks_bin", read: tpc::slice_tracks_bin },
    Target { name: "clusters", read: tpc::clusters },
    Target { name: "charges", read: tpc::charges },
    Target { name: "page_labels", read: tpc::page_labels },
    Target { name: "mdf", read: lhcb::mdf },
    Target { name: "velo_cases", read: lhcb::cases },
    Target { name: "velo_geometry", read: lhcb::geometry },
    Target { name: "suite", read: texts::suite },
    Target { name: "defaults", read: texts::defaults },
    Target { name: "accepted_shifts", read: texts::accepted_shifts },
    Target { name: "plan_need", read: texts::plan_need },
    Target { name: "plan_machines", read: texts::plan_machines },
    Target { name: "mix", read: texts::mix },
    Target { name: "run_folder", read: runs::run_folder },
    Target { name: "stream_folder", read: runs::stream_folder },
    Target { name: "store", read: runs::store },
    Target { name: "ceilings", read: runs::ceilings },
    Target { name: "comparison", read: runs::comparison },
    Target { name: "protocol", read: texts::protocol },
    Target { name: "trial", read: texts::trial },
    Target { name: "values", read: texts::values },
];

/// Runs a target on an input; returns true if it accepts it.
///
/// # Panics
/// If there is no such target, or if writing accepted input and reading it again changes it.
pub fn run(target: &str, input: &[u8]) -> bool {
    let target = TARGETS.iter().find(|known| known.name == target);
    target.expect("a target of that name").run(input)
}

impl Target {
    /// Reads an input; returns true if it accepts it.
    ///
    /// # Panics
    /// If writing accepted input and reading it again changes it.
    pub fn run(&self, input: &[u8]) -> bool {
        scratch::with(|scratch| (self.read)(scratch, input))
    }
}

/// Splits an input for readers of several files. The separator does not occur in text.
fn parts<const N: usize>(input: &[u8]) -> [&[u8]; N] {
    let mut parts = input.splitn(N, |&byte| byte == SEPARATOR);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// Separator of the files of a target that reads several.
pub const SEPARATOR: u8 = 0xff;
