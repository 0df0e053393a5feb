//! Times that the device takes.

use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, CommandEncoder, ComputePassDescriptor,
    ComputePassTimestampWrites, Device, Features, MapMode, PollType, QUERY_SET_MAX_QUERIES,
    QuerySet, QuerySetDescriptor, QueryType, Queue,
};

/// Marks of a set.
const MARKS: usize = QUERY_SET_MAX_QUERIES as usize;
const BYTES: u64 = size_of::<u64>() as u64;

/// Marks by their numbers.
pub(super) struct Clock {
    sets: Vec<QuerySet>,
    /// As many marks have a time, or will.
    marked: usize,
    /// Those that were read, in ticks.
    ticks: Vec<u64>,
    seconds_of_tick: f64,
    is_outside_passes: bool,
}

impl Clock {
    /// None if the device takes no times.
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

    /// The time at which all before in the encoder has ended.
    pub(super) fn mark(&mut self, device: &Device, encoder: &mut CommandEncoder, number: usize) {
        if number == 0 {
            self.marked = 0;
        }
        while self.sets.len() <= number / MARKS {
            self.sets.push(device.create_query_set(&QuerySetDescriptor {
                label: None,
                ty: QueryType::Timestamp,
                count: QUERY_SET_MAX_QUERIES,
            }));
        }
        let (set, index) = (&self.sets[number / MARKS], (number % MARKS) as u32);
        if self.is_outside_passes {
            encoder.write_timestamp(set, index);
        } else {
            drop(encoder.begin_compute_pass(&ComputePassDescriptor {
                label: None,
                timestamp_writes: Some(ComputePassTimestampWrites {
                    query_set: set,
                    beginning_of_pass_write_index: None,
                    end_of_pass_write_index: Some(index),
                }),
            }));
        }
        self.marked = self.marked.max(number + 1);
        self.ticks.clear();
    }

    /// From one mark to another, once all is done; `None` if they can't be read.
    pub(super) fn seconds(
        &mut self,
        (device, queue): (&Device, &Queue),
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

/// What a buffer has, once all is done.
fn words_of(device: &Device, buffer: &Buffer) -> Option<Vec<u64>> {
    buffer.map_async(MapMode::Read, .., |_| {});
    device.poll(PollType::wait_indefinitely()).ok()?;
    let bytes = buffer.get_mapped_range(..).ok()?;
    let words = bytes.as_chunks().0.iter();
    Some(words.map(|word| u64::from_ne_bytes(*word)).collect())
}
