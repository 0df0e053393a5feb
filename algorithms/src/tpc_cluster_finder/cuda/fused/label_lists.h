// Labels as lists on the device: what samples have, and which samples a cluster has them of.
#pragma once
#include "portable.h"

namespace cluster_finder {

// The labels of a sample, among those of all.
struct __align__(8) LabelRange {
    u32 first, count;
};

// The samples that give their labels to a cluster, among those of all clusters, in the order in
// which labels are collected.
struct __align__(8) Members {
    u32 first, count;
};

// Samples of a cluster at most: all within two steps of its peak.
constexpr u32 MOST_MEMBERS = 25;
// Clusters that a sample gives its labels to at most: no two peaks touch each other, so that nine
// find room within two steps of a cell.
constexpr u32 MOST_CLUSTERS_OF_SAMPLE = 9;

}  // namespace cluster_finder

namespace {
using namespace cluster_finder;
}
