//! The C interface: `docs/plugin/recobench.h`, which documents each field.
//!
//! This file declares the parts that all tasks share; those of a single task are beside it. Tests
//! compare values and layouts with those of a C compiler.

use std::ffi::{c_char, c_void};

use bytemuck::Zeroable;

/// Declares values, which are called `RECOBENCH_…` in C, and a test that the header has them.
#[macro_export]
#[doc(hidden)]
macro_rules! __values {
    ($($kind:ty: $($name:ident = $value:literal),*;)*) => {
        $($(
            #[doc = concat!("`RECOBENCH_", stringify!($name), "`")]
            pub const $name: $kind = $value;
        )*)*

        #[test]
        fn values_are_those_of_the_header() {
            let values = [$($((stringify!($name), $name as i64),)*)*];
            $crate::plugin::abi::testing::assert_in_header(&values, &[]);
        }
    };
}
pub use __values as values;

/// Declares structs with their names in C, and a test that the header has their sizes and field
/// offsets.
#[macro_export]
#[doc(hidden)]
macro_rules! __structs {
    ($($c:literal $(#[$attribute:meta])* $name:ident { $($field:ident: $kind:ty,)* })*) => {
        $(
            #[doc = concat!("`", $c, "`")]
            $(#[$attribute])*
            #[repr(C)]
            #[allow(missing_docs, reason = "the header documents each field")]
            pub struct $name {
                $(pub $field: $kind,)*
            }
        )*

        #[test]
        fn structs_are_those_of_the_header() {
            $crate::plugin::abi::testing::assert_in_header(&[], &[$((
                $c,
                size_of::<$name>(),
                &[$((stringify!($field), std::mem::offset_of!($name, $field)),)*],
            ),)*]);
        }
    };
}
pub use __structs as structs;

/// Oldest version of the header whose plugins can be loaded.
pub const OLDEST_ABI: u32 = 1;

// Additions to the interface, such as the input of another task, do not change its version, `ABI`:
// plugins that don't know them continue to work.
values! {
    u32: ABI = 3;
    u32: CPU = 1, CUDA = 2;
    u32: SEPARATE = 0, EITHER = 1, IN_PLACE = 2, TO_HOST = 3;
    i32: OK = 0, UNAVAILABLE = 1, FAILED = 2;
    i32: INPUT_BUFFER = 1, OUTPUT_BUFFER = 2;
    u32: EXACT = 1, PUBLISHED = 2, OFFLINE = 4;
    u32: USUAL_ORDER = 0, BY_TIME = 1;
}

/// Work of each thread of a team; arguments are the user pointer, the worker and the number of
/// workers.
pub type Work = unsafe extern "C" fn(*mut c_void, u32, u32);

/// Passes a text to the host.
pub type Report = unsafe extern "C" fn(*const Host, *const c_char);

/// Prepares a variant for an input.
pub type Prepare =
    unsafe extern "C" fn(*const Variant, *const Host, *const c_void, *mut *mut c_void) -> i32;

/// A call with a plugin's state and the task's input.
pub type Step = unsafe extern "C" fn(*mut c_void, *const Host, *const c_void) -> i32;

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
        remark: *const c_char,
    }

    "recobench_plugin_table" Table {
        size: usize,
        name: *const c_char,
        version: *const c_char,
        variant_count: u64,
        variants: *const *const Variant,
    }
}

// SAFETY: the header requires tables and what they point to to stay unchanged.
unsafe impl Sync for Variant {}

/// Size of a variant in version 1 of the header.
pub const VARIANT_BYTES_1: usize = std::mem::offset_of!(Variant, semantics);

/// Size of a variant in version 2 of the header, before kernels were compared with native ones.
pub const VARIANT_BYTES_2: usize = std::mem::offset_of!(Variant, native);

/// Size of a variant in the first header of version 3, before variants had remarks.
pub const VARIANT_BYTES_3: usize = std::mem::offset_of!(Variant, remark);

/// Comparison with the header.
#[cfg(any(test, feature = "testing"))]
pub mod testing {
    use std::process::Command;

    use crate::plugin_session::testing::compile;

    /// Structs by their names in C, with their sizes and field offsets.
    type Layouts<'a> = &'a [(&'a str, usize, &'a [(&'a str, usize)])];

    /// Asserts that the header has these values, and structs with these layouts.
    pub fn assert_in_header(values: &[(&str, i64)], layouts: Layouts<'_>) {
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
