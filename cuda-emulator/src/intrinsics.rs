//! Functions that kernels call: the implementation of `build/include/runtime.h`.

use std::ffi::{CStr, c_char, c_int, c_void};

use super::checker::{Access, AccessFlags};
use super::collective::Collective;
use super::error::EmulatorError;
use super::threads::{LaneOperand, Site, State};
use super::worker::{Worker, wait, with};

/// Barrier of the block; returns the number of threads with a nonzero value, or whether all or any
/// have one.
///
/// # Safety
/// `file` must be a C string with static lifetime.
#[unsafe(no_mangle)]
unsafe extern "C" fn emulator_barrier(
    kind: u32,
    value: c_int,
    file: *const c_char,
    line: u32,
) -> c_int {
    // SAFETY: `file` is a C string with static lifetime, as the caller promises.
    let site = unsafe { Site::new(file, line) };
    match with(|worker| arrive_at_barrier(worker, kind, value != 0, site)) {
        Some(answer) => answer,
        None => {
            wait();
            // The result that `Block::arrive` stored.
            with(Worker::result) as c_int
        }
    }
}

/// Returns the result if the thread needn't wait for it.
fn arrive_at_barrier(worker: &mut Worker<'_>, kind: u32, yes: bool, site: Site) -> Option<c_int> {
    worker.count_barrier();
    let arrived = worker.block().arrive(kind, yes).unwrap_or_else(|problem| {
        worker.misuse(site.source_line(), problem);
        None
    });
    match arrived {
        None => worker.block_thread(State::AtBarrier, site),
        Some(answer) => {
            worker.set_result(u64::from(answer.cast_unsigned()));
            return (!worker.last_waits_too()).then_some(answer);
        }
    }
    None
}

/// A warp collective; returns the calling lane's result.
///
/// # Safety
/// `file` must be a C string with static lifetime.
#[unsafe(no_mangle)]
unsafe extern "C" fn emulator_collective(
    kind: u32,
    mask: u64,
    value: u64,
    parameter: u32,
    width: u32,
    file: *const c_char,
    line: u32,
) -> u64 {
    let operand = LaneOperand { value, parameter };
    // SAFETY: `file` is a C string with static lifetime, as the caller promises.
    let site = unsafe { Site::new(file, line) };
    if !with(|worker| meet(worker, kind, mask, width, operand, site)) {
        wait();
    }
    with(Worker::result)
}

/// Meets the other lanes; returns true if the result is available already.
fn meet(
    worker: &mut Worker<'_>,
    kind: u32,
    mask: u64,
    width: u32,
    operand: LaneOperand,
    site: Site,
) -> bool {
    worker.count_collective();
    let thread = worker.thread();
    let collective = Collective::numbered(kind).unwrap_or(Collective::Sync);
    match worker.block().meet(thread, collective, mask, width, operand) {
        Ok(Some(_)) => !worker.last_waits_too(),
        Ok(None) => {
            worker.block_thread(State::AtCollective, site);
            false
        }
        Err(problem) => {
            worker.misuse(site.source_line(), problem);
            false
        }
    }
}

/// The lanes of the warp that have not returned.
#[unsafe(no_mangle)]
extern "C" fn emulator_active_mask() -> u64 {
    with(|worker| {
        let thread = worker.thread();
        let block = worker.block();
        let warp = &block.warps[block.lane(thread).0];
        warp.existing & !warp.exited
    })
}

/// Announces a poll of the thread.
#[unsafe(no_mangle)]
extern "C" fn emulator_spin() {
    with(Worker::poll);
    wait();
}

/// A thread has had many atomics and polls.
#[unsafe(no_mangle)]
extern "C" fn emulator_slice_over() {
    with(Worker::poll);
    wait();
}

/// A fence of a checked kernel.
#[unsafe(no_mangle)]
extern "C" fn emulator_fence() {
    with(|worker| {
        let thread = worker.thread();
        if let Some(checked) = &mut worker.block().checked {
            checked.at_fence(thread);
        }
    });
}

/// An access of a checked kernel.
#[unsafe(no_mangle)]
extern "C" fn emulator_access(address: *const c_void, bytes: usize, flags: u32, pc: *const c_void) {
    let flags = AccessFlags(flags);
    if flags.volatile() && with(Worker::spend) {
        emulator_slice_over();
    }
    let failed = with(|worker| {
        let thread = worker.thread();
        worker.check(Access { address: address.addr(), bytes, flags, pc: pc.addr(), thread });
        worker.has_failed()
    });
    // The access must not happen: threads are not resumed after a failure.
    if failed {
        wait();
    }
}

/// The kernel ends the launch.
///
/// # Safety
/// `file` must be a C string with static lifetime, and `condition` one or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn emulator_trap(condition: *const c_char, file: *const c_char, line: u32) {
    // SAFETY: `file` is a C string with static lifetime, and `condition` is one or null, as the
    // caller promises.
    let (site, condition) = unsafe { (Site::new(file, line), text(condition)) };
    with(|worker| {
        let at = worker.thread_at(site.source_line());
        worker.fail(match condition {
            None => EmulatorError::Trap { at },
            Some(condition) => EmulatorError::Assertion { at, condition },
        });
    });
    // Threads are not resumed after a failure.
    wait();
    std::process::abort();
}

/// # Safety
/// `text` must be null or a valid C string.
unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: `text` is not null here, so it is a valid C string, as the caller promises.
    let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) });
    text.map(|text| text.to_string_lossy().into_owned())
}
