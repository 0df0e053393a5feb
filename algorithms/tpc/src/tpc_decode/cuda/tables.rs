//! Tables that are the same for all time frames: geometry, mapping, gains.

use generators_tpc::geometry::{CHANNELS_IN_LINK, MAX_FECS, ROWS, SECTORS, pads_in_row};
use generators_tpc::{Endpoint, PadId};
use portable_gpu::DeviceBuffer;

use crate::kernels::tpc_decode_cuda_pages_page_h::{ChargeCell, Geometry};
use crate::tpc_decode::charge_map::column;
use crate::tpc_decode::input::{LINK_STRIDE, Tables};
use tasks::device::buffers;

/// Maximum number of cards of an endpoint: see `pages/page.h`.
const MAX_FECS_IN_HALF: usize = MAX_FECS / 2;

buffers! {
    /// Tables on the device.
    pub(crate) struct DeviceTables(gpu, tables: &Tables) {
        /// A word for each endpoint, then the pads of each row: see `pages/page.h`.
        pub(crate) geometry: DeviceBuffer<u32> = gpu.table(&geometry())?,
        /// The pads of all links of all regions.
        pub(super) pads: DeviceBuffer<u16> = gpu.table(&pads(tables))?,
        /// The gains of all sectors by column.
        pub(crate) gains: DeviceBuffer<f32> = gpu.table(tables.gains.factors())?,
        /// The pads of each endpoint's channels, one card after the other.
        pub(super) pad_cells: DeviceBuffer<u16> = gpu.table(&pad_cells(tables))?,
        /// Channel cells for charges, of each sector.
        pub(super) charge_cells: DeviceBuffer<ChargeCell> = gpu.table(&charge_cells(tables))?,
    }
}

impl DeviceTables {
    /// The geometry for kernels.
    pub(super) fn geometry(&self) -> Geometry {
        Geometry { words: self.geometry.ptr() }
    }
}

fn geometry() -> Vec<u32> {
    let endpoints = Endpoint::all().map(|endpoint| {
        let rows = endpoint.rows();
        let fecs = endpoint.fecs();
        let bytes = [rows.start, rows.len(), fecs.start, fecs.end];
        u32::from_le_bytes(bytes.map(|byte| byte as u8))
    });
    let rows = (0..ROWS).map(|row| pads_in_row(row) as u32);
    endpoints.chain(rows).collect()
}

fn pads(tables: &Tables) -> Vec<u16> {
    let endpoints = Endpoint::all().filter(|endpoint| endpoint.half() == 0);
    let links = endpoints.flat_map(|endpoint| tables.links.of_endpoint(endpoint).iter().flatten());
    links.map(|pad| pad.bits()).collect()
}

/// The pads of an endpoint's channels; cards that it does not have get the first pad, which is
/// never read.
fn channels(tables: &Tables, endpoint: Endpoint) -> Vec<PadId> {
    let links = tables.links.of_endpoint(endpoint);
    let fecs = endpoint.fecs();
    let channels: &[[PadId; LINK_STRIDE]] = &links[fecs];
    let mut pads: Vec<_> =
        channels.iter().flat_map(|link| link[..CHANNELS_IN_LINK].iter().copied()).collect();
    pads.resize(MAX_FECS_IN_HALF * CHANNELS_IN_LINK, PadId::default());
    pads
}

fn pad_cells(tables: &Tables) -> Vec<u16> {
    let endpoints = Endpoint::all();
    let pads = endpoints.flat_map(|endpoint| channels(tables, endpoint));
    pads.map(PadId::bits).collect()
}

fn charge_cells(tables: &Tables) -> Vec<ChargeCell> {
    let pads: Vec<PadId> =
        Endpoint::all().flat_map(|endpoint| channels(tables, endpoint)).collect();
    let sectors = (0..SECTORS as u8).map(|sector| tables.gains.of_sector(sector));
    let cells = sectors.flat_map(|gains| {
        let columns = pads.iter().map(|&pad| column(pad));
        columns.map(|column| ChargeCell { gain: gains[column], column: column as u32 })
    });
    cells.collect()
}
