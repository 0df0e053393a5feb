/* Decoding the retina clusters of an event. */
#ifndef EXAMPLES_VELO_DECODE_H
#define EXAMPLES_VELO_DECODE_H

#include "banks.h"

static inline Cluster cluster_of_word(const Banks *banks, const recobench_velo_bank *bank,
                                      uint32_t word) {
    uint32_t version = banks->event.version, bits = version == 2 ? 3 : 2, units = 1u << bits;
    uint32_t row_part = word % units, column_part = word >> (bits + 8) & (units - 1);
    Cluster cluster = {
        .sensor = sensor_of(banks, bank, word >> 22 & 1),
        .column = word >> (2 * bits + 8) & 0x3ff,
        .row = word >> bits & 0xff,
        .column_fraction = (float)column_part / (float)units,
    };
    float row = (float)cluster.row + (float)row_part / (float)units;
    cluster.y = (0.5f + row) * 0.055f;
    if (version != 2) cluster.marks = (uint32_t)!!column_part << 27 | (uint32_t)!!row_part << 26;
    return cluster;
}

/* Writes the hits of an event, not sorted yet, from its first slot on, and its pairs of modules.
 * A word of 0 has a slot, but no hit. */
static inline void decode_event(Banks banks, const recobench_velo_hits *hits,
                                recobench_velo_pair *pairs) {
    uint32_t slots = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        recobench_velo_pair pair = {.start = slots};
        Banks own = take_pair(&banks, i);
        for (const recobench_velo_bank *bank = own.next; bank < own.end; bank++) {
            Words words = words_of(&own, bank);
            slots += words.count;
            for (uint32_t w = 0; w < words.count; w++) {
                if (words.word[w] == 0) continue;
                Cluster cluster = cluster_of_word(&own, bank, words.word[w]);
                write_hit(own.input, &cluster, hits, pair.start + pair.count++);
            }
        }
        pairs[i] = pair;
    }
}

#endif
