// launch bounds: 256, 1
#include "decode/jobs.h"

using namespace decode;

CHECK_SHAPE(DECODE_JOBS_SHAPE, JOB_THREADS, JobShared)

KERNEL(JOB_THREADS)
decode_count_jobs(const PageExtent* extents, const Fragment* fragments, u32 pages, u32 tiles, Sums* sums,
                   LOCAL_MEMORY(JobShared) shared) {
    count_jobs(THIS_ITEM, Tile(THIS_ITEM, extents, fragments, pages, tiles), sums, shared);
}

KERNEL(JOB_THREADS)
decode_list_jobs(const PageExtent* extents, const Fragment* fragments, u32 pages, u32 tiles, const Sums* sums,
                  Job* jobs, LOCAL_MEMORY(JobShared) shared) {
    list_jobs(THIS_ITEM, Tile(THIS_ITEM, extents, fragments, pages, tiles), sums, jobs, shared);
}
