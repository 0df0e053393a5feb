//! The stages of merging by component.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use generators::tpc::slice_tracks::{NONE, Relations, SliceTracks};
use rayon::prelude::*;

use crate::algorithm::{Prepared, Stage, Stages};
use crate::device::Arena;
use crate::device::gpu::DeviceError;
use crate::tpc_merge::TpcMerge;
use crate::tpc_merge::legs::SharedLegs;
use crate::tpc_merge::resolve::follow;

/// Slice tracks that a thread takes at a time.
pub(super) const PART: usize = 1 << 15;
/// What no buffer should hold.
pub(super) const POISON: u32 = 0xa5a5_a5a5;

/// A way to find components.
pub(super) trait FindComponents: Send {
    /// Takes buffers for so many slice tracks.
    fn take(tracks: usize, threads: usize, arena: &Arena) -> Self;
    /// Every slice track is alone, or all is known already.
    fn setup(&mut self, input: &SliceTracks) -> Known;
    /// What belongs together gets to know of each other.
    fn hook(&mut self, input: &SliceTracks);
    /// Every slice track gets to know the name of its component.
    fn jump(&mut self);
    /// The names.
    fn labels(&self) -> Labels<'_>;
    /// Overwrites the buffers.
    fn poison(&mut self);
    /// Gives the buffers back.
    fn release(self, arena: &Arena);
    /// Bytes of the buffers.
    fn bytes(&self) -> usize;
}

/// What is known of components before any are looked for.
pub(super) enum Known {
    /// Nothing.
    Nothing,
    /// No component lies in more than one of these ranges of slice tracks.
    Pieces(Vec<Range<usize>>),
}

/// A way to bring the links of a component together.
pub(super) trait BringTogether: Send {
    /// Takes buffers.
    fn take(input: &SliceTracks, threads: usize, arena: &Arena) -> Self;
    /// Brings links of each component together.
    fn order(&mut self, input: &SliceTracks, labels: Labels<'_>);
    /// Follows all links, those of a component in ascending order by one worker.
    fn resolve(&mut self, input: &SliceTracks, legs: SharedLegs<'_>);
    /// Overwrites the buffers.
    fn poison(&mut self);
    /// Gives the buffers back.
    fn release(self, arena: &Arena);
    /// Bytes of the buffers.
    fn bytes(&self) -> usize;
}

/// The names of the components of all slice tracks, each being one of its slice tracks.
#[derive(Clone, Copy)]
pub(super) struct Labels<'a>(&'a [u32]);

impl<'a> Labels<'a> {
    pub(super) fn new(names: &'a [u32]) -> Self {
        Labels(names)
    }

    #[inline(always)]
    pub(super) fn of(self, track: usize) -> u32 {
        self.0[track]
    }
}

/// A variant that is ready to run.
struct PreparedByComponent<'a, F, B> {
    input: &'a SliceTracks,
    arena: &'a Arena,
    threads: usize,
    relations: Vec<Relations>,
    buffers: Option<(F, B)>,
    times: Stages,
}

/// A variant of these two ways.
pub(super) fn prepare<'a, F: FindComponents + 'a, B: BringTogether + 'a>(
    input: &'a SliceTracks,
    arena: &'a Arena,
    threads: usize,
) -> Box<dyn Prepared<TpcMerge> + 'a> {
    Box::new(PreparedByComponent::<F, B> {
        input,
        arena,
        threads,
        relations: Vec::new(),
        buffers: None,
        times: Stages::new(),
    })
}

impl<F: FindComponents, B: BringTogether> Prepared<TpcMerge> for PreparedByComponent<'_, F, B> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        refresh(&mut self.relations, self.input, self.arena);
        let make = || {
            let find = F::take(self.input.len(), self.threads, self.arena);
            (find, B::take(self.input, self.threads, self.arena))
        };
        self.buffers.get_or_insert_with(make);
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        if let Some((find, links)) = &mut self.buffers {
            find.poison();
            links.poison();
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let Some((find, links)) = &mut self.buffers else {
            return Ok(());
        };
        let (input, mut watch) = (self.input, Watch::start(&mut self.times));
        let known = find.setup(input);
        watch.lap("setup");
        if let Known::Pieces(pieces) = known {
            // SAFETY: one worker follows all links of a piece, and no component lies in
            // more than one of them.
            let legs = unsafe { SharedLegs::new(&mut self.relations) };
            follow_pieces(input, legs, pieces);
            watch.lap("resolve");
            return Ok(());
        }
        find.hook(input);
        watch.lap("hook");
        find.jump();
        watch.lap("jump");
        links.order(input, find.labels());
        watch.lap("order");
        // SAFETY: the links of a component are followed by one worker alone, and lead to
        // slice tracks of that component only.
        let legs = unsafe { SharedLegs::new(&mut self.relations) };
        links.resolve(input, legs);
        watch.lap("resolve");
        Ok(())
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(self.times.clone())
    }

    fn output(&self) -> Cow<'_, Vec<Relations>> {
        Cow::Borrowed(&self.relations)
    }

    fn release(&mut self) {
        self.arena.give(std::mem::take(&mut self.relations));
        if let Some((find, links)) = self.buffers.take() {
            find.release(self.arena);
            links.release(self.arena);
        }
    }

    fn buffer_bytes(&self) -> u64 {
        let buffers = self.buffers.as_ref();
        let scratch = buffers.map_or(0, |(find, links)| find.bytes() + links.bytes());
        input_bytes(self.input) + scratch as u64
    }
}

/// Follows the links of each piece in ascending order.
fn follow_pieces(input: &SliceTracks, legs: SharedLegs<'_>, pieces: Vec<Range<usize>>) {
    let pieces = pieces.into_par_iter().with_max_len(1);
    pieces.for_each(|piece| {
        let mut legs = legs;
        for track in piece {
            let link = input.links()[track];
            if link != NONE {
                follow(&mut legs, input.tracks(), track as u32, link);
            }
        }
    });
}

/// Times of stages that follow each other.
struct Watch<'a> {
    times: &'a mut Stages,
    since: Instant,
}

impl<'a> Watch<'a> {
    fn start(times: &'a mut Stages) -> Self {
        times.clear();
        Watch {
            times,
            since: Instant::now(),
        }
    }

    /// The stage that ends now.
    fn lap(&mut self, name: &'static str) {
        let now = Instant::now();
        let mut stage = Stage::new(name);
        stage.add((now - self.since).as_secs_f64(), 0);
        self.times.push(stage);
        self.since = now;
    }
}

/// The relations as they are before merging.
pub(super) fn refresh(relations: &mut Vec<Relations>, input: &SliceTracks, arena: &Arena) {
    if relations.is_empty() {
        *relations = arena.take(input.len());
    }
    let parts = relations.par_chunks_mut(PART);
    parts
        .zip(input.relations().par_chunks(PART))
        .for_each(|(part, source)| part.copy_from_slice(source));
}

/// Bytes of what every variant has: it changes the relations in place.
pub(super) fn input_bytes(input: &SliceTracks) -> u64 {
    (size_of_val(input.tracks()) + size_of_val(input.relations()) + size_of_val(input.links()))
        as u64
}
