//! Machine code of kernels.

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
