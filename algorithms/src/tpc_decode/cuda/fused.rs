//! Our decoder: pages through shared memory, all threads of a block at any place of them.

use generators::tpc::Layout;

use super::resident::Resident;
use super::runner::decode_on_gpu;
use super::target::{Charges, Target};
use super::{Bytes, Division, Fragments, Index, Pairs, Records, Words};
use crate::algorithm::Variant;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Ptr, Shape, image};
use crate::tpc_decode::TpcDecode;
use crate::tpc_decode::input::Output;

static IMAGE: Image = image!("tpc_decode-fused");

static ROW_DIGITS: RowDigits = Kernel::new(&IMAGE, "fused_row_digits");
static ROW_CHARGES: RowCharges = Kernel::new(&IMAGE, "fused_row_charges");
static LINK: Decoder = Decoder {
    digits: Kernel::new(&IMAGE, "fused_link_digits"),
    charges: Kernel::new(&IMAGE, "fused_link_charges"),
};
static DENSE_LINK: Decoder = Decoder {
    digits: Kernel::new(&IMAGE, "fused_dense_link_digits"),
    charges: Kernel::new(&IMAGE, "fused_dense_link_charges"),
};

/// Pages, records, index and its stride, geometry, jobs, begins, fragment; digits.
type RowDigits = Kernel<(
    Bytes,
    Records,
    Words,
    u32,
    Words,
    Pairs,
    Words,
    u32,
    Ptr<u64>,
)>;

/// The same; fragments, gains, positions, maps.
type RowCharges = Kernel<(
    Bytes,
    Records,
    Words,
    u32,
    Words,
    Pairs,
    Words,
    u32,
    Fragments,
    Ptr<f32>,
    Words,
    Ptr<u16>,
)>;

/// The same; cells of channels, digits.
type LinkDigits = Kernel<(
    Bytes,
    Records,
    Words,
    u32,
    Words,
    Pairs,
    Words,
    u32,
    Ptr<u16>,
    Ptr<u64>,
)>;

/// The same; fragments, cells of channels, positions, maps.
type LinkCharges = Kernel<(
    Bytes,
    Records,
    Words,
    u32,
    Words,
    Pairs,
    Words,
    u32,
    Fragments,
    Pairs,
    Words,
    Ptr<u16>,
)>;

/// The kernels for a layout of links.
struct Decoder {
    digits: LinkDigits,
    charges: LinkCharges,
}

const THREADS: u32 = 256;
const STAGE: &str = "decode";

pub(super) const FUSED: Variant<TpcDecode> = Variant::cuda(
    "fused",
    "ours: pages staged in shared memory, a thread a block of them, wide stores",
    |at| decode_on_gpu(at, Division::Whole, Index::Written, decode),
);

pub(super) const FUSED_OVERLAPPED: Variant<TpcDecode> = Variant::cuda(
    "fused-overlapped",
    "fused, sector by sector, three at once: copies of one beside the work of another",
    |at| decode_on_gpu(at, Division::Sectors, Index::Written, decode),
)
.unstable();

fn decode(
    gpu: &Gpu,
    resident: &Resident<'_>,
    target: &Target,
    fragment: usize,
) -> Result<(), DeviceError> {
    let work = Work {
        gpu,
        resident,
        target,
        fragment,
    };
    gpu.scope(STAGE, || match (resident.frame.format().layout(), target) {
        (Layout::Row, Target::Digits(digits)) => work.row_digits(digits),
        (Layout::Row, Target::Charges(charges)) => work.row_charges(charges),
        (Layout::Link, Target::Digits(digits)) => work.digits(&LINK, digits),
        (Layout::Link, Target::Charges(charges)) => work.charges(&LINK, charges),
        (Layout::DenseLink, Target::Digits(digits)) => work.digits(&DENSE_LINK, digits),
        (Layout::DenseLink, Target::Charges(charges)) => work.charges(&DENSE_LINK, charges),
    })
}

/// What a block has in shared memory: `Shared` in `fused/*.h`.
fn shared_bytes(layout: Layout, output: Output, lanes: u32) -> u32 {
    /// A page, and the part of a block that can be in the next one.
    const PAGE: u32 = 8192 + 1328;
    const RECORD: u32 = 32;
    const STRAND: u32 = 8;
    const NUMBERS: u32 = 7680 + 32;
    const GROUPS: u32 = NUMBERS / 32;
    const CHANNELS: u32 = 800;
    const BLOCKS: u32 = 128;
    let strands = match layout {
        Layout::Row => 1160,
        Layout::Link => 256,
        Layout::DenseLink => 448,
    };
    let cell = match output {
        Output::Digits => size_of::<u16>(),
        Output::ChargeMap => size_of::<[u32; 2]>(),
    };
    let channels = CHANNELS * cell as u32;
    let of_layout = match layout {
        Layout::Row => 0,
        Layout::Link => channels,
        Layout::DenseLink => channels + BLOCKS * 10 * 4,
    };
    let lists = strands * STRAND + 2 * (NUMBERS + GROUPS) + 4 * lanes;
    (PAGE + RECORD + lists).next_multiple_of(16) + of_layout
}

/// A fragment to be decoded.
struct Work<'a> {
    gpu: &'a Gpu,
    resident: &'a Resident<'a>,
    target: &'a Target,
    fragment: usize,
}

// SAFETY of all launches below: jobs are validated pages, with their places in the index;
// there is a place for each of their samples, and maps have an entry for each pad and
// time bin of the fragment.
impl Work<'_> {
    /// As many blocks as run at once, and no more than there are pages.
    fn shape<P>(&self, kernel: &Kernel<P>) -> Result<Shape, DeviceError> {
        let frame = self.resident.frame;
        let (layout, output) = (frame.format().layout(), frame.settings.output);
        let load = self.resident.part.fragments[self.fragment].load;
        let properties = self.gpu.properties();
        let mut shape = Shape {
            blocks: load.pages as u32,
            threads: THREADS,
            shared_bytes: shared_bytes(layout, output, properties.lanes),
            bytes: load.bytes + load.samples * self.target.bytes_of_sample(),
        };
        let of_each = self.gpu.attributes(kernel, &shape)?.resident_blocks.max(1);
        shape.blocks = shape.blocks.min(of_each * properties.multiprocessors);
        Ok(shape)
    }

    fn row_digits(&self, digits: &DeviceBuffer<u64>) -> Result<(), DeviceError> {
        let buffers = self.resident.buffers;
        let arguments = (
            &buffers.pages,
            &buffers.records,
            &buffers.index,
            buffers.stride,
            &self.resident.tables.geometry,
            &buffers.jobs,
            &buffers.begins,
            self.fragment as u32,
            digits,
        );
        let shape = self.shape(&ROW_DIGITS)?;
        // SAFETY: see above.
        unsafe { self.gpu.launch(&ROW_DIGITS, &shape, arguments) }
    }

    fn row_charges(&self, charges: &Charges) -> Result<(), DeviceError> {
        let buffers = self.resident.buffers;
        let arguments = (
            &buffers.pages,
            &buffers.records,
            &buffers.index,
            buffers.stride,
            &self.resident.tables.geometry,
            &buffers.jobs,
            &buffers.begins,
            self.fragment as u32,
            &buffers.fragments,
            &self.resident.tables.gains,
            &charges.positions,
            &charges.maps,
        );
        let shape = self.shape(&ROW_CHARGES)?;
        // SAFETY: see above.
        unsafe { self.gpu.launch(&ROW_CHARGES, &shape, arguments) }
    }

    fn digits(&self, decoder: &Decoder, digits: &DeviceBuffer<u64>) -> Result<(), DeviceError> {
        let buffers = self.resident.buffers;
        let arguments = (
            &buffers.pages,
            &buffers.records,
            &buffers.index,
            buffers.stride,
            &self.resident.tables.geometry,
            &buffers.jobs,
            &buffers.begins,
            self.fragment as u32,
            &self.resident.tables.pad_cells,
            digits,
        );
        let shape = self.shape(&decoder.digits)?;
        // SAFETY: see above.
        unsafe { self.gpu.launch(&decoder.digits, &shape, arguments) }
    }

    fn charges(&self, decoder: &Decoder, charges: &Charges) -> Result<(), DeviceError> {
        let buffers = self.resident.buffers;
        let arguments = (
            &buffers.pages,
            &buffers.records,
            &buffers.index,
            buffers.stride,
            &self.resident.tables.geometry,
            &buffers.jobs,
            &buffers.begins,
            self.fragment as u32,
            &buffers.fragments,
            &self.resident.tables.charge_cells,
            &charges.positions,
            &charges.maps,
        );
        let shape = self.shape(&decoder.charges)?;
        // SAFETY: see above.
        unsafe { self.gpu.launch(&decoder.charges, &shape, arguments) }
    }
}
