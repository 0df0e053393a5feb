//! The right events, digi by digi.

use std::collections::VecDeque;

use generators_sts::Digi;

use super::event::{Event, Events, assign_copies};
use super::rules::EventRules;

/// All events of digis in order of time.
pub(super) fn build(digis: &[Digi], rules: &EventRules) -> Events {
    let triggers = triggers(digis, rules);
    let mut events: Vec<_> = triggers.iter().map(|&time| cut(digis, rules, time)).collect();
    assign_copies(&mut events);
    let of_event = |event: &Event| &digis[event.begin as usize..event.end as usize];
    let digis = events.iter().flat_map(of_event).copied().collect();
    Events { events, digis }
}

/// The times of all triggers in half ns.
fn triggers(digis: &[Digi], rules: &EventRules) -> Vec<u32> {
    let mut triggers = Vec::new();
    let mut window = VecDeque::new();
    let mut dead_until = None;
    for digi in digis {
        let time = u64::from(digi.time_ns());
        if dead_until.is_some_and(|end| time <= end) {
            continue;
        }
        window.push_back(time);
        while time - window[0] > rules.window_ns.into() {
            window.pop_front();
        }
        if window.len() >= rules.min_digis as usize {
            triggers.push((window[0] + time) as u32);
            window.clear();
            dead_until = Some(time + u64::from(rules.dead_time_ns));
        }
    }
    triggers
}

/// The event around a trigger. In units of half ns all values are integers.
fn cut(digis: &[Digi], rules: &EventRules, trigger_half_ns: u32) -> Event {
    let trigger = i64::from(trigger_half_ns);
    let first = trigger - 2 * i64::from(rules.before_ns);
    let last = trigger + 2 * i64::from(rules.after_ns);
    let half_ns = |digi: &Digi| 2 * i64::from(digi.time_ns());
    let begin = digis.partition_point(|digi| half_ns(digi) < first);
    let end = digis.partition_point(|digi| half_ns(digi) <= last);
    Event { trigger_half_ns, begin: begin as u32, end: end as u32, first_copy: 0 }
}
