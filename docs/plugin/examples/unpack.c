/* Unpacking raw data of the STS in C, message by message, by the steps of unpack.md.
 *
 *   cc -O3 -ffp-contract=off -shared -fPIC -o libunpack.so unpack.c
 *   bench unpack --plugin ./libunpack.so
 *
 * Each message has a slot in scratch memory: the digis of a microslice are put into the first of its
 * slots by a thread. Then it is known where they belong, and they are copied together. If they are
 * wanted by time, each timeslice is sorted by a merge sort.
 */
#include "plugin.h"

#include <string.h>

enum { MESSAGE_BYTES = 4, FIRST_MESSAGES = 2, ELINKS = 64 };
enum { TS_MSB = 4, EPOCH = 5 }; /* the three highest bits of messages that are no hits */

#define EPOCHS_PER_CYCLE (1ull << 29)
#define EPOCH_NS 3200ull
#define CYCLE_NS ((int64_t)(EPOCH_NS * EPOCHS_PER_CYCLE))
#define MAX_TIME_NS 0x7fffffffull
#define END_OF_TIMES 18446744073709551616.0

/* Scratch memory: a slot for each message, and the offset of the digis of each microslice. */
typedef struct {
    const recobench_unpack *input;
    uint64_t *slots;
    uint64_t *offsets;
} Run;

static uint64_t scratch_bytes(const recobench_unpack *input) {
    return (input->messages + input->microslices) * sizeof(uint64_t);
}

static Run run_of(const recobench_host *host, const recobench_unpack *input) {
    uint64_t *slots = host->scratch;
    Run run = {.input = input, .slots = slots, .offsets = slots + input->messages};
    return run;
}

static uint32_t message_at(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint32_t number_of_epoch(uint32_t message) { return message & 0x1fffffff; }

/* The charge of a hit; a dummy has none. */
static uint32_t adc_of(uint32_t message) { return message >> 10 & 0x1f; }

static int is_hit(uint32_t message) { return message >> 31 == 0 && adc_of(message) > 0; }

/* The epoch of the current message. All sums wrap. */
typedef struct {
    uint64_t first_of_cycle; /* counted from the epoch in which the timeslice starts */
    uint32_t number;
} Epoch;

static Epoch first_epoch_of(const recobench_microslice *microslice) {
    uint64_t cycle = (uint64_t)((int64_t)microslice->index / CYCLE_NS);
    Epoch epoch = {cycle * EPOCHS_PER_CYCLE - microslice->first_epoch, 0};
    return epoch;
}

/* A number that is smaller than the last one is in the next cycle. */
static void advance(Epoch *epoch, uint32_t number) {
    if (number < epoch->number) epoch->first_of_cycle += EPOCHS_PER_CYCLE;
    epoch->number = number;
}

typedef enum { DIGI, UNWANTED, UNKNOWN_ELINK, LATE, UNDEFINED } Outcome;

static Outcome current_time(const recobench_elink *elink, uint32_t adc, uint64_t ns,
                            uint64_t *time) {
    if (adc > elink->walks) {
        *time = ns;
        return ns <= MAX_TIME_NS ? DIGI : LATE;
    }
    double corrected = (double)ns + elink->walk_ns[adc - 1];
    if (corrected <= -1.0 || corrected >= END_OF_TIMES) return UNDEFINED;
    if (corrected >= (double)MAX_TIME_NS + 1.0) return LATE;
    *time = (uint64_t)corrected;
    return DIGI;
}

static Outcome time_of_2023(uint64_t ns, uint64_t *time) {
    *time = ns & MAX_TIME_NS;
    return ns >> 32 == 0 ? DIGI : UNDEFINED;
}

static Outcome unpack_hit(const recobench_unpack *input, uint32_t board, const Epoch *epoch,
                          uint32_t message, uint64_t *digi) {
    uint32_t index = message >> 22 & 0x3f, adc = adc_of(message), channel = message >> 15 & 0x7f;
    if (index >= input->elinks[board]) return UNKNOWN_ELINK;
    const recobench_elink *elink = &input->elink[(uint64_t)board * ELINKS + index];
    if (adc <= elink->cut || (elink->masked[channel / 32] >> channel % 32 & 1)) return UNWANTED;
    uint64_t ticks = (message >> 1 & 0x1ff) | (message >> 30 & 1) << 9;
    uint64_t eighths = 25 * (1024 * (epoch->first_of_cycle + epoch->number) + ticks) + 4;
    uint64_t ns = eighths / 8 - elink->time_offset, time = 0;
    Outcome outcome = input->rules == RECOBENCH_RULES_OF_2023
                          ? time_of_2023(ns, &time)
                          : current_time(elink, adc, ns, &time);
    uint16_t upper = (uint16_t)(elink->channels[channel] << 5 | elink->charges[adc]);
    *digi = elink->address | (uint64_t)upper << 32 | time;
    return outcome;
}

static void count_outcome(recobench_microslice_counts *counts, Outcome outcome,
                          uint32_t rules) {
    counts->digis += outcome == DIGI;
    counts->elink += outcome == UNKNOWN_ELINK;
    counts->undefined += outcome == UNDEFINED;
    counts->overflow +=
        outcome == LATE || (outcome == UNDEFINED && rules == RECOBENCH_CURRENT_RULES);
}

/* Unpacks the messages after the first one, of a microslice that begins as it should. */
static void unpack_messages(const recobench_unpack *input, const recobench_microslice *microslice,
                            recobench_microslice_counts *counts, uint64_t *slots) {
    Epoch epoch = first_epoch_of(microslice);
    const uint8_t *content = input->data + microslice->first_byte;
    for (uint64_t at = MESSAGE_BYTES; at < microslice->bytes; at += MESSAGE_BYTES) {
        uint32_t message = message_at(content + at);
        if (is_hit(message)) {
            Outcome outcome =
                unpack_hit(input, microslice->board, &epoch, message, &slots[counts->digis]);
            count_outcome(counts, outcome, input->rules);
        } else if (message >> 29 == TS_MSB) {
            advance(&epoch, number_of_epoch(message));
        } else {
            counts->other++;
        }
    }
}

static void unpack_microslice(void *shared, uint64_t number, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    const recobench_microslice *microslice = &run->input->microslice[number];
    const uint8_t *content = run->input->data + microslice->first_byte;
    recobench_microslice_counts counts = {0};
    if (microslice->board != RECOBENCH_NO_BOARD) {
        counts.size = microslice->bytes % MESSAGE_BYTES != 0 ||
                      microslice->bytes < FIRST_MESSAGES * MESSAGE_BYTES;
        if (!counts.size)
            counts.first = message_at(content) >> 29 != EPOCH ||
                           message_at(content + MESSAGE_BYTES) >> 29 != TS_MSB;
        if (!counts.size && !counts.first)
            unpack_messages(run->input, microslice, &counts,
                            run->slots + microslice->first_message);
    }
    run->input->counts[number] = counts;
}

static void find_offsets(const Run *run) {
    uint64_t digis = 0;
    for (uint64_t number = 0; number < run->input->microslices; number++) {
        run->offsets[number] = digis;
        digis += run->input->counts[number].digis;
    }
}

static void copy_digis(void *shared, uint64_t number, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    memcpy(run->input->digis + run->offsets[number],
           run->slots + run->input->microslice[number].first_message,
           run->input->counts[number].digis * sizeof *run->slots);
}

static uint64_t time_of(uint64_t digi) { return digi & MAX_TIME_NS; }

/* Stable merge sort; half of the digis fit into `spare`. */
static void sort_by_time(uint64_t *digis, uint64_t count, uint64_t *spare) {
    if (count < 2) return;
    uint64_t first_count = count / 2;
    sort_by_time(digis, first_count, spare);
    sort_by_time(digis + first_count, count - first_count, spare);
    memcpy(spare, digis, first_count * sizeof *digis);
    uint64_t first = 0, second = first_count;
    for (uint64_t to = 0; first < first_count; to++) {
        int is_second = second < count && time_of(digis[second]) < time_of(spare[first]);
        digis[to] = is_second ? digis[second++] : spare[first++];
    }
}

/* The slots of a timeslice are free again: its digis have been copied. */
static void sort_timeslice(void *shared, uint64_t number, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    const recobench_unpack *input = run->input;
    uint64_t first = input->first_microslice[number], end = input->first_microslice[number + 1];
    if (first == end) return;
    uint64_t offset = run->offsets[first];
    uint64_t count = run->offsets[end - 1] + input->counts[end - 1].digis - offset;
    sort_by_time(input->digis + offset, count, run->slots + input->microslice[first].first_message);
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant, (void)host;
    return keep_scratch(state, scratch_bytes(input));
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    Run shared = run_of(host, input);
    const recobench_unpack *unpack = shared.input;
    host->stage(host, "unpack");
    for_each_piece(host, unpack->microslices, unpack_microslice, &shared);
    find_offsets(&shared);
    host->stage(host, "copy");
    for_each_piece(host, unpack->microslices, copy_digis, &shared);
    if (unpack->order == RECOBENCH_BY_TIME) {
        host->stage(host, "sort");
        for_each_piece(host, unpack->timeslices, sort_timeslice, &shared);
    }
    return RECOBENCH_OK;
}

static const recobench_variant MICROSLICE_BY_MICROSLICE = {
    .size = sizeof(recobench_variant),
    .task = "unpack",
    .name = "example-microslices",
    .summary = "a microslice a thread, message by message, then copied together, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .stable = 1,
    .prepare = prepare,
    .memory = scratch_kept,
    .run = run,
};

EXPORT_PLUGIN("unpack example", &MICROSLICE_BY_MICROSLICE)
