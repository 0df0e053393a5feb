// launch bounds: 1024, 1
#include "decode/jobs.h"

using namespace decode;

CHECK_SHAPE(DECODE_SUM_JOBS_SHAPE, SUMS_THREADS, JobShared)

KERNEL(SUMS_THREADS)
decode_sum_jobs(Sums* sums, u32* job_offsets, u32 tiles, u32 count, u64* list_begin, u64* list_count,
                 LOCAL_MEMORY(JobShared) shared) {
    sum_jobs(THIS_ITEM, sums, job_offsets, tiles, count, {list_begin, list_count}, shared);
}
