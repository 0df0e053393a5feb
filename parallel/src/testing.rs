//! Pools of several sizes, for tests: results must not depend on the number of threads.

use rayon::ThreadPoolBuilder;

use super::slices::PIECE;

/// Runs `work` with one thread, with two and with more than there are cores, and asserts equal
/// results.
pub fn with_all_pools<R: PartialEq + std::fmt::Debug + Send>(work: impl Fn() -> R + Sync) -> R {
    let with = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(&work)
    };
    let alone = with(1);
    for threads in [2, 7] {
        assert_eq!(with(threads), alone, "{threads} threads");
    }
    alone
}

/// Indices at the ends, and on both sides of the boundaries of pieces.
pub fn test_indices(length: usize) -> Vec<usize> {
    let borders = (1..).map(|piece| piece * PIECE);
    let borders = borders.take_while(|&border| border < length);
    let around = borders.flat_map(|border| [border - 1, border]);
    [0, length - 1].into_iter().chain(around).collect()
}
