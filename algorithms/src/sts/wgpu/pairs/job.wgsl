// Some clusters of a side for a block, as the host lists them: see pairs.cu.

struct Job { segment: u32, first: u32 }
