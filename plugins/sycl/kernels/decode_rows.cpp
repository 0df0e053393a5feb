// launch bounds: 64, 1
#include "decode/rows.h"

using namespace decode;

CHECK_SHAPE(DECODE_ROWS_SHAPE, ROW_THREADS, RowShared)

KERNEL(ROW_THREADS)
decode_row_digits(const u8* pages, const PageRecord* records, const Job* jobs, const u32* job_offsets, u32 fragment,
                  const Endpoint* endpoints, const u32* row_pads, u64* digits, LOCAL_MEMORY(RowShared) shared) {
    const DigitTarget target = {digits};
    decode_rows(THIS_ITEM, {pages, records, jobs, job_offsets, fragment}, {endpoints, row_pads}, target, shared);
}

KERNEL(ROW_THREADS)
decode_row_charges(const u8* pages, const PageRecord* records, const Job* jobs, const u32* job_offsets, u32 fragment,
                   const Endpoint* endpoints, const u32* row_pads, const float* gains, const Fragment* fragments,
                   u32* positions, u16* maps, LOCAL_MEMORY(RowShared) shared) {
    const ChargeTarget target = {gains, fragments, positions, maps, fragment};
    decode_rows(THIS_ITEM, {pages, records, jobs, job_offsets, fragment}, {endpoints, row_pads}, target, shared);
}
