/* Clusters of the super-pixels of an event. A pixel of a pattern or a window is a bit of its
 * column, by its row. */
#ifndef EXAMPLES_VELO_CLUSTERS_H
#define EXAMPLES_VELO_CLUSTERS_H

#include "banks.h"

#include <string.h>

/* Columns of a part of the window, and its rows. */
enum { PART = 4, WINDOW_COLUMNS = 10, WINDOW_ROWS = 16 };

static inline int is_isolated(uint32_t word) { return word >> 31; }
static inline int column_of(uint32_t word) { return word >> 14 & 0x1ff; }
static inline int row_of(uint32_t word) { return word >> 8 & 0x3f; }
/* The four pixels of one of the two columns. */
static inline uint32_t pixels_of(uint32_t word, int column) { return word >> 4 * column & 15; }
static inline uint32_t sensor_of_word(const Banks *banks, const recobench_velo_bank *bank,
                                      uint32_t word) {
    return sensor_of(banks, bank, word >> 23 & 1);
}

/* Number of pixels, and sums of their columns and rows. */
typedef struct {
    uint32_t count, columns, rows;
} Pixels;

static inline void add_pixels(Pixels *pixels, uint32_t column, uint32_t first_row, uint32_t set) {
    for (uint32_t row = first_row; set; row++, set >>= 1) {
        if (!(set & 1)) continue;
        pixels->count++;
        pixels->columns += column;
        pixels->rows += row;
    }
}

/* The mean, of which the fraction is returned. */
static inline float divide(uint32_t sum, uint32_t count, uint32_t *whole) {
    *whole = sum / count;
    return (float)sum / (float)count - (float)*whole;
}

/* The cluster of pixels whose columns and rows count from those of a super-pixel on. */
static inline Cluster cluster_of(uint32_t sensor, Pixels pixels, int column, int row) {
    Cluster cluster = {.sensor = sensor};
    float row_fraction = 0;
    if (pixels.count > 0) {
        cluster.column_fraction = divide(pixels.columns, pixels.count, &cluster.column);
        row_fraction = divide(pixels.rows, pixels.count, &cluster.row);
    }
    cluster.column += column;
    cluster.row += row;
    cluster.y = (((float)cluster.row + 0.5f) + row_fraction) * 0.055f;
    return cluster;
}

/* Clusters of a flagged super-pixel, one or two; returns how many there are. */
static inline int clusters_of_pattern(uint32_t sensor, uint32_t word, Cluster clusters[2]) {
    uint32_t columns[2] = {pixels_of(word, 0), pixels_of(word, 1)}, rows = columns[0] | columns[1];
    int count = 0;
    do {
        /* The lowest row of the first column with pixels, then all rows next to it. */
        uint32_t first = columns[0] ? columns[0] : columns[1], own = first & -first;
        for (int step = 0; step < 3; step++) own |= (own << 1 | own >> 1) & rows;
        Pixels pixels = {0};
        for (int i = 0; i < 2; i++) {
            add_pixels(&pixels, i, 0, columns[i] & own);
            columns[i] &= ~own;
        }
        rows &= ~own;
        clusters[count++] = cluster_of(sensor, pixels, 2 * column_of(word), 4 * row_of(word));
    } while (rows);
    return count;
}

/* Bits of the pattern from which clusters may grow, at most two, that of the lower half first. */
static inline int candidates_of(Words words, uint32_t word, int bits[2]) {
    /* Four columns from those of the word on; its rows are 4 to 7. */
    uint32_t set[4] = {pixels_of(word, 0) << 4, pixels_of(word, 1) << 4};
    for (uint32_t i = 0; i < words.count; i++) {
        int east = column_of(words.word[i]) - column_of(word);
        int north = row_of(words.word[i]) - row_of(word);
        if (east < 0 || east > 1 || north < -1 || north > 1 || (east == 0 && north == 0)) continue;
        for (int column = 0; column < 2; column++)
            set[2 * east + column] |= pixels_of(words.word[i], column) << (4 + 4 * north);
    }
    int count = 0;
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 2; column++) {
            uint32_t east = set[column + 1];
            uint32_t near = set[column] >> 1 | east >> 1 | east | east << 1;
            if (pixels_of(word, column) >> row & ~(near >> (4 + row)) & 1)
                bits[count++] = 4 * column + row;
        }
    return count;
}

/* Pixels of the super-pixels of a sensor that have no flag, around a super-pixel. */
static inline void fill_window(const Banks *banks, const recobench_velo_bank *bank, uint32_t word,
                               uint16_t window[WINDOW_COLUMNS]) {
    Words words = words_of(banks, bank);
    uint32_t sensor = sensor_of_word(banks, bank, word);
    for (uint32_t i = 0; i < words.count; i++) {
        uint32_t other = words.word[i];
        int column = 2 * (column_of(other) - column_of(word) + 3);
        int row = 4 * (row_of(other) - row_of(word) + 2);
        if (is_isolated(other) || sensor_of_word(banks, bank, other) != sensor) continue;
        if (column < 0 || column >= WINDOW_COLUMNS || row < 0 || row >= WINDOW_ROWS) continue;
        for (int c = 0; c < 2; c++) window[column + c] |= pixels_of(other, c) << row;
    }
}

/* Pixels that can be reached in a step from those of a column and the two columns on each side.
 * Steps to the north-east and south-west are off by a row at the ends, as in the original. */
static inline uint32_t reached(const uint16_t cluster[PART], int column) {
    uint32_t from[5] = {0}; /* columns from two to the west to two to the east */
    for (int i = 0; i < 5; i++) {
        int c = column + i - 2;
        if (c >= 0 && c < PART) from[i] = cluster[c];
    }
    uint32_t west = from[1], own = from[2], east = from[3];
    uint32_t straight = own << 1 | own >> 1 | west | east;
    uint32_t north_west = east << 1, south_east = west >> 1;
    uint32_t north_east = (west & 0xfffc) << 1 | from[0] >> 15;
    uint32_t south_west = (east & 0x3fff) >> 1 | from[4] << 15;
    return straight | north_west | south_east | north_east | south_west;
}

/* Adds the pixels of a part of the window that can be reached. */
static inline void grow(const uint16_t part[PART], uint16_t cluster[PART]) {
    for (int is_growing = 1; is_growing;) {
        is_growing = 0;
        for (int column = 0; column < PART; column++) {
            uint16_t found = reached(cluster, column) & part[column] & ~cluster[column];
            cluster[column] |= found;
            is_growing |= found != 0;
        }
    }
}

/* These rows and those next to them. */
static inline uint32_t widened(uint32_t rows) { return rows | rows << 1 | rows >> 1; }

/* Finds the cluster of a candidate; 0 if another candidate makes it, or none does. */
static inline int find_cluster(const Banks *banks, const recobench_velo_bank *bank, uint32_t word,
                               int bit, Cluster *cluster) {
    uint16_t window[WINDOW_COLUMNS] = {0}, main[PART] = {0}, west[PART] = {0};
    int column = 2 + bit / 4, row = 8 + bit % 4;
    fill_window(banks, bank, word, window);
    main[column] = (uint16_t)(1 << row);
    grow(window + PART, main);
    if (widened(main[PART - 1]) & window[2 * PART]) return 0;
    if (main[column] >> (row + 1)) return 0;
    for (int i = 0; i < PART; i++)
        if ((i > column && main[i]) || main[i] & 0x8001) return 0;
    west[PART - 1] = (uint16_t)(widened(main[0]) & window[PART - 1]);
    grow(window, west);
    if (west[0] || (west[1] | west[2] | west[3]) & 0x8000) return 0;
    /* Columns and rows on the sensor: what is divided is rounded. */
    uint32_t first_column = 2 * (uint32_t)column_of(word) - 6;
    uint32_t first_row = 4 * (uint32_t)row_of(word) - 8;
    Pixels pixels = {0};
    for (uint32_t i = 0; i < PART; i++) {
        add_pixels(&pixels, first_column + i, first_row, west[i]);
        add_pixels(&pixels, first_column + PART + i, first_row, main[i]);
    }
    *cluster = cluster_of(sensor_of_word(banks, bank, word), pixels, 0, 0);
    return 1;
}

/* Writes the clusters of flagged super-pixels of a pair of modules; returns their number. */
static inline uint32_t write_flagged(Banks banks, const recobench_velo_hits *hits, uint32_t slot) {
    uint32_t first = slot;
    for (const recobench_velo_bank *bank = banks.next; bank < banks.end; bank++) {
        Words words = words_of(&banks, bank);
        for (uint32_t w = 0; w < words.count; w++) {
            Cluster clusters[2];
            uint32_t word = words.word[w];
            if (!is_isolated(word)) continue;
            int count = clusters_of_pattern(sensor_of_word(&banks, bank, word), word, clusters);
            for (int i = 0; i < count; i++) write_hit(banks.input, &clusters[i], hits, slot++);
        }
    }
    return slot - first;
}

/* Writes the clusters of the candidates of a pair of modules; returns the number of candidates. */
static inline uint32_t write_grown(Banks banks, const recobench_velo_hits *hits,
                                   recobench_velo_pair *pair) {
    uint32_t candidates = 0;
    for (const recobench_velo_bank *bank = banks.next; bank < banks.end; bank++) {
        Words words = words_of(&banks, bank);
        for (uint32_t w = 0; w < words.count; w++) {
            int bits[2];
            if (is_isolated(words.word[w])) continue;
            int count = candidates_of(words, words.word[w], bits);
            candidates += count;
            for (int i = 0; i < count; i++) {
                Cluster cluster;
                if (find_cluster(&banks, bank, words.word[w], bits[i], &cluster))
                    write_hit(banks.input, &cluster, hits, pair->start + pair->count++);
            }
        }
    }
    return candidates;
}

/* Writes the hits of an event, not sorted yet, from its first slot on, and its pairs of modules.
 * A pair has a slot for each cluster of a flagged super-pixel, and for each candidate. */
static inline void find_clusters(Banks banks, const recobench_velo_hits *hits,
                                 recobench_velo_pair *pairs) {
    uint32_t slots = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        Banks own = take_pair(&banks, i);
        pairs[i].start = slots;
        pairs[i].count = write_flagged(own, hits, slots);
        slots += pairs[i].count;
        slots += write_grown(own, hits, &pairs[i]);
    }
}

#endif
