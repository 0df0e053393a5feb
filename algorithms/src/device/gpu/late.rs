//! A device that copies as late as it may, for tests of what happens meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::engine::{Attributes, BESIDE, Engine, Properties, Shape};
use super::{Argument, DeviceError, Gpu, Image};

/// A copy that was started: from, to and how many bytes.
struct Copy(*const u8, *mut u8, usize);

// SAFETY: whoever started it vouches for both places.
unsafe impl Send for Copy {}

/// Copies are done when their queue is waited for. Device memory is the host's.
#[derive(Default)]
struct LateEngine {
    properties: Properties,
    queues: [Mutex<Vec<Copy>>; BESIDE as usize + 1],
    chosen: AtomicUsize,
    /// No more memory than so many bytes at once.
    most: usize,
}

impl Gpu {
    /// A device that copies when it is waited for, and has no buffers of more than so many
    /// bytes.
    pub(super) fn late(most: usize) -> Self {
        Gpu::new(LateEngine { most, ..LateEngine::default() })
    }
}

impl LateEngine {
    fn start(&self, copy: Copy) -> Result<(), DeviceError> {
        let queue = &self.queues[self.chosen.load(Ordering::Relaxed)];
        queue.lock().unwrap_or_else(PoisonError::into_inner).push(copy);
        Ok(())
    }

    fn do_all(&self, queue: &Mutex<Vec<Copy>>) {
        let started = std::mem::take(&mut *queue.lock().unwrap_or_else(PoisonError::into_inner));
        for Copy(from, to, bytes) in started {
            // SAFETY: whoever started it vouched for both.
            unsafe { std::ptr::copy(from, to, bytes) };
        }
    }

    fn refused(&self) -> DeviceError {
        DeviceError::Failed {
            device: self.properties.device.clone(),
            what: "this",
            problem: "it copies only".to_owned(),
        }
    }
}

fn pointer(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

impl Engine for LateEngine {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn allocate(&self, bytes: usize) -> Result<u64, DeviceError> {
        self.pin(bytes).map(|start| start.expose_provenance() as u64)
    }

    unsafe fn free(&self, _: u64) {
        // Leaked, as late copies may still go there where something is wrong.
    }

    fn pin(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        if bytes > self.most {
            return Err(self.refused());
        }
        let words = vec![0_u64; bytes.div_ceil(size_of::<u64>())];
        Ok(Box::into_raw(words.into_boxed_slice()).cast())
    }

    unsafe fn unpin(&self, _: *mut u8, _: usize) {}

    fn map(&self, bytes: usize) -> Result<*mut u8, DeviceError> {
        self.pin(bytes)
    }

    unsafe fn unmap(&self, _: *mut u8, _: usize) {}

    unsafe fn upload(&self, to: u64, from: *const u8, bytes: usize) -> Result<(), DeviceError> {
        self.start(Copy(from, pointer(to), bytes))
    }

    unsafe fn download(&self, to: *mut u8, from: u64, bytes: usize) -> Result<(), DeviceError> {
        self.start(Copy(pointer(from), to, bytes))
    }

    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        self.start(Copy(pointer(from), pointer(to), bytes))
    }

    unsafe fn fill(&self, to: u64, byte: u8, bytes: usize) -> Result<(), DeviceError> {
        let from = vec![byte; bytes].leak().as_ptr();
        self.start(Copy(from, pointer(to), bytes))
    }

    unsafe fn launch(
        &self,
        _: &'static Image,
        _: &'static str,
        _: &Shape,
        _: &[Argument],
    ) -> Result<(), DeviceError> {
        Err(self.refused())
    }

    fn choose_queue(&self, queue: u32) -> Result<(), DeviceError> {
        self.chosen.store(queue as usize, Ordering::Relaxed);
        Ok(())
    }

    fn follow_first_queue(&self) -> Result<(), DeviceError> {
        self.do_all(&self.queues[0]);
        Ok(())
    }

    fn attributes(
        &self,
        _: &'static Image,
        _: &'static str,
        _: &Shape,
    ) -> Result<Attributes, DeviceError> {
        Err(self.refused())
    }

    fn finish(&self) -> Result<(), DeviceError> {
        self.queues.iter().for_each(|queue| self.do_all(queue));
        Ok(())
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.do_all(&self.queues[self.chosen.load(Ordering::Relaxed)]);
        Ok(())
    }

    fn reuses_memory(&self) -> bool {
        true
    }
}

/// Bytes on the device.
fn on_device(gpu: &Gpu, byte: u8, count: usize) -> super::DeviceBuffer<u8> {
    let buffer = gpu.buffer(count).expect("room");
    gpu.fill(&buffer, byte).expect("it copies");
    buffer
}

#[test]
fn a_late_copy_reaches_nobody_else_after_an_error() {
    let gpu = Gpu::late(100);
    // As in a chain: hits are on their way in one queue when another needs more room.
    let gather = || {
        let (from, mut host) = (on_device(&gpu, 7, 64), gpu.pinned::<u8>(64)?);
        gpu.in_queue(2, || gpu.download(&mut host, &from))?;
        gpu.buffer::<u8>(1000).map(drop)
    };
    assert!(gather().is_err());
    let mut innocent = gpu.pinned::<u8>(64).expect("room");
    innocent.fill(1);
    gpu.finish().expect("it copies");
    assert_eq!(*innocent, [1; 64]);
}

#[test]
fn who_looks_at_a_buffer_sees_what_was_copied_to_it() {
    let gpu = Gpu::late(100);
    let (from, mut host) = (on_device(&gpu, 7, 64), gpu.pinned::<u8>(64).expect("room"));
    gpu.download(&mut host, &from).expect("it copies");
    assert_eq!(*host, [7; 64]);
    gpu.in_queue(1, || gpu.download(host.part_mut(0..8), &on_device(&gpu, 9, 8)))
        .expect("it copies");
    assert_eq!(host[..9], [9, 9, 9, 9, 9, 9, 9, 9, 7]);
}

#[test]
fn who_changes_a_buffer_changes_nothing_that_is_on_its_way() {
    let gpu = Gpu::late(100);
    let (to, mut host) = (gpu.buffer::<u8>(4).expect("room"), gpu.pinned::<u8>(4).expect("room"));
    host.fill(3);
    gpu.upload(&to, &host).expect("it copies");
    host.fill(4);
    assert_eq!(gpu.fetched(&to, 0..4), Ok(vec![3; 4]));
}

#[test]
fn slices_of_page_locked_memory_are_waited_for() {
    let gpu = Gpu::late(100);
    let (on, mut host) = (on_device(&gpu, 5, 4), gpu.pinned::<u8>(4).expect("room"));
    let slice = &mut host[..];
    gpu.download(&mut *slice, &on).expect("it copies");
    assert_eq!(slice, [5; 4]);
    gpu.upload(&on, &*slice).expect("it copies");
    slice.fill(6);
    assert_eq!(gpu.fetched(&on, 0..4), Ok(vec![5; 4]));
}

#[test]
fn memory_of_the_device_goes_to_another_queue_when_it_is_free() {
    let gpu = Gpu::late(100);
    let mut host = gpu.pinned::<u8>(64).expect("room");
    gpu.in_queue(1, || gpu.download(&mut host, &on_device(&gpu, 7, 64))).expect("it copies");
    // Whose place this one takes.
    let other = gpu.in_queue(2, || Ok(on_device(&gpu, 8, 64))).expect("room");
    gpu.in_queue(2, || gpu.wait()).expect("it copies");
    gpu.finish().expect("it copies");
    assert_eq!(*host, [7; 64]);
    assert_eq!(gpu.fetched(&other, 0..64), Ok(vec![8; 64]));
}
