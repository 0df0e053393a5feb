//! Machine code of kernels.

use std::path::PathBuf;

/// A folder of images to be used in the place of those that the binary carries:
/// for those who tune kernels, and would build the binary anew each time.
const IMAGES: &str = "RECOBENCH_KERNELS";

/// The folder that [`IMAGES`] names, if it does.
pub(super) fn built_just_now() -> Option<PathBuf> {
    std::env::var_os(IMAGES).map(PathBuf::from)
}

/// The kernels of a source file, compiled.
///
/// `bench` carries them along, so that a user needs a driver and nothing else.
pub struct Image {
    /// Task and source file: `sts_sort-block_merge`.
    pub source: &'static str,
    /// Machine code for several architectures, and PTX for newer ones. Needs a
    /// driver for CUDA 13.
    pub fatbin: &'static [u8],
    /// PTX, which drivers from CUDA 12.0 on compile when they load it.
    pub ptx: &'static str,
}

/// The image of that name in `kernels/prebuilt`: `sts_sort-block_merge`.
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
            ptx: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/kernels/prebuilt/",
                $name,
                ".ptx"
            )),
        }
    };
}
pub(crate) use image;
