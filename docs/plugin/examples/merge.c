/* Merging slice tracks in C: link by link, in the relations themselves.
 *
 *   cc -O3 -shared -fPIC -o libmerge.so merge.c
 *   bench merge --plugin ./libmerge.so
 *
 * tpc-merge-gather.md defines the steps of following a link. A leg is a chain of pieces from
 * head to tail, and its head knows the legs below (0) and above (1).
 */
#include "plugin.h"

#include <math.h>

static const uint32_t NONE = RECOBENCH_NONE;
/* |q/pt| in c/GeV below which a particle does not curl up inside the chamber. */
static const float CURLS_FROM = 2.0f;

typedef recobench_relations Relations;
typedef recobench_slice_track Slice;

static uint32_t head_of(const Relations *all, uint32_t piece) {
    while (all[piece].segment_prev != NONE) piece = all[piece].segment_prev;
    return piece;
}

static uint32_t tail_of(const Relations *all, uint32_t piece) {
    while (all[piece].segment_next != NONE) piece = all[piece].segment_next;
    return piece;
}

/* Returns 1 if a leg is found by following the neighbours of a head to either side. */
static int is_neighbour(const Relations *all, uint32_t head, uint32_t other) {
    for (int side = 0; side < 2; side++) {
        uint32_t leg = all[head].neighbours[side];
        while (leg != NONE && leg != other) leg = all[leg].neighbours[side];
        if (leg == other) return 1;
    }
    return 0;
}

static void connect_pieces(Relations *all, uint32_t tail, uint32_t head) {
    all[tail].segment_next = head;
    all[head].segment_prev = tail;
}

/* Joins the legs next to two chains that became one, as far as both have any. */
static void join_side(Relations *all, uint32_t a, uint32_t b, int side) {
    for (;;) {
        uint32_t neighbour_b = all[b].neighbours[side];
        if (neighbour_b == NONE) return;
        all[b].neighbours[side] = NONE;
        uint32_t neighbour_a = all[a].neighbours[side];
        if (neighbour_a == NONE) {
            all[a].neighbours[side] = neighbour_b;
            all[neighbour_b].neighbours[1 - side] = a;
            return;
        }
        all[neighbour_b].neighbours[1 - side] = NONE;
        connect_pieces(all, tail_of(all, neighbour_a), neighbour_b);
        a = neighbour_a;
        b = neighbour_b;
    }
}

/* Appends chain b to chain a, both given by their heads. */
static void append(Relations *all, uint32_t a, uint32_t b) {
    connect_pieces(all, tail_of(all, a), b);
    join_side(all, a, b, 0);
    join_side(all, a, b, 1);
}

static int is_same_leg(const Slice *a, const Slice *b) {
    const Slice *longer = a->n_clusters > b->n_clusters ? a : b;
    return fabsf(longer->q_over_pt) < CURLS_FROM || a->q_over_pt * b->q_over_pt > 0;
}

static float minimum(float a, float b) { return a < b ? a : b; }
static float maximum(float a, float b) { return a > b ? a : b; }

/* Returns 1 if leg b reaches further up than leg a, by a piece and the head of each. */
static int is_above(const Slice *slices, uint32_t a, uint32_t head_a, uint32_t b,
                    uint32_t head_b) {
    float from_a = minimum(slices[a].zt_min, slices[head_a].zt_min);
    float to_a = maximum(slices[a].zt_max, slices[head_a].zt_max);
    float from_b = minimum(slices[b].zt_min, slices[head_b].zt_min);
    float to_b = maximum(slices[b].zt_max, slices[head_b].zt_max);
    return to_b - from_a > to_a - from_b;
}

static void follow(Relations *all, const Slice *slices, uint32_t a, uint32_t b) {
    uint32_t head_a = head_of(all, a), head_b = head_of(all, b);
    if (head_a == head_b || is_neighbour(all, head_a, head_b)) return;
    if (is_same_leg(&slices[a], &slices[b])) {
        append(all, head_a, head_b);
        return;
    }
    int up = is_above(slices, a, head_a, b, head_b);
    uint32_t beyond_a = all[head_a].neighbours[up], beyond_b = all[head_b].neighbours[1 - up];
    if (beyond_a != NONE) {
        append(all, beyond_a, head_b);
    } else if (beyond_b != NONE) {
        append(all, beyond_b, head_a);
    } else {
        all[head_a].neighbours[up] = head_b;
        all[head_b].neighbours[1 - up] = head_a;
    }
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state, (void)host;
    const recobench_merge *merge = input;
    for (uint64_t track = 0; track < merge->tracks; track++)
        if (merge->links[track] != NONE)
            follow(merge->relations, merge->slices, (uint32_t)track, merge->links[track]);
    return RECOBENCH_OK;
}

static const recobench_variant LINK_BY_LINK = {
    .size = sizeof(recobench_variant),
    .task = "merge",
    .name = "example-sequential",
    .summary = "link by link in ascending order, in C",
    .backend = RECOBENCH_CPU,
    .buffers = RECOBENCH_IN_PLACE,
    .stable = 1,
    .run = run,
};

EXPORT_PLUGIN("merge example", &LINK_BY_LINK)
