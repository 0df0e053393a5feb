//! recobench's decoder: pages through shared memory, all threads of a block at any offset of them.

use generators_tpc::Layout;
use portable_gpu::{DeviceError, Kernel, LaunchConfig};

use super::context::{DecoderConfig, FragmentContext};
use super::division::{Division, Index, Maps};
use super::runner::{decode_by_shaders, decode_on_gpu};
use super::target::Target;
use super::tiles;
use crate::kernels::tpc_decode_cuda_pages_page_h::Decoding;
use crate::kernels::tpc_decode_fused::{
    FUSED_DENSE_LINK_CHARGES, FUSED_DENSE_LINK_DIGITS, FUSED_LINK_CHARGES, FUSED_LINK_DIGITS,
    FUSED_ROW_CHARGES, FUSED_ROW_DIGITS,
};
use crate::tpc_decode::TpcDecode;
use tasks::algorithm::Variant;

pub(super) const FUSED: Variant<TpcDecode> = Variant::cuda(
    "fused",
    "ours: pages staged in shared memory, a thread a block of them, wide stores; maps by whole \
     tiles",
    |at| decode_on_gpu(at, Division::Whole, CONFIG),
);

pub(super) const FUSED_SHADERS: Variant<TpcDecode> =
    Variant { prepare: |at| decode_by_shaders(at, CONFIG), ..FUSED.as_shaders() };

pub(super) const FUSED_OVERLAPPED: Variant<TpcDecode> = Variant::cuda(
    "fused-overlapped",
    "fused, sector by sector, three at once: copies of one concurrent with the work of another",
    |at| decode_on_gpu(at, Division::Sectors(1), CONFIG),
)
.unstable();

pub(crate) const CONFIG: DecoderConfig =
    DecoderConfig { index: Index::Written, maps: Maps::Tiled, decode };

fn decode(work: &FragmentContext<'_>) -> Result<(), DeviceError> {
    let (digits, charges) = match work.resident.frame.format().layout() {
        Layout::Row => (&FUSED_ROW_DIGITS, &FUSED_ROW_CHARGES),
        Layout::Link => (&FUSED_LINK_DIGITS, &FUSED_LINK_CHARGES),
        Layout::DenseLink => (&FUSED_DENSE_LINK_DIGITS, &FUSED_DENSE_LINK_CHARGES),
    };
    match work.target {
        Target::Digits(_) => launch(work, digits),
        Target::Charges(decoded) => match &decoded.tiles {
            Some(tiles) => {
                launch(work, charges)?;
                tiles::make(work, decoded, tiles)
            }
            None => unreachable!("maps are tiled: see CONFIG"),
        },
    }
}

/// Launches all blocks that can be resident, up to the number of pages.
fn launch(work: &FragmentContext<'_>, kernel: &Kernel<Decoding>) -> Result<(), DeviceError> {
    let load = work.load();
    let bytes = work.bytes();
    let pages = LaunchConfig::blocks(load.pages as u32);
    let at_once = work.gpu.resident_blocks(kernel, pages)?;
    let grid = LaunchConfig::blocks(at_once.min(load.pages as u32)).with_traffic(bytes);
    // SAFETY: jobs are validated pages, with their block offsets in the index; the lists have an
    // entry for each of their samples.
    unsafe { work.gpu.launch(kernel, grid, work.arguments()) }
}
