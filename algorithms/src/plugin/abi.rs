//! The C interface: `docs/plugin/recobench.h`, which documents each field.
//!
//! This file declares the parts that all tasks share and those of version 1 of the header; the
//! parts of a single task are in its folder `plugin/`. Tests compare values and layouts with those
//! of a C compiler.

use std::ffi::{c_char, c_void};

use bytemuck::Zeroable;

/// Declares values, which are called `RECOBENCH_…` in C, and a list of them.
macro_rules! values {
    ($($kind:ty: $($name:ident = $value:literal),*;)*) => {
        $($(pub(crate) const $name: $kind = $value;)*)*

        #[cfg(test)]
        const VALUES: &[(&str, i64)] = &[$($((stringify!($name), $name as i64),)*)*];
    };
}

/// Declares structs with their names in C, and a test that the header has their sizes and field
/// offsets.
macro_rules! structs {
    ($($c:literal $(#[$attribute:meta])* $name:ident { $($field:ident: $kind:ty,)* })*) => {
        $(
            #[doc = concat!("`", $c, "`")]
            $(#[$attribute])*
            #[repr(C)]
            pub(crate) struct $name {
                $(pub(crate) $field: $kind,)*
            }
        )*

        #[test]
        fn structs_are_those_of_the_header() {
            $crate::plugin::abi::tests::assert_in_header(&[], &[$((
                $c,
                size_of::<$name>(),
                &[$((stringify!($field), std::mem::offset_of!($name, $field)),)*],
            ),)*]);
        }
    };
}
pub(crate) use structs;

/// Oldest version of the header whose plugins can be loaded.
pub(crate) const OLDEST_ABI: u32 = 1;

// Additions to the interface, such as the input of another task, do not change its version, `ABI`:
// plugins that don't know them continue to work.
values! {
    u32: ABI = 3;
    u32: CPU = 1, CUDA = 2;
    u32: SEPARATE = 0, EITHER = 1, IN_PLACE = 2, TO_HOST = 3;
    i32: OK = 0, UNAVAILABLE = 1, FAILED = 2;
    i32: INPUT_BUFFER = 1, OUTPUT_BUFFER = 2;
    u32: SORT_ADDRESS = 1;
    u32: EXACT = 1, PUBLISHED = 2, OFFLINE = 4;
    u32: USUAL_ORDER = 0, BY_TIME = 1;
    u32: DIGITS = 0, CHARGE_MAP = 1, SECTORS = 0, PAGES = 1;
    u32: PER_ROW = 0, PER_TRACK = 1, PER_ATTACHED = 2, PER_DIFFERENCE = 3, PER_UNATTACHED = 4;
}

/// Work of each thread of a team; arguments are the user pointer, the worker and the number of
/// workers.
pub(crate) type Work = unsafe extern "C" fn(*mut c_void, u32, u32);

/// Passes a text to the host.
type Report = unsafe extern "C" fn(*const Host, *const c_char);

pub(crate) type Prepare =
    unsafe extern "C" fn(*const Variant, *const Host, *const c_void, *mut *mut c_void) -> i32;

/// A call with a plugin's state and the task's input.
pub(crate) type Step = unsafe extern "C" fn(*mut c_void, *const Host, *const c_void) -> i32;

structs! {
    "recobench_host" Host {
        size: usize,
        workers: u32,
        device: i32,
        stream: *mut c_void,
        scratch: *mut c_void,
        scratch_bytes: u64,
        parallel: unsafe extern "C" fn(*const Host, Option<Work>, *mut c_void),
        stage: Report,
        explain: Report,
    }

    "recobench_memory" Memory {
        size: usize,
        scratch_bytes: u64,
        own_bytes: u64,
    }

    "recobench_sort" #[derive(Zeroable)] Sort {
        size: usize,
        digis: u64,
        segments: u64,
        offsets: *const u64,
        device_offsets: *const u64,
        input: *mut u64,
        output: *mut u64,
    }

    "recobench_gather_array" #[derive(Clone, Debug, PartialEq)] GatherArray {
        source_offset: u64,
        output_offset: u64,
        output_bytes: u64,
        entry_bytes: u32,
        per: u32,
    }

    "recobench_gather" #[derive(Zeroable)] Gather {
        size: usize,
        tracks: u64,
        rows: u64,
        source_bytes: u64,
        output_bytes: u64,
        array_count: u64,
        arrays: *const GatherArray,
        track_counts: u64,
        row_counts: u64,
        track_starts: *const u32,
        row_starts: *const u32,
        device_track_starts: *const u32,
        device_row_starts: *const u32,
        source: *const u8,
        output: *mut u8,
        host_output: *mut u8,
    }

    "recobench_lists" #[derive(Zeroable)] Lists {
        lists: u64,
        capacity: u64,
        items: *mut c_void,
        begins: *mut u64,
        counts: *mut u64,
        host_begins: *const u64,
        host_counts: *const u64,
    }

    "recobench_variant" #[derive(Clone)] Variant {
        size: usize,
        task: *const c_char,
        name: *const c_char,
        summary: *const c_char,
        backend: u32,
        buffers: u32,
        stable: u32,
        omits: u32,
        waits: u32,
        prepare: Option<Prepare>,
        memory: Option<unsafe extern "C" fn(*mut c_void, *const Host, *mut Memory) -> i32>,
        reset: Option<Step>,
        run: Option<Step>,
        output: Option<unsafe extern "C" fn(*mut c_void) -> i32>,
        release: Option<unsafe extern "C" fn(*mut c_void)>,
        semantics: u32,
        order: u32,
        native: *const c_char,
        written_as: *const c_char,
        differs: *const c_char,
    }

    "recobench_plugin_table" Table {
        size: usize,
        name: *const c_char,
        version: *const c_char,
        variant_count: u64,
        variants: *const *const Variant,
    }
}

// SAFETY: the pointers are to buffers that move between threads together with the struct.
unsafe impl Send for Sort {}
// SAFETY: the pointers are to buffers that move between threads together with the struct.
unsafe impl Send for Gather {}
// SAFETY: the header requires tables and what they point to to stay unchanged.
unsafe impl Sync for Variant {}

/// Size of a variant in version 1 of the header.
pub(crate) const VARIANT_BYTES_1: usize = std::mem::offset_of!(Variant, semantics);

/// Size of a variant in version 2 of the header, before kernels were compared with native ones.
pub(crate) const VARIANT_BYTES_2: usize = std::mem::offset_of!(Variant, native);

#[cfg(test)]
pub(crate) mod tests {
    use std::process::Command;

    use super::VALUES;
    use crate::plugin_session::testing::compile;

    /// Structs by their names in C, with their sizes and field offsets.
    type Layouts<'a> = &'a [(&'a str, usize, &'a [(&'a str, usize)])];

    #[test]
    fn values_are_those_of_the_header() {
        assert_in_header(VALUES, &[]);
    }

    /// Asserts that the header has these values, and structs with these layouts.
    pub(crate) fn assert_in_header(values: &[(&str, i64)], layouts: Layouts<'_>) {
        let value = |(name, value): &(&str, i64)| (format!("RECOBENCH_{name}"), *value as usize);
        let mut numbers: Vec<_> = values.iter().map(value).collect();
        for (name, size, fields) in layouts {
            numbers.push((format!("sizeof({name})"), *size));
            let field =
                |(field, offset): &(&str, usize)| (format!("offsetof({name}, {field})"), *offset);
            numbers.extend(fields.iter().map(field));
        }
        let print = |(c, _): &(String, usize)| format!("printf(\"{c} %zu\\n\", (size_t)({c}));\n");
        let prints: String = numbers.iter().map(print).collect();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("print.c");
        let program = folder.path().join("print");
        let includes = "#include <stdio.h>\n#include \"recobench.h\"\n";
        let source = format!("{includes}int main(void) {{\n{prints}return 0; }}\n");
        std::fs::write(&file, source).expect("written");
        if compile(&file, &program, &[]).is_some() {
            let output = Command::new(program).output().expect("it runs");
            let message = |(c, number): &(String, usize)| format!("{c} {number}\n");
            let expected: String = numbers.iter().map(message).collect();
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        }
    }
}
