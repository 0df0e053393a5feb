//! Machine code of kernels.

use std::path::PathBuf;

/// Environment variable with a folder of images that replace those of the binary, so that tuning a
/// kernel does not need a rebuild.
const IMAGES: &str = "RECOBENCH_KERNELS";

/// Returns the folder that [`IMAGES`] specifies.
pub(super) fn built_just_now() -> Option<PathBuf> {
    std::env::var_os(IMAGES).map(PathBuf::from)
}

/// The kernels of a source file, compiled.
///
/// The binary contains all images, so that a user needs a driver and nothing else.
pub struct Image {
    /// Task and source file: `sts_sort-block_merge`.
    pub source: &'static str,
    /// Machine code for several architectures, and PTX that drivers compile for others. Drivers
    /// from CUDA 12.0 on load it.
    pub fatbin: &'static [u8],
}

/// Includes an image of `kernels/prebuilt` by its name: `sts_sort-block_merge`.
macro_rules! image {
    ($name:literal) => {
        $crate::device::gpu::Image {
            source: $name,
            fatbin: include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/kernels/prebuilt/",
                $name,
                ".fatbin"
            )),
        }
    };
}
pub(crate) use image;
