//! Merging on the host.
//!
//! All variants except the sequential one have the same stages, each with a choice of algorithms:
//! components are found, links brought together by component, then followed.

mod hooking;
mod hooking_ahead;
mod links;

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

use generators_tpc::slice_tracks::{NONE, Relations, SliceTracks};
use parallel::{copy, for_each_dynamic};
use portable_gpu::DeviceError;
use portable_gpu::timing::{Laps, Stages};

use super::TpcMerge;
use super::resolve::{ExclusiveRelations, SharedRelations, follow, input_bytes};
use hooking::{Hooking, Petgraph};
use hooking_ahead::HookingAhead;
use links::{LinksByComponent, LinksByShare};
use tasks::algorithm::{Runner, Variant, VariantContext};
use tasks::device::{Arena, ArenaVec, Buffers};

pub(super) const VARIANTS: &[Variant<TpcMerge>] = &[
    Variant::cpu("sequential", "link by link in ascending order, one thread (thesis 3.7)", |at| {
        at.session(Sequential::new(at))
    }),
    Variant::cpu(
        "components",
        "components by lock-free hooking and pointer jumping, each one worker's (thesis 3.7)",
        |at| at.session(ByComponent::<Hooking, LinksByComponent>::new(at)),
    ),
    Variant::cpu(
        "petgraph",
        "peer: components by the union-find of the crate petgraph, the rest as components",
        |at| at.session(ByComponent::<Petgraph, LinksByComponent>::new(at)),
    ),
    Variant::cpu(
        "shares",
        "components only where numbers don't keep them apart; links in shares, fetched ahead",
        |at| at.session(ByComponent::<HookingAhead, LinksByShare>::new(at)),
    ),
];

struct Sequential<'a> {
    input: &'a SliceTracks,
    arena: &'a Arena,
}

impl<'a> Sequential<'a> {
    fn new(at: &VariantContext<'a, '_, TpcMerge>) -> Self {
        Sequential { input: at.input, arena: at.arena }
    }
}

impl<'a> Runner<TpcMerge> for Sequential<'a> {
    type Buffers = ArenaVec<'a, Relations>;

    fn allocate(&self) -> Result<Self::Buffers, DeviceError> {
        Ok(self.arena.vector(self.input.len()))
    }

    fn load(&mut self, relations: &mut Self::Buffers) -> Result<(), DeviceError> {
        copy(relations, self.input.relations());
        Ok(())
    }

    fn run(&mut self, relations: &mut Self::Buffers) -> Result<(), DeviceError> {
        let mut legs = ExclusiveRelations(relations);
        for (track, &link) in self.input.links().iter().enumerate() {
            if link != NONE {
                follow(&mut legs, self.input.tracks(), track as u32, link);
            }
        }
        Ok(())
    }

    fn output<'b>(&'b self, relations: &'b Self::Buffers) -> Cow<'b, Vec<Relations>> {
        Cow::Borrowed(relations)
    }

    fn input_bytes(&self) -> u64 {
        input_bytes(self.input)
    }
}

/// Slice tracks that a thread takes at a time.
const PART: usize = 1 << 15;
/// Algorithm that finds components.
trait FindComponents<'a>: Buffers {
    /// Takes buffers for `tracks` slice tracks.
    fn take(tracks: usize, threads: usize, arena: &'a Arena) -> Self;
    /// Makes every slice track its own component, or finds separate ranges at once.
    fn setup(&mut self, input: &SliceTracks) -> ComponentBounds;
    /// Joins the slice tracks of each link and relation.
    fn hook(&mut self, input: &SliceTracks);
    /// Replaces the parent of every slice track by the label of its component.
    fn jump(&mut self);
    /// The label of the component of each slice track, which is one of its slice tracks.
    fn labels(&self) -> &[u32];
}

/// Separation of components that is bounds after the setup.
enum ComponentBounds {
    /// No separation is bounds.
    Nothing,
    /// These ranges of slice tracks separate all components.
    Pieces(Vec<Range<usize>>),
}

/// Algorithm that brings the links of a component together.
trait GroupLinks<'a>: Buffers {
    /// Takes buffers.
    fn take(input: &SliceTracks, threads: usize, arena: &'a Arena) -> Self;
    /// Brings links of each component together.
    fn order(&mut self, input: &SliceTracks, labels: &[u32]);
    /// Follows all links, those of a component in ascending order by one worker.
    fn resolve(&mut self, input: &SliceTracks, legs: SharedRelations<'_>);
}

/// A variant that combines two such algorithms.
struct ByComponent<'a, F, B> {
    input: &'a SliceTracks,
    arena: &'a Arena,
    threads: usize,
    laps: Laps,
    algorithms: PhantomData<fn() -> (F, B)>,
}

struct MergeBuffers<'a, F, B> {
    relations: ArenaVec<'a, Relations>,
    find: F,
    links: B,
}

impl<F: Buffers, B: Buffers> Buffers for MergeBuffers<'_, F, B> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.relations.poison()?;
        self.find.poison()?;
        self.links.poison()
    }

    fn bytes(&self) -> u64 {
        self.relations.bytes() + self.find.bytes() + self.links.bytes()
    }
}

impl<'a, F, B> ByComponent<'a, F, B> {
    fn new(at: &VariantContext<'a, '_, TpcMerge>) -> Self {
        ByComponent {
            input: at.input,
            arena: at.arena,
            threads: at.threads(),
            laps: Laps::default(),
            algorithms: PhantomData,
        }
    }
}

impl<'a, F, B> Runner<TpcMerge> for ByComponent<'a, F, B>
where
    F: FindComponents<'a>,
    B: GroupLinks<'a>,
{
    type Buffers = MergeBuffers<'a, F, B>;

    fn allocate(&self) -> Result<Self::Buffers, DeviceError> {
        let input = self.input;
        let threads = self.threads;
        let arena = self.arena;
        Ok(MergeBuffers {
            relations: arena.vector(input.len()),
            find: F::take(input.len(), threads, arena),
            links: B::take(input, threads, arena),
        })
    }

    fn load(&mut self, buffers: &mut Self::Buffers) -> Result<(), DeviceError> {
        copy(&mut buffers.relations, self.input.relations());
        Ok(())
    }

    fn run(&mut self, buffers: &mut Self::Buffers) -> Result<(), DeviceError> {
        let input = self.input;
        let laps = &mut self.laps;
        laps.start();
        let bounds = buffers.find.setup(input);
        laps.lap("setup", 0);
        if let ComponentBounds::Pieces(pieces) = bounds {
            // One worker follows all links of a piece, and pieces separate all components.
            let legs = SharedRelations::new(&mut buffers.relations);
            follow_pieces(input, legs, pieces);
            laps.lap("resolve", 0);
            return Ok(());
        }
        buffers.find.hook(input);
        laps.lap("hook", 0);
        buffers.find.jump();
        laps.lap("jump", 0);
        buffers.links.order(input, buffers.find.labels());
        laps.lap("order", 0);
        // The links of a component are followed by only one worker, and lead to slice tracks of
        // that component only.
        let legs = SharedRelations::new(&mut buffers.relations);
        buffers.links.resolve(input, legs);
        laps.lap("resolve", 0);
        Ok(())
    }

    fn stages(&self, _: &Self::Buffers) -> Stages {
        self.laps.stages()
    }

    fn output<'b>(&'b self, buffers: &'b Self::Buffers) -> Cow<'b, Vec<Relations>> {
        Cow::Borrowed(&buffers.relations)
    }

    fn input_bytes(&self) -> u64 {
        input_bytes(self.input)
    }
}

/// Follows the links of each piece in ascending order.
fn follow_pieces(input: &SliceTracks, legs: SharedRelations<'_>, pieces: Vec<Range<usize>>) {
    for_each_dynamic(pieces, |piece| {
        let mut legs = legs;
        for track in piece {
            let link = input.links()[track];
            if link != NONE {
                follow(&mut legs, input.tracks(), track as u32, link);
            }
        }
    });
}
