// Labels as lists on the device: those of samples, and the samples of clusters.
#pragma once
#include "portable.h"

namespace cluster_finder {

// Range of the labels of a sample among all labels.
struct __align__(8) LabelRange {
    u32 first, count;
};

// Range of the samples that give their labels to a cluster among those of all clusters, in the
// order in which labels are collected.
struct __align__(8) Members {
    u32 first, count;
};

// Maximum number of samples of a cluster: all within two steps of its peak.
constexpr u32 MAX_MEMBERS = 25;
// Maximum number of clusters that a sample gives its labels to: no two peaks are adjacent, so at
// most nine lie within two steps of a cell.
constexpr u32 MAX_CLUSTERS_OF_SAMPLE = 9;

}  // namespace cluster_finder

namespace {
using namespace cluster_finder;
}
