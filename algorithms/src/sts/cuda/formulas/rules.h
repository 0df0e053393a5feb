// In what `exact` and `published` differ: see sts/rules.rs.
#pragma once
#include "portable.h"
#include "sensor.h"

// Largest time difference of a digi and its successor.
struct Window {
    float ns;
    // The window for integer differences; below 0 no digis are near.
    i32 whole_ns;
    // Two digis of a channel no further apart may both see a third one.
    u32 crowd_ns;
};

// Number of predecessors that a digi may have.
enum class Successors { SHARED, EXCLUSIVE };

// Whole times, no digi in two clusters, all lines of strips that lean to the left,
// errors of the global coordinates.
struct Exact {
    static constexpr Successors SUCCESSORS = Successors::EXCLUSIVE;

    __device__ __forceinline__ static bool not_after(const Window& window, u32 time, u32 follower) {
        return (long long)time + window.whole_ns >= (long long)follower;
    }

    // Lower limit that a successor has to reach to be not too early.
    struct Earliest {
        u32 min_time;

        __device__ __forceinline__ Earliest(const Window& window, u32 time)
            : min_time((u32)max((long long)time - window.whole_ns, 0ll)) {}
        __device__ __forceinline__ bool is_reached(u32 follower) const { return follower >= min_time; }
    };

    // The times of a chain's digis.
    struct Times {
        u64 sum = 0;
        u32 min_time = ~0u;
        __device__ __forceinline__ void add(u32 time) {
            sum += time;
            min_time = min(min_time, time);
        }
        // Divides what is above the least time, which hardly ever takes 64 bits.
        __device__ __forceinline__ u32 mean(u32 size, u32, u32) const {
            const u64 above = sum - (u64)min_time * size;
            return min_time + (above >> 32 == 0 ? (u32)above / size : (u32)(above / size));
        }
    };

    // Times have 31 bits.
    __device__ __forceinline__ static float delay(u32 front, u32 back) { return (float)(i32)(front - back); }
    __device__ __forceinline__ static u32 hit_time(u32 front, u32 back) { return (u32)(((u64)front + back) / 2); }
    __device__ __forceinline__ static i32 widths(float exact) { return (i32)floorf(exact); }
    __device__ __forceinline__ static Errors errors(const Sensor& sensor, const Spread& spread) {
        return rotated(sensor, spread);
    }
};

// Single precision, as in the experiment's code.
struct Published {
    static constexpr Successors SUCCESSORS = Successors::SHARED;

    __device__ __forceinline__ static bool not_after(const Window& window, u32 time, u32 follower) {
        return (float)time + window.ns >= (float)follower;
    }

    class Earliest {
        float min_time;

      public:
        __device__ __forceinline__ Earliest(const Window& window, u32 time) : min_time((float)time - window.ns) {}
        __device__ __forceinline__ bool is_reached(u32 follower) const { return (float)follower >= min_time; }
    };

    struct Times {
        float sum = 0;
        __device__ __forceinline__ void add(u32 time) { sum += (float)time; }
        __device__ __forceinline__ u32 mean(u32 size, u32 first, u32 last) const {
            if (size == 1) return first;
            if (size == 2) return (u32)(0.5f * (float)(first + last));
            return (u32)(sum / (float)size);
        }
    };

    __device__ __forceinline__ static float delay(u32 front, u32 back) { return (float)front - (float)back; }
    __device__ __forceinline__ static u32 hit_time(u32 front, u32 back) {
        return (u32)(0.5f * ((float)front + (float)back));
    }
    __device__ __forceinline__ static i32 widths(float exact) { return (i32)exact; }
    __device__ __forceinline__ static Errors errors(const Sensor&, const Spread& spread) {
        return {sqrtf(spread.xx), sqrtf(spread.yy), 0, spread.xy};
    }
};
