//! The input of a sort as plugins see it.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use generators::sts::SegmentedDigis;

use crate::plugin::abi;

/// What a plugin is shown.
pub(super) struct Shape {
    sort: abi::Sort,
    /// Where each segment begins, then the end. `sort` points to it.
    offsets: Vec<u64>,
}

// SAFETY: the pointers lead to buffers that go where the shape goes.
unsafe impl Send for Shape {}

impl Shape {
    /// Without buffers.
    pub(super) fn of(input: &SegmentedDigis) -> Self {
        let ends = input.partition().ranges().map(|range| range.end as u64);
        let offsets: Vec<_> = std::iter::once(0).chain(ends).collect();
        Shape {
            sort: abi::Sort {
                size: size_of::<abi::Sort>(),
                digis: input.digis().len() as u64,
                segments: input.partition().segments() as u64,
                offsets: offsets.as_ptr(),
                device_offsets: null(),
                input: null_mut(),
                output: null_mut(),
            },
            offsets,
        }
    }

    pub(super) fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// With these buffers, from now on.
    pub(super) fn set(&mut self, offsets: *const u64, input: *mut u64, output: Option<*mut u64>) {
        self.sort.device_offsets = offsets;
        self.sort.input = input;
        self.sort.output = output.unwrap_or(null_mut());
    }

    /// For a call.
    pub(super) fn as_ptr(&self) -> *const c_void {
        (&raw const self.sort).cast()
    }
}
