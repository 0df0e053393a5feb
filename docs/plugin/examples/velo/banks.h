/* Raw banks of LHCb's vertex locator, and the hits that are made of their words, by velo.md and
 * velo-files.md. Nothing may be fused (-ffp-contract=off). */
#ifndef EXAMPLES_VELO_BANKS_H
#define EXAMPLES_VELO_BANKS_H

#include "hits.h"

/* The banks of an event that are not processed yet. */
typedef struct {
    const recobench_velo_banks *input;
    recobench_velo_event event;
    const recobench_velo_bank *next, *end;
} Banks;

/* Words of a bank that count. */
typedef struct {
    const uint32_t *word;
    uint32_t count;
} Words;

static inline Banks banks_of(const recobench_velo_banks *input, uint64_t event) {
    Banks banks = {.input = input, .event = input->event[event]};
    banks.next = input->bank + banks.event.first_bank;
    banks.end = banks.next + banks.event.banks;
    return banks;
}

static inline Words words_of(const Banks *banks, const recobench_velo_bank *bank) {
    Words words = {banks->input->word + bank->first_word, bank->words};
    if (banks->event.version < 4 && bank->words > 0) words.count = *words.word++;
    return words;
}

static inline uint32_t sensor_of(const Banks *banks, const recobench_velo_bank *bank,
                                 int is_second) {
    return banks->event.version < 4 ? bank->source : 2 * (bank->source % 512u) + is_second;
}

/* Takes the banks of a pair of modules, which come before those of the next one. */
static inline Banks take_pair(Banks *banks, uint32_t pair) {
    Banks own = *banks;
    while (banks->next < banks->end && sensor_of(banks, banks->next, 0) / 8 == pair) banks->next++;
    own.end = banks->next;
    return own;
}

/* A cluster on a sensor: its pixel, the fraction of the column's width, and the local y. */
typedef struct {
    uint32_t sensor, column, row;
    float column_fraction, y;
    uint32_t marks; /* bits 26 and 27 of the identifier */
} Cluster;

static inline void write_hit(const recobench_velo_banks *input, const Cluster *cluster,
                             const recobench_velo_hits *hits, uint32_t slot) {
    uint32_t column = cluster->column;
    const float *t = input->transformations + 12 * cluster->sensor;
    float x = input->column_x[column] + cluster->column_fraction * input->column_pitch[column];
    float y = cluster->y;
    hits->ids[slot] = 0x20000000u | cluster->marks | cluster->sensor << 18 | column / 256 << 16 |
                      column % 256 << 8 | cluster->row;
    hits->x[slot] = (t[0] * x + t[1] * y) + t[9];
    hits->y[slot] = (t[3] * x + t[4] * y) + t[10];
    hits->z[slot] = (t[6] * x + t[7] * y) + t[11];
    hits->phi[slot] = angle_of(hits->x[slot], hits->y[slot]);
}

#endif
