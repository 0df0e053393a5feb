//! The published decoders: a block decodes a row page, a warp a link or dense link page;
//! and link pages as before votes of a warp told its lanes where samples go.

use generators::tpc::Layout;

use super::parts::PromisedFragment;
use super::resident::Resident;
use super::runner::decode_on_gpu;
use super::target::{Charges, Target};
use super::{Bytes, Division, Fragments, Index, Pairs, Records, Words};
use crate::algorithm::Variant;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Ptr, Shape, image};
use crate::tpc_decode::TpcDecode;

static ROW_IMAGE: Image = image!("tpc_decode-row");
static BALLOT_IMAGE: Image = image!("tpc_decode-ballot_scan");
static SHUFFLE_IMAGE: Image = image!("tpc_decode-shuffle_scan");

static ROW: Decoder<u32> = Decoder {
    digits: Kernel::new(&ROW_IMAGE, "row_digits"),
    charges: Kernel::new(&ROW_IMAGE, "row_charges"),
    threads: 64,
    sharing: Sharing::Block,
};
static LINK: Decoder<u16> = Decoder {
    digits: Kernel::new(&BALLOT_IMAGE, "link_digits"),
    charges: Kernel::new(&BALLOT_IMAGE, "link_charges"),
    threads: WARP_THREADS,
    sharing: Sharing::Warp,
};
static DENSE_LINK: Decoder<u16> = Decoder {
    digits: Kernel::new(&BALLOT_IMAGE, "dense_link_digits"),
    charges: Kernel::new(&BALLOT_IMAGE, "dense_link_charges"),
    threads: WARP_THREADS,
    sharing: Sharing::Warp,
};
static SHUFFLE_LINK: Decoder<u16> = Decoder {
    digits: Kernel::new(&SHUFFLE_IMAGE, "shuffle_link_digits"),
    charges: Kernel::new(&SHUFFLE_IMAGE, "shuffle_link_charges"),
    threads: WARP_THREADS,
    sharing: Sharing::Warp,
};
static SHUFFLE_DENSE_LINK: Decoder<u16> = Decoder {
    digits: Kernel::new(&SHUFFLE_IMAGE, "shuffle_dense_link_digits"),
    charges: Kernel::new(&SHUFFLE_IMAGE, "shuffle_dense_link_charges"),
    threads: WARP_THREADS,
    sharing: Sharing::Warp,
};

/// Threads of a block whose warps have a page each.
const WARP_THREADS: u32 = 128;
const STAGE: &str = "decode";

pub(super) const BALLOT_SCAN: Variant<TpcDecode> = Variant::cuda(
    "ballot-scan",
    "published: a block a row page, a warp a link page, lanes ranked by votes",
    |at| {
        decode_on_gpu(
            at,
            Division::Whole,
            Index::Unused,
            |gpu, resident, target, fragment| {
                Work::new(gpu, resident, target, fragment).decode(&LINK, &DENSE_LINK)
            },
        )
    },
);

pub(super) const SHUFFLE_SCAN: Variant<TpcDecode> = Variant::cuda(
    "shuffle-scan",
    "as ballot-scan before votes: lanes ranked by a prefix sum of shuffles",
    |at| {
        decode_on_gpu(
            at,
            Division::Whole,
            Index::Unused,
            |gpu, resident, target, fragment| {
                Work::new(gpu, resident, target, fragment)
                    .decode(&SHUFFLE_LINK, &SHUFFLE_DENSE_LINK)
            },
        )
    },
);

/// The kernels for a layout: they take a table of `T`, the geometry or the pads of links.
struct Decoder<T> {
    digits: DigitKernel<T>,
    charges: ChargeKernel<T>,
    threads: u32,
    sharing: Sharing,
}

/// Pages, records, table, jobs, begins, fragment; digits.
type DigitKernel<T> = Kernel<(Bytes, Records, Ptr<T>, Pairs, Words, u32, Ptr<u64>)>;

/// The same; fragments, gains, positions, maps.
type ChargeKernel<T> = Kernel<(
    Bytes,
    Records,
    Ptr<T>,
    Pairs,
    Words,
    u32,
    Fragments,
    Ptr<f32>,
    Words,
    Ptr<u16>,
)>;

/// Who decodes a page.
#[derive(Clone, Copy)]
enum Sharing {
    Block,
    Warp,
}

/// A fragment to be decoded.
struct Work<'a> {
    gpu: &'a Gpu,
    resident: &'a Resident<'a>,
    target: &'a Target,
    fragment: usize,
}

impl<'a> Work<'a> {
    fn new(gpu: &'a Gpu, resident: &'a Resident<'_>, target: &'a Target, fragment: usize) -> Self {
        Work {
            gpu,
            resident,
            target,
            fragment,
        }
    }

    /// Row pages are decoded alike, those of links by these kernels.
    fn decode(&self, link: &Decoder<u16>, dense_link: &Decoder<u16>) -> Result<(), DeviceError> {
        let tables = self.resident.tables;
        match self.resident.frame.format().layout() {
            Layout::Row => self.launch(&ROW, &tables.geometry),
            Layout::Link => self.launch(link, &tables.pads),
            Layout::DenseLink => self.launch(dense_link, &tables.pads),
        }
    }

    fn launch<T: 'static>(
        &self,
        decoder: &Decoder<T>,
        table: &DeviceBuffer<T>,
    ) -> Result<(), DeviceError> {
        let shape = self.shape(decoder);
        self.gpu.scope(STAGE, || match self.target {
            Target::Digits(digits) => self.launch_digits(decoder, table, &shape, digits),
            Target::Charges(charges) => self.launch_charges(decoder, table, &shape, charges),
        })
    }

    fn launch_digits<T: 'static>(
        &self,
        decoder: &Decoder<T>,
        table: &DeviceBuffer<T>,
        shape: &Shape,
        digits: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError> {
        let buffers = self.resident.buffers;
        let arguments = (
            &buffers.pages,
            &buffers.records,
            table,
            &buffers.jobs,
            &buffers.begins,
            self.fragment as u32,
            digits,
        );
        // SAFETY: jobs are validated pages, and there is a place for each of their samples.
        unsafe { self.gpu.launch(&decoder.digits, shape, arguments) }
    }

    fn launch_charges<T: 'static>(
        &self,
        decoder: &Decoder<T>,
        table: &DeviceBuffer<T>,
        shape: &Shape,
        charges: &Charges,
    ) -> Result<(), DeviceError> {
        let buffers = self.resident.buffers;
        let arguments = (
            &buffers.pages,
            &buffers.records,
            table,
            &buffers.jobs,
            &buffers.begins,
            self.fragment as u32,
            &buffers.fragments,
            &self.resident.tables.gains,
            &charges.positions,
            &charges.maps,
        );
        // SAFETY: as for digits; maps have an entry for each pad and time bin of the
        // fragment.
        unsafe { self.gpu.launch(&decoder.charges, shape, arguments) }
    }

    fn shape<T>(&self, decoder: &Decoder<T>) -> Shape {
        let PromisedFragment { load, .. } = &self.resident.part.fragments[self.fragment];
        let pages_of_block = match decoder.sharing {
            Sharing::Block => 1,
            Sharing::Warp => decoder.threads / self.gpu.properties().lanes,
        };
        Shape {
            blocks: (load.pages as u32).div_ceil(pages_of_block),
            threads: decoder.threads,
            shared_bytes: 0,
            bytes: load.bytes + load.samples * self.target.bytes_of_sample(),
        }
    }
}
