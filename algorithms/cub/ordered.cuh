// What sorts have in common that take a whole digi as a key: it is turned so that what
// digis are sorted by comes first, sorted, and turned back.
#pragma once
#include "tiles.cuh"
#include "sort.cuh"

struct ToOrdered {
    __device__ u64 operator()(int64_t, u64 digi) const { return ordered_from_digi(digi); }
};

struct FromOrdered {
    __device__ u64 operator()(int64_t, u64 ordered) const { return digi_from_ordered(ordered); }
};

// `Sort` has
//   static cudaError_t call(void *temporary, size_t &bytes, const SortArguments &, Keys &)
// as the functions of CUB: without temporary storage, it tells how much it needs.
template <typename Sort> struct OrderedKeys {
    static cudaError_t scratch_bytes(const SortArguments &args, size_t &bytes) {
        Keys keys;
        return Sort::call(nullptr, bytes, args, keys);
    }

    static cudaError_t sort(const SortArguments &args, Keys &keys) {
        args.stage("pack");
        cudaError_t error = start_convert(keys.Current(), args.digis, ToOrdered{}, args.stream);
        if (error != cudaSuccess) return error;
        args.stage("sort");
        size_t bytes = args.host->scratch_bytes;
        error = Sort::call(args.scratch, bytes, args, keys);
        if (error != cudaSuccess) return error;
        args.stage("unpack");
        return start_convert(keys.Current(), args.digis, FromOrdered{}, args.stream);
    }
};
