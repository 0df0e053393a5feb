//! Clusters in pieces as plugins see them.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use generators::tpc::clusters::{Clusters, FIELDS, Field, Layout, Per};

use crate::plugin::abi;

/// What a plugin is shown.
pub(super) struct Shape {
    gather: abi::Gather,
    // `gather` points to these.
    arrays: Vec<abi::GatherArray>,
    track_starts: Vec<u32>,
    row_starts: Vec<u32>,
}

// SAFETY: the pointers lead to buffers that go where the shape goes.
unsafe impl Send for Shape {}

/// Where a run finds what it needs, and puts what it makes.
pub(super) struct Buffers {
    /// The starts of tracks and of rows on a GPU; NULL on the host.
    pub(super) device_starts: [*const u32; 2],
    pub(super) source: *const u8,
    /// NULL if the result goes to the host at once.
    pub(super) output: *mut u8,
    /// NULL if it does not.
    pub(super) host_output: *mut u8,
}

impl Shape {
    /// Without buffers.
    pub(super) fn of(input: &Clusters) -> Self {
        let packed = Layout::new(&input.packed());
        let array = |(number, field)| array(number, field, input.layout(), &packed);
        let arrays: Vec<_> = FIELDS.iter().enumerate().map(array).collect();
        // A plugin that writes where it must not spoils copies only.
        let track_starts = input.tracks().starts.clone();
        let row_starts = input.rows().starts.clone();
        Shape {
            gather: abi::Gather {
                size: size_of::<abi::Gather>(),
                tracks: track_starts.len() as u64,
                rows: row_starts.len() as u64,
                source_bytes: input.bytes().len() as u64,
                output_bytes: packed.bytes() as u64,
                array_count: arrays.len() as u64,
                arrays: arrays.as_ptr(),
                track_counts: number_of("track_n_clusters"),
                row_counts: number_of("row_n_clusters"),
                track_starts: track_starts.as_ptr(),
                row_starts: row_starts.as_ptr(),
                device_track_starts: null(),
                device_row_starts: null(),
                source: null(),
                output: null_mut(),
                host_output: null_mut(),
            },
            arrays,
            track_starts,
            row_starts,
        }
    }

    /// With these buffers, from now on.
    pub(super) fn set(&mut self, buffers: &Buffers) {
        let [tracks, rows] = buffers.device_starts;
        self.gather.device_track_starts = tracks;
        self.gather.device_row_starts = rows;
        self.gather.source = buffers.source;
        self.gather.output = buffers.output;
        self.gather.host_output = buffers.host_output;
    }

    /// For a call.
    pub(super) fn as_ptr(&self) -> *const c_void {
        (&raw const self.gather).cast()
    }

    /// What a plugin did to it that it must leave alone.
    pub(super) fn changed(&self, input: &Clusters) -> Option<String> {
        let is_same = self.track_starts == input.tracks().starts
            && self.row_starts == input.rows().starts
            && self.arrays == Shape::of(input).arrays;
        (!is_same).then(|| "it changed the starts or the arrays that it was shown".to_owned())
    }
}

fn array(number: usize, field: &Field, source: &Layout, packed: &Layout) -> abi::GatherArray {
    let output = packed.range(number);
    abi::GatherArray {
        source_offset: source.range(number).start as u64,
        output_offset: output.start as u64,
        output_bytes: output.len() as u64,
        entry_bytes: field.bytes as u32,
        per: match field.per {
            Per::Row => abi::PER_ROW,
            Per::Track => abi::PER_TRACK,
            Per::Attached => abi::PER_ATTACHED,
            Per::Difference => abi::PER_DIFFERENCE,
            Per::Unattached => abi::PER_UNATTACHED,
        },
    }
}

/// The number of an array of that name, which there is.
fn number_of(name: &str) -> u64 {
    let number = FIELDS.iter().position(|field| field.name == name);
    number.unwrap_or_default() as u64
}
