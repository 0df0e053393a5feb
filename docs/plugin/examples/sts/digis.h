/* Digis, and sorting by numbers of 64 bits. */
#ifndef EXAMPLES_STS_DIGIS_H
#define EXAMPLES_STS_DIGIS_H

#include "../plugin.h"

enum { CHANNELS = 1024, TIME_BITS = 31, ADC_BITS = 5, CHANNEL_BITS = 11, ADDRESSES = 1 << 17 };

static inline uint32_t time_of(uint64_t digi) { return digi & 0x7fffffff; }
static inline uint32_t adc_of(uint64_t digi) { return digi >> 32 & 0x1f; }
static inline uint32_t channel_of(uint64_t digi) { return digi >> 37 & 0x7ff; }

/* The 17 bits of an address that a digi has: the highest one is above the time. */
static inline uint32_t address_of(uint64_t digi) {
    return (uint32_t)(digi >> 48) | (uint32_t)(digi >> TIME_BITS & 1) << 16;
}

static inline const uint64_t *digis_of(const recobench_lists *lists, uint64_t list) {
    return (const uint64_t *)lists->items + lists->begins[list];
}

/* Merges sorted runs into longer ones until there is one (Knuth, vol. 3, 5.2.4). */
static inline void sort_numbers(uint64_t *numbers, uint64_t *other, uint64_t count) {
    uint64_t *from = numbers, *to = other;
    for (uint64_t run = 1; run < count; run *= 2) {
        for (uint64_t begin = 0; begin < count; begin += 2 * run) {
            uint64_t middle = begin + run < count ? begin + run : count;
            uint64_t end = begin + 2 * run < count ? begin + 2 * run : count;
            for (uint64_t a = begin, b = middle, i = begin; i < end; i++)
                to[i] = b == end || (a < middle && from[a] <= from[b]) ? from[a++] : from[b++];
        }
        uint64_t *merged = to;
        to = from;
        from = merged;
    }
    for (uint64_t i = 0; from != numbers && i < count; i++) numbers[i] = from[i];
}

/* The digis of a side by channel, time and charge: numbers that have just these, from which the
 * digis follow, but for their address. */
static inline void sort_by_channel(const uint64_t *digis, uint64_t *sorted, uint64_t *other,
                                   uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        sorted[i] = ((uint64_t)channel_of(digis[i]) << TIME_BITS | time_of(digis[i])) << ADC_BITS |
                    adc_of(digis[i]);
    sort_numbers(sorted, other, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t adc = sorted[i] & 0x1f, time = sorted[i] >> ADC_BITS & 0x7fffffff;
        sorted[i] = sorted[i] >> (TIME_BITS + ADC_BITS) << 37 | adc << 32 | time;
    }
}

#endif
