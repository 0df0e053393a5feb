/* Decoding pages of the TPC in C, all five formats, to digits or to maps of charges.
 *
 *   cc -O3 -ffp-contract=off -shared -fPIC -o libdecode.so decode.c
 *   bench decode --plugin ./libdecode.so
 *
 * All headers are read first: they have the number of samples of each page, which gives the offset
 * of its digits. Then each page is decoded by a thread, and at last the holes that damaged pages
 * leave are closed. Maps are filled from the digits, each by one thread, so that none is written by
 * two.
 */
#include "tpc/payload.h"

enum { COLUMNS = 23112, OVERLAP = 16 };

/* Scratch memory: a record a page, a buffer of two pages a thread, and digits unless they are
 * the output. */
typedef struct {
    const recobench_decode *input;
    Page *pages;
    uint8_t *buffers;
    uint64_t *digits;
    uint32_t fragment;
    recobench_position *positions; /* of the fragment */
} Run;

static uint64_t scratch_bytes(const recobench_decode *input, uint32_t workers) {
    int stay = input->output == RECOBENCH_DIGITS;
    return input->pages * sizeof(Page) + workers * 2 * PAGE_BYTES +
           (stay ? 0 : input->samples.capacity * sizeof(uint64_t));
}

static Run run_of(const recobench_host *host, const recobench_decode *input) {
    Run run = {.input = input, .pages = host->scratch};
    run.buffers = (uint8_t *)(run.pages + input->pages);
    run.digits = input->output == RECOBENCH_DIGITS
                     ? input->samples.items
                     : (uint64_t *)(run.buffers + host->workers * 2 * PAGE_BYTES);
    return run;
}

static void open_stream(void *shared, uint64_t number, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    const recobench_page_stream *stream = &run->input->stream[number];
    for (uint64_t page = 0; page < stream->pages; page++) {
        Page opened = {.stream = stream};
        open_in_stream(run->input, stream->first_page + page, &opened);
        run->pages[stream->first_page + page] = opened;
    }
}

static void decode_page(void *shared, uint64_t number, uint32_t worker) {
    const Run *run = shared;
    Page *page = &run->pages[number];
    int is_sound = page->state == SOUND &&
                   read_page(run->input, page, run->input->bytes + number * PAGE_BYTES,
                             run->buffers + worker * 2 * PAGE_BYTES,
                             run->digits + page->first_digit);
    page->count = is_sound ? page->samples : 0;
    run->input->damaged[number] = page->state != EMPTY && !is_sound;
}

static void find_offsets(const Run *run) {
    uint64_t offset = 0;
    for (uint64_t number = 0; number < run->input->pages; number++) {
        run->pages[number].first_digit = offset;
        if (run->pages[number].state == SOUND) offset += run->pages[number].samples;
    }
}

/* Closes the holes; returns the number of digits. */
static uint64_t close_holes(const Run *run) {
    uint64_t digits = 0;
    for (uint64_t number = 0; number < run->input->pages; number++) {
        Page *page = &run->pages[number];
        if (page->first_digit != digits)
            memmove(run->digits + digits, run->digits + page->first_digit,
                    page->count * sizeof *run->digits);
        page->first_digit = digits;
        digits += page->count;
    }
    return digits;
}

/* Returns 1 if a page has time bins of the fragment. */
static int touches(const Run *run, const Page *page) {
    uint32_t first = run->fragment * (run->input->fragment - OVERLAP);
    uint32_t end = first + run->input->fragment;
    int has_any = page->state == SOUND && page->last_time_bin >= page->first_time_bin;
    return has_any && page->first_time_bin < end && page->last_time_bin >= first;
}

/* The value of a digit in a map, in sixteenths of an ADC unit. */
static uint16_t charge_of(const Run *run, uint64_t digit, uint32_t column) {
    float scale = run->input->format == 1 ? 16.0f : 4.0f;
    float gain = run->input->gains[(digit >> 58) * COLUMNS + column];
    float charge = (float)(digit & 0xffff) * scale * gain;
    return (uint16_t)(charge < 16383.0f ? charge : 16383.0f);
}

static void put_samples(const Run *run, const Page *page, uint16_t *map,
                          recobench_position *positions) {
    uint32_t first = run->fragment * (run->input->fragment - OVERLAP);
    for (uint64_t i = 0; i < page->count; i++) {
        uint64_t digit = run->digits[page->first_digit + i];
        uint32_t time = (digit >> 32 & 0x3ffffff) - first;
        recobench_position outside = {0, -1};
        positions[i] = outside;
        if (time >= run->input->fragment) continue;
        uint32_t line = time + 4, column = (digit >> 24 & 0xff) * 152 + (digit >> 16 & 0xff) + 8;
        positions[i].column = (int16_t)column;
        positions[i].time = (int16_t)line;
        uint64_t tile = (uint64_t)(line / 4) * (COLUMNS / 8) + column / 8;
        map[tile * 32 + line % 4 * 8 + column % 8] = charge_of(run, digit, column);
    }
}

/* A map of a fragment: cleared, then filled from its pages. */
static void fill_map(void *shared, uint64_t number, uint32_t worker) {
    (void)worker;
    const Run *run = shared;
    const recobench_decode *input = run->input;
    uint16_t *map = input->charges + number * input->map_entries;
    memset(map, 0, input->map_entries * sizeof *map);
    uint64_t position = 0;
    for (uint64_t i = 0; i < input->pages; i++) {
        const Page *page = &run->pages[i];
        if (!touches(run, page)) continue;
        if (page->stream->map == number) put_samples(run, page, map, run->positions + position);
        position += page->count;
    }
}

/* Fills the maps of all fragments; returns the number of positions. */
static uint64_t fill_maps(const recobench_host *host, Run *run) {
    const recobench_decode *input = run->input;
    uint64_t positions = 0;
    uint32_t last = 0;
    for (uint64_t i = 0; i < input->pages; i++)
        if (run->pages[i].state == SOUND && run->pages[i].last_time_bin > last)
            last = run->pages[i].last_time_bin;
    memset(input->charges, 0, input->sectors * input->map_entries * sizeof *input->charges);
    for (; run->fragment * (input->fragment - OVERLAP) <= last; run->fragment++) {
        uint64_t touched = 0, samples = 0;
        for (uint64_t i = 0; i < input->pages; i++) {
            if (!touches(run, &run->pages[i])) continue;
            touched++;
            samples += run->pages[i].count;
        }
        run->positions = (recobench_position *)input->samples.items + positions;
        if (touched) for_each_piece(host, input->sectors, fill_map, run);
        positions += samples;
    }
    return positions;
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    (void)variant;
    return keep_scratch(state, scratch_bytes(input, host->workers));
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    Run shared = run_of(host, input);
    const recobench_decode *decode = shared.input;
    host->stage(host, "headers");
    for_each_piece(host, decode->streams, open_stream, &shared);
    find_offsets(&shared);
    host->stage(host, "decode");
    for_each_piece(host, decode->pages, decode_page, &shared);
    uint64_t samples = close_holes(&shared);
    if (decode->output == RECOBENCH_CHARGE_MAP) {
        host->stage(host, "maps");
        samples = fill_maps(host, &shared);
    }
    decode->samples.begins[0] = 0;
    decode->samples.counts[0] = samples;
    return RECOBENCH_OK;
}

static const recobench_variant PAGE_BY_PAGE = {
    .size = sizeof(recobench_variant),
    .task = "decode",
    .name = "example-pages",
    .summary = "headers first, then a page a thread, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_SEPARATE,
    .stable = 1,
    .prepare = prepare,
    .memory = scratch_kept,
    .run = run,
};

EXPORT_PLUGIN("decode example", &PAGE_BY_PAGE)
