//! Periodic transfer of ledger changes to the board.

use std::cell::Cell;

use super::super::desk::Desk;
use super::super::ledger::Ledger;
use super::super::tally::Content;
use super::board::Board;
use super::count;
use super::news::{News, Seen};

/// Follows a speed. It runs in the thread that monitors workers, and not in the source or in
/// listeners of workers.
pub(in super::super) struct Follower<'a> {
    pub(super) board: &'a Board,
    /// Index of the speed on the board.
    pub(super) place: usize,
    pub(super) content: Content<'a>,
    pub(super) seen: Cell<Seen>,
}

impl Follower<'_> {
    /// Counts changes of a desk. `due` is the number of timeslices due by now; `None` if emission
    /// is about to end early, in which case the ledger has the number.
    pub(in super::super) fn look(&self, desk: &Desk, due: Option<u64>) {
        self.board.try_change(self.place, |stream| {
            let news = desk.news(self.seen.get());
            self.seen.set(news.after(self.seen.get()));
            count::add(stream, &news, &self.content);
            let due = due.filter(|_| !news.is_deserted()).unwrap_or_default();
            stream.due = stream.due.max(due).max(self.seen.get().emitted());
        });
    }

    /// Counts the rest of a ledger at the end.
    pub(in super::super) fn end(&self, ledger: &Ledger, is_valid: bool) {
        let news = News::of(ledger, self.seen.get(), is_valid);
        self.board.change(self.place, |stream| {
            count::add(stream, &news, &self.content);
            stream.due = ledger.len();
            stream.is_running = false;
        });
    }
}

#[cfg(test)]
mod tests {
    use algorithms::algorithm::SegmentSums;
    use reports::stream::live::LiveStream;

    use super::super::super::data::Size;
    use super::super::super::ledger::Outcome;
    use super::super::super::protocol::{Built, Check, Expected, Found};
    use super::*;
    use crate::request::WhenFull;

    const MS: u64 = 1_000_000;
    const SIZES: [Size; 2] = [Size { digis: 10, bytes: 80 }, Size { digis: 1, bytes: 8 }];
    const FOUND: [Found; 2] = [
        Found { clusters: 5, hits: 2, sum: 0, events: None },
        Found { clusters: 1, hits: 0, sum: 0, events: None },
    ];

    /// Reference result without sums.
    fn expected(found: Found) -> Expected {
        let mut chain = SegmentSums::default();
        chain.add(0, found.clusters as usize, Vec::new());
        chain.add(1, found.hits as usize, Vec::new());
        Expected { chain, events: None }
    }

    /// Records a result for a worker.
    fn answer(desk: &Desk, worker: usize, number: u64) {
        let (begun_ns, ended_ns) = (number * MS, number * MS + 2 * MS);
        let built = Some(Built { events: 2, digis: 7, took_ns: MS });
        let outcome = Outcome { number, begun_ns, ended_ns, check: None, built };
        let found = FOUND[(number % 2) as usize];
        let check = Check { found, stride: 1, turn: 0, took_ns: 1 };
        desk.answer(worker, outcome, Some(check)).expect("its own");
    }

    /// Two workers and a queue of two: all final states, with an update after each step.
    fn followed(board: &Board) -> (LiveStream, Ledger) {
        let desk = Desk::new(2, FOUND.map(expected).to_vec(), 1);
        desk.open_for_tests(Ledger::new(2, 16, 2, WhenFull::Drop));
        let content = Content { sizes: &SIZES, expected: &FOUND };
        let place = board.put(LiveStream::new("time-sweep", "cpu", 1.0, 0.05, 2));
        let follower = Follower { board, place, content, seen: Cell::default() };
        for number in 0..6 {
            // At the last one, two are with workers and two wait.
            desk.emit(number % 2, number as u64 * MS, number == 3);
            follower.look(&desk, Some(number as u64 + 1));
            if number == 2 {
                answer(&desk, 0, 0);
            }
        }
        let seen = board.all().remove(place);
        assert_eq!((seen.emitted, seen.done, seen.dropped, seen.waiting), (6, 1, 1, 2));
        assert_eq!((seen.in_work, seen.backlog()), (2, 2));
        desk.lose(1, "ended".to_owned());
        answer(&desk, 0, 2);
        follower.look(&desk, None);
        desk.close(|emitted| vec![(0, emitted * MS)]);
        answer(&desk, 0, 1);
        let (ledger, wrong) = desk.take();
        follower.end(&ledger, wrong.is_none());
        (board.all().remove(place), ledger)
    }

    #[test]
    fn what_was_followed_is_what_the_ledger_says_at_the_end() {
        let (stream, ledger) = followed(&Board::default());
        let counts = ledger.counts();
        assert!(ledger.is_balanced() && !stream.is_running && stream.is_valid);
        assert_eq!((stream.due, stream.emitted), (counts.due, counts.emitted));
        assert_eq!((stream.done, stream.dropped), (counts.done, counts.dropped));
        assert_eq!((stream.lost, stream.left), (counts.lost, counts.backlog));
        assert_eq!((stream.repeated, stream.checked), (counts.repeated, counts.checked));
        assert_eq!((counts.repeated, counts.backlog), (1, 3));
        assert_eq!((stream.backlog(), stream.in_work, stream.waiting), (3, 0, 0));
        assert_eq!((stream.digis, stream.hits), (21, 4), "of two and one of the prepared ones");
        assert_eq!((stream.events, stream.event_digis), (6, 21), "each of three, once");
        assert!((stream.building_s - 0.003).abs() < 1e-9);
        assert_eq!((stream.latency.count(), stream.lateness.count()), (3, 5));
        let workers: Vec<_> = stream.workers.iter().map(|it| (it.is_there, it.done)).collect();
        assert_eq!(workers, [(true, 3), (false, 0)]);
        assert!((stream.workers[0].busy_s - 0.006).abs() < 1e-9);
    }

    #[test]
    fn who_reads_is_not_waited_for() {
        let board = Board::default();
        let place = board.put(LiveStream::new("time-sweep", "cpu", 1.0, 0.05, 2));
        board.change(place, |_| {
            let mut is_changed = false;
            board.try_change(place, |_| is_changed = true);
            assert!(!is_changed);
        });
        board.try_change(place, |stream| stream.done = 1);
        assert_eq!(board.all()[place].done, 1);
    }
}
