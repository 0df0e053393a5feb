// Following a link: joins what belongs to two slice tracks to one track. The steps are those of
// tpc_merge/resolve.rs.
//
// No other thread accesses the component meanwhile, so relations are plain memory: those of all
// slice tracks by their indices, or those of a few in shared memory, by smaller indices.
#pragma once
#include "tracks.h"

// |q/pt| in c/GeV below which a particle does not curl up inside the chamber.
constexpr float CURLS_FROM = 2.0f;

template <class Related> struct Merger {
    // Value of relations without a slice track.
    static constexpr u32 NO_TRACK = static_cast<decltype(Related::segment_prev)>(~0u);

    const SliceTrack* tracks;
    Related* relations;

    // Follows the link from slice track `a` to `b`. In all cases, chains are walked and joined at
    // the same instructions, so that lanes don't diverge.
    __device__ void follow(u32 a, u32 b) const {
        const u32 head_a = head(a), head_b = head(b);
        if (head_a == head_b || is_adjacent(head_a, head_b)) return;
        Joint joint = {head_a, a, head_b};
        if (!same_leg(tracks[a], tracks[b])) {
            joint = joint_of_legs({a, head_a}, {b, head_b});
            if (joint.first == NO_TRACK) return;
        }
        append(joint);
    }

  private:
    // A slice track, and the head of its chain.
    struct Piece {
        u32 track, head;
    };

    // Two chains to be joined: the head and any piece of the first one, and the head of the
    // appended one.
    struct Joint {
        u32 first, piece, second;
    };

    __device__ static bool same_leg(const SliceTrack& a, const SliceTrack& b) {
        const float longer = a.n_clusters > b.n_clusters ? a.q_over_pt : b.q_over_pt;
        return (-CURLS_FROM < longer && longer < CURLS_FROM) || a.q_over_pt * b.q_over_pt > 0.0f;
    }

    // The chains to be joined among the legs next to two legs; NO_TRACK if the two become neighbours.
    __device__ Joint joint_of_legs(Piece a, Piece b) const {
        const u32 up = to(b) - from(a) > to(a) - from(b);
        const u32 beyond_a = relations[a.head].neighbours[up];
        if (beyond_a != NO_TRACK) return {beyond_a, beyond_a, b.head};
        const u32 beyond_b = relations[b.head].neighbours[1 - up];
        if (beyond_b == NO_TRACK) {
            relations[a.head].neighbours[up] = b.head;
            relations[b.head].neighbours[1 - up] = a.head;
        }
        return {beyond_b, beyond_b, a.head};
    }

    __device__ float from(Piece piece) const { return min(tracks[piece.track].zt_min, tracks[piece.head].zt_min); }
    __device__ float to(Piece piece) const { return max(tracks[piece.track].zt_max, tracks[piece.head].zt_max); }

    // Appends a chain to another one, and likewise the legs next to them.
    __device__ void append(Joint joint) const {
        u32 tail = joint.piece;
        for (u32 next; (next = relations[tail].segment_next) != NO_TRACK; tail = next) {
            if (next == joint.second) return;
        }
        connect(tail, joint.second);
        join_sides(joint.first, joint.second, 0);
        join_sides(joint.first, joint.second, 1);
    }

    __device__ void join_sides(u32 a, u32 b, u32 side) const {
        for (;;) {
            const u32 neighbour_b = relations[b].neighbours[side];
            if (neighbour_b == NO_TRACK) return;
            relations[b].neighbours[side] = NO_TRACK;
            const u32 neighbour_a = relations[a].neighbours[side];
            if (neighbour_a == NO_TRACK) {
                relations[a].neighbours[side] = neighbour_b;
                relations[neighbour_b].neighbours[1 - side] = a;
                return;
            }
            relations[neighbour_b].neighbours[1 - side] = NO_TRACK;
            connect(tail_of(neighbour_a), neighbour_b);
            a = neighbour_a;
            b = neighbour_b;
        }
    }

    __device__ void connect(u32 tail, u32 head) const {
        relations[tail].segment_next = head;
        relations[head].segment_prev = tail;
    }

    __device__ u32 head(u32 track) const {
        for (u32 prev; (prev = relations[track].segment_prev) != NO_TRACK; track = prev) {
        }
        return track;
    }

    __device__ u32 tail_of(u32 track) const {
        for (u32 next; (next = relations[track].segment_next) != NO_TRACK; track = next) {
        }
        return track;
    }

    // Returns true if a leg is found by following the neighbours of a head to either side.
    __device__ bool is_adjacent(u32 head, u32 other) const {
        for (u32 side = 0; side < 2; side++) {
            u32 leg = relations[head].neighbours[side];
            while (leg != NO_TRACK && leg != other) leg = relations[leg].neighbours[side];
            if (leg == other) return true;
        }
        return false;
    }
};
