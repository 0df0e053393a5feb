//! Structs of the header: hits, raw banks, and what is made of them.

use bytemuck::{Pod, Zeroable};
use generators_lhcb::geometry::{COLUMNS, MODULE_PAIRS, MODULES, SENSORS, TRANSFORMATION};
use generators_lhcb::{BankKind, events};

use crate::velo::model::PairRange;
use tasks::plugin::abi::{Lists, structs, values};

values! { u8: SUPER_PIXELS = 0, RETINA_CLUSTERS = 1; }

structs! {
    "recobench_velo_pair" #[derive(Clone, Copy, Pod, Zeroable)] Pair {
        start: u32,
        count: u32,
    }

    "recobench_velo_hits" #[derive(Zeroable)] HitPointers {
        ids: *mut u32,
        x: *mut f32,
        y: *mut f32,
        z: *mut f32,
        phi: *mut i16,
    }

    "recobench_velo_track_hit" #[derive(Clone, Copy, Pod, Zeroable)] TrackHit {
        slot: u32,
        id: u32,
        position: [f32; 3],
    }

    "recobench_velo" #[derive(Zeroable)] Velo {
        size: usize,
        events: u64,
        batch: u64,
        slots: u64,
        max_slots: u64,
        event_slots: *const u32,
        pairs: *const Pair,
        hits: HitPointers,
        module_z: *const f32,
        sorted: HitPointers,
        tracks: Lists,
        track_hits: Lists,
        phi_tolerance: i32,
        max_scatter: f32,
    }

    "recobench_velo_bank" #[derive(Clone, Copy, Pod, Zeroable)] Bank {
        first_word: u32,
        words: u16,
        source: u16,
    }

    "recobench_velo_event" #[derive(Clone, Copy, Pod, Zeroable)] Event {
        first_bank: u32,
        banks: u16,
        kind: u8,
        version: u8,
    }

    "recobench_velo_banks" #[derive(Zeroable)] VeloBanks {
        size: usize,
        events: u64,
        batch: u64,
        banks: u64,
        words: u64,
        slots: u64,
        max_slots: u64,
        event: *const Event,
        bank: *const Bank,
        word: *const u32,
        event_slots: *const u32,
        module_z: *const f32,
        column_x: *const f32,
        column_pitch: *const f32,
        transformations: *const f32,
        pairs: *mut Pair,
        hits: HitPointers,
        tracks: Lists,
        track_hits: Lists,
        phi_tolerance: i32,
        max_scatter: f32,
    }
}

const _: () = assert!(
    MODULE_PAIRS == 26 && MODULES == 52 && COLUMNS == 768 && SENSORS == 208 && TRANSFORMATION == 12,
    "the header has these numbers"
);

/// Input of a task in the header, with pointers to the output.
pub(super) trait Shown: 'static {
    /// Hits that are written.
    fn written_hits(&mut self) -> &mut HitPointers;

    /// Numbers of hits of tracks.
    fn tracks(&mut self) -> &mut Lists;

    /// Hits of tracks.
    fn track_hits(&mut self) -> &mut Lists;
}

impl Shown for Velo {
    fn written_hits(&mut self) -> &mut HitPointers {
        &mut self.sorted
    }

    fn tracks(&mut self) -> &mut Lists {
        &mut self.tracks
    }

    fn track_hits(&mut self) -> &mut Lists {
        &mut self.track_hits
    }
}

impl Shown for VeloBanks {
    fn written_hits(&mut self) -> &mut HitPointers {
        &mut self.hits
    }

    fn tracks(&mut self) -> &mut Lists {
        &mut self.tracks
    }

    fn track_hits(&mut self) -> &mut Lists {
        &mut self.track_hits
    }
}

impl From<&PairRange> for Pair {
    fn from(&PairRange { start, count }: &PairRange) -> Self {
        Pair { start, count }
    }
}

impl From<&Pair> for PairRange {
    fn from(&Pair { start, count }: &Pair) -> Self {
        PairRange { start, count }
    }
}

impl From<&events::Bank> for Bank {
    fn from(&events::Bank { first_word, words, source }: &events::Bank) -> Self {
        Bank { first_word, words, source }
    }
}

impl From<&events::EventHeader> for Event {
    fn from(header: &events::EventHeader) -> Self {
        Event {
            first_bank: header.first_bank,
            banks: header.banks,
            kind: match header.format().kind {
                BankKind::SuperPixel => SUPER_PIXELS,
                BankKind::Retina => RETINA_CLUSTERS,
            },
            version: header.version,
        }
    }
}
