/* The headers of a page, checked: see "Damaged pages" in tpc-decoding.md. */
#ifndef EXAMPLES_TPC_PAGE_H
#define EXAMPLES_TPC_PAGE_H

#include "../plugin.h"

enum {
    PAGE_BYTES = 8192,
    RDH_BYTES = 64,
    SHORT_HEADER = 8,
    HEADER = 16,
    TRIGGER = 16,
    BC_PER_ORBIT = 3564,
    BC_PER_TIME_BIN = 8
};

/* Flags of the header of dense link pages. */
enum { HAS_TRIGGER = 1, LONG_SPAN = 2, CONTINUES = 4, ALL_FLAGS = 7 };

typedef enum { EMPTY, SOUND, DAMAGED } State;

typedef struct {
    const recobench_page_stream *stream;
    State state; /* of its headers */
    uint32_t start, end, continuation;
    uint32_t samples, blocks, span, time_offset, counter, size;
    uint64_t orbit_start; /* in bunch crossings from the beginning of the time frame */
    uint32_t first_time_bin, last_time_bin;
    int continues;
    /* Index of its first sample among the digits, and their number, if it is sound. */
    uint64_t first_digit, count;
} Page;

static inline uint32_t u16_at(const uint8_t *bytes) { return bytes[0] | (uint32_t)bytes[1] << 8; }
static inline uint32_t u32_at(const uint8_t *bytes) {
    return u16_at(bytes) | u16_at(bytes + 2) << 16;
}

static inline int is_by_row(const recobench_decode *input) { return input->format <= 2; }
static inline int is_dense(const recobench_decode *input) { return input->format >= 4; }

static inline uint32_t cru_of(const recobench_page_stream *stream) {
    return 10 * stream->sector + stream->endpoint / 2;
}

/* The raw data header, of a page that has more. */
static inline int is_rdh_sound(const recobench_decode *input, const recobench_page_stream *stream,
                               const uint8_t *bytes) {
    uint32_t link = is_by_row(input) ? 15 : is_dense(input) ? 22 : 21;
    uint32_t sender = cru_of(stream) << 7 | (stream->endpoint & 1) << 6 | link;
    return u32_at(bytes + 48) == 2 && u16_at(bytes + 2) == sender && bytes[12] == link &&
           u32_at(bytes + 20) - input->first_orbit < input->orbits;
}

static inline int is_header_sound(const recobench_decode *input,
                                  const recobench_page_stream *stream, const uint8_t *header) {
    if (header[0] != input->format || u16_at(header + 2) != cru_of(stream)) return 0;
    if (!is_by_row(input) && header[15] != 0xfd) return 0;
    if (is_dense(input) && header[12] & ~ALL_FLAGS) return 0;
    return u16_at(header + 4) < BC_PER_ORBIT;
}

/* Reads the start and end of the payload, and its time bins. */
static inline void read_header(const recobench_decode *input, const uint8_t *header, Page *page) {
    page->span = header[1];
    page->time_offset = u16_at(header + 4);
    page->samples = u16_at(header + 6);
    page->start = RDH_BYTES + SHORT_HEADER;
    page->end = page->size;
    page->first_time_bin = (uint32_t)((page->orbit_start + page->time_offset) / BC_PER_TIME_BIN);
    page->last_time_bin = page->first_time_bin + page->span;
    if (is_by_row(input)) {
        page->last_time_bin -= page->last_time_bin > 0;
        return;
    }
    uint32_t first = u16_at(header + 8), flags = header[12];
    page->blocks = u16_at(header + 10);
    page->start = RDH_BYTES + HEADER + 16 * first;
    if (!is_dense(input)) return;
    page->start = first;
    page->end -= HEADER;
    if (flags & HAS_TRIGGER) page->end -= page->end < TRIGGER ? page->end : TRIGGER;
    page->continues = (flags & CONTINUES) != 0;
    if (flags & LONG_SPAN) page->span += 256, page->last_time_bin += 256;
}

static inline int is_extent_sound(const recobench_decode *input, const Page *page) {
    uint64_t last = (page->orbit_start + BC_PER_ORBIT - 1) / BC_PER_TIME_BIN;
    if (page->start > page->end || page->start < RDH_BYTES || page->last_time_bin > last) return 0;
    if (is_by_row(input) && page->span == 0 && page->samples > 0) return 0;
    return !page->continues || (page->blocks > 0 && page->size == PAGE_BYTES);
}

/* Reads the headers; returns whether they are sound. */
static inline State open_page(const recobench_decode *input, const uint8_t *bytes, Page *page) {
    uint32_t header = is_by_row(input) ? SHORT_HEADER : HEADER, unit = is_dense(input) ? 32 : 16;
    page->size = u16_at(bytes + 10);
    if (bytes[0] != 7 || bytes[1] != RDH_BYTES) return DAMAGED;
    if (page->size < RDH_BYTES || page->size > PAGE_BYTES) return DAMAGED;
    if (page->size == RDH_BYTES) return EMPTY;
    if (!is_rdh_sound(input, page->stream, bytes)) return DAMAGED;
    if (page->size < RDH_BYTES + header || page->size % unit != 0) return DAMAGED;
    const uint8_t *at = bytes + (is_dense(input) ? page->size - HEADER : RDH_BYTES);
    if (!is_header_sound(input, page->stream, at)) return DAMAGED;
    page->counter = u16_at(bytes + 36);
    page->orbit_start = (uint64_t)(u32_at(bytes + 20) - input->first_orbit) * BC_PER_ORBIT;
    read_header(input, at, page);
    return is_extent_sound(input, page) ? SOUND : DAMAGED;
}

/* Opens a page, and the next one if the last block continues there. */
static inline void open_in_stream(const recobench_decode *input, uint64_t number, Page *page) {
    const uint8_t *bytes = input->bytes + number * PAGE_BYTES;
    page->state = open_page(input, bytes, page);
    if (page->state != SOUND || !page->continues) return;
    Page next = {.stream = page->stream};
    int is_last = number + 1 == page->stream->first_page + page->stream->pages;
    if (is_last || open_page(input, bytes + PAGE_BYTES, &next) != SOUND ||
        next.counter != ((page->counter + 1) & 0xffff) || next.orbit_start != page->orbit_start)
        page->state = DAMAGED;
    else
        page->continuation = next.start - RDH_BYTES;
}

#endif
