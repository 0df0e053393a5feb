//! Our decoder: pages through shared memory, all threads of a block at any place of them.

use generators::tpc::Layout;

use super::resident::Resident;
use super::target::{Charges, Target};
use super::{Bytes, CudaDecode, Division, Fragments, Index, Pairs, Records, Words};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Ptr, Shape, image};

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

/// As above; fragments, gains, positions, maps.
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

/// With the cells of channels behind the geometry.
type LinkDigits = Kernel<(
    Bytes,
    Records,
    Words,
    u32,
    Words,
    Ptr<u16>,
    Pairs,
    Words,
    u32,
    Ptr<u64>,
)>;
type LinkCharges = Kernel<(
    Bytes,
    Records,
    Words,
    u32,
    Words,
    Pairs,
    Pairs,
    Words,
    u32,
    Fragments,
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

pub(in crate::tpc_decode) static FUSED: CudaDecode = CudaDecode {
    name: "fused",
    summary: "ours: pages staged in shared memory, a thread a block of them, wide stores",
    division: Division::Whole,
    index: Index::Written,
    decode,
};

pub(in crate::tpc_decode) static FUSED_OVERLAPPED: CudaDecode = CudaDecode {
    name: "fused-overlapped",
    summary: "fused, sector by sector, three at once: copies of one beside the work of another",
    division: Division::Sectors,
    index: Index::Written,
    decode,
};

fn decode(
    gpu: &Gpu,
    resident: &Resident<'_>,
    target: &Target,
    fragment: usize,
) -> Result<(), DeviceError> {
    let work = Work {
        gpu,
        resident,
        fragment,
        shape: shape(gpu, resident, target, fragment),
    };
    gpu.scope(STAGE, || {
        match (resident.frame.format().layout(), target) {
            (Layout::Row, Target::Digits(digits)) => work.row_digits(digits),
            (Layout::Row, Target::Charges(charges)) => work.row_charges(charges),
            (Layout::Link, Target::Digits(digits)) => work.digits(&LINK, digits),
            (Layout::Link, Target::Charges(charges)) => work.charges(&LINK, charges),
            (Layout::DenseLink, Target::Digits(digits)) => work.digits(&DENSE_LINK, digits),
            (Layout::DenseLink, Target::Charges(charges)) => work.charges(&DENSE_LINK, charges),
        }
    })
}

/// A fragment to be decoded.
struct Work<'a> {
    gpu: &'a Gpu,
    resident: &'a Resident<'a>,
    fragment: usize,
    shape: Shape,
}

/// As many blocks as run at once.
fn shape(gpu: &Gpu, resident: &Resident<'_>, target: &Target, fragment: usize) -> Shape {
    let load = resident.part.fragments[fragment].load;
    let shared_bytes = shared_bytes(resident.frame.format().layout(), gpu.properties().lanes);
    let properties = gpu.properties();
    let by_threads = properties.multiprocessor_threads / THREADS;
    let by_shared = properties.shared_bytes / shared_bytes;
    let resident_blocks = by_threads.min(by_shared) * properties.multiprocessors;
    Shape {
        blocks: (load.pages as u32).min(resident_blocks),
        threads: THREADS,
        shared_bytes,
        bytes: load.bytes + load.samples * target.bytes_of_sample(),
    }
}

/// What a block has in shared memory: `Staged` in `fused/staged.h`.
fn shared_bytes(layout: Layout, lanes: u32) -> u32 {
    /// A page, and the part of a block that can be in the next one.
    const PAGE: u32 = 8192 + 1328;
    const RECORD: u32 = 32;
    const STRAND: u32 = 8;
    const SAMPLES: u32 = 7680;
    const GROUPS: u32 = SAMPLES / 32;
    let strands = match layout {
        Layout::Row => 1160,
        Layout::Link => 256,
        Layout::DenseLink => 448,
    };
    let links = match layout {
        Layout::DenseLink => 64 * 10 * 4,
        Layout::Row | Layout::Link => 0,
    };
    let bytes = PAGE + RECORD + strands * STRAND + 2 * (SAMPLES + GROUPS) + 4 * lanes + links;
    bytes.next_multiple_of(16)
}

// SAFETY of all launches below: jobs are validated pages, with their places in the index;
// there is a place for each of their samples, and maps have an entry for each pad and
// time bin of the fragment.
impl Work<'_> {
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
        // SAFETY: see above.
        unsafe { self.gpu.launch(&ROW_DIGITS, &self.shape, arguments) }
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
        // SAFETY: see above.
        unsafe { self.gpu.launch(&ROW_CHARGES, &self.shape, arguments) }
    }

    fn digits(&self, decoder: &Decoder, digits: &DeviceBuffer<u64>) -> Result<(), DeviceError> {
        let buffers = self.resident.buffers;
        let arguments = (
            &buffers.pages,
            &buffers.records,
            &buffers.index,
            buffers.stride,
            &self.resident.tables.geometry,
            &self.resident.tables.pad_cells,
            &buffers.jobs,
            &buffers.begins,
            self.fragment as u32,
            digits,
        );
        // SAFETY: see above.
        unsafe { self.gpu.launch(&decoder.digits, &self.shape, arguments) }
    }

    fn charges(&self, decoder: &Decoder, charges: &Charges) -> Result<(), DeviceError> {
        let buffers = self.resident.buffers;
        let arguments = (
            &buffers.pages,
            &buffers.records,
            &buffers.index,
            buffers.stride,
            &self.resident.tables.geometry,
            &self.resident.tables.charge_cells,
            &buffers.jobs,
            &buffers.begins,
            self.fragment as u32,
            &buffers.fragments,
            &charges.positions,
            &charges.maps,
        );
        // SAFETY: see above.
        unsafe { self.gpu.launch(&decoder.charges, &self.shape, arguments) }
    }
}
