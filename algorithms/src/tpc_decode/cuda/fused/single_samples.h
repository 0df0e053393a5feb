// The samples of a staged page, one for each thread.
#pragma once
#include "staged.h"

namespace {

template <class Runs, class Output>
struct SingleSamples {
    using Value = typename Output::Value;

    const typename Runs::template Shared<Output>& shared;
    const PageRecord& page;
    const Output& output;

    __device__ __forceinline__ Value operator()(u32 sample) const {
        const u32 channel = shared.channels[sample];
        const SampleRun run = shared.runs[shared.run_of(sample)];
        const u32 adc = Runs::adc(shared, page, run, sample - run.first);
        return output.make(page.first_time_bin + run.time_bin, shared.cell(output, run, channel), adc);
    }

    __device__ __forceinline__ void emit(u32 first) const {
        const u32 end = first + page.samples;
#pragma unroll 4
        for (u32 sample = threadIdx.x < first ? threadIdx.x + THREADS : threadIdx.x; sample < end; sample += THREADS)
            output.store(sample - first, (*this)(sample));
    }
};

}  // namespace
