/* recobench.h: bring your own variant or your own task, as a shared library.
 *
 *   bench sort --plugin ./libmine.so
 *
 * A plugin exports two functions, recobench_plugin_abi and recobench_plugin. The
 * second one gives a table of variants: what each is called, where it runs, and
 * the functions that bench calls. Plain C, so any language can do it; example.c is
 * a complete plugin, examples/ has one for each task, and plugin.md says what is checked.
 *
 * For each variant and input, bench calls
 *
 *   prepare   once: look at the shape of the input, get ready
 *   memory    once: how much memory is needed
 *   then for each sample
 *     reset     not timed; the input is fresh
 *     run       timed
 *     output    where the result lies
 *   release   once
 *
 * Calls come one at a time, on any thread. None of them may throw.
 *
 * A library that brings a task exports recobench_plugin_tasks, too: see recobench_task.
 */
#ifndef RECOBENCH_H
#define RECOBENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. Plugins that were compiled with version 1, which knew "sort"
 * and "gather" only, or with version 2, which knew no tasks but those of bench, run unchanged. */
#define RECOBENCH_ABI 3u

#define RECOBENCH_EXPORT __attribute__((visibility("default")))

/* Where a variant runs. */
enum {
    RECOBENCH_CPU = 1, /* buffers are in the host's memory */
    RECOBENCH_CUDA = 2 /* buffers are in a GPU's memory, work goes into a stream */
};

/* Which buffers a variant uses. */
enum {
    RECOBENCH_SEPARATE = 0, /* reads the input, which it leaves alone, and writes the output */
    RECOBENCH_EITHER = 1,   /* writes both; output() says where the result is */
    RECOBENCH_IN_PLACE = 2, /* has the input only, and leaves the result there */
    RECOBENCH_TO_HOST = 3   /* on a GPU, of a "gather": brings the result to the host itself */
};

/* Which right answer, where published algorithms differ: see sts-chain.md. Bits. */
enum {
    RECOBENCH_EXACT = 1,     /* what all other tasks know */
    RECOBENCH_PUBLISHED = 2, /* what the online reconstruction computes (--compat) */
    RECOBENCH_OFFLINE = 4    /* what the offline reconstruction computes, in double precision */
};

/* In which order things are taken or left, where a variant chooses. */
enum {
    RECOBENCH_USUAL_ORDER = 0,
    RECOBENCH_BY_TIME = 1 /* "cluster": takes digis in order of time, not of channel and time.
                           * "collect": leaves the hits of each module in order of time.
                           * "unpack": digis are wanted in order of time (recobench_unpack.order) */
};

/* What a call answers. */
enum {
    RECOBENCH_OK = 0,
    RECOBENCH_UNAVAILABLE = 1, /* prepare only: not on this machine, or not on such an input */
    RECOBENCH_FAILED = 2
};

/* What output() answers. */
enum {
    RECOBENCH_INPUT_BUFFER = 1,
    RECOBENCH_OUTPUT_BUFFER = 2
};

/* What bench offers. Valid during the call that it is given to. */
typedef struct recobench_host {
    size_t size;      /* of this struct */
    uint32_t workers; /* threads of the team */
    int32_t device;   /* the GPU's number; -1 on the host */
    void *stream;     /* the cudaStream_t for all work; NULL on the host */

    /* What memory() asked for, in reset and run: on the host or on the GPU, aligned
     * to 64 or 256 bytes, with any content. */
    void *scratch;
    uint64_t scratch_bytes;

    /* Runs work(argument, worker, workers) once on each thread of the team, and
     * waits. They run at the same time. The threads are where --places and --bind
     * put them, so start none of your own. In prepare, reset and run; not from
     * within work; elsewhere there is one worker. */
    void (*parallel)(const struct recobench_host *host,
                     void (*work)(void *argument, uint32_t worker, uint32_t workers),
                     void *argument);

    /* From here on, until the next call or the end of run, a stage of this name is
     * timed, and gets a row of its own. On a GPU it is what was put into the stream.
     * Letters, digits, '-' and '_', 32 at most; not total, kernel, h2d, d2h, memset. */
    void (*stage)(const struct recobench_host *host, const char *name);

    /* Why a call does not answer RECOBENCH_OK, in words, before it returns. */
    void (*explain)(const struct recobench_host *host, const char *reason);
} recobench_host;

/* Memory that a variant needs besides the buffers of its task. */
typedef struct recobench_memory {
    size_t size;            /* of this struct */
    uint64_t scratch_bytes; /* to be provided by bench: see recobench_host */
    uint64_t own_bytes;     /* that the variant allocates itself, at most at a time */
} recobench_memory;

/* Lists of items in one array, to be read or to be written: of each, where its first item is
 * and how many there are. Between them may be gaps, unless a task says otherwise; they don't
 * overlap.
 *
 * Of lists that are to be written, run writes all begins and counts, also of empty lists.
 * There is room for `capacity` items of all lists together; where that is not as many as
 * there are, a run that needs more answers RECOBENCH_FAILED. */
typedef struct recobench_lists {
    uint64_t lists;
    uint64_t capacity; /* items that there are in the array, or room for */

    /* In reset and run only, NULL before. On the host aligned to 64 bytes, on a GPU, and in its
     * memory, to 256. */
    void *items;
    uint64_t *begins; /* of each list */
    uint64_t *counts;

    /* Of lists that are to be read: the same on the host, also in prepare; else NULL. */
    const uint64_t *host_begins;
    const uint64_t *host_counts;
} recobench_lists;

/* The input of the task "sort": digis in segments, one segment for each module side.
 * The digis of each segment are to be sorted in ascending order of channel, then of
 * time; segments stay where they are.
 *
 * A digi has 64 bits. From the lowest: 31 of time in ns, the highest bit of the
 * address, 5 of charge, 11 of channel, the lower 16 bits of the address. */
typedef struct recobench_sort {
    size_t size;             /* of this struct */
    uint64_t digis;          /* in all segments */
    uint64_t segments;       /* some may be empty */
    const uint64_t *offsets; /* where each segment begins, then the end: on the host */

    /* In reset and run only, NULL before. On the host aligned to 64 bytes, on a GPU
     * to 256. */
    const uint64_t *device_offsets; /* the same as offsets on the GPU; NULL on the host */
    uint64_t *input;                /* the digis */
    uint64_t *output;               /* room for as many; NULL for RECOBENCH_IN_PLACE */
} recobench_sort;

/* For recobench_variant.omits of a sort: the address of a digi is lost, the bits where
 * it was have any value. It is compared on segment, channel, time and charge. */
#define RECOBENCH_SORT_ADDRESS 1u

/* What an array of a "gather" has an entry for, and what its pieces are. */
enum {
    RECOBENCH_PER_ROW = 0,        /* each row of each sector: one piece, without gaps */
    RECOBENCH_PER_TRACK = 1,      /* each track: one piece, without gaps */
    RECOBENCH_PER_ATTACHED = 2,   /* each cluster on a track: a piece for each track */
    RECOBENCH_PER_DIFFERENCE = 3, /* each of these but the first of its track: as above, but
                                   * the first entry of each piece is left out */
    RECOBENCH_PER_UNATTACHED = 4  /* each cluster on no track: a piece for each row */
};

/* An array of a "gather". */
typedef struct recobench_gather_array {
    uint64_t source_offset; /* the byte of source at which it begins: a multiple of 256 */
    uint64_t output_offset; /* the same in output */
    uint64_t output_bytes;  /* of all of it without gaps */
    uint32_t entry_bytes;   /* of an entry: 1, 2 or 4 */
    uint32_t per;           /* RECOBENCH_PER_ROW, ... */
} recobench_gather_array;

/* The input of the task "gather": properties of clusters in several arrays, each in pieces.
 * The pieces of each array are to be put behind each other, in the order of their tracks or
 * rows.
 *
 * The piece of a track begins at the entry that track_starts has for it, the piece of a row
 * at that of row_starts. How many clusters each has lies in the source: in the array
 * track_counts, with 2 bytes a track, and in row_counts, with 4 bytes a row. Each track has
 * one at least, a row may have none. Where pieces go is to be found out by run. */
typedef struct recobench_gather {
    size_t size; /* of this struct */
    uint64_t tracks;
    uint64_t rows;         /* of all sectors; may be 0 */
    uint64_t source_bytes; /* more than up to the end of the last array, by 256 at least */
    uint64_t output_bytes; /* as above */
    uint64_t array_count;
    const recobench_gather_array *arrays; /* on the host */
    uint64_t track_counts;                /* which of the arrays has these numbers */
    uint64_t row_counts;
    const uint32_t *track_starts; /* on the host */
    const uint32_t *row_starts;   /* on the host */

    /* In reset and run only, NULL before. On the host aligned to 64 bytes, on a GPU to 256. */
    const uint32_t *device_track_starts; /* the same on the GPU; NULL on the host */
    const uint32_t *device_row_starts;   /* the same on the GPU; NULL on the host */
    const uint8_t *source;               /* all arrays with gaps; on a GPU in its memory */
    uint8_t *output;                     /* all arrays without gaps, in the same memory; what
                                          * is between arrays does not count. bench copies it
                                          * from the GPU. NULL for RECOBENCH_TO_HOST */
    uint8_t *host_output;                /* for RECOBENCH_TO_HOST in its place, else NULL: in
                                          * page-locked memory of the host, which kernels
                                          * reach by the same address */
} recobench_gather;

/* The input of the task "noisy-pads": for each sector a map of charges. Which pads are noisy is
 * said in noisy-pads.md.
 *
 * A map has an entry of 16 bits for each pad and time bin: the charge in sixteenths of an ADC
 * unit, 0 if there is none. Pad p of row r is in column 152 r + p + 8, time bin t in line t + 4,
 * and
 *   entry = (line / 4 * 2889 + column / 8) * 32 + line % 4 * 8 + column % 8
 * All other entries are 0. */
typedef struct recobench_noisy_pads {
    size_t size; /* of this struct */
    uint64_t sectors;
    uint64_t time_bins;
    uint64_t map_entries;  /* of each sector; the maps are behind each other */
    uint64_t rows;         /* of each sector */
    uint64_t pads;         /* of each sector, in all rows */
    uint32_t most_charges; /* a pad is noisy that has charge in more time bins */
    uint32_t most_run;     /* or in more time bins in a row */
    uint32_t saturation;   /* but not if its largest charge is above this; all as in the map */

    /* In reset and run only, NULL before. On the host aligned to 64 bytes, on a GPU, and in its
     * memory, to 256. */
    const uint16_t *charges;
    const uint32_t *pads_in_row;          /* of each row */
    struct recobench_pad_activity *found; /* to be written: the pads of each sector by row */

    /* The same as pads_in_row on the host, also in prepare. Plugins that read it need a bench
     * whose struct has it: see `size`. */
    const uint32_t *host_pads_in_row;
} recobench_noisy_pads;

/* What a pad did. */
typedef struct recobench_pad_activity {
    uint16_t charges;     /* time bins with charge */
    uint16_t longest_run; /* the most of them that follow each other */
    uint16_t largest;     /* charge, as in the map */
    uint16_t noisy;       /* 1 or 0 */
} recobench_pad_activity;

/* No slice track: the end of a chain, no neighbour, no link. */
#define RECOBENCH_NONE 0xffffffffu

/* What "merge" wants to know of a slice track. */
typedef struct recobench_slice_track {
    float q_over_pt; /* charge over transverse momentum, in c/GeV */
    float zt_min;    /* its extent along the drift */
    float zt_max;
    uint32_t n_clusters;
} recobench_slice_track;

/* How a slice track belongs to others, by their numbers or RECOBENCH_NONE. */
typedef struct recobench_relations {
    uint32_t segment_prev;  /* the piece before it on the same leg */
    uint32_t segment_next;  /* the piece behind it */
    uint32_t neighbours[2]; /* of heads: those of the legs below and above */
} recobench_relations;

/* The input of the task "merge": slice tracks, what is known of how they belong together, and
 * links. All links are to be followed in ascending order of the slice track that has them, as
 * tpc-merge-gather.md says. */
typedef struct recobench_merge {
    size_t size; /* of this struct */
    uint64_t tracks;

    /* In reset and run only, NULL before. On the host aligned to 64 bytes, on a GPU, and in its
     * memory, to 256. */
    recobench_relations *relations;      /* before; with RECOBENCH_IN_PLACE, then after */
    const recobench_slice_track *slices; /* what is known of each */
    const uint32_t *links;               /* of each the one that it should be joined with, or
                                          * RECOBENCH_NONE */
    recobench_relations *merged;         /* to be written: after. NULL for RECOBENCH_IN_PLACE */
} recobench_merge;

/* One side of a module of the STS. */
typedef struct recobench_sts_side {
    double stereo;  /* angle of the strips against the vertical, in degrees */
    double lorentz; /* shift of the charge by the magnetic field, in cm */
    double tangent; /* of the angle, and below in single precision: as our formulas have them,
                     * for libraries differ in the last bit */
    double cosine;
    float tangent_single;
    float cosine_single;
} recobench_sts_side;

/* A module of the STS: a sensor with 1024 strips on either side. */
typedef struct recobench_sts_module {
    double height; /* of the active area, in cm */
    double pitch;  /* from one strip to the next along the edge, in cm */
    recobench_sts_side front;
    recobench_sts_side back;
    double rotation[9];    /* from sensor to global coordinates, row by row */
    double translation[3]; /* the centre in global coordinates, in cm */
    uint64_t address;      /* the full one, of 32 bits: 4 to 20 are those that digis have */
} recobench_sts_module;

/* The STS. */
typedef struct recobench_sts_setup {
    size_t size;            /* of this struct */
    uint64_t steps;         /* of the converter */
    double dynamic_range;   /* from the lowest to the highest step, in electrons */
    double threshold;       /* the foot of the lowest step, in electrons */
    double noise;           /* standard deviation of a charge, in electrons */
    double time_resolution; /* standard deviation of a time, in ns */
    double dead_time;       /* of a channel after a digi, in ns */

    /* How near in time things must be: in ns if above 0, else in standard deviations. Without
     * either there are no hits. */
    double digi_cut; /* between neighbouring digis of a cluster */
    double digi_cut_deviations;
    double cluster_cut; /* between the clusters of a hit */
    double cluster_cut_deviations;

    /* How wide the distribution of charges is, in electrons: at 0, width_step, 2 width_step ... */
    double width_step;
    uint64_t widths;
    const double *width; /* in reset and run only, NULL before */

    /* What follows in single precision for each step: charge in electrons, and its variance. */
    float charges[32];
    float variances[32];

    const recobench_sts_module *module; /* in reset and run only, NULL before */
} recobench_sts_setup;

/* A cluster. */
typedef struct recobench_cluster {
    float charge;         /* in electrons */
    int32_t size;         /* strips */
    float position;       /* in channels; on the back side, 1024 more */
    float position_error; /* standard deviation */
    uint32_t time;        /* in ns */
    float time_error;     /* standard deviation */
} recobench_cluster;

/* A hit. Coordinates are global ones, in cm. */
typedef struct recobench_hit {
    float x, y, z;
    uint32_t time;         /* in ns */
    float dx, dy, dz, dxy; /* standard deviations, and the covariance of x and y in cm^2 */
    float time_error;      /* standard deviation, in ns */
    float du, dv;          /* standard deviations across the strips of front and back */
    uint32_t address;      /* of the module, the full one */
} recobench_hit;

/* The same for RECOBENCH_OFFLINE, and a digi, in the same units. */
typedef struct recobench_offline_digi {
    uint64_t time;    /* in ns */
    uint32_t address; /* of the module, the full one */
    uint16_t channel; /* on its side */
    uint16_t adc;     /* charge in ADC units */
} recobench_offline_digi;

typedef struct recobench_offline_cluster {
    double charge, position, position_error, time, time_error;
    uint32_t size;
    uint32_t address;
} recobench_offline_cluster;

typedef struct recobench_offline_hit {
    double x, y, z, dx, dy, dz, dxy, time, time_error, du, dv;
    uint64_t address;
} recobench_offline_hit;

/* The input of the tasks of the STS chain, one or several timeslices of a detector.
 * sts-chain.md says what is to be done.
 *
 *   task            input                                     output
 *   "presort"       digis, a list for each timeslice          digis, a list for each side
 *   "cluster"       digis, a list for each side               clusters, a list for each side
 *   "cluster-sort"  clusters, a list for each side            the same, by time
 *   "hits"          the same, by time                         hits, a list for each module
 *   "collect"       hits, a list for each module, with gaps   the same, without gaps
 *   "sts"           as "presort"                              clusters, a list for each side;
 *                                                             `hits`, a list for each module
 *
 * Lists of sides are timeslice by timeslice the fronts of all modules, then the backs; lists of
 * modules timeslice by timeslice all modules. Times count from the beginning of the timeslice.
 *
 * Digis have 64 bits, as those of "sort". In the input of "presort" and "sts" their channels are 0
 * to 2047, those of the back behind those of the front, and they are in the order in which they
 * are read out, by time; everywhere else channels are 0 to 1023. In the input of "cluster" they
 * are in order of channel, then time, then charge; with RECOBENCH_BY_TIME or
 * RECOBENCH_OFFLINE they are as "presort" leaves them, in the order of the stream. With
 * RECOBENCH_OFFLINE "presort" leaves recobench_offline_digi.
 *
 * Whatever else is left may be in any order within its list: the digis of "presort" only if
 * stable is 0, the clusters of "cluster-sort" in order of time, as the hits of "collect" with
 * RECOBENCH_BY_TIME. The capacity of `output` is as many as there are, of clusters that are to be
 * found as many as there are digis, and of hits that are to be found more than there are. */
typedef struct recobench_sts {
    size_t size; /* of this struct */
    uint64_t timeslices;
    uint64_t modules;
    uint32_t semantics;               /* which right answer: RECOBENCH_EXACT, ... */
    uint32_t order;                   /* as the variant has it */
    const recobench_sts_setup *setup; /* on the host, but for its arrays, which are NULL before
                                       * reset */
    recobench_lists input;            /* uint64_t digis, recobench_cluster, recobench_hit, or
                                       * what RECOBENCH_OFFLINE has in their place */
    recobench_lists output;
    recobench_lists hits;             /* of "sts" only, else there are none */
} recobench_sts;

/* Whose digis are the right ones of an "unpack" (--semantics). */
enum {
    RECOBENCH_CURRENT_RULES = 0, /* the experiment's code of January 2026 */
    RECOBENCH_RULES_OF_2023 = 1  /* that of September 2023 */
};

/* The board of a microslice that is not unpacked: it has no digis, and all its counts are 0. */
#define RECOBENCH_NO_BOARD 0xffffffffu

/* A microslice, from its descriptor. */
typedef struct recobench_microslice {
    uint64_t first_byte;    /* of its content, at any alignment; contents may share bytes */
    uint64_t index;         /* its start, in ns of Unix time */
    uint64_t first_epoch;   /* epoch in which its timeslice starts, counted from the start of Unix
                             * time */
    uint64_t first_message; /* messages of all microslices before it, bytes / 4 of each: where each
                             * message has a slot, its first one */
    uint32_t bytes;         /* of its content */
    uint32_t board;         /* index of its tables, or RECOBENCH_NO_BOARD */
} recobench_microslice;

/* An e-link, by which an ASIC of a module is read out: what digis have instead of the bits of its
 * hits, and corrections. */
typedef struct recobench_elink {
    uint64_t address;       /* of the module, in the bits of a digi that it has; all others are 0 */
    uint64_t time_offset;   /* subtracted from times, in ns; it wraps */
    double walk_ns[32];     /* added to times, in ns: walk_ns[adc - 1] */
    uint32_t walks;         /* ADC values with a correction: from 1 to this */
    uint32_t cut;           /* hits with ADC values up to this are dropped */
    uint32_t masked[4];     /* a bit for each channel of the ASIC: 1 if its hits are dropped */
    uint16_t charges[32];   /* charge in a digi, of each ADC value */
    uint16_t channels[128]; /* channel in a digi, of each channel of the ASIC */
} recobench_elink;

/* Counts of a microslice: see unpack.md. */
typedef struct recobench_microslice_counts {
    uint32_t digis;
    uint32_t other;     /* messages after the first two that are neither hits nor TS_MSB */
    uint32_t elink;     /* hits of e-links that the board does not have */
    uint32_t first;     /* 1 if the first two messages are not an epoch and a TS_MSB */
    uint32_t size;      /* 1 if its size is not a multiple of 4, or below 8 */
    uint32_t overflow;  /* hits out of the range of times; by the current rules undefined ones too */
    uint32_t undefined; /* hits that the experiment's code leaves open */
} recobench_microslice_counts;

/* The input of the task "unpack": raw data of the STS, and the tables of their boards. unpack.md has
 * the rules of epochs and hits. Descriptors have been looked up: there is a microslice for each one
 * of the components that are unpacked.
 *
 * The digis of all microslices are to be written one after the other, in the order of microslices
 * and messages; with RECOBENCH_BY_TIME those of each timeslice in order of time, those of equal times
 * in any order. Their number is the sum of the counts. What comes after them may hold anything; from
 * a GPU it is copied back, too.
 *
 * Digis have 64 bits, as those of "sort". Channels are 0 to 2047; charges above 31 run into them. */
typedef struct recobench_unpack {
    size_t size; /* of this struct */
    uint64_t timeslices;
    uint64_t microslices;
    uint64_t messages; /* of all microslices: a digi of each is the most that there can be */
    uint64_t data_bytes;
    uint64_t boards;
    uint32_t rules; /* RECOBENCH_CURRENT_RULES, ... */
    uint32_t order; /* RECOBENCH_USUAL_ORDER, or RECOBENCH_BY_TIME (--order time) */
    const recobench_microslice *host_microslice; /* of each, on the host, also in prepare */

    /* In reset and run only, NULL before. On the host aligned to 64 bytes, on a GPU, and in its
     * memory, to 256. */
    const uint8_t *data; /* messages of 4 bytes in contents; descriptors, and gaps */
    const recobench_microslice *microslice; /* the same as host_microslice */
    const uint64_t *first_microslice; /* of each timeslice, then the number of microslices */
    const uint32_t *elinks;           /* number of e-links of each board */
    const recobench_elink *elink;     /* 64 of each board; those after its last one are 0 */

    /* To be written. */
    recobench_microslice_counts *counts; /* of each microslice */
    uint64_t *digis;                     /* room for a digi of each message */
} recobench_unpack;

/* What pages are decoded to (--output), and how the work is to be shared (--parallel). */
enum { RECOBENCH_DIGITS = 0, RECOBENCH_CHARGE_MAP = 1 };
enum { RECOBENCH_SECTORS = 0, RECOBENCH_PAGES = 1 };

/* Pages of an endpoint that follow each other in time. */
typedef struct recobench_page_stream {
    uint64_t first_page;
    uint64_t pages;
    uint32_t sector;   /* 0 to 35 */
    uint32_t endpoint; /* 0 to 19: twice the region, and 1 for the second one */
    uint64_t map;      /* the number of its sector among those that have maps */
} recobench_page_stream;

/* What an endpoint sends: rows of the sector in the row formats, cards of the region in the
 * others. */
typedef struct recobench_endpoint {
    uint32_t first_row;
    uint32_t rows;
    uint32_t first_card;
    uint32_t cards;
} recobench_endpoint;

/* Where a charge is in the map of its sector: its column, and its line. A sample outside the
 * fragment has column 0 and time -1. */
typedef struct recobench_position {
    int16_t column;
    int16_t time;
} recobench_position;

/* The input of the task "decode": raw pages of 8192 bytes, as tpc-pages.md has them, of which any
 * bit may be wrong. tpc-decoding.md says which pages are to be rejected, and what is to be made of
 * the others.
 *
 * A digit has 64 bits. From the lowest: 16 of ADC value, as in the page, 8 of pad, 8 of row, 26 of
 * time bin from the beginning of the time frame, 6 of sector.
 *
 * For RECOBENCH_CHARGE_MAP, pages are decoded for each fragment that the time bins of any page with
 * sound headers touch, in order of time: fragment f has the time bins from f * (fragment - 16) on.
 * The map of each sector, as in "noisy-pads", is cleared before each fragment; those of the last
 * one are compared. */
typedef struct recobench_decode {
    size_t size;          /* of this struct */
    uint32_t format;      /* of all pages: 1 to 5; others are damaged */
    uint32_t output;      /* RECOBENCH_DIGITS, ... */
    uint32_t sharing;     /* RECOBENCH_SECTORS, ... */
    uint32_t first_orbit; /* that of time bin 0 */
    uint32_t orbits;      /* pages of later ones are damaged */
    uint32_t fragment;    /* time bins of a fragment */
    uint64_t pages;
    uint64_t streams;
    uint64_t sectors;     /* that have pages */
    uint64_t map_entries; /* of each of them; 0 for RECOBENCH_DIGITS */

    /* In reset and run only, NULL before. */
    const uint8_t *bytes;                /* of all pages */
    const recobench_page_stream *stream; /* of each, in the order of its pages */
    const recobench_endpoint *endpoint;  /* of each of the 20 */
    const uint16_t *pads;                /* of each region 20 cards of 80 channels: row * 256 +
                                          * pad */
    const uint32_t *pads_in_row;         /* of each of the 152 rows */
    const float *gains;                  /* of each of 36 sectors 23112 columns */

    /* To be written. */
    uint8_t *damaged;        /* of each page 1 if it is rejected, else 0 */
    uint16_t *charges;       /* the maps of the sectors; room for none for RECOBENCH_DIGITS */
    recobench_lists samples; /* one list: uint64_t digits, or recobench_position of all fragments,
                              * in the order of the pages if stable is 1. There is room for as
                              * many as sound headers announce */
} recobench_decode;

/* Hits of a pair of modules of the VELO: its first slot in the event, and the number of hits in
 * this slot and those after it. */
typedef struct recobench_velo_pair {
    uint32_t start;
    uint32_t count;
} recobench_velo_pair;

/* Hits by slot, those of all events. Slots after the hits of a pair hold anything. */
typedef struct recobench_velo_hits {
    uint32_t *ids; /* identifiers; bits 20 to 25 are the module */
    float *x;      /* in mm */
    float *y;
    float *z;
    int16_t *phi; /* angles around the beam in units of pi / 32768 */
} recobench_velo_hits;

/* A hit of a track. */
typedef struct recobench_velo_track_hit {
    uint32_t slot; /* in the event */
    uint32_t id;
    float position[3];
} recobench_velo_track_hit;

/* The input of "velo-sort" and "velo-tracks": hits of events in LHCb's vertex locator. velo.md
 * has the rules; results have to be the same to the last bit (-ffp-contract=off).
 *
 * "velo-sort": the hits of each of the 26 pairs of modules of each event are to be sorted in
 * ascending order of (phi, identifier), those that are equal stay in order; they keep the slots of
 * their pair.
 *
 * "velo-tracks": tracks are to be found in sorted hits. Of each event first those of four and more
 * hits, then those of three; the hits of a track from high to low z. */
typedef struct recobench_velo {
    size_t size; /* of this struct */
    uint64_t events;
    uint64_t batch;     /* events that are processed together, from the first on */
    uint64_t slots;     /* of all events */
    uint64_t max_slots; /* of an event, at most */

    /* In reset and run only, NULL before. On the host aligned to 64 bytes, on a GPU, and in its
     * memory, to 256. */
    const uint32_t *event_slots;      /* the first slot of each event, and the end of the last */
    const recobench_velo_pair *pairs; /* 26 of each event */
    recobench_velo_hits hits;         /* to be read */
    const float *module_z;            /* of each of the 52 modules, in mm */

    recobench_velo_hits sorted; /* of "velo-sort", to be written; else NULL */

    /* Of "velo-tracks", to be written: a list for each event, of the number of hits of each track
     * (uint32_t), and of the hits, track by track. */
    recobench_lists tracks;
    recobench_lists track_hits; /* of recobench_velo_track_hit */

    /* Cuts of "velo-tracks": half width of a window in units of pi / 32768, 0 to 16384 (469 unless
     * --phi-tolerance is given), and the limit of a hit's scatter in mm^2 (0.08 unless --max-scatter
     * is given). Not in the first headers of version 3; a plugin that has constants in their place
     * is wrong with other cuts, which the check reports. */
    int32_t phi_tolerance;
    float max_scatter;
} recobench_velo;

/* Contents of the VELO's raw banks. */
enum { RECOBENCH_SUPER_PIXELS = 0, RECOBENCH_RETINA_CLUSTERS = 1 };

/* A raw bank of the VELO, without its header: velo-files.md has the bits of its words.
 *
 * Of versions 2 and 3 the first word is the number n of those that count: the n after it. A bank
 * without any words has none. Of version 4 all words count; such a bank has the words of two
 * sensors, 2 * (source % 512) and the next one. */
typedef struct recobench_velo_bank {
    uint32_t first_word; /* among those of all banks */
    uint16_t words;
    uint16_t source; /* the sensor; of version 4 see above */
} recobench_velo_bank;

/* The raw banks of an event: valid, in order of their pairs of modules, at most one of a source.
 * Pair of modules p has the sensors from 8 * p on. */
typedef struct recobench_velo_event {
    uint32_t first_bank; /* among those of all events */
    uint16_t banks;
    uint8_t kind;    /* RECOBENCH_SUPER_PIXELS or RECOBENCH_RETINA_CLUSTERS */
    uint8_t version; /* of its banks: 2, 3 or 4 */
} recobench_velo_event;

/* The input of "velo-cluster", "velo-decode" and "velo": raw banks of LHCb's vertex locator.
 * velo.md has the rules; results have to be the same to the last bit (-ffp-contract=off).
 *
 * "velo-cluster": clusters of super-pixels are to be found, those of a pair of modules in any
 * order. "velo-decode": retina clusters are to be decoded, the hits of a pair of modules in
 * ascending order of (phi, identifier), those that are equal in order of their words. "velo":
 * events of both kinds; hits in that order, and tracks. */
typedef struct recobench_velo_banks {
    size_t size; /* of this struct */
    uint64_t events;
    uint64_t batch;     /* events that are processed together, from the first on */
    uint64_t banks;     /* of all events */
    uint64_t words;     /* of all banks */
    uint64_t slots;     /* of all events */
    uint64_t max_slots; /* of an event, at most */

    /* In reset and run only, NULL before. On the host aligned to 64 bytes, on a GPU, and in its
     * memory, to 256. */
    const recobench_velo_event *event;
    const recobench_velo_bank *bank;
    const uint32_t *word;
    const uint32_t *event_slots; /* the first slot of each event, and the end of the last. An event
                                  * has two for each super-pixel and one for each word of retina
                                  * clusters that counts, which is enough */
    const float *module_z;        /* of each of the 52 modules, in mm */
    const float *column_x;        /* local x of the centre of each of the 768 columns, in mm */
    const float *column_pitch;    /* width of each of the 768 columns, in mm */
    const float *transformations; /* of the 208 sensors, 12 each: T0 to T11 */

    /* To be written. */
    recobench_velo_pair *pairs; /* 26 of each event, also those without hits */
    recobench_velo_hits hits;   /* slots without a hit may hold anything */

    /* Of "velo", to be written as by "velo-tracks"; else all is 0 or NULL. */
    recobench_lists tracks;
    recobench_lists track_hits;

    /* Cuts of "velo", as of "velo-tracks". */
    int32_t phi_tolerance;
    float max_scatter;
} recobench_velo_banks;

/* A variant. `input` points to the struct of the task: recobench_sort, recobench_sts, ...
 * Functions that may be NULL have nothing to do then. */
typedef struct recobench_variant {
    size_t size;         /* of this struct */
    const char *task;    /* "sort", ... */
    const char *name;    /* "my-sort": lower case, digits and dashes */
    const char *summary; /* what it does, with its source, in a line */
    uint32_t backend;    /* RECOBENCH_CPU or RECOBENCH_CUDA */
    uint32_t buffers;    /* RECOBENCH_SEPARATE, ... */
    uint32_t stable;     /* 1 if equal keys keep their order, else 0: of "sort", "presort",
                          * "decode". Of "gather", "merge", "noisy-pads", "unpack" always 1, as
                          * each item has an index of its own; of all others 0 */
    uint32_t omits;      /* what is lost of each item; 0 if nothing is */
    uint32_t waits;      /* 1 if run waits for the stream. If not, stages begin only once all
                          * is queued, so that what launches take is in none of them */

    /* Gets ready for inputs of this shape; *state is handed to all other calls.
     * May be NULL. */
    int32_t (*prepare)(const struct recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state);

    /* Fills in what is needed; both numbers are 0 before. May be NULL. */
    int32_t (*memory)(void *state, const recobench_host *host, recobench_memory *memory);

    /* Before each run, not timed. May be NULL. */
    int32_t (*reset)(void *state, const recobench_host *host, const void *input);

    /* Does the work. On a GPU it puts it into the stream and need not wait. */
    int32_t (*run)(void *state, const recobench_host *host, const void *input);

    /* Where the result of the last run is: RECOBENCH_INPUT_BUFFER or
     * RECOBENCH_OUTPUT_BUFFER. Only for RECOBENCH_EITHER, else NULL. */
    int32_t (*output)(void *state);

    /* Frees all that prepare took; called if prepare answered RECOBENCH_OK. May be NULL. */
    void (*release)(void *state);

    /* Not in version 1. */

    /* The right answers that it knows: RECOBENCH_EXACT and RECOBENCH_PUBLISHED, one or both, or
     * RECOBENCH_OFFLINE alone; 0 is RECOBENCH_EXACT. */
    uint32_t semantics;
    uint32_t order; /* RECOBENCH_USUAL_ORDER, ... */

    /* Not in the first plugins of version 2, whose `size` says so. */

    /* Of a kernel that is there to be compared with a native one, by "bench portability", else
     * NULL. Only for RECOBENCH_CUDA. */
    const char *native;     /* the variant in CUDA, of bench itself, that does the same step by step */
    const char *written_as; /* how it is written: "CubeCL", "SYCL", ... */
    const char *differs;    /* what else differs, and why; NULL if nothing does */

    /* Not in the first plugins of version 3, whose `size` says so. */

    /* A note for each of its results, such as "threads of its own, not pinned"; NULL for none. */
    const char *remark;
} recobench_variant;

/* Not in versions 1 and 2: tasks.
 *
 * A library may bring tasks of its own. It exports recobench_plugin_tasks besides the two functions of
 * every plugin, and variants that name these tasks. `bench` has a subcommand for each such task,
 * with its axes as flags.
 *
 * Memory has one owner:
 *   - tables, names and texts are the library's, and stay as they are until the process ends;
 *   - an input is a handle of the library: `generate`, `read`, `hard_input` and `shrink` return one,
 *     and `release` frees it. What `describe` points to belongs to the input, and stays as it is
 *     until then;
 *   - all else is bench's: memory that a call is to write comes with its capacity, and pointers to
 *     it are not kept after the call.
 *
 * Calls with an input come one at a time, on any thread. Each struct begins with its size, which has
 * to be its sizeof in this header. */

/* Kinds of values of an axis. */
enum {
    RECOBENCH_AXIS_COUNT = 1,      /* of things, which `label` names: 24, 20M */
    RECOBENCH_AXIS_INTEGER = 2,    /* an index or a threshold: 7 */
    RECOBENCH_AXIS_SHARE = 3,      /* a fraction: 0.25 */
    RECOBENCH_AXIS_NUMBER = 4,     /* any number: 2.3 */
    RECOBENCH_AXIS_TIME_STAMP = 5, /* in ns, may be negative: -500 */
    RECOBENCH_AXIS_DURATION = 6,   /* 10ms; in ns */
    RECOBENCH_AXIS_FREQUENCY = 7,  /* 50kHz; in Hz */
    RECOBENCH_AXIS_CHOICE = 8,     /* one of `choices`; its index */
    RECOBENCH_AXIS_SWITCH = 9      /* yes or no; 1 or 0 */
};

/* A parameter of generated inputs: a flag, and a column of results. */
typedef struct recobench_axis {
    size_t size;
    const char *name;           /* of the flag, without dashes: lower case, digits, dashes */
    const char *help;           /* its meaning, in a line */
    const char *default_value;  /* as it is typed: "20k", "10ms" */
    uint32_t kind;              /* RECOBENCH_AXIS_COUNT, ... */
    uint32_t choice_count;      /* of RECOBENCH_AXIS_CHOICE, else 0 */
    const char *const *choices; /* of RECOBENCH_AXIS_CHOICE, else NULL */
    const char *unit;           /* of plain values, such as "um"; may be NULL */
    const char *label;          /* in tables and charts; NULL if it is the name */
    double small;               /* largest value in a quick trial of a command, for an axis that the
                                 * size of inputs depends on; else 0 */
} recobench_axis;

/* Values of all axes, by their indices in the table of the task. */
typedef struct recobench_params {
    size_t size;
    uint64_t count;
    const char *const *texts; /* in plain form: "20000", "near" */
    const int64_t *integers;  /* of counts, integers and times, the index of a choice, of a switch 1
                               * or 0; of all others rounded */
    const double *numbers;    /* the same value, also of shares, numbers and frequencies */
} recobench_params;

/* An array of an input or of an output. */
typedef struct recobench_array {
    size_t size;
    const char *name;       /* in messages, in the plural: "labels" */
    uint64_t element_bytes; /* 1 to 4096 */
} recobench_array;

/* A metric of outputs that were found right. */
typedef struct recobench_metric {
    size_t size;
    const char *name;    /* of the column: lower case, digits, underscores */
    const char *unit;    /* NULL or "" for a fraction or a ratio */
    const char *label;   /* in tables and charts */
    const char *meaning; /* its definition, in a sentence */
    int32_t better;      /* 1 if larger is better, -1 if smaller is, 0 if neither */
} recobench_metric;

/* Memory that a point needs, estimated before it is generated. */
typedef struct recobench_plan {
    size_t size;
    uint64_t input_bytes;  /* of an input, as the library keeps it */
    uint64_t output_bytes; /* of all outputs, by their capacities */
} recobench_plan;

/* An input, described by its library. Before the call all numbers are 0, and all pointers but the
 * last three NULL. */
typedef struct recobench_description {
    size_t size;
    uint64_t items;       /* number of items to process */
    uint64_t bytes_min;   /* bytes that any implementation reads and writes; 0 if unknown */
    const void *shape;    /* small constants that stay on the host, such as the size of a matrix: any
                           * struct of the library, or NULL */
    uint64_t shape_bytes; /* at most 65536 */

    /* To be set for each array of the task, resp. for each of its outputs. */
    const void **arrays;  /* where it begins; may be NULL if it is empty */
    uint64_t *elements;   /* number of elements of each array */
    uint64_t *capacities; /* largest number of elements of each output */
} recobench_description;

/* Arrays of an output. */
typedef struct recobench_outputs {
    size_t size;
    uint64_t count;             /* as the task has it */
    void *const *arrays;        /* NULL in prepare and memory */
    const uint64_t *capacities; /* in elements */
    uint64_t *lengths;          /* elements that there are. Before they are written the
                                 * capacities: to be set only where there are fewer */
} recobench_outputs;

/* The input of variants of a library's task. Arrays are copies, aligned to 64 bytes on the host and to
 * 256 on a GPU; all other pointers are to the host's memory. */
typedef struct recobench_task_input {
    size_t size;
    const void *shape; /* a copy of that of the description, also in prepare */
    uint64_t shape_bytes;
    uint64_t count;           /* of arrays */
    const uint64_t *elements; /* of each array, also in prepare */

    /* In reset and run; in prepare and memory `arrays` and `outputs.arrays` are NULL. */
    const void *const *arrays;
    recobench_outputs outputs; /* lengths that only a kernel knows: run waits for the stream, then
                                * sets them (recobench_variant.waits) */
} recobench_task_input;

/* A task. Functions that answer int32_t answer RECOBENCH_OK or RECOBENCH_FAILED, and explain the
 * latter (recobench_host.explain). Their `host` has the functions of recobench_host, but neither a
 * stream nor scratch memory. */
typedef struct recobench_task {
    size_t size;
    const char *name;      /* the subcommand: lower case, digits and dashes */
    const char *summary;   /* what is to be done, in a line */
    const char *item_unit; /* an item of the input, in the singular: "cell" */

    uint64_t axis_count;
    const recobench_axis *const *axes;
    uint64_t array_count; /* of an input: 1 to 64 */
    const recobench_array *const *arrays;
    uint64_t output_count; /* 1 to 64 */
    const recobench_array *const *outputs;
    uint64_t metric_count;
    const recobench_metric *const *metrics;
    uint64_t file_ending_count; /* of files that `read` takes: "csv" */
    const char *const *file_endings;
    uint64_t hard_input_count; /* 1 to 1000 */
    const char *const *hard_inputs; /* what is hard about each: "no cells" */
    uint32_t any_order;        /* 1 if the elements of an output may be in any order, which only a
                                * `check` of its own can allow; else 0 */

    /* Estimates memory, and refuses parameters that no input can have. */
    int32_t (*plan)(const struct recobench_task *task, const recobench_host *host,
                    const recobench_params *params, recobench_plan *plan);

    /* Makes an input: the same one from the same parameters and seed. NULL if inputs come from
     * files only. */
    int32_t (*generate)(const struct recobench_task *task, const recobench_host *host,
                        const recobench_params *params, uint64_t seed, void **input);

    /* Reads an input from a file. NULL if file_ending_count is 0. */
    int32_t (*read)(const struct recobench_task *task, const recobench_host *host,
                    const char *path, void **input);

    /* Writes an input for `read`; may be NULL. `bench verify` keeps the smallest input that shows
     * an error so. */
    int32_t (*write)(const struct recobench_task *task, const recobench_host *host,
                     const void *input, const char *path);

    /* Makes the hard input with this index: small, but hard in some respect. Variants and the
     * check are tried on all of them, so each should take milliseconds. */
    int32_t (*hard_input)(const struct recobench_task *task, const recobench_host *host,
                          uint64_t index, uint64_t seed, void **input);

    /* Makes a smaller input by removing the part with this index: halves first, then quarters and
     * so on, or answers RECOBENCH_UNAVAILABLE if there are no more. May be NULL. */
    int32_t (*shrink)(const struct recobench_task *task, const recobench_host *host,
                      const void *input, uint64_t index, void **smaller);

    /* Describes an input. Called once for each. */
    int32_t (*describe)(const struct recobench_task *task, const recobench_host *host,
                        const void *input, recobench_description *description);

    /* Writes the right output: computed in an obvious way that shares nothing with any variant, or
     * known beforehand. */
    int32_t (*reference)(const struct recobench_task *task, const recobench_host *host,
                         const void *input, const recobench_outputs *right);

    /* Compares an output with that of the reference, and explains the first difference. NULL if
     * outputs are equal element by element. */
    int32_t (*check)(const struct recobench_task *task, const recobench_host *host,
                     const void *input, const recobench_outputs *right,
                     const recobench_outputs *output);

    /* Computes a value for each metric; NaN if it is not known. NULL if metric_count is 0. */
    int32_t (*measure)(const struct recobench_task *task, const recobench_host *host,
                       const void *input, const recobench_outputs *output, double *values);

    /* Frees an input. */
    void (*release)(const struct recobench_task *task, void *input);
} recobench_task;

/* The tasks of a library. */
typedef struct recobench_task_table {
    size_t size;
    uint64_t task_count;
    const recobench_task *const *tasks;
} recobench_task_table;

/* A plugin. */
typedef struct recobench_plugin_table {
    size_t size;         /* of this struct */
    const char *name;    /* of the plugin */
    const char *version; /* of the plugin, in any form */
    uint64_t variant_count;
    const recobench_variant *const *variants;
} recobench_plugin_table;

/* RECOBENCH_ABI, as it was when the plugin was compiled. */
RECOBENCH_EXPORT uint32_t recobench_plugin_abi(void);

/* The table, which stays as it is. */
RECOBENCH_EXPORT const recobench_plugin_table *recobench_plugin(void);

/* The library's own tasks; only for plugins that have any. */
RECOBENCH_EXPORT const recobench_task_table *recobench_plugin_tasks(void);

#ifdef __cplusplus
}
#endif

#endif
