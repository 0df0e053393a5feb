//! A tool that takes ranges, made of functions of this program.

use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

use super::*;

static CALLS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn note(call: String) {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner).push(call);
}

unsafe extern "C" fn push(name: *const c_char) -> c_int {
    // SAFETY: the caller passes a text.
    note(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned());
    0
}

unsafe extern "C" fn pop() -> c_int {
    note("end".to_owned());
    0
}

/// Writes functions into the table of the core, as a tool does.
fn inject(export: ExportTable) -> c_uint {
    let mut table: *const Slot = std::ptr::null();
    let mut ids = 0;
    // SAFETY: the id is that of these callbacks.
    let callbacks = unsafe { &*export(CALLBACKS).cast::<Callbacks>() };
    assert_eq!((callbacks.module_table)(CORE as c_uint, &raw mut table, &raw mut ids), 1);
    let write = |id: usize, function: *mut c_void| {
        // SAFETY: the table has that id.
        unsafe { (*(*table.add(id)).0).store(function, Ordering::Release) };
    };
    write(RANGE_PUSH, push as Push as *mut c_void);
    write(RANGE_POP, pop as Pop as *mut c_void);
    ids
}

#[test]
fn ranges_reach_a_tool_and_end_in_reverse() {
    assert!(Ranges::written().is_none(), "without a tool");
    assert_eq!(inject(export_table), 16);
    let ranges = Ranges::written().expect("written");
    let stages = StageRanges { ranges, prefix: "sort/bucket".into() };
    {
        let _run = ranges.range("sort/bucket/total");
        let _stage = stages.range("h2d");
    }
    let calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(*calls, ["sort/bucket/total", "sort/bucket/h2d", "end", "end"]);
}

#[test]
fn tables_are_those_of_the_interface() {
    for (module, ids) in MODULES.into_iter().enumerate().skip(1) {
        let table = &TABLES[module];
        assert!(table[0].0.is_null() && table[ids].0.is_null(), "module {module}");
        assert!(table[1..ids].iter().all(|slot| !slot.0.is_null()), "module {module}");
    }
    assert_eq!(module_table(7, null_mut(), null_mut()), 0);
    assert!(export_table(2).is_null());
    // SAFETY: the id is that of this table.
    let version = unsafe { &*export_table(VERSION_INFO).cast::<VersionInfo>() };
    assert_eq!((version.version, version.size), (3, 24));
}

#[test]
fn a_library_that_is_none_is_named() {
    let error = load("/nowhere/tool.so".into()).expect_err("there is none");
    let text = error.to_string();
    assert!(text.starts_with("NVTX_INJECTION64_PATH=/nowhere/tool.so: "), "{text}");
}
