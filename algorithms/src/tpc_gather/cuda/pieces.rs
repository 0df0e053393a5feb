//! Pieces on the device, and finding out where they go.

use std::sync::Arc;

use generators::tpc::clusters::{Clusters, FIELDS, Layout, Per};

use crate::all_cores::first_difference;
use crate::device::gpu::{
    DeviceBuffer, DeviceError, Gpu, Image, Kernel, Lent, Parameter, Parameters, Ptr, Shape, image,
};
use crate::device::{Arena, buffers};

static IMAGE: Image = image!("tpc_gather-places");

/// All arrays; where the numbers of clusters of tracks and of rows begin, and how many
/// there are.
static SUMS: Kernel<(Bytes, u32, u32, u32, u32, Words)> = Kernel::new(&IMAGE, "gather_sums");
#[allow(clippy::type_complexity, reason = "as many as the kernel has")]
static PLACES: Kernel<(Bytes, u32, u32, u32, u32, Words, Words, Words)> =
    Kernel::new(&IMAGE, "gather_places");

/// What kernels take.
pub(super) type Bytes = Ptr<u8>;
pub(super) type Words = Ptr<u32>;
pub(super) type Arrays = Ptr<Array>;

/// An array as kernels know it: where it begins before and after; its bytes when packed
/// and those of an entry; what its pieces are, and a word that is unused. See `pieces.h`.
pub(super) type Array = [u32; 8];

/// Of kernels that pack all arrays: source and target; arrays; starts and places of tracks,
/// and of rows; how many arrays, tracks and rows there are.
pub(super) type PackParameters<Target> = (
    Bytes,
    Target,
    Arrays,
    Words,
    Words,
    Words,
    Words,
    u32,
    u32,
    u32,
);

/// Bytes behind the source that may be read with its last ones.
const SLACK: usize = 32;
const THREADS: u32 = 256;
/// Pieces whose places a block finds.
const TILE: usize = 2048;

/// What a compression leaves on the device. Runs read it only, so it is provided once.
pub(super) struct Given {
    pub(super) source: DeviceBuffer<u8>,
    pub(super) arrays: DeviceBuffer<Array>,
    pub(super) track_starts: DeviceBuffer<u32>,
    pub(super) row_starts: DeviceBuffer<u32>,
}

buffers!(Given: source, arrays, track_starts, row_starts);

/// Clusters where kernels find them.
pub(super) struct DevicePieces<'a> {
    pub(super) given: Lent<'a, Given>,
    pub(super) track_places: DeviceBuffer<u32>,
    pub(super) row_places: DeviceBuffer<u32>,
    sums: DeviceBuffer<u32>,
    /// Where the numbers of clusters of tracks and of rows begin.
    counts: [u32; 2],
    packed_bytes: u64,
}

buffers!(DevicePieces<'_>: given, track_places, row_places, sums);

impl Given {
    fn new(gpu: &Gpu, input: &Clusters) -> Result<Self, DeviceError> {
        let given = Given {
            source: gpu.buffer(input.bytes().len() + SLACK)?,
            arrays: gpu.buffer(FIELDS.len())?,
            track_starts: gpu.buffer(input.tracks().len())?,
            row_starts: gpu.buffer(input.rows().len())?,
        };
        given.upload(gpu, input)?;
        Ok(given)
    }

    fn upload(&self, gpu: &Gpu, input: &Clusters) -> Result<(), DeviceError> {
        gpu.upload(&self.source, input.bytes())?;
        let arrays = arrays(input);
        gpu.upload(&self.arrays, &arrays)?;
        gpu.upload(&self.track_starts, &input.tracks().starts)?;
        gpu.upload(&self.row_starts, &input.rows().starts)?;
        // The table goes with this call.
        gpu.finish()
    }

    /// What is no longer as it was provided.
    fn changed(&self, gpu: &Gpu, input: &Clusters) -> Result<Option<&'static str>, DeviceError> {
        let bytes = input.bytes();
        let source = gpu.fetched(&self.source, 0..bytes.len())?;
        let arrays_now = gpu.fetched(&self.arrays, 0..self.arrays.len())?;
        let tracks = gpu.fetched(&self.track_starts, 0..self.track_starts.len())?;
        let rows = gpu.fetched(&self.row_starts, 0..self.row_starts.len())?;
        let changes = [
            ("its source", first_difference(bytes, &source)),
            (
                "its table of arrays",
                first_difference(&arrays(input), &arrays_now),
            ),
            (
                "the starts of tracks",
                first_difference(&input.tracks().starts, &tracks),
            ),
            (
                "the starts of rows",
                first_difference(&input.rows().starts, &rows),
            ),
        ];
        let changed = changes.into_iter().find(|(_, change)| change.is_some());
        Ok(changed.map(|(name, _)| name))
    }
}

impl<'a> DevicePieces<'a> {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        (input, arena): (&Clusters, &'a Arena),
    ) -> Result<Self, DeviceError> {
        let [tracks, rows] = [input.tracks().len(), input.rows().len()];
        let begin = |name| {
            let field = FIELDS.iter().position(|field| field.name == name);
            input.layout().range(field.unwrap_or_default()).start as u32
        };
        Ok(DevicePieces {
            given: Lent::of(input, arena, gpu, |gpu| Given::new(gpu, input))?,
            track_places: gpu.buffer(tracks + 1)?,
            row_places: gpu.buffer(rows + 1)?,
            sums: gpu.buffer(tracks.div_ceil(TILE) + rows.div_ceil(TILE))?,
            counts: ["track_n_clusters", "row_n_clusters"].map(begin),
            packed_bytes: input.packed().bytes() as u64,
        })
    }

    /// What a run has changed that it may only read. It is then provided again, as others
    /// run on it too.
    pub(super) fn damage(
        &self,
        gpu: &Gpu,
        input: &Clusters,
    ) -> Result<Option<&'static str>, DeviceError> {
        let changed = self.given.changed(gpu, input)?;
        if changed.is_some() {
            self.given.upload(gpu, input)?;
        }
        Ok(changed)
    }

    /// Finds the places of all pieces.
    pub(super) fn find_places(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let (source, sums, [of_tracks, of_rows]) = (&self.given.source, &self.sums, self.counts);
        let (tracks, rows) = (self.tracks(), self.rows());
        let counts_bytes = 2 * u64::from(tracks) + 4 * u64::from(rows);
        let shape = |bytes| Shape {
            blocks: sums.len() as u32,
            threads: THREADS,
            shared_bytes: 0,
            bytes,
        };
        // SAFETY: the numbers of clusters lie in the source, there is a sum for each block
        // and a place for each piece, and for the end.
        unsafe {
            let arguments = (source, of_tracks, of_rows, tracks, rows, sums);
            gpu.launch(&SUMS, &shape(counts_bytes), arguments)?;
            let places_bytes = 4 * u64::from(tracks + rows);
            let (places, row_places) = (&self.track_places, &self.row_places);
            let arguments = (
                source, of_tracks, of_rows, tracks, rows, sums, places, row_places,
            );
            gpu.launch(&PLACES, &shape(counts_bytes + places_bytes), arguments)
        }
    }

    /// What a kernel that packs all arrays is given, with its target.
    pub(super) fn arguments<'p, Target: Parameter>(
        &'p self,
        target: Target::Given<'p>,
    ) -> <PackParameters<Target> as Parameters>::Given<'p> {
        (
            &self.given.source,
            target,
            &self.given.arrays,
            &self.given.track_starts,
            &self.track_places,
            &self.given.row_starts,
            &self.row_places,
            FIELDS.len() as u32,
            self.tracks(),
            self.rows(),
        )
    }

    pub(super) fn tracks(&self) -> u32 {
        self.given.track_starts.len() as u32
    }

    pub(super) fn rows(&self) -> u32 {
        self.given.row_starts.len() as u32
    }

    /// So many blocks, which read all that is packed and write it so many times less one.
    pub(super) fn shape(&self, blocks: u32, threads: u32, times: u64) -> Shape {
        Shape {
            blocks,
            threads,
            shared_bytes: 0,
            bytes: times * self.packed_bytes,
        }
    }
}

/// All arrays, in the order of their fields.
fn arrays(input: &Clusters) -> Vec<Array> {
    let packed = Layout::new(&input.packed());
    let array = |(number, field): (usize, &generators::tpc::clusters::Field)| {
        let from = input.layout().range(number).start as u64;
        let to = packed.range(number);
        let pieces = match field.per {
            Per::Row | Per::Track => 0,
            Per::Attached => 1,
            Per::Difference => 2,
            Per::Unattached => 3,
        };
        let [from_low, from_high] = halves(from);
        let [to_low, to_high] = halves(to.start as u64);
        let (bytes, width) = (to.len() as u32, field.bytes as u32);
        [
            from_low, from_high, to_low, to_high, bytes, width, pieces, 0,
        ]
    };
    FIELDS.iter().enumerate().map(array).collect()
}

/// A word of 64 bits as two of 32, the lower one first.
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}
