//! Fragments of sectors, and the ranges of their samples in a decoder's list.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Ptr};

use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::Job;
use crate::kernels::tpc_jobs::{FragmentTimes, LIST_JOBS, ListJobs};
use crate::tpc::input::RawFrame;
use crate::tpc_cluster_finder::cuda::Batch;
use crate::tpc_decode::cuda::{PageBuffers, Part, PromisedFragment};
use crate::tpc_decode::{FragmentOfFrame, Fragments};
use tasks::device::buffers;

/// Jobs of the sectors of a part, fragment after fragment.
pub(super) struct Jobs {
    jobs: DeviceBuffer<Job>,
    fragments: DeviceBuffer<FragmentTimes>,
    first_pages: DeviceBuffer<u32>,
}

buffers!(Jobs: jobs; kept: fragments, first_pages);

impl Jobs {
    pub(super) fn new(gpu: &Gpu, input: &RawFrame, part: &Part) -> Result<Self, DeviceError> {
        let times: Vec<_> = times(input, part).collect();
        let pages = &input.frame.sectors()[part.sectors.clone()];
        let firsts = pages.iter().map(|pages| (pages.start - part.pages.start) as u32);
        Ok(Jobs {
            jobs: gpu.buffer(times.len() * part.sectors.len())?,
            fragments: gpu.table(&times)?,
            first_pages: gpu.table(&firsts.collect::<Vec<_>>())?,
        })
    }

    pub(super) fn ptr(&self) -> Ptr<Job> {
        self.jobs.ptr()
    }

    /// Starts to list them, once the offsets of samples are known.
    pub(super) fn list(
        &self,
        gpu: &Gpu,
        part: &Part,
        pages: &PageBuffers,
    ) -> Result<(), DeviceError> {
        let sectors = part.sectors.len();
        let arguments = ListJobs {
            pages: pages.jobs.ptr(),
            job_offsets: pages.job_offsets.ptr(),
            fragments: self.fragments.ptr(),
            fragment_count: self.fragments.len() as u32,
            first_pages: self.first_pages.ptr(),
            sectors: sectors as u32,
            first_sector: part.sectors.start as u32,
            jobs: self.jobs.ptr(),
        };
        let grid = LIST_JOBS.grid_for(self.jobs.len());
        // SAFETY: there is a job for each fragment of each sector.
        unsafe { gpu.launch(&LIST_JOBS, grid, arguments) }
    }
}

/// The time bins of each fragment of a part.
fn times(input: &RawFrame, part: &Part) -> impl Iterator<Item = FragmentTimes> {
    let of_frame: Vec<FragmentOfFrame> = fragments(input).collect();
    part.fragments.iter().map(move |promised| {
        let same = |it: &&FragmentOfFrame| it.time_bins.start == promised.time_bins.start;
        match of_frame.iter().find(same) {
            Some(FragmentOfFrame { time_bins, own }) => FragmentTimes {
                first_time: time_bins.start,
                time_bins: time_bins.end - time_bins.start,
                own_begin: own.start,
                own_end: own.end,
            },
            None => FragmentTimes::default(),
        }
    })
}

fn fragments(input: &RawFrame) -> impl Iterator<Item = FragmentOfFrame> {
    Fragments::new(input.finding.fragment).of_frame(input.finding.time_bins)
}

/// Batches of a part: a fragment of all its sectors each. After the last fragment of the time frame
/// there may be one that pages touch, and which has no clusters of its own.
pub(super) fn batches(input: &RawFrame, part: &Part) -> Vec<Batch> {
    let last = fragments(input).map(|fragment| fragment.time_bins.start).max();
    let wanted = part.fragments.iter().zip(0..);
    let wanted = wanted.filter(|(fragment, _)| Some(fragment.time_bins.start) <= last);
    let batch = |(fragment, number): (&PromisedFragment, usize)| Batch {
        jobs: number * part.sectors.len()..(number + 1) * part.sectors.len(),
        samples: fragment.max_of_sector as usize,
        time_bins: part.time_bins(),
    };
    wanted.map(batch).collect()
}
