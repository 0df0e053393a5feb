// Types and functions that all kernels use. Bodies of kernels take the work-item as an argument and
// use SYCL 2020, but for `vote`, where DPC++ has a function of its own.
#pragma once
#include "launch.h"
#include <cstdint>
#include <sycl/sycl.hpp>

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using Item = sycl::nd_item<1>;

// Lanes of a sub-group, on all devices.
constexpr u32 LANES = 32;
constexpr u32 ALL_LANES = 0xffffffff;

#define ALWAYS_INLINE __attribute__((always_inline))
#define DEVICE inline ALWAYS_INLINE

// Declares a kernel with work-groups of `threads` work-items, as a free function: its arguments are
// pointers, 32-bit numbers, and last the work-group's local memory.
#define KERNEL(threads)                                                                        \
    extern "C" ALWAYS_INLINE SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(                                              \
        (sycl::ext::oneapi::experimental::nd_range_kernel<1>))                                 \
        SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(                                                     \
            (sycl::ext::oneapi::experimental::work_group_size<threads>))                       \
            SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(                                                 \
                (sycl::ext::oneapi::experimental::sub_group_size<LANES>)) void
#define CHECK_SHAPE(shape, work_items, local)                                                     \
    static_assert(shape.threads == work_items && shape.local_bytes == sizeof(local), "see launch.h");
#define LOCAL_MEMORY(type) sycl::ext::oneapi::experimental::work_group_memory<type>
#define THIS_ITEM sycl::ext::oneapi::this_work_item::get_nd_item<1>()

DEVICE u32 thread_of(Item item) { return u32(item.get_local_id(0)); }
DEVICE u32 group_of(Item item) { return u32(item.get_group(0)); }
DEVICE u32 lane_of(Item item) { return thread_of(item) % LANES; }
DEVICE u32 warp_of(Item item) { return thread_of(item) / LANES; }

DEVICE void group_barrier(Item item) { sycl::group_barrier(item.get_group()); }
DEVICE void warp_barrier(Item item) { sycl::group_barrier(item.get_sub_group()); }

template <class T> DEVICE T min_of(T a, T b) { return b < a ? b : a; }
template <class T> DEVICE T max_of(T a, T b) { return a < b ? b : a; }

// Calls `body(0)` to `body(N - 1)`. On GPUs without a loop: DPC++ does not unroll one that has votes,
// pragma or not, and arrays that it indexes would be in memory, not in registers. Bodies are lambdas
// with ALWAYS_INLINE.
template <class Body, u32... I> DEVICE void unrolled(Body body, std::integer_sequence<u32, I...>) { (body(I), ...); }
template <u32 N, class Body> DEVICE void unrolled(Body body) {
#if defined(__NVPTX__)
    unrolled(body, std::make_integer_sequence<u32, N>());
#else
    for (u32 i = 0; i < N; i++) body(i);
#endif
}

// A bit for each lane whose flag is set. SYCL 2020 has none: ports sum shifted bits, as Allen's.
DEVICE u32 vote(Item item, bool flag) {
#if defined(SYCL_EXT_ONEAPI_SUB_GROUP_MASK) && !defined(VOTES_AS_SUMS)
    u32 lanes = 0;
    sycl::ext::oneapi::group_ballot(item.get_sub_group(), flag).extract_bits(lanes);
    return lanes;
#else
    return sycl::reduce_over_group(item.get_sub_group(), u32(flag) << lane_of(item), sycl::plus<u32>());
#endif
}

// Lanes below a lane.
DEVICE u32 lanes_below(u32 lane) { return (1u << lane) - 1; }

// Another lane's value.
DEVICE u32 from_lane(Item item, u32 value, u32 lane) {
    return sycl::select_from_group(item.get_sub_group(), value, lane);
}
DEVICE u32 from_lane_xor(Item item, u32 value, u32 mask) {
    return sycl::permute_group_by_xor(item.get_sub_group(), value, mask);
}
// The value of the lane that is `distance` lower; of no use in lanes without one.
DEVICE u32 from_lower_lane(Item item, u32 value, u32 distance) {
    return sycl::shift_group_right(item.get_sub_group(), value, distance);
}

// A number that many work-items change at once, as ports wrap atomics: for the whole device, in local
// or in global memory.
class AtomicNumber {
  public:
    DEVICE explicit AtomicNumber(u32& number) : number(number) {}
    // Returns the number before.
    DEVICE u32 fetch_add(u32 value) const { return number.fetch_add(value); }

  private:
    sycl::atomic_ref<u32, sycl::memory_order::relaxed, sycl::memory_scope::device> number;
};

// Adds to a number in local memory.
DEVICE void add_local(u32& number, u32 value) {
#if defined(ATOMICS_OF_A_CLASS)
    AtomicNumber(number).fetch_add(value);
#else
    sycl::atomic_ref<u32, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                     sycl::access::address_space::local_space>(number)
        .fetch_add(value);
#endif
}

// Counts in global memory; returns the number before.
DEVICE u32 next_index(u32& counter) {
    return sycl::atomic_ref<u32, sycl::memory_order::relaxed, sycl::memory_scope::device,
                            sycl::access::address_space::global_space>(counter)
        .fetch_add(1u);
}
