//! The order of the pads of a region in memory, which is that of the pages; and the time bins of a
//! heartbeat frame as columns, with a margin before and after it.

use std::ops::Range;

use super::response::{BELOW, BINS};
use crate::geometry::{Region, first_pad_of_row, pads_in_row};
use crate::time::{MAX_TIME_BINS_IN_ORBIT, time_bins_of};
use crate::{Endpoint, Layout, LinkChannel, PadId, PadMapping, ZsFormat};

/// Cell of a position outside a row.
pub(super) const NO_CELL: u16 = u16::MAX;
/// Entries before and after a row, for charge that is spread from centres outside of it.
pub(super) const PADDING: usize = BINS + BELOW + 1;

/// The cells of all regions, for one format.
pub(super) struct CellOrder {
    regions: Vec<RegionCells>,
}

/// The cells of a region: first those of its first endpoint, each half in the order
/// of the pages.
pub(super) struct RegionCells {
    /// The cell of each pad of the region.
    cells: Vec<u16>,
    /// The cells row by row, each with [`PADDING`] times [`NO_CELL`] before and after it.
    padded: Vec<u16>,
    /// Index of each row's first entry there.
    row_starts: Vec<usize>,
    /// Index of each cell in the pages.
    indices: Vec<u16>,
    /// Cells of the first endpoint.
    first_half: usize,
}

impl CellOrder {
    pub(super) fn new(format: ZsFormat, mapping: &PadMapping) -> Self {
        let of_region = |region| match format.layout() {
            Layout::Row => RegionCells::by_row(region),
            Layout::Link | Layout::DenseLink => RegionCells::by_link(region, mapping),
        };
        CellOrder { regions: Region::all().map(of_region).collect() }
    }

    pub(super) fn region(&self, region: Region) -> &RegionCells {
        &self.regions[region.number()]
    }

    /// Cells in the largest half of a region.
    pub(super) fn largest_half(&self) -> usize {
        let halves = self.regions.iter().map(|cells| {
            let first = cells.first_half;
            first.max(cells.len() - first)
        });
        halves.max().unwrap_or(0)
    }
}

impl RegionCells {
    fn new(region: Region, cells: Vec<u16>, indices: Vec<u16>, first_half: usize) -> Self {
        let mut padded = Vec::new();
        let mut row_starts = Vec::new();
        let mut rest = &cells[..];
        for row in region.rows() {
            let (of_row, others) = rest.split_at(pads_in_row(row));
            row_starts.push(padded.len());
            padded.extend([NO_CELL; PADDING]);
            padded.extend(of_row);
            padded.extend([NO_CELL; PADDING]);
            rest = others;
        }
        RegionCells { cells, padded, row_starts, indices, first_half }
    }

    fn by_row(region: Region) -> Self {
        let pad = |row| (0..pads_in_row(row)).map(move |pad| PadId::new(row as u8, pad as u8));
        let [first, _] = region.endpoints();
        let cells = (0..region.pads().len() as u16).collect();
        let indices = region.rows().flat_map(pad).map(PadId::bits).collect();
        let first_half = first_pad_of_row(first.rows().end) - region.pads().start;
        RegionCells::new(region, cells, indices, first_half)
    }

    fn by_link(region: Region, mapping: &PadMapping) -> Self {
        let pads = region
            .rows()
            .flat_map(|row| (0..pads_in_row(row)).map(move |pad| PadId::new(row as u8, pad as u8)));
        let cell = |pad| mapping.channel(pad).map_or(0, |channel| channel.index() as u16);
        let count = region.pads().len();
        let of_first = |index: &usize| {
            let endpoint = LinkChannel::from_index(region, *index).endpoint();
            endpoint.half() == 0
        };
        let first_half = (0..count).filter(of_first).count();
        RegionCells::new(region, pads.map(cell).collect(), (0..count as u16).collect(), first_half)
    }

    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    /// The cell of each pad of the region.
    pub(super) fn of_pads(&self) -> &[u16] {
        &self.cells
    }

    /// The cells of adjacent pads of a row (counted in its region), starting [`PADDING`] entries
    /// before this pad; [`NO_CELL`] outside the row.
    #[inline]
    pub(super) fn of_row(&self, row: usize, pad: usize) -> &[u16; BINS] {
        let (cells, _) = self.padded[self.row_starts[row] + pad..].as_chunks();
        &cells[0]
    }

    /// The first cell of an endpoint's half, and the page indices of its cells.
    pub(super) fn half(&self, endpoint: Endpoint) -> (usize, &[u16]) {
        match endpoint.half() {
            0 => (0, &self.indices[..self.first_half]),
            _ => (self.first_half, &self.indices[self.first_half..]),
        }
    }
}

/// Columns before and after those of the frame: charge of crossings centred outside may reach into
/// it, and vice versa.
pub(super) const MARGIN: usize = BINS;
/// Columns that are looked at together.
pub(super) const GROUP: usize = 32;
pub(super) const COLUMNS: usize = (MAX_TIME_BINS_IN_ORBIT + 2 * MARGIN).next_multiple_of(GROUP);

/// The columns of a heartbeat frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    time_bins: Range<u32>,
    window: Range<f64>,
}

impl Columns {
    pub(super) fn for_frame(frame: u32) -> Self {
        let time_bins = time_bins_of(frame);
        let margin = (MARGIN - BELOW) as f64;
        let window = f64::from(time_bins.start) - margin..f64::from(time_bins.end) + BELOW as f64;
        Columns { time_bins, window }
    }

    /// The time bins of the frame.
    pub(super) fn time_bins(&self) -> Range<u32> {
        self.time_bins.clone()
    }

    /// When charge must arrive so that any of it may be in the frame.
    pub(super) fn window(&self) -> Range<f64> {
        self.window.clone()
    }

    /// The first column of a charge that arrives at this time, and the time within its time bin (0
    /// to 1); none if the charge is outside the frame.
    #[inline]
    pub(super) fn column(&self, arrival: f64) -> Option<(usize, f64)> {
        if !self.window.contains(&arrival) {
            return None;
        }
        let offset = arrival - self.window.start;
        let column = offset as usize;
        Some((column, offset - column as f64))
    }

    /// The time bin of a column, from the beginning of the time frame.
    pub(super) fn time_bin(&self, column: usize) -> i64 {
        i64::from(self.time_bins.start) + column as i64 - MARGIN as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_those_of_the_endpoints_and_in_order() {
        let mapping = PadMapping::regular();
        for format in [ZsFormat::Row12, ZsFormat::DenseLink] {
            let order = CellOrder::new(format, &mapping);
            for region in Region::all() {
                let cells = order.region(region);
                assert_eq!(cells.len(), region.pads().len());
                let [(zero, first), (start, second)] =
                    region.endpoints().map(|endpoint| cells.half(endpoint));
                assert_eq!((zero, start), (0, first.len()));
                assert!(first.is_sorted() && second.is_sorted());
                assert_eq!(first.len() + second.len(), cells.len());
                assert!(order.largest_half() >= first.len().max(second.len()));
            }
        }
    }

    #[test]
    fn there_are_no_cells_outside_a_row() {
        let order = CellOrder::new(ZsFormat::DenseLink, &PadMapping::regular());
        let region = Region::new(3).expect("below 10");
        let cells = order.region(region);
        let mut first_pad = 0;
        for (index, row) in region.rows().enumerate() {
            let pads = pads_in_row(row);
            let of_row = &cells.of_pads()[first_pad..first_pad + pads];
            assert_eq!(cells.of_row(index, PADDING), &of_row[..BINS]);
            assert_eq!(cells.of_row(index, PADDING - 1)[..2], [NO_CELL, of_row[0]]);
            assert_eq!(cells.of_row(index, PADDING + pads - 1)[..2], [of_row[pads - 1], NO_CELL]);
            first_pad += pads;
        }
    }

    #[test]
    fn a_cell_has_the_index_of_its_pad() {
        let mapping = PadMapping::regular();
        for region in Region::all() {
            let row = CellOrder::new(ZsFormat::Row10, &mapping);
            let link = CellOrder::new(ZsFormat::Link, &mapping);
            for number in 0..region.pads().len() {
                let by_row = row.region(region);
                let pad = by_row.indices[usize::from(by_row.of_pads()[number])];
                let by_link = link.region(region);
                let index = by_link.indices[usize::from(by_link.of_pads()[number])];
                let channel = LinkChannel::from_index(region, index.into());
                assert_eq!(mapping.pad(channel).expect("a channel").bits(), pad);
            }
        }
    }

    #[test]
    fn charge_from_outside_the_frame_reaches_into_it() {
        let columns = Columns::for_frame(1);
        assert_eq!(columns.time_bins(), 446..891);
        for (arrival, inside) in [(440.9, false), (441.0, true), (893.9, true), (894.0, false)] {
            assert_eq!(columns.column(arrival).is_some(), inside, "{arrival}");
        }
        let (column, in_bin) = columns.column(500.25).expect("inside");
        assert!((in_bin - 0.25).abs() < 1e-9);
        assert_eq!(columns.time_bin(column), 497);
        let (last, _) = columns.column(893.9).expect("inside");
        assert!(last + BINS <= COLUMNS);
    }
}
