//! Work for all threads, the largest pieces first.

use std::sync::{Mutex, PoisonError};

/// Distributes pieces dynamically over workers, each with its own tools, in the order of `pieces`.
/// Runs on the current team.
pub(super) fn share_out<T: Send, S: Send>(
    pieces: Vec<T>,
    tools: &mut [S],
    work: impl Fn(T, &mut S) + Sync,
) {
    if let [tools] = tools {
        return pieces.into_iter().for_each(|piece| work(piece, tools));
    }
    let queue = Mutex::new(pieces.into_iter());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let next = &next;
    let work = &work;
    rayon::scope(|scope| {
        for tools in tools {
            scope.spawn(move |_| {
                while let Some(piece) = next() {
                    work(piece, tools);
                }
            });
        }
    });
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
