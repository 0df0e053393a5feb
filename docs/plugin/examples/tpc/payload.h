/* The digits of a page with sound headers, if the rest is sound too; tpc-pages.md has the formats.
 * A reader never goes beyond the end. */
#ifndef EXAMPLES_TPC_PAYLOAD_H
#define EXAMPLES_TPC_PAYLOAD_H

#include "page.h"

#include <string.h>

enum { CHANNELS_IN_LINK = 80, CARDS = 20, MAX_PADS = 15 * CHANNELS_IN_LINK, MAX_PADDING = 31 };

/* A payload in one piece, followed by the rest of the last block; and the position of the reader. */
typedef struct {
    const recobench_decode *input;
    const recobench_endpoint *endpoint;
    const Page *page;
    const uint8_t *bytes;
    uint32_t at, end;
    uint16_t pads[MAX_PADS]; /* of the next samples */
    uint32_t pad_count;
    uint64_t *digits;
    uint32_t digit_count;
} Reader;

/* The next bytes; NULL past the end. */
static inline const uint8_t *take(Reader *reader, uint32_t bytes) {
    if (bytes > reader->end || reader->at > reader->end - bytes) return NULL;
    const uint8_t *taken = reader->bytes + reader->at;
    reader->at += bytes;
    return taken;
}

static inline int put(Reader *reader, uint32_t number, uint32_t time_bin, uint32_t adc) {
    if (reader->digit_count == reader->page->samples) return 0;
    reader->digits[reader->digit_count++] = (uint64_t)reader->page->stream->sector << 58 |
                                            (uint64_t)time_bin << 32 |
                                            (uint64_t)reader->pads[number] << 16 | adc;
    return 1;
}

/* A sample for each pad, packed without gaps. */
static inline int put_packed(Reader *reader, uint32_t time_bin, uint32_t bits) {
    const uint8_t *packed = take(reader, (reader->pad_count * bits + 7) / 8);
    if (!packed) return 0;
    for (uint32_t i = 0; i < reader->pad_count; i++) {
        uint32_t adc = u16_at(packed + i * bits / 8) >> i * bits % 8 & ((1u << bits) - 1);
        if (!put(reader, i, time_bin, adc)) return 0;
    }
    return 1;
}

static inline const uint16_t *pads_of_card(const Reader *reader, uint32_t card) {
    uint32_t region = reader->page->stream->endpoint / 2;
    return reader->input->pads + (region * CARDS + card) * CHANNELS_IN_LINK;
}

static inline int has_card(const Reader *reader, uint32_t card) {
    return card - reader->endpoint->first_card < reader->endpoint->cards;
}

/* Row formats: the pads of a row, sequence by sequence. */
static inline int list_row(Reader *reader, uint32_t row) {
    const uint8_t *count = take(reader, 1);
    const uint8_t *heads = count && *count ? take(reader, 2u * *count) : NULL;
    uint32_t pads_in_row = reader->input->pads_in_row[row], free = 0;
    reader->pad_count = 0;
    for (uint32_t i = 0; heads && i < *count; i++) {
        uint32_t first = heads[2 * i], end = heads[2 * i + 1];
        if (first < free || end <= reader->pad_count) return 0;
        if (first + (end - reader->pad_count) > pads_in_row) return 0;
        for (free = first; reader->pad_count < end; free++)
            reader->pads[reader->pad_count++] = (uint16_t)(row << 8 | free);
    }
    return heads != NULL;
}

/* The rows of a time bin; each begins where the one before ends. */
static inline int read_rows(Reader *reader, uint32_t time_bin) {
    const uint8_t *bytes = take(reader, 2);
    if (!bytes) return 0;
    uint32_t mask = u16_at(bytes), known = (1u << reader->endpoint->rows) - 1;
    uint32_t half = (reader->page->stream->endpoint & 1) << 15;
    if ((mask != 0 && (mask & 0x8000) != half) || mask & ~(known | 0x8000)) return 0;
    mask &= known;
    uint32_t rows = (uint32_t)__builtin_popcount(mask);
    const uint8_t *addresses = take(reader, rows ? 2 * (rows - 1) : 0);
    if (!addresses) return 0;
    for (uint32_t i = 0; mask; i++, mask &= mask - 1) {
        if (i > 0 && u16_at(addresses + 2 * (i - 1)) != reader->at) return 0;
        uint32_t row = reader->endpoint->first_row + (uint32_t)__builtin_ctz(mask);
        if (!list_row(reader, row)) return 0;
        if (!put_packed(reader, time_bin, reader->input->format == 1 ? 10 : 12)) return 0;
    }
    return 1;
}

static inline int read_row_page(Reader *reader) {
    for (uint32_t i = 0; i < reader->page->span; i++) {
        reader->at += reader->at & 1;
        if (!read_rows(reader, reader->page->first_time_bin + i)) return 0;
    }
    return 1;
}

/* Adds the pads of eight channels. */
static inline void list_channels(Reader *reader, const uint16_t *card, uint32_t group,
                                 uint32_t mask) {
    for (; mask; mask &= mask - 1)
        reader->pads[reader->pad_count++] = card[8 * group + (uint32_t)__builtin_ctz(mask)];
}

/* Link format: five samples in 8 bytes. */
static inline int put_words(Reader *reader, uint32_t time_bin, const uint8_t *words) {
    for (uint32_t i = 0; i < reader->pad_count; i++) {
        const uint8_t *word = words + i / 5 * 8;
        uint64_t samples = u32_at(word) | (uint64_t)u32_at(word + 4) << 32;
        if (!put(reader, i, time_bin, samples >> i % 5 * 12 & 0xfff)) return 0;
    }
    return 1;
}

static inline int read_link_page(Reader *reader) {
    const Page *page = reader->page;
    uint64_t previous = 0;
    for (uint32_t block = 0; block < page->blocks; block++) {
        const uint8_t *head = take(reader, 16);
        if (!head || head[15] != 0xfc || !has_card(reader, head[13])) return 0;
        uint32_t crossing = page->time_offset + (u16_at(head + 10) & 0xfff);
        uint64_t time_bin = (page->orbit_start + crossing) / BC_PER_TIME_BIN;
        if (crossing >= BC_PER_ORBIT || time_bin > page->last_time_bin) return 0;
        uint64_t key = (time_bin << 8 | head[13]) + 1;
        if (key <= previous) return 0;
        previous = key;
        reader->pad_count = 0;
        for (uint32_t group = 0; group < 10; group++)
            list_channels(reader, pads_of_card(reader, head[13]), group, head[group]);
        uint32_t data_words = (reader->pad_count + 9) / 10;
        if (head[11] >> 4 != (int)data_words) return 0;
        const uint8_t *words = take(reader, 16 * data_words);
        if (!words || !put_words(reader, (uint32_t)time_bin, words)) return 0;
    }
    return 1;
}

/* Dense link formats: the pads of a link, a byte for each eight channels that have any. */
static inline int list_link(Reader *reader, uint32_t *seen) {
    const uint8_t *first = take(reader, 1), *second;
    if (!first) return 0;
    uint32_t card = *first & 0x1f, groups = 0x3ff;
    if (!has_card(reader, card) || *seen >> card & 1) return 0;
    *seen |= 1u << card;
    if (!(*first & 0x20)) {
        if (!(second = take(reader, 1))) return 0;
        groups = (uint32_t)(*first >> 6) << 8 | *second;
    }
    for (; groups; groups &= groups - 1) {
        const uint8_t *mask = take(reader, 1);
        if (!mask) return 0;
        list_channels(reader, pads_of_card(reader, card), (uint32_t)__builtin_ctz(groups), *mask);
    }
    return 1;
}

static inline int read_block(Reader *reader, uint64_t *previous) {
    const Page *page = reader->page;
    const uint8_t *head = take(reader, 2);
    if (!head) return 0;
    uint32_t links = *head & 0xf, crossing = u16_at(head) >> 4, bits = 12, seen = 0;
    if (reader->input->format == 5) {
        bits = crossing & 1 ? 10 : 12;
        crossing &= 0xffc;
    }
    uint64_t time_bin = (page->orbit_start + crossing) / BC_PER_TIME_BIN;
    if (crossing >= BC_PER_ORBIT || time_bin < page->first_time_bin ||
        time_bin > page->last_time_bin || time_bin + 1 <= *previous)
        return 0;
    *previous = time_bin + 1;
    reader->pad_count = 0;
    for (uint32_t link = 0; link < links; link++)
        if (!list_link(reader, &seen)) return 0;
    return put_packed(reader, (uint32_t)time_bin, bits);
}

static inline int read_dense_page(Reader *reader) {
    const Page *page = reader->page;
    uint64_t previous = 0;
    for (uint32_t block = 0; block < page->blocks; block++) {
        if (!read_block(reader, &previous)) return 0;
        /* Only the last block may continue in the next page. */
        if (reader->at > page->end && block + 1 < page->blocks) return 0;
    }
    return reader->end - reader->at <= (page->continues ? 0 : MAX_PADDING);
}

/* Decodes a page; 0 if it is damaged. `buffer` is for two pages. */
static inline int read_page(const recobench_decode *input, const Page *page, const uint8_t *bytes,
                            uint8_t *buffer, uint64_t *digits) {
    Reader reader;
    reader.input = input;
    reader.page = page;
    reader.endpoint = &input->endpoint[page->stream->endpoint];
    reader.bytes = bytes;
    reader.at = page->start;
    reader.end = page->end + page->continuation;
    reader.digits = digits;
    reader.digit_count = 0;
    if (page->continues) {
        memcpy(buffer, bytes, page->end);
        memcpy(buffer + page->end, bytes + PAGE_BYTES + RDH_BYTES, page->continuation);
        reader.bytes = buffer;
    }
    int is_sound = is_by_row(input)  ? read_row_page(&reader)
                   : is_dense(input) ? read_dense_page(&reader)
                                     : read_link_page(&reader);
    return is_sound && reader.digit_count == page->samples;
}

#endif
