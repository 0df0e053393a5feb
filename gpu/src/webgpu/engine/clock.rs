//! Timestamps of the device.

use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, ComputePassDescriptor,
    ComputePassTimestampWrites, Device, Features, MapMode, PollType, QUERY_SET_MAX_QUERIES,
    QuerySet, QuerySetDescriptor, QueryType, Queue,
};

/// Marks of a query set.
const MARKS: usize = QUERY_SET_MAX_QUERIES as usize;
const BYTES: u64 = size_of::<u64>() as u64;

/// Timestamps by mark index.
pub(super) struct Clock {
    sets: Vec<QuerySet>,
    /// Number of marks that have a timestamp, or will.
    marked: usize,
    /// Timestamps that were read, in ticks.
    ticks: Vec<u64>,
    seconds_of_tick: f64,
    is_outside_passes: bool,
}

impl Clock {
    /// Returns `None` if the device has no clock.
    pub(super) fn new(device: &Device, queue: &Queue) -> Option<Self> {
        let features = device.features();
        features.contains(Features::TIMESTAMP_QUERY).then(|| Clock {
            sets: Vec::new(),
            marked: 0,
            ticks: Vec::new(),
            seconds_of_tick: f64::from(queue.get_timestamp_period()) * 1e-9,
            is_outside_passes: features.contains(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS),
        })
    }

    /// Records the time at which all work before in the encoder has ended.
    pub(super) fn mark(&mut self, device: &Device, encoder: &mut CommandEncoder, index: usize) {
        if index == 0 {
            self.marked = 0;
        }
        while self.sets.len() <= index / MARKS {
            self.sets.push(device.create_query_set(&QuerySetDescriptor {
                label: None,
                ty: QueryType::Timestamp,
                count: QUERY_SET_MAX_QUERIES,
            }));
        }
        let set = &self.sets[index / MARKS];
        let query = (index % MARKS) as u32;
        if self.is_outside_passes {
            encoder.write_timestamp(set, query);
        } else {
            drop(encoder.begin_compute_pass(&ComputePassDescriptor {
                label: None,
                timestamp_writes: Some(ComputePassTimestampWrites {
                    query_set: set,
                    beginning_of_pass_write_index: None,
                    end_of_pass_write_index: Some(query),
                }),
            }));
        }
        self.marked = self.marked.max(index + 1);
        self.ticks.clear();
    }

    /// Seconds from one mark to another, once all work has ended; `None` if they can't be read.
    pub(super) fn seconds(
        &mut self,
        device: &Device,
        queue: &Queue,
        from: usize,
        to: usize,
    ) -> Option<f64> {
        if self.ticks.is_empty() {
            self.read(device, queue)?;
        }
        let ticks = self.ticks.get(to)?.saturating_sub(*self.ticks.get(from)?);
        Some(ticks as f64 * self.seconds_of_tick)
    }

    fn read(&mut self, device: &Device, queue: &Queue) -> Option<()> {
        let bytes = self.marked as u64 * BYTES;
        let buffer = |usage, bytes| {
            let size = bytes;
            device.create_buffer(&BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        let on_host = buffer(BufferUsages::MAP_READ | BufferUsages::COPY_DST, bytes);
        let mut encoder = device.create_command_encoder(&Default::default());
        for (set, first) in self.sets.iter().zip((0..self.marked).step_by(MARKS)) {
            let count = MARKS.min(self.marked - first);
            let part = count as u64 * BYTES;
            let resolved = buffer(BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC, part);
            encoder.resolve_query_set(set, 0..count as u32, &resolved, 0);
            encoder.copy_buffer_to_buffer(&resolved, 0, &on_host, first as u64 * BYTES, part);
        }
        queue.submit([encoder.finish()]);
        self.ticks = words_of(device, &on_host)?;
        Some(())
    }
}

/// Contents of a buffer, once all work has ended.
fn words_of(device: &Device, buffer: &Buffer) -> Option<Vec<u64>> {
    buffer.map_async(MapMode::Read, .., |_| {});
    device.poll(PollType::wait_indefinitely()).ok()?;
    let bytes = buffer.get_mapped_range(..).ok()?;
    let words = bytes.as_chunks().0.iter();
    Some(words.map(|word| u64::from_ne_bytes(*word)).collect())
}
