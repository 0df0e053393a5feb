//! An input of a library's task, as variants see it.

use std::ffi::c_void;
use std::ptr::null;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::task::{
    AbiInput, Addresses, Array, Description, OutputSpec, PluginRequest, PluginTask, Upload,
};
use super::input::{AlignedBytes, LibraryInput};
use super::judged::{NO_ARRAYS, bytes_of_length};
use super::output::{LibraryOutput, OutputArray};
use super::task::LibraryTask;
use crate::plugin::task_abi;

impl PluginTask for LibraryTask {
    fn describe<'a>(
        &self,
        input: &'a LibraryInput,
        _: PluginRequest,
    ) -> Description<'a, LibraryOutput> {
        let task = self.loaded();
        let arrays = task.arrays.iter().zip(input.array_bytes()).map(|(spec, content)| Array {
            name: format!("its {}", spec.name).into(),
            content: content.into(),
            changed: Some(super::super::task::changed_at_byte),
        });
        let arrays: Vec<Array<'_>> = arrays.collect();
        let outputs = task.outputs.iter().zip(&input.capacities);
        let outputs = outputs.map(|(spec, &capacity)| OutputSpec {
            name: format!("its {}", spec.name).into(),
            bytes: capacity as usize * spec.element_bytes,
        });
        let lengths = Arc::new(Lengths::new(&input.capacities));
        Description {
            on_host: arrays.len(),
            arrays,
            outputs: outputs.collect(),
            upload: Upload::InRun,
            shown: Box::new(ShownInput::new(input, Arc::clone(&lengths))),
            read: Box::new(move |outputs| {
                let arrays = task.outputs.iter().zip(&input.capacities).zip(outputs);
                let arrays = arrays.enumerate().map(|(index, ((spec, &capacity), bytes))| {
                    let used = bytes_of_length(spec, lengths.get(index), capacity)?;
                    Ok(OutputArray::new(*spec, &bytes[..used]))
                });
                arrays.collect::<Result<_, String>>().map(LibraryOutput)
            }),
        }
    }
}

/// Lengths of outputs, which variants write, with a guard after them.
struct Lengths(Box<[AtomicU64]>);

/// Pattern that variants are unlikely to write.
const GUARD: u64 = 0xc9c9_c9c9_c9c9_c9c9;

impl Lengths {
    fn new(capacities: &[u64]) -> Self {
        Lengths(capacities.iter().copied().chain([GUARD]).map(AtomicU64::new).collect())
    }

    fn reset(&self, capacities: &[u64]) {
        let lengths = capacities.iter().copied().chain([GUARD]);
        self.0.iter().zip(lengths).for_each(|(length, before)| length.store(before, ORDER));
    }

    fn get(&self, index: usize) -> u64 {
        self.0[index].load(ORDER)
    }

    fn is_overrun(&self) -> bool {
        self.0.last().is_some_and(|guard| guard.load(ORDER) != GUARD)
    }

    /// Pointer for calls.
    fn as_ptr(&self) -> *mut u64 {
        self.0.as_ptr().cast_mut().cast()
    }
}

/// A variant's calls have returned before its lengths are read.
const ORDER: Ordering = Ordering::Relaxed;

/// The struct of the header, with what it points to.
struct ShownInput<'a> {
    input: &'a LibraryInput,
    shown: Box<task_abi::TaskInput>,
    shape: AlignedBytes,
    elements: Vec<u64>,
    capacities: Vec<u64>,
    arrays: Vec<*const c_void>,
    outputs: Vec<*mut c_void>,
    lengths: Arc<Lengths>,
}

// SAFETY: its pointers are to its own fields, and to buffers that move between threads together
// with it.
unsafe impl Send for ShownInput<'_> {}

impl<'a> ShownInput<'a> {
    fn new(input: &'a LibraryInput, lengths: Arc<Lengths>) -> Self {
        let shape = input.shape.clone();
        let elements = input.elements.clone();
        let capacities = input.capacities.clone();
        let shown = Box::new(task_abi::TaskInput {
            size: size_of::<task_abi::TaskInput>(),
            shape: shape.as_ptr(),
            shape_bytes: shape.as_slice().len() as u64,
            count: elements.len() as u64,
            elements: elements.as_ptr(),
            arrays: null(),
            outputs: task_abi::Outputs {
                size: size_of::<task_abi::Outputs>(),
                count: capacities.len() as u64,
                arrays: NO_ARRAYS,
                capacities: capacities.as_ptr(),
                lengths: lengths.as_ptr(),
            },
        });
        let arrays = Vec::new();
        let outputs = Vec::new();
        ShownInput { input, shown, shape, elements, capacities, arrays, outputs, lengths }
    }
}

impl AbiInput for ShownInput<'_> {
    fn as_ptr(&self) -> *const c_void {
        (&raw const *self.shown).cast()
    }

    fn set(&mut self, buffers: &Addresses) {
        self.arrays =
            (0..self.elements.len()).map(|i| buffers.array::<c_void>(i).cast_const()).collect();
        self.outputs = (0..self.capacities.len()).map(|i| buffers.output(i)).collect();
        self.shown.arrays = self.arrays.as_ptr();
        self.shown.outputs.arrays = self.outputs.as_ptr();
        self.lengths.reset(&self.input.capacities);
    }

    fn damage(&self) -> Option<String> {
        if self.lengths.is_overrun() {
            return Some("it wrote beyond the end of the lengths of its outputs".to_owned());
        }
        let changed = [
            ("the shape", self.shape != self.input.shape),
            ("the numbers of elements", self.elements != self.input.elements),
            ("the capacities", self.capacities != self.input.capacities),
        ];
        let (what, _) = changed.into_iter().find(|(_, is_changed)| *is_changed)?;
        Some(format!("it changed {what} of its input"))
    }

    fn bytes(&self) -> u64 {
        self.shape.as_slice().len() as u64
    }
}
