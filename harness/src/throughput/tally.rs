//! Rates and quantiles of events.

use std::ops::Range;
use std::time::Duration;

use reports::throughput::{EventRow, ThroughputRow};
use statistics::{Estimate, mean_of_blocks, quantile_with_interval};

use super::stream::Event;
use super::window::Window;

/// Number of blocks of a window; the scatter of their rates yields the interval of the total rate.
const BLOCKS: usize = 20;
/// Maximum number of events written per point, evenly over the window.
const MAX_WRITTEN: usize = 100_000;

/// Events of all streams in a window.
pub(crate) struct Tally<'a> {
    pub(crate) window: Window,
    /// Events of each stream.
    pub(crate) events: &'a [Vec<Event>],
    /// Items of each event of each stream's batch.
    pub(crate) items: &'a [Vec<u64>],
}

impl Tally<'_> {
    /// Fills the figures into a row.
    ///
    /// Events at the ends of the window contribute to the rate by the part that lies within it.
    /// Latencies are only of events that lie completely within it.
    pub(crate) fn fill(&self, row: &mut ThroughputRow) {
        row.window_s = Some(self.length());
        if let Some(Estimate { value, interval }) = self.rate(|items| items as f64) {
            row.items_per_s = Some(value);
            row.items_per_s_low = interval.map(|interval| interval.low.max(0.0));
            row.items_per_s_high = interval.map(|interval| interval.high);
        }
        row.events_per_s = self.rate(|_| 1.0).map(|rate| rate.value);
        let times: Vec<f64> =
            self.whole().map(|(_, event)| event.latency().as_secs_f64()).collect();
        row.events = times.len();
        if let Some(Estimate { value, interval }) = quantile_with_interval(&times, 0.5) {
            row.p50_s = Some(value);
            row.p50_low_s = interval.map(|interval| interval.low);
            row.p50_high_s = interval.map(|interval| interval.high);
        }
        if let Some(Estimate { value, interval }) = quantile_with_interval(&times, 0.99) {
            row.p99_s = Some(value);
            row.p99_low_s = interval.map(|interval| interval.low);
            row.p99_high_s = interval.map(|interval| interval.high);
        }
        row.max_s = times.iter().copied().reduce(f64::max);
        row.delivery_share = self.delivery_share();
    }

    /// Rows of the events that lie completely within the window.
    pub(super) fn rows(&self, point_id: &str) -> Vec<EventRow> {
        let count = self.whole().count();
        let step = count.div_ceil(MAX_WRITTEN).max(1);
        let row = |(stream, event): (usize, &Event)| EventRow {
            point_id: point_id.to_owned(),
            stream,
            event: event.number,
            begin_s: (event.begin - self.window.begin).as_secs_f64(),
            delivery_s: (event.start - event.begin).as_secs_f64(),
            seconds: (event.end - event.start).as_secs_f64(),
        };
        self.whole().step_by(step).map(row).collect()
    }

    fn length(&self) -> f64 {
        (self.window.end - self.window.begin).as_secs_f64()
    }

    fn whole(&self) -> impl Iterator<Item = (usize, &Event)> {
        let is_in =
            |event: &&Event| event.begin >= self.window.begin && event.end <= self.window.end;
        let streams = self.events.iter().enumerate();
        streams.flat_map(move |(stream, events)| {
            events.iter().filter(is_in).map(move |event| (stream, event))
        })
    }

    /// Rate per second, with an interval from the blocks of the window.
    fn rate(&self, amount: impl Fn(u64) -> f64) -> Option<Estimate> {
        let length = self.length() / BLOCKS as f64;
        let mut blocks = [0.0; BLOCKS];
        for (events, items) in self.events.iter().zip(self.items) {
            for event in events {
                spread(&mut blocks, length, self.within(event), amount(items[event.number]));
            }
        }
        mean_of_blocks(&blocks.map(|done| done / length))
    }

    /// Start and end in seconds relative to the start of the window.
    fn within(&self, event: &Event) -> Range<f64> {
        let from_begin = |time: Duration| time.as_secs_f64() - self.window.begin.as_secs_f64();
        from_begin(event.begin)..from_begin(event.end)
    }

    fn delivery_share(&self) -> Option<f64> {
        let mut delivery = 0.0;
        let mut all = 0.0;
        for (_, event) in self.whole() {
            delivery += (event.start - event.begin).as_secs_f64();
            all += (event.end - event.begin).as_secs_f64();
        }
        (all > 0.0).then(|| delivery / all)
    }
}

/// Distributes an amount evenly over its time span, into blocks of the given length.
fn spread(blocks: &mut [f64], length: f64, span: Range<f64>, amount: f64) {
    let whole = blocks.len() as f64 * length;
    let from = span.start.clamp(0.0, whole);
    let to = span.end.clamp(0.0, whole);
    if to <= from {
        return;
    }
    let in_a_second = amount / (span.end - span.start);
    let first = ((from / length) as usize).min(blocks.len() - 1);
    for (i, block) in blocks.iter_mut().enumerate().skip(first) {
        let low = from.max(i as f64 * length);
        let high = to.min((i + 1) as f64 * length);
        if high <= low {
            break;
        }
        *block += in_a_second * (high - low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: usize, begin: u64, start: u64, end: u64) -> Event {
        let [begin, start, end] = [begin, start, end].map(Duration::from_millis);
        Event { number, due: None, begin, start, end }
    }

    fn window(begin: u64, end: u64) -> Window {
        let [begin, end] = [begin, end].map(Duration::from_millis);
        Window { begin, end }
    }

    /// A stream of consecutive events of 10 ms, starting at 95 ms.
    fn steady(count: u64) -> Vec<Event> {
        let event = |i: u64| event((i % 2) as usize, 95 + 10 * i, 97 + 10 * i, 105 + 10 * i);
        (0..count).map(event).collect()
    }

    fn row(window: Window, events: &[Vec<Event>], items: &[Vec<u64>]) -> ThroughputRow {
        let mut row = ThroughputRow::default();
        Tally { window, events, items }.fill(&mut row);
        row
    }

    #[test]
    fn events_at_the_ends_count_by_their_parts() {
        let events = [steady(201), steady(201)];
        let items = [vec![1000, 1000], vec![3000, 3000]];
        let row = row(window(100, 2100), &events, &items);
        let close = |value: Option<f64>, expected: f64| {
            let value = value.expect("known");
            assert!((value / expected - 1.0).abs() < 1e-9, "{value} {expected}");
        };
        close(row.items_per_s, 400_000.0);
        close(row.items_per_s_low, 400_000.0);
        close(row.events_per_s, 200.0);
        close(row.window_s, 2.0);
        assert_eq!(row.events, 2 * 199, "those that lie in it as a whole");
        close(row.p50_s, 8e-3);
        close(row.p99_high_s, 8e-3);
        close(row.delivery_share, 0.2);
    }

    #[test]
    fn a_stream_that_stalls_widens_the_interval() {
        let mut events = steady(201);
        events.truncate(100);
        let row = row(window(100, 2100), &[events], &[vec![1000, 1000]]);
        let rate = row.items_per_s.expect("known");
        assert!((rate / 49_750.0 - 1.0).abs() < 1e-3, "{rate}");
        let width = row.items_per_s_high.expect("known") - row.items_per_s_low.expect("known");
        assert!(width > 0.4 * rate, "{width}");
    }

    #[test]
    fn an_event_longer_than_the_window_has_a_rate_but_no_latency() {
        let row = row(window(100, 200), &[vec![event(0, 0, 0, 1000)]], &[vec![1000]]);
        assert!((row.items_per_s.expect("known") - 1000.0).abs() < 1e-6);
        assert_eq!((row.events, row.p50_s, row.delivery_share), (0, None, None));
    }

    #[test]
    fn rows_contain_complete_events_relative_to_the_window() {
        let events = [steady(3)];
        let tally = Tally { window: window(100, 200), events: &events, items: &[vec![1, 1]] };
        let rows = tally.rows("id");
        assert_eq!(rows.len(), 2);
        let EventRow { stream, event, begin_s, delivery_s, seconds, .. } = rows[0].clone();
        assert_eq!((stream, event), (0, 1));
        assert_eq!([begin_s, delivery_s, seconds], [0.005, 0.002, 0.008]);
    }
}
