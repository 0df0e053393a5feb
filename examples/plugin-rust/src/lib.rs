//! A plugin in Rust: each segment by the standard library's unstable sort, in place.
//!
//! ```sh
//! cargo build --release
//! bench sort --plugin target/release/libplugin_rust.so
//! ```

mod recobench;

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use recobench::{ABI, CPU, Host, IN_PLACE, OK, Sort, Table, Variant};

/// Channel, then time: 11 bits from the 37th on, and the lowest 31.
fn key(digi: u64) -> u64 {
    (digi >> 37 & 0x7ff) << 31 | digi & 0x7fff_ffff
}

/// State that the threads of a run share.
struct Run {
    digis: *mut u64,
    offsets: &'static [u64],
    next_segment: AtomicUsize,
}

impl Run {
    /// Sorts the next segment that no thread has taken, until there are none.
    fn work(&self) {
        loop {
            let segment = self.next_segment.fetch_add(1, Ordering::Relaxed);
            let [begin, end] = match self.offsets.get(segment..segment + 2) {
                Some(range) => [range[0] as usize, range[1] as usize],
                None => return,
            };
            // SAFETY: segments lie within the digis, and each is taken by one thread.
            let digis =
                unsafe { std::slice::from_raw_parts_mut(self.digis.add(begin), end - begin) };
            digis.sort_unstable_by_key(|&digi| key(digi));
        }
    }
}

unsafe extern "C" fn work(run: *mut c_void, _worker: u32, _workers: u32) {
    // SAFETY: it is the one that `run` handed over, and stays until all threads are done.
    unsafe { &*run.cast::<Run>() }.work();
}

unsafe extern "C" fn run(_state: *mut c_void, host: *const Host, input: *const c_void) -> i32 {
    // SAFETY: the header has a host and a sort lie there during the call.
    let (host, sort) = unsafe { (&*host, &*input.cast::<Sort>()) };
    // SAFETY: the input has this number of offsets during the call.
    let offsets = unsafe { std::slice::from_raw_parts(sort.offsets, sort.segments as usize + 1) };
    let mut run = Run { digis: sort.input, offsets, next_segment: AtomicUsize::new(0) };
    // SAFETY: all that threads share is there until they are done, which this waits for.
    unsafe { (host.parallel)(host, work, (&raw mut run).cast()) };
    OK
}

static STD_UNSTABLE: Variant = Variant {
    size: size_of::<Variant>(),
    task: c"sort".as_ptr(),
    name: c"example-rust".as_ptr(),
    summary: c"a segment a thread, by std's unstable sort in place, in Rust".as_ptr(),
    backend: CPU,
    buffers: IN_PLACE,
    stable: 0,
    omits: 0,
    waits: 0,
    prepare: None,
    memory: None,
    reset: None,
    run: Some(run),
    output: None,
    release: None,
    semantics: 0,
    order: 0,
};

static VARIANTS: [&Variant; 1] = [&STD_UNSTABLE];

static TABLE: Table = Table {
    size: size_of::<Table>(),
    name: c"example in Rust".as_ptr(),
    version: c"1.0".as_ptr(),
    variant_count: VARIANTS.len() as u64,
    variants: VARIANTS.as_ptr(),
};

#[unsafe(no_mangle)]
pub extern "C" fn recobench_plugin_abi() -> u32 {
    ABI
}

#[unsafe(no_mangle)]
pub extern "C" fn recobench_plugin() -> *const Table {
    &raw const TABLE
}
