//! recobench on one thread. Most digis are in no full window, which follows from two times: that of
//! a digi, and that of the one that completes the threshold before it. No counters are needed.

use generators::sts::Digi;

use crate::sts_events::chain::Chain;
use crate::sts_events::{Event, EventRules};

pub(super) fn cut(digis: &[Digi], rules: &EventRules) -> Vec<Event> {
    let chain = Chain { digis, rules };
    let mut events = Vec::new();
    chain.follow(chain.beginning(), digis.len(), |trigger| events.push(chain.event(trigger)));
    events
}

pub(super) fn copy(digis: &[Digi], events: &[Event], mut copies: &mut [Digi]) {
    for event in events {
        let (event_copies, rest) = copies.split_at_mut(event.digis());
        event_copies.copy_from_slice(&digis[event.begin as usize..event.end as usize]);
        copies = rest;
    }
}
