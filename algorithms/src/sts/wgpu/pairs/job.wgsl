// Code shared by lines and hits of pairs: see pairs.cu.

// Clusters of a side for each block, as the host lists them.
struct Job { segment: u32, first: u32 }

// The backs of a front that are near enough in time to it, whatever their own errors are.
struct Partners { first: u32, count: u32 }
