/* Hits of a module, by the rules and formulas of sts-chain.md, in single precision. Nothing may
 * be fused (-ffp-contract=off). */
#ifndef EXAMPLES_STS_HITS_H
#define EXAMPLES_STS_HITS_H

#include "../plugin.h"

#include <math.h>
#include <stdlib.h>

/* Angles below VERTICAL degrees are none; sides whose angles differ by less than PARALLEL don't
 * cross; clusters further apart than PRUNING deviations are never paired. */
#define VERTICAL 0.001
#define PARALLEL 0.5
#define PRUNING 4.0f

typedef enum { NO_CROSSINGS, FRONT_VERTICAL, BACK_VERTICAL, BOTH_TILTED } Strips;

typedef struct {
    float tangent, cosine, lorentz;
    int first_channel; /* in the positions of its clusters */
} Side;

typedef struct {
    int exact;
    Strips strips;
    float width, height, pitch;
    Side front, back;
    float rotation[9], translation[3];
    float cut, cut_deviations, latest_error;
    uint32_t address;
} Sensor;

static inline Side side_of_sensor(const recobench_sts_side *side, int first_channel) {
    Side known = {side->tangent_single, side->cosine_single, (float)side->lorentz, first_channel};
    return known;
}

static inline Strips strips_of(const recobench_sts_module *module) {
    double front = module->front.stereo, back = module->back.stereo;
    if (fabs(front - back) < PARALLEL) return NO_CROSSINGS;
    if (fabs(front) < VERTICAL) return FRONT_VERTICAL;
    return fabs(back) < VERTICAL ? BACK_VERTICAL : BOTH_TILTED;
}

static inline Sensor sensor_of(const recobench_sts *input, uint64_t number,
                               const recobench_cluster *backs, uint64_t back_count) {
    const recobench_sts_module *module = &input->setup->module[number];
    Sensor sensor = {
        .exact = input->semantics == RECOBENCH_EXACT,
        .strips = strips_of(module),
        .width = 1024.0f * (float)module->pitch,
        .height = (float)module->height,
        .pitch = (float)module->pitch,
        .front = side_of_sensor(&module->front, 0),
        .back = side_of_sensor(&module->back, 1024),
        .cut = input->setup->cluster_cut > 0 ? (float)input->setup->cluster_cut : 0.0f,
        .cut_deviations = (float)input->setup->cluster_cut_deviations,
        .address = (uint32_t)module->address,
    };
    for (int i = 0; i < 9; i++) sensor.rotation[i] = (float)module->rotation[i];
    for (int i = 0; i < 3; i++) sensor.translation[i] = (float)module->translation[i];
    for (uint64_t i = 0; i < back_count; i++)
        if (backs[i].time_error > sensor.latest_error) sensor.latest_error = backs[i].time_error;
    return sensor;
}

/* How much later the front's cluster is. */
static inline float delay_of(const Sensor *sensor, uint32_t front, uint32_t back) {
    return sensor->exact ? (float)(int32_t)(front - back) : (float)front - (float)back;
}

static inline float deviation(float a, float b) { return sqrtf(a * a + b * b); }

static inline float time_cut(const Sensor *sensor, float front, float back) {
    float pruned = PRUNING * deviation(front, sensor->latest_error), cut = -1.0f;
    if (sensor->cut > 0)
        cut = sensor->cut;
    else if (sensor->cut_deviations > 0)
        cut = sensor->cut_deviations * deviation(front, back);
    return pruned < cut ? pruned : cut;
}

/* Where a strip leaves the top edge, from the left corner. */
static inline float edge_of(const Sensor *sensor, const Side *side, float position) {
    int whole = (int)position;
    float fraction = position - (float)whole;
    return ((float)(whole - side->first_channel) + fraction + 0.5f) * sensor->pitch -
           side->lorentz;
}

static inline int is_on_edge(const Sensor *sensor, float x) {
    return x >= 0.0f && x <= sensor->width;
}

/* How many widths a strip runs to the side: below 0 to the left. */
static inline int widths_of(const Sensor *sensor, const Side *side, float x) {
    float widths = (x + sensor->height * side->tangent) / sensor->width;
    return (int)(sensor->exact ? floorf(widths) : widths);
}

/* Where lines cross on the sensor, from its centre; 0 if they don't. */
static inline int crossing(const Sensor *sensor, float front, float back, float *x, float *y) {
    float tan_front = sensor->front.tangent, tan_back = sensor->back.tangent;
    switch (sensor->strips) {
    case NO_CROSSINGS:
        return 0;
    case FRONT_VERTICAL:
        *x = front;
        *y = sensor->height - (front - back) / tan_back;
        break;
    case BACK_VERTICAL:
        *x = back;
        *y = sensor->height - (back - front) / tan_front;
        break;
    default: /* BOTH_TILTED */
        *x = (tan_back * front - tan_front * back) / (tan_back - tan_front);
        *y = sensor->height + (back - front) / (tan_back - tan_front);
    }
    *x -= sensor->width / 2.0f;
    *y -= sensor->height / 2.0f;
    return fabsf(*x) <= sensor->width / 2.0f && fabsf(*y) <= sensor->height / 2.0f;
}

/* Variances and covariance of x and y on the sensor. */
typedef struct {
    float xx, yy, xy;
} Spread;

static inline Spread spread_of(const Sensor *sensor, float front, float back) {
    float tan_front = sensor->front.tangent, tan_back = sensor->back.tangent;
    float ff = front * front, bb = back * back, both = ff + bb;
    Spread spread = {ff, both / tan_back / tan_back, -ff / tan_back};
    if (sensor->strips == BACK_VERTICAL) {
        spread = (Spread){bb, both / tan_front / tan_front, -bb / tan_front};
    } else if (sensor->strips == BOTH_TILTED) {
        float g = 1.0f / (tan_back - tan_front) / (tan_back - tan_front);
        spread.xx = g * (ff * tan_back * tan_back + bb * tan_front * tan_front);
        spread.yy = g * both;
        spread.xy = -g * (ff * tan_back + bb * tan_front);
    }
    return spread;
}

/* A covariance in global coordinates. */
static inline float rotated(const Sensor *sensor, Spread spread, int row, int column) {
    float a = sensor->rotation[3 * row], b = sensor->rotation[3 * row + 1];
    float c = sensor->rotation[3 * column], d = sensor->rotation[3 * column + 1];
    return a * c * spread.xx + (a * d + b * c) * spread.xy + b * d * spread.yy;
}

static inline float root_of(float variance) { return variance > 0.0f ? sqrtf(variance) : 0.0f; }

static inline void put_spread(const Sensor *sensor, Spread spread, recobench_hit *hit) {
    if (sensor->exact) {
        hit->dx = root_of(rotated(sensor, spread, 0, 0));
        hit->dy = root_of(rotated(sensor, spread, 1, 1));
        hit->dz = root_of(rotated(sensor, spread, 2, 2));
        hit->dxy = rotated(sensor, spread, 0, 1);
    } else {
        hit->dx = sqrtf(spread.xx);
        hit->dy = sqrtf(spread.yy);
        hit->dz = 0.0f;
        hit->dxy = spread.xy;
    }
}

static inline float global(const Sensor *sensor, int axis, float x, float y) {
    const float *row = sensor->rotation + 3 * axis;
    return sensor->translation[axis] + row[0] * x + row[1] * y;
}

static inline recobench_hit hit_of(const Sensor *sensor, const recobench_cluster *front,
                                   const recobench_cluster *back, float x, float y) {
    float front_error = front->position_error * sensor->pitch;
    float back_error = back->position_error * sensor->pitch;
    recobench_hit hit = {
        .x = global(sensor, 0, x, y),
        .y = global(sensor, 1, x, y),
        .z = global(sensor, 2, x, y),
        .time = sensor->exact
                    ? (uint32_t)(((uint64_t)front->time + back->time) / 2)
                    : (uint32_t)(0.5f * ((float)front->time + (float)back->time)),
        .time_error = 0.5f * deviation(front->time_error, back->time_error),
        .du = front_error * sensor->front.cosine,
        .dv = back_error * sensor->back.cosine,
        .address = sensor->address,
    };
    put_spread(sensor, spread_of(sensor, front_error, back_error), &hit);
    return hit;
}

/* The hits of a pair, one for each crossing of their lines. With NULL they are only counted. */
static inline uint64_t hits_of_pair(const Sensor *sensor, const recobench_cluster *front,
                                    const recobench_cluster *back, recobench_hit *hits) {
    float x_front = edge_of(sensor, &sensor->front, front->position);
    float x_back = edge_of(sensor, &sensor->back, back->position);
    if (!is_on_edge(sensor, x_front) || !is_on_edge(sensor, x_back)) return 0;
    int last_front = widths_of(sensor, &sensor->front, x_front);
    int last_back = widths_of(sensor, &sensor->back, x_back);
    uint64_t found = 0;
    for (int i = last_front < 0 ? last_front : 0; i <= (last_front > 0 ? last_front : 0); i++) {
        for (int j = last_back < 0 ? last_back : 0; j <= (last_back > 0 ? last_back : 0); j++) {
            float x, y, line_front = x_front - (float)i * sensor->width;
            if (!crossing(sensor, line_front, x_back - (float)j * sensor->width, &x, &y)) continue;
            if (hits) hits[found] = hit_of(sensor, front, back, x, y);
            found++;
        }
    }
    return found;
}

/* The hits of clusters in order of time; how many there are. With NULL they are only counted. */
static inline uint64_t find_hits(const Sensor *sensor, const recobench_cluster *fronts,
                                 uint64_t front_count, const recobench_cluster *backs,
                                 uint64_t back_count, recobench_hit *hits) {
    uint64_t found = 0;
    for (uint64_t i = 0; i < front_count; i++) {
        const recobench_cluster *front = &fronts[i];
        float max_delay = time_cut(sensor, front->time_error, sensor->latest_error);
        uint64_t first = 0, last = back_count;
        while (first < last) { /* the first back that is not too early */
            uint64_t middle = first + (last - first) / 2;
            if (delay_of(sensor, front->time, backs[middle].time) > max_delay)
                first = middle + 1;
            else
                last = middle;
        }
        for (uint64_t j = first; j < back_count; j++) {
            float delay = delay_of(sensor, front->time, backs[j].time);
            if (-delay > max_delay) break;
            if (fabsf(delay) > time_cut(sensor, front->time_error, backs[j].time_error)) continue;
            found += hits_of_pair(sensor, front, &backs[j], hits ? hits + found : NULL);
        }
    }
    return found;
}

/* Hits of all modules, by clusters in lists of sides. */
typedef struct {
    const recobench_sts *input;
    const recobench_lists *clusters, *hits;
    recobench_hit *to; /* NULL while they are counted */
} HitsRun;

static void hits_of_module(void *shared, uint64_t number, uint32_t worker) {
    (void)worker;
    const HitsRun *run = shared;
    const recobench_lists *clusters = run->clusters;
    uint64_t modules = run->input->modules, timeslice = number / modules;
    uint64_t front = number + timeslice * modules, back = front + modules;
    const recobench_cluster *all = clusters->items;
    const recobench_cluster *fronts = all + clusters->begins[front];
    const recobench_cluster *backs = all + clusters->begins[back];
    Sensor sensor = sensor_of(run->input, number % modules, backs, clusters->counts[back]);
    run->hits->counts[number] =
        find_hits(&sensor, fronts, clusters->counts[front], backs, clusters->counts[back],
                  run->to ? run->to + run->hits->begins[number] : NULL);
}

/* Counts all hits, then finds them again and writes them where they belong. */
static inline int32_t find_all_hits(const recobench_host *host, const recobench_sts *input,
                                    const recobench_lists *clusters,
                                    const recobench_lists *hits) {
    HitsRun shared = {input, clusters, hits, NULL};
    uint64_t begin = 0;
    for_each_piece(host, hits->lists, hits_of_module, &shared);
    for (uint64_t module = 0; module < hits->lists; module++) {
        hits->begins[module] = begin;
        begin += hits->counts[module];
    }
    if (begin > hits->capacity) {
        host->explain(host, "there are more hits than the output has capacity for");
        return RECOBENCH_FAILED;
    }
    shared.to = hits->items;
    for_each_piece(host, hits->lists, hits_of_module, &shared);
    return RECOBENCH_OK;
}

#endif
