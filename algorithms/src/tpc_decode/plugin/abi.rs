//! The structs of decoding in `docs/plugin/recobench.h`.

use bytemuck::{Pod, Zeroable};

use crate::plugin::abi::{Lists, structs};

structs! {
    "recobench_page_stream" #[derive(Clone, Copy, Pod, Zeroable)] Stream {
        first_page: u64,
        pages: u64,
        sector: u32,
        endpoint: u32,
        map: u64,
    }

    "recobench_endpoint" #[derive(Clone, Copy, Pod, Zeroable)] Endpoint {
        first_row: u32,
        rows: u32,
        first_card: u32,
        cards: u32,
    }

    "recobench_position" #[derive(Clone, Copy, Pod, Zeroable)] Position {
        column: i16,
        time: i16,
    }

    "recobench_decode" Decode {
        size: usize,
        format: u32,
        output: u32,
        sharing: u32,
        first_orbit: u32,
        orbits: u32,
        fragment: u32,
        pages: u64,
        streams: u64,
        sectors: u64,
        map_entries: u64,
        bytes: *const u8,
        stream: *const Stream,
        endpoint: *const Endpoint,
        pads: *const u16,
        pads_in_row: *const u32,
        gains: *const f32,
        damaged: *mut u8,
        charges: *mut u16,
        samples: Lists,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn layouts_are_those_of_the_header() {
        crate::plugin::abi::tests::assert_in_header(&[], super::LAYOUTS);
    }
}
