//! The published decoders: a block decodes a row page, a warp a link or dense link page; and link
//! pages with the earlier prefix sum by shuffles instead of votes.

use generators_tpc::Layout;
use portable_gpu::{DeviceError, Gpu, Kernel, LaunchConfig};

use super::context::{Decode, DecoderConfig, FragmentContext};
use super::division::{Division, Index, Maps};
use super::runner::{decode_by_shaders, decode_on_gpu};
use super::target::Target;
use crate::kernels::tpc_decode_ballot_scan::{
    DENSE_LINK_CHARGES, DENSE_LINK_DIGITS, LINK_CHARGES, LINK_DIGITS,
};
use crate::kernels::tpc_decode_cuda_pages_page_h::Decoding;
use crate::kernels::tpc_decode_row::{ROW_CHARGES, ROW_DIGITS};
use crate::kernels::tpc_decode_shuffle_scan::{
    SHUFFLE_DENSE_LINK_CHARGES, SHUFFLE_DENSE_LINK_DIGITS, SHUFFLE_LINK_CHARGES,
    SHUFFLE_LINK_DIGITS,
};
use crate::tpc_decode::TpcDecode;
use tasks::algorithm::Variant;

/// The kernels of a layout.
#[derive(Clone, Copy)]
struct Kernels {
    digits: &'static Kernel<Decoding>,
    charges: &'static Kernel<Decoding>,
}

/// The kernels for pages of links; all variants decode row pages with the same kernel.
struct LinkKernels {
    link: Kernels,
    dense_link: Kernels,
}

static BALLOT: LinkKernels = LinkKernels {
    link: Kernels { digits: &LINK_DIGITS, charges: &LINK_CHARGES },
    dense_link: Kernels { digits: &DENSE_LINK_DIGITS, charges: &DENSE_LINK_CHARGES },
};

static SHUFFLE: LinkKernels = LinkKernels {
    link: Kernels { digits: &SHUFFLE_LINK_DIGITS, charges: &SHUFFLE_LINK_CHARGES },
    dense_link: Kernels {
        digits: &SHUFFLE_DENSE_LINK_DIGITS,
        charges: &SHUFFLE_DENSE_LINK_CHARGES,
    },
};

pub(super) const BALLOT_SCAN: Variant<TpcDecode> = Variant::cuda(
    "ballot-scan",
    "published: a block a row page, a warp a link page, lanes ranked by votes",
    |at| decode_on_gpu(at, Division::Whole, BALLOT_CONFIG),
);

pub(super) const SHUFFLE_SCAN: Variant<TpcDecode> = Variant::cuda(
    "shuffle-scan",
    "as ballot-scan before votes: lanes ranked by a prefix sum of shuffles",
    |at| decode_on_gpu(at, Division::Whole, published(|work| decode(work, &SHUFFLE))),
);

/// The decoder of `ballot-scan`.
pub(crate) const BALLOT_CONFIG: DecoderConfig = published(|work| decode(work, &BALLOT));

pub(super) const BALLOT_SCAN_SHADERS: Variant<TpcDecode> =
    Variant { prepare: |at| decode_by_shaders(at, BALLOT_CONFIG), ..BALLOT_SCAN.as_shaders() };

const fn published(decode: Decode) -> DecoderConfig {
    DecoderConfig { index: Index::Unused, maps: Maps::Filled, decode }
}

fn decode(work: &FragmentContext<'_>, of_links: &LinkKernels) -> Result<(), DeviceError> {
    let Kernels { digits, charges } = match work.resident.frame.format().layout() {
        Layout::Row => Kernels { digits: &ROW_DIGITS, charges: &ROW_CHARGES },
        Layout::Link => of_links.link,
        Layout::DenseLink => of_links.dense_link,
    };
    launch(work, if matches!(work.target, Target::Digits(_)) { digits } else { charges })
}

/// Warps of a workgroup whose channels of pages fit into its memory: see `ballot_scan.wgsl`.
const MAX_WARPS_OF_SHADER: u32 = 8;

fn warps_of_block(threads: u32, gpu: &Gpu) -> u32 {
    let warps = threads / gpu.properties().lanes;
    if gpu.properties().has_shaders { warps.min(MAX_WARPS_OF_SHADER) } else { warps }
}

/// Launches a block for each row page, or a warp for each page of other formats.
fn launch(work: &FragmentContext<'_>, kernel: &Kernel<Decoding>) -> Result<(), DeviceError> {
    let pages_of_block = match work.resident.frame.format().layout() {
        Layout::Row => 1,
        Layout::Link | Layout::DenseLink => warps_of_block(kernel.threads(), work.gpu),
    };
    let grid = LaunchConfig::blocks((work.load().pages as u32).div_ceil(pages_of_block));
    // The traffic of charges written to maps depends on their distances from each other.
    let grid = match work.target {
        Target::Digits(_) => grid.with_traffic(work.bytes()),
        Target::Charges(_) => grid,
    };
    // SAFETY: jobs are validated pages, and the lists have an entry for each of their samples; maps
    // have an entry for each pad and time bin of the fragment.
    unsafe { work.gpu.launch(kernel, grid, work.arguments()) }
}
