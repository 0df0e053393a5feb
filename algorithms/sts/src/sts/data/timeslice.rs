//! Digis with the setup of their detector.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use generators_common::Array;
use generators_common::partition::Partition;
use generators_sts::setup::Setup;
use generators_sts::{Address, CHANNELS_PER_SIDE, Digi, ModuleSide, SegmentedDigis};
use parallel::par_map;
use rayon::slice::ParallelSliceMut;

use super::{ChainStage, Product};
use crate::sts::quality::Crossings;
use crate::sts_unpack::RawTimeslices;
use tasks::algorithm::Semantics;

/// Sort key of a side's digis before clusters are found: channel and time, then the charge, so that
/// the order of arrival has no influence.
#[inline]
pub fn digi_order(digi: &Digi) -> u64 {
    const ADC_BITS: u32 = 5;
    digi.key() << ADC_BITS | u64::from(digi.adc())
}

/// Input of the chain.
#[derive(Clone, Debug)]
pub struct Timeslice {
    stream: Array<Digi>,
    /// Partition of the digis into module sides.
    partition: Partition,
    /// Digis by module side, computed on first use.
    digis: OnceLock<SegmentedDigis>,
    setup: Arc<Setup>,
    online: Semantics,
    crossings: Option<Arc<Crossings>>,
    raw: Option<Arc<RawTimeslices>>,
    upstream: Arc<[OnceLock<Product>; UPSTREAM]>,
}

/// Products of stages that can be remembered.
const UPSTREAM: usize = ChainStage::ALL.len() * Semantics::ALL.len();

impl Timeslice {
    /// Digis of a detector, two sides for each module of the setup; modules after the last one with
    /// digis get empty sides. `online` is the right answer for variants that support both `exact`
    /// and `published`.
    ///
    /// # Panics
    /// If there are digis of more modules than the setup has.
    pub fn new(digis: SegmentedDigis, setup: Arc<Setup>, online: Semantics) -> Self {
        let found = digis.partition().segments();
        let wanted = 2 * setup.modules().len();
        assert!(found <= wanted, "{found} segments, but {wanted} module sides");
        let digis = if found == wanted { digis } else { with_empty_sides(&digis, wanted) };
        Timeslice {
            stream: read_out(&digis).into(),
            partition: digis.partition().clone(),
            digis: digis.into(),
            setup,
            online,
            crossings: None,
            raw: None,
            upstream: Arc::default(),
        }
    }

    /// Digis of raw data, in their order. Module addresses follow from module indices.
    ///
    /// # Panics
    /// If there are digis of other modules than those of the setup.
    pub fn of_raw(raw: RawTimeslices, setup: Arc<Setup>, online: Semantics) -> Self {
        let stream = raw.expected().digis.clone();
        let digis = by_side(&stream, setup.modules().len());
        Timeslice {
            stream: stream.into(),
            partition: digis.partition().clone(),
            digis: digis.into(),
            setup,
            online,
            crossings: None,
            raw: Some(Arc::new(raw)),
            upstream: Arc::default(),
        }
    }

    /// A timeslice of digis in the order of readout, and of the raw data that they come from if the
    /// chain is to start from those. Both may belong to another timeslice, for example in memory
    /// shared by processes. Nothing is copied.
    ///
    /// # Errors
    /// The address of a digi that belongs to no module of the setup.
    pub fn of_stream(
        stream: Array<Digi>,
        raw: Option<RawTimeslices>,
        setup: Arc<Setup>,
        online: Semantics,
    ) -> Result<Self, Address> {
        let modules = setup.modules().len();
        let mut lengths = vec![0; 2 * modules];
        let side_of = sides(modules);
        for digi in stream.iter() {
            lengths[side_of(digi).ok_or_else(|| digi.address())?] += 1;
        }
        Ok(Timeslice {
            stream,
            partition: Partition::from_lengths(lengths),
            digis: OnceLock::new(),
            setup,
            online,
            crossings: None,
            raw: raw.map(Arc::new),
            upstream: Arc::default(),
        })
    }

    /// Raw data that a chain starts from, if any.
    pub fn raw(&self) -> Option<&RawTimeslices> {
        self.raw.as_deref()
    }

    /// Adds the simulated truth, used to compute quality figures. Variants cannot see it in the
    /// digis.
    pub fn with_crossings(self, crossings: Crossings) -> Self {
        Timeslice { crossings: Some(Arc::new(crossings)), ..self }
    }

    /// The simulated truth, if known.
    pub fn crossings(&self) -> Option<&Crossings> {
        self.crossings.as_deref()
    }

    /// Input of a stage by these semantics, as the earlier stages leave it; computed once.
    pub(in crate::sts) fn upstream(
        &self,
        stage: ChainStage,
        semantics: Semantics,
        make: impl FnOnce() -> Product,
    ) -> &Product {
        let index = stage as usize * Semantics::ALL.len() + semantics as usize;
        self.upstream[index].get_or_init(make)
    }

    /// All digis in the order of readout: that of raw data; by time; or, if a side's digis are not
    /// in order of time, each one no earlier in the stream than its predecessors of that side.
    /// Channels count from 0 to 2047 on a module, the back's after the front's.
    pub fn stream(&self) -> &[Digi] {
        &self.stream
    }

    /// Digis by module side, in the order of the stream: the output of the first stage. Channels
    /// count from 0 to 1023 on a side.
    pub fn digis(&self) -> &SegmentedDigis {
        self.digis.get_or_init(|| by_side(&self.stream, self.modules()))
    }

    /// Partition of digis into sides.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// The detector.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The detector, to be shared.
    pub fn shared_setup(&self) -> Arc<Setup> {
        Arc::clone(&self.setup)
    }

    /// The right answer for variants that support two.
    pub fn online(&self) -> Semantics {
        self.online
    }

    /// Number of modules.
    pub fn modules(&self) -> usize {
        self.setup.modules().len()
    }

    /// Number of module sides.
    pub fn sides(&self) -> usize {
        2 * self.modules()
    }
}

/// Inserts empty sides: fronts keep their indices, backs follow all fronts.
fn with_empty_sides(digis: &SegmentedDigis, sides: usize) -> SegmentedDigis {
    let segments = digis.partition().segments();
    let fronts = segments.div_ceil(2);
    let modules = sides / 2;
    let segment = |side: usize| -> &[Digi] {
        let (module, first) = if side < modules { (side, 0) } else { (side - modules, fronts) };
        if module < fronts && first + module < segments {
            digis.segment(first + module)
        } else {
            &[]
        }
    };
    let flat = (0..sides).flat_map(segment).copied().collect();
    let partition = Partition::from_lengths((0..sides).map(|side| segment(side).len()));
    SegmentedDigis::new(flat, partition)
}

/// The digis of each side in the order of a stream.
fn by_side(stream: &[Digi], modules: usize) -> SegmentedDigis {
    let mut all = vec![Vec::new(); 2 * modules];
    let side_of = sides(modules);
    for digi in stream {
        let side = side_of(digi).expect("a module of the setup");
        all[side].push(digi.with_channel(digi.channel() % CHANNELS_PER_SIDE));
    }
    SegmentedDigis::from_segments(&all)
}

/// The side of a digi: fronts, then backs. `None` if there is no such module.
fn sides(modules: usize) -> impl Fn(&Digi) -> Option<usize> {
    let numbers: HashMap<Address, usize> =
        (0..modules).map(|module| (Address::of_module(module), module)).collect();
    move |digi| {
        let module = numbers.get(&digi.address())?;
        let is_back = digi.channel() >= CHANNELS_PER_SIDE;
        Some(if is_back { module + modules } else { *module })
    }
}

/// All sides merged by time, as a detector is read out.
pub(crate) fn read_out(digis: &SegmentedDigis) -> Vec<Digi> {
    read_out_with(digis, |digi, _| digi)
}

/// All sides merged by time; `item` makes what is returned of a digi and its index in `digis`.
pub(crate) fn read_out_with<T: Copy + Send + Sync>(
    digis: &SegmentedDigis,
    item: impl Fn(Digi, usize) -> T,
) -> Vec<T> {
    let sides = digis.partition().segments();
    let mut arrivals = Vec::with_capacity(digis.digis().len());
    for (index, segment) in digis.segments().enumerate() {
        let side = ModuleSide::of_segment(index, sides);
        let first_channel = if side.back { CHANNELS_PER_SIDE } else { 0 };
        let address = Address::of_module(side.module);
        let mut arrival = 0;
        for digi in segment {
            arrival = digi.time_ns().max(arrival);
            let channel = first_channel + digi.channel();
            let digi = Digi::new(address, channel, digi.time_ns(), digi.adc());
            arrivals.push((arrival, item(digi, arrivals.len())));
        }
    }
    arrivals.par_sort_by_key(|(arrival, _)| *arrival);
    par_map(&arrivals, |(_, item)| *item)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digi(channel: u16, time: u32) -> Digi {
        Digi::new(Address::of_module(0), channel, time, 1)
    }

    fn timeslice(segments: &[Vec<Digi>], modules: usize) -> Timeslice {
        let setup = Arc::new(Setup::regular(modules).expect("sensible"));
        let digis = SegmentedDigis::from_segments(segments);
        Timeslice::new(digis, setup, Semantics::Exact)
    }

    #[test]
    fn modules_without_digis_get_empty_sides() {
        let timeslice = timeslice(&[vec![digi(1, 1)], vec![digi(2, 2), digi(3, 3)]], 3);
        let lengths: Vec<_> = timeslice.digis().partition().lengths().collect();
        assert_eq!(lengths, [1, 0, 0, 2, 0, 0]);
        assert_eq!(timeslice.digis().segment(3)[1], digi(3, 3));
    }

    #[test]
    fn a_shared_stream_makes_the_same_timeslice() {
        let [front, back] = [vec![digi(1, 10), digi(2, 5)], vec![digi(4, 7)]];
        let whole = timeslice(&[front, back], 2);
        let shared = |stream: Vec<Digi>| {
            let stream = Array::lent(Arc::new(stream));
            Timeslice::of_stream(stream, None, whole.shared_setup(), Semantics::Exact)
        };
        let same = shared(whole.stream().to_vec()).expect("its modules");
        assert_eq!((same.stream(), same.partition()), (whole.stream(), whole.partition()));
        assert_eq!(same.digis(), whole.digis());
        let strange = Address::of_module(2);
        let refused = shared(vec![Digi::new(strange, 1, 1, 1)]).map(|_| ());
        assert_eq!(refused, Err(strange));
    }

    #[test]
    fn the_stream_is_in_order_of_time_as_far_as_its_sides_are() {
        let front = vec![digi(1, 10), digi(2, 5), digi(3, 30)];
        let back = vec![digi(4, 7), digi(5, 20)];
        let timeslice = timeslice(&[front, back], 1);
        let seen = timeslice.stream().iter();
        let seen: Vec<_> = seen.map(|digi| (digi.channel(), digi.time_ns())).collect();
        assert_eq!(seen, [(1028, 7), (1, 10), (2, 5), (1029, 20), (3, 30)]);
    }
}
