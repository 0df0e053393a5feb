/* Clusters of a module side, by the rules and formulas of sts-chain.md, in single precision.
 * Nothing may be fused (-ffp-contract=off): results have to be the same to the last bit. */
#ifndef EXAMPLES_STS_CLUSTERS_H
#define EXAMPLES_STS_CLUSTERS_H

#include "digis.h"

#include <math.h>
#include <string.h>

#define NO_SUCCESSOR UINT32_MAX

/* How near in time a digi of the next channel must be. */
typedef struct {
    int exact;
    float ns;
    int64_t whole_ns;
} Window;

static inline Window window_of(const recobench_sts *input) {
    const recobench_sts_setup *setup = input->setup;
    float ns = (float)setup->digi_cut;
    if (!(setup->digi_cut > 0))
        ns = (float)setup->digi_cut_deviations * 1.4142f * (float)setup->time_resolution;
    Window window = {input->semantics == RECOBENCH_EXACT, ns, (int64_t)floorf(ns)};
    return window;
}

static inline int is_too_early(const Window *window, uint32_t time, uint32_t other) {
    if (window->exact) return (int64_t)other < (int64_t)time - window->whole_ns;
    return (float)other < (float)time - window->ns;
}

static inline int is_too_late(const Window *window, uint32_t time, uint32_t other) {
    if (window->exact) return (int64_t)time + window->whole_ns < (int64_t)other;
    return (float)time + window->ns < (float)other;
}

/* Links each digi of a side to its successor: the earliest digi of the next channel within the
 * window; with the exact rules one that follows no other digi. Both channels are gone through in order of time. */
static inline void find_followers(const uint64_t *digis, uint64_t count, const Window *window,
                                  uint32_t *followers, uint8_t *is_first) {
    memset(is_first, 1, count);
    for (uint64_t begin = 0; begin < count;) {
        uint32_t channel = channel_of(digis[begin]);
        uint64_t end = begin, next_end;
        while (end < count && channel_of(digis[end]) == channel) end++;
        for (next_end = end; next_end < count && channel_of(digis[next_end]) == channel + 1;)
            next_end++;
        uint64_t next = end;
        for (uint64_t i = begin; i < end; i++) {
            uint32_t time = time_of(digis[i]);
            while (next < next_end && is_too_early(window, time, time_of(digis[next]))) next++;
            followers[i] = NO_SUCCESSOR;
            if (next == next_end || is_too_late(window, time, time_of(digis[next]))) continue;
            followers[i] = (uint32_t)next;
            is_first[next] = 0;
            if (window->exact) next++;
        }
        begin = end;
    }
}

/* Charge, centre and its error. */
typedef struct {
    float charge, position, error;
} Shape;

static inline Shape shape_of_one(const recobench_sts_setup *setup, uint64_t digi) {
    Shape shape = {setup->charges[adc_of(digi)], (float)channel_of(digi), 1.0f / sqrtf(24.0f)};
    return shape;
}

static inline Shape shape_of_two(const recobench_sts_setup *setup, uint64_t left, uint64_t right) {
    float q1 = setup->charges[adc_of(left)], q2 = setup->charges[adc_of(right)];
    float e1 = setup->variances[adc_of(left)], e2 = setup->variances[adc_of(right)];
    float larger = q1 > q2 ? q1 : q2, smaller = q1 < q2 ? q1 : q2, difference = q2 - q1;
    float sharing = difference * difference / larger / larger / 72.0f;
    float of_smaller = (q1 < q2 ? e1 : e2) / larger / larger / 9.0f;
    float of_larger = (q1 < q2 ? e2 : e1) * smaller * smaller / larger / larger / larger / larger / 9.0f;
    float first = q1 < q2 ? of_smaller : of_larger, second = q1 < q2 ? of_larger : of_smaller;
    Shape shape = {q1 + q2, (float)channel_of(left) + 0.5f + difference / 3.0f / larger,
                   sqrtf(sharing + first + second)};
    return shape;
}

/* Sums over a chain of digis. */
typedef struct {
    uint64_t last;
    uint32_t size;
    float charge, variance; /* of those between first and last */
    float moment;           /* of all: charges by channels */
    float times;
    uint64_t whole_times;
} Sums;

static inline Sums sums_of(const recobench_sts_setup *setup, const uint64_t *digis,
                           const uint32_t *followers, uint64_t first) {
    Sums sums = {0};
    for (uint64_t i = first; i != NO_SUCCESSOR; i = followers[i]) {
        uint64_t digi = digis[i];
        if (sums.size > 1) {
            sums.charge += setup->charges[adc_of(sums.last)];
            sums.variance += setup->variances[adc_of(sums.last)];
        }
        sums.moment += setup->charges[adc_of(digi)] * (float)channel_of(digi);
        sums.times += (float)time_of(digi);
        sums.whole_times += time_of(digi);
        sums.last = digi;
        sums.size++;
    }
    return sums;
}

static inline Shape shape_of_several(const recobench_sts_setup *setup, uint64_t left,
                                     const Sums *sums) {
    uint64_t right = sums->last;
    float q1 = setup->charges[adc_of(left)], q2 = setup->charges[adc_of(right)];
    float count = (float)(sums->size - 2);
    float mean = sums->charge / count, variance = sums->variance / count;
    float start = (float)channel_of(left), end = (float)channel_of(right), difference = q2 - q1;
    float charge = q1 + sums->charge + q2;
    float position = 0.5f * (start + end + difference / mean);
    if (position < start || position > end) position = sums->moment / charge;
    float outer_left = setup->variances[adc_of(left)] / mean / mean / 4.0f;
    float outer_right = setup->variances[adc_of(right)] / mean / mean / 4.0f;
    float inner = variance * difference * difference / mean / mean / mean / mean / 4.0f;
    Shape shape = {charge, position, sqrtf(outer_left + inner + outer_right)};
    return shape;
}

static inline uint32_t mean_time(const Window *window, uint64_t first, const Sums *sums) {
    if (sums->size == 1) return time_of(first);
    if (window->exact) return (uint32_t)(sums->whole_times / sums->size);
    if (sums->size == 2) return (uint32_t)(0.5f * (float)sums->whole_times);
    return (uint32_t)(sums->times / (float)sums->size);
}

static inline float time_error(const recobench_sts_setup *setup, uint32_t size) {
    float resolution = (float)setup->time_resolution, sum = 0.0f;
    if (size == 1) return resolution;
    if (size == 2) return resolution * 0.70710678f;
    for (uint32_t i = 0; i < size; i++) sum += resolution;
    return sum / (float)size / sqrtf((float)size);
}

static inline recobench_cluster cluster_of(const recobench_sts_setup *setup, const Window *window,
                                           const uint64_t *digis, const uint32_t *followers,
                                           uint64_t first) {
    Sums sums = sums_of(setup, digis, followers, first);
    Shape shape = sums.size == 1   ? shape_of_one(setup, digis[first])
                  : sums.size == 2 ? shape_of_two(setup, digis[first], sums.last)
                                   : shape_of_several(setup, digis[first], &sums);
    recobench_cluster cluster = {
        .charge = shape.charge,
        .size = (int32_t)sums.size,
        .position = shape.position,
        .position_error = shape.error,
        .time = mean_time(window, digis[first], &sums),
        .time_error = time_error(setup, sums.size),
    };
    return cluster;
}

/* Bytes of scratch memory that finding clusters takes for each digi. */
enum { BYTES_FOR_DIGI = sizeof(uint32_t) + 1 };

/* The clusters of a side by digis in order of channel, time and charge; how many there are. */
static inline uint64_t find_clusters(const recobench_sts *input, int is_back,
                                     const uint64_t *digis, uint64_t count, uint32_t *followers,
                                     uint8_t *is_first, recobench_cluster *clusters) {
    Window window = window_of(input);
    uint64_t found = 0;
    find_followers(digis, count, &window, followers, is_first);
    for (uint64_t i = 0; i < count; i++) {
        if (!is_first[i]) continue;
        clusters[found] = cluster_of(input->setup, &window, digis, followers, i);
        clusters[found++].position += is_back ? (float)CHANNELS : 0.0f;
    }
    return found;
}

/* Whether a side, as they are numbered, is a back. */
static inline int is_back(const recobench_sts *input, uint64_t side) {
    return side / input->modules % 2 == 1;
}

#endif
