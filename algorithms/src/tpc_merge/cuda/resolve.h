// Following a link: what belongs to two slice tracks becomes one track. The same as
// tpc_merge/resolve.rs, step by step.
//
// Nobody else touches the component meanwhile, so relations are plain memory: those of all
// slice tracks by their numbers, or those of a few in shared memory, by smaller numbers.
#pragma once
#include "tracks.h"

// |q/pt| in c/GeV below which a particle does not curl up inside the chamber.
constexpr float CURLS_FROM = 2.0f;

template <class Related> struct Merger {
    // What relations name where there is no slice track.
    static constexpr u32 NOBODY = static_cast<decltype(Related::segment_prev)>(~0u);

    const SliceTrack* tracks;
    Related* relations;

    // Follows the link from slice track `a` to `b`.
    __device__ void follow(u32 a, u32 b) const {
        const u32 head_of_b = head(b);
        if (same_leg(tracks[a], tracks[b])) {
            join_same_leg(a, head_of_b);
        } else {
            join_legs(a, head(a), b, head_of_b);
        }
    }

  private:

    __device__ static bool same_leg(const SliceTrack& a, const SliceTrack& b) {
        const float longer = a.n_clusters > b.n_clusters ? a.q_over_pt : b.q_over_pt;
        return (-CURLS_FROM < longer && longer < CURLS_FROM) || a.q_over_pt * b.q_over_pt > 0.0f;
    }

    __device__ void join_same_leg(u32 a, u32 b) const {
        const u32 head_of_a = head(a);
        if (head_of_a == b || is_beside(head_of_a, b)) return;
        u32 tail = a;
        for (u32 next; (next = relations[tail].segment_next) != NOBODY; tail = next) {
            if (next == b) return;
        }
        append(head_of_a, tail, b);
    }

    // Makes two legs neighbours, or joins the legs beside them.
    __device__ void join_legs(u32 a, u32 head_a, u32 b, u32 head_b) const {
        if (head_a == head_b || is_beside(head_a, head_b)) return;
        const float from_a = min(tracks[a].zt_min, tracks[head_a].zt_min);
        const float to_a = max(tracks[a].zt_max, tracks[head_a].zt_max);
        const float from_b = min(tracks[b].zt_min, tracks[head_b].zt_min);
        const float to_b = max(tracks[b].zt_max, tracks[head_b].zt_max);
        const u32 up = to_b - from_a > to_a - from_b;
        const u32 beyond_a = relations[head_a].neighbours[up];
        const u32 beyond_b = relations[head_b].neighbours[1 - up];
        if (beyond_a != NOBODY) {
            append(beyond_a, tail_of(beyond_a), head_b);
        } else if (beyond_b != NOBODY) {
            append(beyond_b, tail_of(beyond_b), head_a);
        } else {
            relations[head_a].neighbours[up] = head_b;
            relations[head_b].neighbours[1 - up] = head_a;
        }
    }

    // Puts the chain `b` behind the chain `a`, and so with the legs beside them.
    __device__ void append(u32 a, u32 tail, u32 b) const {
        connect(tail, b);
        join_sides(a, b, 0);
        join_sides(a, b, 1);
    }

    __device__ void join_sides(u32 a, u32 b, u32 side) const {
        for (;;) {
            const u32 beside_b = relations[b].neighbours[side];
            if (beside_b == NOBODY) return;
            relations[b].neighbours[side] = NOBODY;
            const u32 beside_a = relations[a].neighbours[side];
            if (beside_a == NOBODY) {
                relations[a].neighbours[side] = beside_b;
                relations[beside_b].neighbours[1 - side] = a;
                return;
            }
            relations[beside_b].neighbours[1 - side] = NOBODY;
            connect(tail_of(beside_a), beside_b);
            a = beside_a;
            b = beside_b;
        }
    }

    __device__ void connect(u32 tail, u32 head) const {
        relations[tail].segment_next = head;
        relations[head].segment_prev = tail;
    }

    __device__ u32 head(u32 track) const {
        for (u32 prev; (prev = relations[track].segment_prev) != NOBODY; track = prev) {
        }
        return track;
    }

    __device__ u32 tail_of(u32 track) const {
        for (u32 next; (next = relations[track].segment_next) != NOBODY; track = next) {
        }
        return track;
    }

    // Whether a leg is found by following the neighbours of a head to either side.
    __device__ bool is_beside(u32 head, u32 other) const {
        for (u32 side = 0; side < 2; side++) {
            u32 leg = relations[head].neighbours[side];
            while (leg != NOBODY && leg != other) leg = relations[leg].neighbours[side];
            if (leg == other) return true;
        }
        return false;
    }
};
