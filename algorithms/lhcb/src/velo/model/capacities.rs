//! Capacities of the experiment's buffers, which it does not check.

/// Capacity of the lists of tracks as a share of the slots of hits.
pub const TRACKS_PER_SLOT: f32 = 0.34;
/// Capacity of the lists of tracks for each event, if that is more for all of them together.
pub const MIN_TRACKS_PER_EVENT: u32 = 10;
/// Entries of the queue in flight.
pub const QUEUE: u32 = 2048;
/// Slots of an event: tracks have indices of 16 bits.
pub const MAX_SLOTS: u32 = 65536;

/// Memory that the search for the tracks of an event needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchNeeds {
    /// Slots of the event.
    pub slots: u32,
    /// Tracks of four and more hits.
    pub tracks: u32,
    /// Tracks of three hits before the filter.
    pub three_hit: u32,
    /// True if the queue has to keep more entries than fit.
    pub exceeds_queue: bool,
}

/// Index of the first track of an event whose first hit has the index `slots`.
pub fn share_of(slots: u32) -> u32 {
    (TRACKS_PER_SLOT * slots as f32) as u32
}

/// Tracks of each list of all events of a slice.
pub fn tracks_of_slice(events: usize, slots: u32) -> u32 {
    (MIN_TRACKS_PER_EVENT * events as u32).max(share_of(slots))
}

/// Number of events of a slice for which the experiment would write into the memory of others.
pub fn exceeding_events(slice: &[SearchNeeds]) -> usize {
    let slots: u32 = slice.iter().map(|event| event.slots).sum();
    let mut end = 0;
    let exceeds = |(index, event): (usize, &SearchNeeds)| {
        let first = share_of(end);
        end += event.slots;
        let is_last = index + 1 == slice.len();
        let next = if is_last { tracks_of_slice(slice.len(), slots) } else { share_of(end) };
        let tracks = event.tracks.max(event.three_hit);
        event.exceeds_queue || event.slots > MAX_SLOTS || tracks > next - first
    };
    slice.iter().enumerate().map(exceeds).filter(|exceeds| *exceeds).count()
}

/// Remarks on events that exceed the experiment's capacities.
pub fn remarks(exceeding: usize) -> Vec<String> {
    let remark = |events| {
        format!(
            "{events} events exceed the buffers of Allen, which would write into those of others; here \
             lists are longer, and the result is complete"
        )
    };
    (exceeding > 0).then(|| remark(exceeding)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_exceed_their_own_part_and_the_last_one_the_buffer() {
        let event = |slots, tracks| SearchNeeds { slots, tracks, ..SearchNeeds::default() };
        assert_eq!(exceeding_events(&[event(100, 10)]), 0);
        assert_eq!(exceeding_events(&[event(3, 10)]), 0, "one event has ten");
        assert_eq!(exceeding_events(&[event(3, 11)]), 1);
        assert_eq!(exceeding_events(&[event(100, 35), event(100, 34)]), 1);
        assert_eq!(exceeding_events(&[event(100, 34), event(100, 34)]), 0);
        let three_hit = SearchNeeds { three_hit: 35, ..event(100, 34) };
        assert_eq!(exceeding_events(&[three_hit, event(70_000, 0)]), 2);
        assert_eq!(exceeding_events(&[SearchNeeds { exceeds_queue: true, ..event(100, 1) }]), 1);
        assert_eq!(exceeding_events(&[]), 0);
    }
}
