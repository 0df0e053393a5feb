//! The interface in C: `docs/plugin/recobench.h`, which says what each field means.
//!
//! A test has a C compiler compare the layouts.

use std::ffi::{c_char, c_void};

/// The version of the interface. What is new beside what was there, such as the input of
/// another task, does not change it: plugins that don't know it go on as before.
pub(crate) const ABI: u32 = 1;

pub(crate) const CPU: u32 = 1;
pub(crate) const CUDA: u32 = 2;

pub(crate) const SEPARATE: u32 = 0;
pub(crate) const EITHER: u32 = 1;
pub(crate) const IN_PLACE: u32 = 2;
pub(crate) const TO_HOST: u32 = 3;

pub(crate) const OK: i32 = 0;
pub(crate) const UNAVAILABLE: i32 = 1;
pub(crate) const FAILED: i32 = 2;

pub(crate) const INPUT_BUFFER: i32 = 1;
pub(crate) const OUTPUT_BUFFER: i32 = 2;

pub(crate) const SORT_ADDRESS: u32 = 1;

pub(crate) const PER_ROW: u32 = 0;
pub(crate) const PER_TRACK: u32 = 1;
pub(crate) const PER_ATTACHED: u32 = 2;
pub(crate) const PER_DIFFERENCE: u32 = 3;
pub(crate) const PER_UNATTACHED: u32 = 4;

/// `recobench_host`
#[repr(C)]
pub(crate) struct Host {
    pub(crate) size: usize,
    pub(crate) workers: u32,
    pub(crate) device: i32,
    pub(crate) stream: *mut c_void,
    pub(crate) scratch: *mut c_void,
    pub(crate) scratch_bytes: u64,
    pub(crate) parallel: unsafe extern "C" fn(*const Host, Option<Work>, *mut c_void),
    pub(crate) stage: unsafe extern "C" fn(*const Host, *const c_char),
    pub(crate) explain: unsafe extern "C" fn(*const Host, *const c_char),
}

/// What each thread of a team does: argument, worker, workers.
pub(crate) type Work = unsafe extern "C" fn(*mut c_void, u32, u32);

/// `recobench_memory`
#[repr(C)]
pub(crate) struct Memory {
    pub(crate) size: usize,
    pub(crate) scratch_bytes: u64,
    pub(crate) own_bytes: u64,
}

/// `recobench_sort`
#[repr(C)]
pub(crate) struct Sort {
    pub(crate) size: usize,
    pub(crate) digis: u64,
    pub(crate) segments: u64,
    pub(crate) offsets: *const u64,
    pub(crate) device_offsets: *const u64,
    pub(crate) input: *mut u64,
    pub(crate) output: *mut u64,
}

/// `recobench_gather_array`
#[repr(C)]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GatherArray {
    pub(crate) source_offset: u64,
    pub(crate) output_offset: u64,
    pub(crate) output_bytes: u64,
    pub(crate) entry_bytes: u32,
    pub(crate) per: u32,
}

/// `recobench_gather`
#[repr(C)]
pub(crate) struct Gather {
    pub(crate) size: usize,
    pub(crate) tracks: u64,
    pub(crate) rows: u64,
    pub(crate) source_bytes: u64,
    pub(crate) output_bytes: u64,
    pub(crate) array_count: u64,
    pub(crate) arrays: *const GatherArray,
    pub(crate) track_counts: u64,
    pub(crate) row_counts: u64,
    pub(crate) track_starts: *const u32,
    pub(crate) row_starts: *const u32,
    pub(crate) device_track_starts: *const u32,
    pub(crate) device_row_starts: *const u32,
    pub(crate) source: *const u8,
    pub(crate) output: *mut u8,
    pub(crate) host_output: *mut u8,
}

// SAFETY: they point to buffers that go where the struct goes.
unsafe impl Send for Sort {}
// SAFETY: as above.
unsafe impl Send for Gather {}

/// `recobench_variant`
#[repr(C)]
pub(crate) struct Variant {
    pub(crate) size: usize,
    pub(crate) task: *const c_char,
    pub(crate) name: *const c_char,
    pub(crate) summary: *const c_char,
    pub(crate) backend: u32,
    pub(crate) buffers: u32,
    pub(crate) stable: u32,
    pub(crate) omits: u32,
    pub(crate) waits: u32,
    pub(crate) prepare: Option<Prepare>,
    pub(crate) memory: Option<unsafe extern "C" fn(*mut c_void, *const Host, *mut Memory) -> i32>,
    pub(crate) reset: Option<Step>,
    pub(crate) run: Option<Step>,
    pub(crate) output: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
    pub(crate) release: Option<unsafe extern "C" fn(*mut c_void)>,
}

// SAFETY: the header has a table and what it points to stay as they are.
unsafe impl Sync for Variant {}

pub(crate) type Prepare =
    unsafe extern "C" fn(*const Variant, *const Host, *const c_void, *mut *mut c_void) -> i32;

/// A call on a state with the task's input.
pub(crate) type Step = unsafe extern "C" fn(*mut c_void, *const Host, *const c_void) -> i32;

/// `recobench_plugin_table`
#[repr(C)]
pub(crate) struct Table {
    pub(crate) size: usize,
    pub(crate) name: *const c_char,
    pub(crate) version: *const c_char,
    pub(crate) variant_count: u64,
    pub(crate) variants: *const *const Variant,
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::mem::offset_of;
    use std::process::Command;

    use super::*;
    use crate::plugin::compiled::compile;

    /// Sizes and offsets of all structs, as a C program and as Rust has them.
    macro_rules! layouts {
        ($($c:literal $rust:ident { $($field:ident)* })*) => {{
            let (mut source, mut expected) = (String::new(), String::new());
            $(
                let _ = writeln!(source, "printf(\"%zu\", sizeof({}));", $c);
                let _ = write!(expected, "{}", size_of::<$rust>());
                $(
                    let name = stringify!($field);
                    let _ = writeln!(source, "printf(\" {name} %zu\", offsetof({}, {name}));", $c);
                    let _ = write!(expected, " {name} {}", offset_of!($rust, $field));
                )*
                source.push_str("printf(\"\\n\");\n");
                expected.push('\n');
            )*
            (source, expected)
        }};
    }

    /// All constants, as above.
    macro_rules! values {
        ($($name:ident)*) => {{
            let (mut source, mut expected) = (String::new(), String::new());
            $(
                let name = stringify!($name);
                let _ = writeln!(source, "printf(\"{name} %d\\n\", (int)RECOBENCH_{name});");
                let _ = writeln!(expected, "{name} {}", $name);
            )*
            (source, expected)
        }};
    }

    /// That a C program prints so.
    fn assert_prints((prints, expected): (String, String)) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (file, program) = (folder.path().join("print.c"), folder.path().join("print"));
        let source = format!(
            "#include <stdio.h>\n#include \"recobench.h\"\nint main(void) {{\n{prints}return 0; }}\n"
        );
        std::fs::write(&file, source).expect("written");
        if compile(&file, &program, &[]).is_some() {
            let output = Command::new(program).output().expect("it runs");
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        }
    }

    #[test]
    fn the_layouts_are_those_of_the_header() {
        assert_prints(layouts! {
            "recobench_host" Host {
                size workers device stream scratch scratch_bytes parallel stage explain
            }
            "recobench_memory" Memory { size scratch_bytes own_bytes }
            "recobench_sort" Sort { size digis segments offsets device_offsets input output }
            "recobench_gather_array" GatherArray {
                source_offset output_offset output_bytes entry_bytes per
            }
            "recobench_gather" Gather {
                size tracks rows source_bytes output_bytes array_count arrays track_counts
                row_counts track_starts row_starts device_track_starts device_row_starts source
                output host_output
            }
            "recobench_variant" Variant {
                size task name summary backend buffers stable omits waits prepare memory reset run
                output release
            }
            "recobench_plugin_table" Table { size name version variant_count variants }
        });
    }

    #[test]
    fn the_values_are_those_of_the_header() {
        assert_prints(values! {
            ABI CPU CUDA SEPARATE EITHER IN_PLACE TO_HOST OK UNAVAILABLE FAILED INPUT_BUFFER
            OUTPUT_BUFFER SORT_ADDRESS PER_ROW PER_TRACK PER_ATTACHED PER_DIFFERENCE
            PER_UNATTACHED
        });
    }
}
