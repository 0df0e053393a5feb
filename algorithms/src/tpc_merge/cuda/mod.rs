//! Merging on a GPU.
//!
//! | module | holds |
//! |---|---|
//! | `tracks` | slice tracks on the device |
//! | `components` | finding components: what both parallel variants begin with |
//! | `sequential`, `components_blocks`, `buckets` | the variants |
//! | `prepared` | a variant that is ready to run |

mod buckets;
mod components;
mod components_blocks;
mod prepared;
mod sequential;
mod tracks;

use generators::tpc::slice_tracks::SliceTracks;

use super::TpcMerge;
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::gpu::{DeviceError, Gpu};
use crate::device::{Arena, Backend, Place};
use prepared::PreparedCudaMerge;
use tracks::DeviceTracks;

pub(super) use buckets::BUCKETS;
pub(super) use components_blocks::COMPONENTS_BLOCKS;
pub(super) use sequential::SEQUENTIAL;

/// A way to merge on a GPU.
pub(super) struct CudaMerge {
    name: &'static str,
    summary: &'static str,
    /// More slice tracks would take too long.
    most: usize,
    merger: MakeMerger,
}

/// Takes what is needed besides the slice tracks, of which there are so many.
type MakeMerger = fn(&Gpu, usize) -> Result<Box<dyn Merger>, DeviceError>;

/// The kernels of a variant, and what they need.
trait Merger: Send {
    /// Starts the kernels.
    ///
    /// # Errors
    /// If the device refuses.
    fn merge(&self, gpu: &Gpu, tracks: &DeviceTracks) -> Result<(), DeviceError>;

    /// Overwrites what it has with a byte.
    ///
    /// # Errors
    /// If the device refuses.
    fn poison(&self, gpu: &Gpu, byte: u8) -> Result<(), DeviceError>;

    /// Bytes of what it has.
    fn bytes(&self) -> u64;
}

impl Variant<TpcMerge> for CudaMerge {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cuda
    }

    fn stable(&self) -> bool {
        true
    }

    fn prepare<'a>(
        &self,
        input: &'a SliceTracks,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<TpcMerge> + 'a>, Unavailable> {
        let (tracks, most) = (input.len(), self.most);
        if tracks > most {
            return Err(Unavailable(format!(
                "{tracks} slice tracks; {most} is the most for this variant; use fewer"
            )));
        }
        let gpu = place.required_gpu()?;
        let prepared = PreparedCudaMerge::new(self.merger, (input, arena), gpu);
        Ok(Box::new(prepared))
    }
}
