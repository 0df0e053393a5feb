//! An input of a library's task: the library's handle, and its arrays.

use std::ffi::c_void;
use std::ptr::null;
use std::sync::OnceLock;

use bytemuck::{Zeroable, cast_slice_mut};
use portable_gpu::DeviceError;

use super::calls::call;
use super::handle::InputHandle;
use crate::plugin::hooks::{check_outputs, watched};
use crate::plugin::loaded_task::{ArraySpec, LoadedTask};
use crate::plugin::task_abi;

/// Maximum size of the constants of an input.
const MAX_SHAPE_BYTES: u64 = 65_536;
/// More than the address space of a process.
const MAX_BYTES: u64 = 1 << 47;

/// An input of a library's task.
pub(crate) struct LibraryInput {
    /// The library's handle; otherwise the reason why there is none.
    handle: Result<InputHandle, DeviceError>,
    pub(super) items: u64,
    pub(super) bytes_min: u64,
    pub(super) shape: AlignedBytes,
    /// Address of each array.
    arrays: Vec<*const c_void>,
    /// Number of elements of each array.
    pub(super) elements: Vec<u64>,
    /// Largest number of elements of each output.
    pub(super) capacities: Vec<u64>,
    /// Reason why there is no reference.
    pub(super) reference_problem: OnceLock<String>,
    task: &'static LoadedTask,
}

// SAFETY: the arrays belong to the handle, which can be used on any thread.
unsafe impl Send for LibraryInput {}
// SAFETY: the arrays belong to the handle, and stay as they are.
unsafe impl Sync for LibraryInput {}

impl LibraryInput {
    /// Has the library describe an input.
    ///
    /// # Errors
    /// If the call fails, or its answer can't be.
    pub(super) fn new(handle: InputHandle) -> Result<Self, DeviceError> {
        let task = handle.task();
        let mut input = Self::without_arrays(task);
        let shape = input.describe(&handle)?;
        let checked = input.checked(&shape);
        checked.map_err(|problem| task.plugin.failed(format!("in describe: {problem}")))?;
        // SAFETY: the library promises these bytes, and `checked` that the pointer is
        // not NULL.
        input.shape = unsafe { AlignedBytes::copied(shape.address, shape.bytes as usize) };
        input.touch();
        Ok(LibraryInput { handle: Ok(handle), ..input })
    }

    /// An input that could not be made: no variant is right on it, for this reason.
    pub(super) fn failed(task: &'static LoadedTask, problem: DeviceError) -> Self {
        LibraryInput { handle: Err(problem), ..Self::without_arrays(task) }
    }

    fn without_arrays(task: &'static LoadedTask) -> Self {
        LibraryInput {
            handle: Err(task.plugin.failed("has no input")),
            items: 0,
            bytes_min: 0,
            shape: AlignedBytes::default(),
            arrays: vec![null(); task.arrays.len()],
            elements: vec![0; task.arrays.len()],
            capacities: vec![0; task.outputs.len()],
            reference_problem: OnceLock::new(),
            task,
        }
    }

    fn describe(&mut self, handle: &InputHandle) -> Result<Shape, DeviceError> {
        let mut description = task_abi::InputDescription {
            size: size_of::<task_abi::InputDescription>(),
            arrays: self.arrays.as_mut_ptr(),
            elements: self.elements.as_mut_ptr(),
            capacities: self.capacities.as_mut_ptr(),
            ..Zeroable::zeroed()
        };
        let task = self.task;
        // SAFETY: the arguments are as the header specifies, and valid during the call.
        call(task, &task.calls.describe, |(table, host)| unsafe {
            (task.functions.describe)(table, host, handle.as_ptr(), &raw mut description)
        })?;
        self.items = description.items;
        self.bytes_min = description.bytes_min;
        Ok(Shape { address: description.shape, bytes: description.shape_bytes })
    }

    /// Checks the numbers of a description.
    fn checked(&self, shape: &Shape) -> Result<(), String> {
        if shape.bytes > MAX_SHAPE_BYTES {
            let bytes = shape.bytes;
            return Err(format!(
                "shape_bytes is {bytes}, and at most {MAX_SHAPE_BYTES} are allowed; make it an array"
            ));
        }
        if shape.address.is_null() && shape.bytes > 0 {
            return Err(format!("shape is NULL, but shape_bytes is {}", shape.bytes));
        }
        let arrays = self.task.arrays.iter().zip(&self.elements).zip(&self.arrays);
        for ((spec, &elements), address) in arrays {
            bytes_of(spec, elements)?;
            if address.is_null() && elements > 0 {
                return Err(format!("its {} are NULL, but it has {elements} of them", spec.name));
            }
        }
        let outputs = self.task.outputs.iter().zip(&self.capacities);
        let bytes = outputs.map(|(spec, &elements)| bytes_of(spec, elements));
        check_outputs(bytes.sum::<Result<u64, String>>()?)
    }

    /// Reads the ends of all arrays, so that one that is not there crashes here, where the call is
    /// known.
    fn touch(&self) {
        watched(&self.task.calls.describe, || {
            for bytes in self.array_bytes() {
                std::hint::black_box((bytes.first().copied(), bytes.last().copied()));
            }
        });
    }

    /// The library's handle.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(super) fn handle(&self) -> Result<&InputHandle, DeviceError> {
        self.handle.as_ref().map_err(Clone::clone)
    }

    /// The arrays of the library.
    pub(super) fn array_bytes(&self) -> impl Iterator<Item = &[u8]> {
        let arrays = self.task.arrays.iter().zip(&self.arrays).zip(&self.elements);
        arrays.map(|((spec, address), &elements)| {
            let bytes = elements as usize * spec.element_bytes;
            if bytes == 0 {
                return &[][..];
            }
            // SAFETY: the library promises these bytes for as long as the handle is,
            // and the description was checked for overflows and NULL.
            unsafe { std::slice::from_raw_parts(address.cast(), bytes) }
        })
    }
}

/// Constants of an input, as the library gives them.
struct Shape {
    address: *const c_void,
    bytes: u64,
}

/// Size of an array.
fn bytes_of(spec: &ArraySpec, elements: u64) -> Result<u64, String> {
    let bytes = elements.checked_mul(spec.element_bytes as u64).filter(|&bytes| bytes <= MAX_BYTES);
    bytes.ok_or_else(|| {
        let bytes = spec.element_bytes;
        format!("{elements} {} of {bytes} bytes are more than any memory has", spec.name)
    })
}

/// Bytes that are aligned as any fundamental type of C.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AlignedBytes {
    words: Vec<u128>,
    length: usize,
}

impl AlignedBytes {
    /// Copies bytes.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut words = vec![0; bytes.len().div_ceil(size_of::<u128>())];
        cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        AlignedBytes { words, length: bytes.len() }
    }

    /// Copies bytes of a library.
    ///
    /// # Safety
    /// `address` has `length` bytes, or `length` is 0.
    unsafe fn copied(address: *const c_void, length: usize) -> Self {
        if length == 0 {
            return Self::default();
        }
        // SAFETY: as the caller promises.
        Self::new(unsafe { std::slice::from_raw_parts(address.cast(), length) })
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }

    /// Pointer for calls.
    pub(super) fn as_ptr(&self) -> *const c_void {
        self.words.as_ptr().cast()
    }
}
