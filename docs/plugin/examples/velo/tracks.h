/* The search by triplet in the hits of an event, by velo.md. A candidate is a triplet of hits, or a
 * track of more. Nothing may be fused (-ffp-contract=off). */
#ifndef EXAMPLES_VELO_TRACKS_H
#define EXAMPLES_VELO_TRACKS_H

#include "hits.h"

#include <string.h>

enum { MAX_HITS = 26, FIRST_HITS = 4, FIRST_HITS_AT_END = 8 };
static const float MAX_CHI2 = 20.0f;
/* 1 / (0.0125 mm)^2 */
static const float WEIGHT = 6400.0f;

typedef struct {
    uint32_t count;
    uint32_t skipped; /* pairs of modules since the last hit */
    uint32_t slots[MAX_HITS];
} Candidate;

/* An event, and memory for its search. */
typedef struct {
    const recobench_velo_pair *pairs;
    recobench_velo_hits hits; /* from the event's first slot on */
    const float *module_z;
    int32_t phi_tolerance;
    float max_scatter;
    Candidate *candidates;
    uint32_t candidate_count;
    uint32_t *active; /* candidates that may be continued */
    uint32_t active_count;
    uint8_t *used; /* of each slot: 1 if a track has its hit */
} Search;

typedef struct {
    float x, y, z; /* of the first hit */
    float tx, ty;
} Line;

static inline int is_near(const Search *search, int16_t phi, int16_t expected) {
    int16_t difference = (int16_t)(phi - expected);
    int32_t tolerance = search->phi_tolerance;
    return difference <= tolerance && (difference >= -tolerance || difference == INT16_MIN);
}

static inline Line line_through(const recobench_velo_hits *hits, uint32_t from, uint32_t to) {
    float td = 1.0f / (hits->z[to] - hits->z[from]);
    Line line = {hits->x[from], hits->y[from], hits->z[from], 0, 0};
    line.tx = (hits->x[to] - line.x) * td;
    line.ty = (hits->y[to] - line.y) * td;
    return line;
}

static inline float scatter_of(const Line *line, const recobench_velo_hits *hits, uint32_t slot) {
    float d = hits->z[slot] - line->z;
    float dx = (line->x + line->tx * d) - hits->x[slot];
    float dy = (line->y + line->ty * d) - hits->y[slot];
    return dx * dx + dy * dy;
}

/* Index in a pair of the first hit whose angle is not smaller. */
static inline uint32_t lower_bound(const Search *search, int pair, int16_t phi) {
    const int16_t *angles = search->hits.phi + search->pairs[pair].start;
    uint32_t low = 0, high = search->pairs[pair].count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (angles[middle] < phi) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The hit of a pair with the smallest scatter below *best, which is lowered; -1 if there is none.
 * Used hits are passed over if only unused ones are wanted. */
static inline int64_t best_in_window(const Search *search, int pair, const Line *line, float distance,
                              int unused_only, float *best) {
    int16_t expected = angle_of(line->x + line->tx * distance, line->y + line->ty * distance);
    uint32_t start = search->pairs[pair].start, count = search->pairs[pair].count;
    uint32_t first = lower_bound(search, pair, (int16_t)(expected - search->phi_tolerance));
    int64_t found = -1;
    for (uint32_t step = 0; step < count; step++) {
        uint32_t slot = start + (first + step) % count;
        if (!is_near(search, search->hits.phi[slot], expected)) break;
        if (unused_only && search->used[slot]) continue;
        float scatter = scatter_of(line, &search->hits, slot);
        if (scatter < *best) {
            *best = scatter;
            found = slot;
        }
    }
    return found;
}

/* The unused hits of a pair that are nearest to an angle by index, alternately above and below. */
static inline int first_hits(const Search *search, int pair, int16_t phi, int max, uint32_t *found) {
    int64_t count = search->pairs[pair].count, middle = lower_bound(search, pair, phi);
    int hits = 0;
    for (int64_t visit = 0; visit < count && hits < max; visit++) {
        int64_t index = middle + (visit % 2 ? (visit + 1) / 2 : -visit / 2);
        uint32_t slot = search->pairs[pair].start + (uint32_t)((index + count) % count);
        if (!search->used[slot]) found[hits++] = slot;
    }
    return hits;
}

/* Makes candidates of triplets that begin in a pair. */
static inline void seed(Search *search, int pair, int max_first) {
    float distance = search->module_z[2 * (pair - 2)] - search->module_z[2 * pair];
    uint32_t start = search->pairs[pair - 1].start, count = search->pairs[pair - 1].count;
    for (uint32_t second = start; second < start + count; second++) {
        if (search->used[second]) continue;
        uint32_t first[FIRST_HITS_AT_END], triplet[3] = {0};
        int firsts = first_hits(search, pair, search->hits.phi[second], max_first, first);
        float best = search->max_scatter;
        int is_found = 0;
        for (int i = 0; i < firsts; i++) {
            Line line = line_through(&search->hits, first[i], second);
            int64_t third = best_in_window(search, pair - 2, &line, distance, 1, &best);
            if (third < 0) continue;
            is_found = 1;
            triplet[0] = first[i], triplet[1] = second, triplet[2] = (uint32_t)third;
        }
        if (!is_found) continue;
        search->active[search->active_count++] = search->candidate_count;
        Candidate *candidate = &search->candidates[search->candidate_count++];
        candidate->count = 3;
        candidate->skipped = 0;
        memcpy(candidate->slots, triplet, sizeof triplet);
    }
}

static inline void append(Search *search, Candidate *candidate, uint32_t slot) {
    candidate->slots[candidate->count++] = slot;
    candidate->skipped = 0;
    uint32_t first = candidate->count == 4 ? 0 : candidate->count - 1;
    for (uint32_t i = first; i < candidate->count; i++) search->used[candidate->slots[i]] = 1;
}

/* Continues all active candidates into a pair. */
static inline void forward(Search *search, int pair) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->active_count; i++) {
        Candidate *candidate = &search->candidates[search->active[i]];
        uint32_t from = candidate->slots[candidate->count - 2];
        Line line = line_through(&search->hits, from, candidate->slots[candidate->count - 1]);
        int side = search->hits.ids[from] >> 20 & 1;
        float distance = search->module_z[2 * pair + side] - line.z, best = search->max_scatter;
        int64_t found = best_in_window(search, pair, &line, distance, 0, &best);
        if (found >= 0) append(search, candidate, (uint32_t)found);
        else if (candidate->skipped++) continue;
        if (candidate->count < MAX_HITS) search->active[kept++] = search->active[i];
    }
    search->active_count = kept;
}

/* Chi2 of a straight line through three hits. */
static inline float chi2_of(const recobench_velo_hits *hits, const uint32_t *slots) {
    const float w = WEIGHT;
    float s0 = 0, sx = 0, sz = 0, sxz = 0, sz2 = 0, sy = 0, syz = 0, chi = 0;
    for (int i = 0; i < 3; i++) {
        float x = hits->x[slots[i]], y = hits->y[slots[i]], z = hits->z[slots[i]];
        s0 += w;
        sx += w * x;
        sz += w * z;
        sxz += (w * x) * z;
        sz2 += (w * z) * z;
        sy += w * y;
        syz += (w * y) * z;
    }
    float den = 1.0f / (sz2 * s0 - sz * sz);
    float tx = (sxz * s0 - sx * sz) * den, x0 = (sx * sz2 - sxz * sz) * den;
    float ty = (syz * s0 - sy * sz) * den, y0 = (sy * sz2 - syz * sz) * den;
    for (int i = 0; i < 3; i++) {
        float z = hits->z[slots[i]];
        float dx = (x0 + tx * z) - hits->x[slots[i]], dy = (y0 + ty * z) - hits->y[slots[i]];
        chi += (dx * dx) * w + (dy * dy) * w;
    }
    return chi * 0.5f;
}

static inline int is_accepted(const Search *search, const Candidate *candidate) {
    for (int i = 0; i < 3; i++)
        if (search->used[candidate->slots[i]]) return 0;
    return chi2_of(&search->hits, candidate->slots) < MAX_CHI2;
}

static inline void find(Search *search) {
    seed(search, PAIRS - 1, FIRST_HITS_AT_END);
    for (int pair = PAIRS - 2; pair >= 2; pair--) {
        forward(search, pair - 2);
        seed(search, pair, FIRST_HITS);
    }
    /* Triplets that are not accepted have no hits any more. */
    for (uint32_t i = 0; i < search->candidate_count; i++) {
        Candidate *candidate = &search->candidates[i];
        if (candidate->count == 3 && !is_accepted(search, candidate)) candidate->count = 0;
    }
}

/* The lists of all events, which lie in the order in which they are finished. */
typedef struct {
    const recobench_lists *tracks, *hits;
    atomic_uint_fast64_t track_count, hit_count;
    atomic_int is_full;
} TrackLists;

static inline void write_candidate(const Search *search, const Candidate *candidate,
                                   uint32_t *length, recobench_velo_track_hit *hits) {
    *length = candidate->count;
    for (uint32_t i = 0; i < candidate->count; i++) {
        uint32_t slot = candidate->slots[i];
        hits[i].slot = slot;
        hits[i].id = search->hits.ids[slot];
        hits[i].position[0] = search->hits.x[slot];
        hits[i].position[1] = search->hits.y[slot];
        hits[i].position[2] = search->hits.z[slot];
    }
}

/* Writes the tracks of an event: those of more than three hits first. */
static inline void write_tracks(TrackLists *lists, const Search *search, uint64_t event) {
    const recobench_lists *tracks = lists->tracks, *hits = lists->hits;
    uint64_t track_count = 0, hit_count = 0;
    for (uint32_t i = 0; i < search->candidate_count; i++) {
        track_count += search->candidates[i].count > 0;
        hit_count += search->candidates[i].count;
    }
    uint64_t track = atomic_fetch_add(&lists->track_count, track_count);
    uint64_t hit = atomic_fetch_add(&lists->hit_count, hit_count);
    if (track + track_count > tracks->capacity || hit + hit_count > hits->capacity) {
        lists->is_full = 1;
        return;
    }
    tracks->begins[event] = track, tracks->counts[event] = track_count;
    hits->begins[event] = hit, hits->counts[event] = hit_count;
    for (int is_short = 0; is_short < 2; is_short++)
        for (uint32_t i = 0; i < search->candidate_count; i++) {
            const Candidate *candidate = &search->candidates[i];
            if (candidate->count == 0 || (candidate->count == 3) != is_short) continue;
            write_candidate(search, candidate, (uint32_t *)tracks->items + track++,
                            (recobench_velo_track_hit *)hits->items + hit);
            hit += candidate->count;
        }
}

/* Memory of a thread for a search. The hits of a pair begin at most one triplet each. */
static inline uint64_t search_bytes(uint64_t max_slots) {
    uint64_t bytes = max_slots * (sizeof(Candidate) + sizeof(uint32_t) + 1);
    return (bytes + 63) / 64 * 64;
}

/* Finds the tracks of an event, of which pairs, hits, positions of modules and cuts are set. */
static inline void find_tracks(Search *search, void *memory, uint64_t max_slots) {
    search->candidates = memory;
    search->active = (uint32_t *)(search->candidates + max_slots);
    search->used = (uint8_t *)(search->active + max_slots);
    memset(search->used, 0, max_slots);
    find(search);
}

/* The answer of a run. */
static inline int32_t answer_of(const TrackLists *lists, const recobench_host *host) {
    if (!lists->is_full) return RECOBENCH_OK;
    host->explain(host, "there are more tracks than the lists have room for");
    return RECOBENCH_FAILED;
}

#endif
