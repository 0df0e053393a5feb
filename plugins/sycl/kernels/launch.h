// Launch of each kernel: work-items of a work-group, and bytes of its local memory, which kernels
// compare with their structs.
#pragma once
#include <cstdint>

struct LaunchShape {
    std::uint32_t threads, local_bytes;
};

constexpr LaunchShape CACHE_LINE_SHAPE = {64, 128};
constexpr LaunchShape BIT_RUNS_SHAPE = {256, 6144};
constexpr LaunchShape BLOCK_MERGE_SHAPE = {512, 53376};
constexpr LaunchShape BLOCK_MERGE_SLICES_SHAPE = {512, 0};
constexpr LaunchShape BLOCK_MERGE_256_SHAPE = {256, 26752};
constexpr LaunchShape SEGMENTED_RADIX_SHAPE = {512, 51328};
constexpr LaunchShape UNPACK_EPOCH_PARALLEL_SHAPE = {512, 2208};
constexpr LaunchShape UNPACK_OFFSETS_SHAPE = {512, 136};
constexpr LaunchShape UNPACK_COPY_OUT_SHAPE = {512, 0};

constexpr LaunchShape DECODE_PREPARE_SHAPE = {256, 0};
constexpr LaunchShape DECODE_VALIDATE_ROW_SHAPE = {64, 16640};
constexpr LaunchShape DECODE_VALIDATE_LINK_SHAPE = {64, 33024};
constexpr LaunchShape DECODE_VALIDATE_DENSE_LINK_SHAPE = {64, 16640};
constexpr LaunchShape DECODE_VALIDATE_MANY_DENSE_LINK_SHAPE = {64, 33792};
constexpr LaunchShape DECODE_JOBS_SHAPE = {256, 128};
constexpr LaunchShape DECODE_SUM_JOBS_SHAPE = {1024, 128};
constexpr LaunchShape DECODE_ROWS_SHAPE = {64, 72};
constexpr LaunchShape DECODE_LINKS_SHAPE = {128, 0};
constexpr LaunchShape DECODE_DENSE_LINKS_SHAPE = {128, 6400};

constexpr LaunchShape HITS_ONLINE_SHAPE = {128, 0};
constexpr LaunchShape HITS_LISTS_SHAPE = {256, 0};
constexpr LaunchShape HITS_SENSORS_SHAPE = {256, 0};
