//! Variants of recobench whose kernels are written in CubeCL: each follows a native one step by
//! step.
//!
//! CubeCL itself is not here: its kernels were compiled when this was built, see the README.
//!
//! | module | content |
//! |---|---|
//! | `sort`, `noisy_pads` | the variants of a task |
//! | `variant` | common code of variants |
//! | `gpu` | the compiled kernels, and a kernel on a GPU |
//! | `recobench` | bench's interface in C, and errors |

mod gpu;
mod noisy_pads;
mod recobench;
mod sort;
mod variant;

use std::ffi::CStr;

use recobench::{ABI, Table, Variant};

static VARIANTS: [&Variant; 4] =
    [&sort::BLOCK_MERGE, &sort::BLOCK_MERGE_256, &noisy_pads::CACHE_LINE, &noisy_pads::BIT_RUNS];

/// The version that `kernels/Cargo.toml` pins.
const CUBECL: &CStr = c"CubeCL 0.10.0";

static TABLE: Table = Table {
    size: size_of::<Table>(),
    name: c"CubeCL".as_ptr(),
    version: CUBECL.as_ptr(),
    variant_count: VARIANTS.len() as u64,
    variants: VARIANTS.as_ptr(),
};

/// The version of bench's interface.
#[unsafe(no_mangle)]
pub extern "C" fn recobench_plugin_abi() -> u32 {
    ABI
}

/// The variants.
#[unsafe(no_mangle)]
pub extern "C" fn recobench_plugin() -> *const Table {
    &raw const TABLE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_compiler() {
        let version = CUBECL.to_str().expect("UTF-8").trim_start_matches("CubeCL ");
        let pinned = format!("cubecl-cpp = {{ version = \"={version}\"");
        assert!(include_str!("../../kernels/Cargo.toml").contains(&pinned), "{pinned}");
    }

    #[test]
    fn each_variant_names_its_counterpart() {
        for variant in VARIANTS {
            // SAFETY: all of them are texts of this library.
            let [name, native] =
                [variant.name, variant.native].map(|text| unsafe { CStr::from_ptr(text) });
            let [name, native] = [name, native].map(|text| text.to_str().expect("UTF-8"));
            assert_eq!(name.strip_prefix("cubecl-"), Some(native));
        }
    }
}
