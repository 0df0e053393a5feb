/* recobench.h: bring your own variant, as a shared library.
 *
 *   bench sort --plugin ./libmine.so
 *
 * A plugin exports two functions, recobench_plugin_abi and recobench_plugin. The
 * second one gives a table of variants: what each is called, where it runs, and
 * the functions that bench calls. Plain C, so any language can do it; example.c is
 * a complete plugin, and plugin.md says what is checked.
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
 */
#ifndef RECOBENCH_H
#define RECOBENCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. */
#define RECOBENCH_ABI 1u

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

/* A variant. `input` points to the struct of the task: recobench_sort, recobench_gather.
 * Functions that may be NULL have nothing to do then. */
typedef struct recobench_variant {
    size_t size;         /* of this struct */
    const char *task;    /* "sort" or "gather" */
    const char *name;    /* "my-sort": lower case, digits and dashes */
    const char *summary; /* what it does, with its source, in a line */
    uint32_t backend;    /* RECOBENCH_CPU or RECOBENCH_CUDA */
    uint32_t buffers;    /* RECOBENCH_SEPARATE, ... */
    uint32_t stable;     /* 1 if equal keys keep their order, else 0; 1 for a gather */
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
} recobench_variant;

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

#ifdef __cplusplus
}
#endif

#endif
