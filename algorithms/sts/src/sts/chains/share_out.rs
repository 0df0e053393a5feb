//! Work for all threads, the largest pieces first.

use parallel::for_each_with_tools;

/// Distributes pieces dynamically over workers, each with its own tools, in the order of `pieces`.
/// Runs on the current team.
pub(super) fn share_out<T: Send, S: Send>(
    pieces: Vec<T>,
    tools: &mut [S],
    work: impl Fn(T, &mut S) + Sync,
) {
    match tools {
        [tools] => pieces.into_iter().for_each(|piece| work(piece, tools)),
        tools => for_each_with_tools(pieces, tools, work),
    }
}

/// Sorts pieces by descending size, so that no worker starts a large one at the end.
pub(super) fn largest_first<T>(mut pieces: Vec<T>, size: impl Fn(&T) -> usize) -> Vec<T> {
    pieces.sort_by_key(|piece| std::cmp::Reverse(size(piece)));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_is_done_once() {
        for workers in [1, 3] {
            let mut tools = vec![Vec::new(); workers];
            let pieces = largest_first((0..100).collect(), |&piece| piece);
            assert_eq!(pieces[0], 99);
            share_out(pieces, &mut tools, |piece, done: &mut Vec<_>| done.push(piece));
            let mut done = tools.concat();
            done.sort_unstable();
            assert!(done.into_iter().eq(0..100));
        }
    }
}
