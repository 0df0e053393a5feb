//! Timeslices of components of microslices.

use std::ops::Range;

use generators_common::Array;

use super::MESSAGE_BYTES;
use super::component::{Component, ComponentProblem, MAX_MESSAGES, check};

/// Alignment of blocks, as if each were allocated separately.
const ALIGNMENT: usize = 64;

/// Raw data of some timeslices: all blocks in one array, so that one copy transfers them.
///
/// Descriptors never point out of their block. Data are equal if their timeslices are, wherever
/// the blocks lie.
#[derive(Clone, Debug, Default)]
pub struct RawData {
    bytes: Array<u8>,
    blocks: Vec<Block>,
    timeslices: Vec<Head>,
    messages: u64,
}

/// A component: where it is, and how many microslices it has.
#[derive(Clone, Debug)]
struct Block {
    bytes: Range<usize>,
    microslices: usize,
}

/// Start of a timeslice, and the end of its components.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Head {
    timeslice: RawTimeslice,
    end: usize,
}

/// A timeslice with its components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawTimeslice {
    /// Its number.
    pub index: u64,
    /// Start, in ns of Unix time.
    pub start_ns: u64,
    /// Microslices of a component without those of neighbours; 0 if that is not known.
    pub core_microslices: u32,
}

impl RawData {
    /// Adds a timeslice whose blocks are in `bytes`, which are not copied: the range of each
    /// component's block, and its number of descriptors.
    ///
    /// # Errors
    /// Those of [`RawData::push_component`], and a block outside of the bytes.
    pub fn in_place(
        bytes: Array<u8>,
        timeslice: RawTimeslice,
        blocks: impl IntoIterator<Item = (Range<usize>, u64)>,
    ) -> Result<Self, ComponentProblem> {
        let mut data = RawData { bytes, ..RawData::default() };
        data.push_timeslice(timeslice);
        for (range, microslices) in blocks {
            let outside = ComponentProblem::Block {
                begin: range.start,
                end: range.end,
                bytes: data.bytes.len(),
            };
            let block = data.bytes.get(range.clone()).ok_or(outside)?;
            let messages = check(microslices, block)?;
            data.add_block(range, microslices, messages)?;
        }
        Ok(data)
    }

    /// Starts another timeslice.
    pub fn push_timeslice(&mut self, timeslice: RawTimeslice) {
        self.timeslices.push(Head { timeslice, end: self.blocks.len() });
    }

    /// Adds a component to the last timeslice: a block that starts with `microslices` descriptors.
    ///
    /// # Errors
    /// If descriptors or contents are not in the block, or there are too many messages. The data
    /// are unchanged then.
    ///
    /// # Panics
    /// If there is no timeslice.
    pub fn push_component(
        &mut self,
        microslices: u64,
        block: &[u8],
    ) -> Result<(), ComponentProblem> {
        let messages = check(microslices, block)?;
        let begin = self.bytes.len().next_multiple_of(ALIGNMENT);
        self.add_block(begin..begin + block.len(), microslices, messages)?;
        let bytes = self.bytes.to_mut();
        bytes.resize(begin, 0);
        bytes.extend_from_slice(block);
        Ok(())
    }

    /// Adds a block with `messages` messages to the last timeslice.
    fn add_block(
        &mut self,
        bytes: Range<usize>,
        microslices: u64,
        messages: u64,
    ) -> Result<(), ComponentProblem> {
        let messages = self.messages + messages;
        if messages > MAX_MESSAGES {
            return Err(ComponentProblem::Messages);
        }
        let last = self.timeslices.last_mut().expect("a timeslice for the component");
        self.messages = messages;
        self.blocks.push(Block { bytes, microslices: microslices as usize });
        last.end = self.blocks.len();
        Ok(())
    }

    /// All blocks, with gaps.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Messages of all microslices; messages that two of them share count twice.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Microslices of all components.
    pub fn microslices(&self) -> usize {
        self.blocks.iter().map(|block| block.microslices).sum()
    }

    /// Number of timeslices.
    pub fn len(&self) -> usize {
        self.timeslices.len()
    }

    /// True if there is no timeslice.
    pub fn is_empty(&self) -> bool {
        self.timeslices.is_empty()
    }

    /// All timeslices, each with its components.
    pub fn timeslices(
        &self,
    ) -> impl Iterator<Item = (RawTimeslice, impl ExactSizeIterator<Item = Component<'_>>)> {
        let starts = [0].into_iter().chain(self.timeslices.iter().map(|head| head.end));
        self.timeslices.iter().zip(starts).map(|(head, begin)| {
            let blocks = self.blocks[begin..head.end].iter();
            (head.timeslice, blocks.map(|block| self.component(block)))
        })
    }

    /// The component that was added last.
    pub fn last_component(&self) -> Option<Component<'_>> {
        self.blocks.last().map(|block| self.component(block))
    }

    /// Sorts timeslices by their index; those with the same index stay in order.
    pub fn sort_by_index(&mut self) {
        let heads = &self.timeslices;
        if heads.is_sorted_by_key(|head| head.timeslice.index) {
            return;
        }
        let mut order: Vec<usize> = (0..heads.len()).collect();
        order.sort_by_key(|&number| heads[number].timeslice.index);
        self.reorder(&order);
    }

    /// Leaves out the first `skip` timeslices, and those after the next `take`.
    pub fn select(&mut self, skip: u64, take: u64) {
        let count = self.timeslices.len() as u64;
        let first = skip.min(count);
        let end = first.saturating_add(take).min(count);
        let order: Vec<usize> = (first as usize..end as usize).collect();
        self.reorder(&order);
    }

    /// Keeps these timeslices, in this order. Their blocks stay where they are.
    fn reorder(&mut self, order: &[usize]) {
        let mut blocks = Vec::with_capacity(self.blocks.len());
        let mut timeslices = Vec::with_capacity(order.len());
        for &number in order {
            let begin = number.checked_sub(1).map_or(0, |before| self.timeslices[before].end);
            let Head { timeslice, end } = self.timeslices[number];
            blocks.extend_from_slice(&self.blocks[begin..end]);
            timeslices.push(Head { timeslice, end: blocks.len() });
        }
        self.blocks = blocks;
        self.timeslices = timeslices;
        let contents = |block: &Block| -> u64 {
            let descriptors = self.component(block).descriptors();
            descriptors.map(|descriptor| u64::from(descriptor.size) / MESSAGE_BYTES as u64).sum()
        };
        self.messages = self.blocks.iter().map(contents).sum();
    }

    /// Each timeslice by itself.
    pub fn each(&self) -> impl Iterator<Item = RawData> {
        let starts = [0].into_iter().chain(self.timeslices.iter().map(|head| head.end));
        self.timeslices.iter().zip(starts).map(|(head, begin)| {
            let mut own = RawData::default();
            own.push_timeslice(head.timeslice);
            own.copy_blocks(self, begin..head.end);
            own
        })
    }

    /// Adds timeslices, for example of [`RawData::each`]; those that exceed the maximum number of
    /// messages are left out.
    pub fn append(&mut self, other: &RawData) {
        let mut begin = 0;
        for head in &other.timeslices {
            self.push_timeslice(head.timeslice);
            self.copy_blocks(other, begin..head.end);
            begin = head.end;
        }
    }

    /// Copies validated components of other data, up to the maximum number of messages.
    fn copy_blocks(&mut self, other: &RawData, blocks: Range<usize>) {
        for block in &other.blocks[blocks] {
            let bytes = &other.bytes[block.bytes.clone()];
            if self.push_component(block.microslices as u64, bytes).is_err() {
                return;
            }
        }
    }

    fn component(&self, block: &Block) -> Component<'_> {
        Component {
            block: &self.bytes[block.bytes.clone()],
            first_byte: block.bytes.start,
            microslices: block.microslices,
        }
    }
}

impl PartialEq for RawData {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |(block, others): (&Block, &Block)| {
            block.microslices == others.microslices
                && self.component(block).block() == other.component(others).block()
        };
        self.timeslices == other.timeslices
            && self.blocks.len() == other.blocks.len()
            && self.blocks.iter().zip(&other.blocks).all(is_same)
    }
}

impl Eq for RawData {}

#[cfg(test)]
mod tests {
    use super::super::Descriptor;
    use super::*;

    fn block(microslices: &[(u32, u64)], contents: usize) -> Vec<u8> {
        let mut block = Vec::new();
        for &(size, offset) in microslices {
            let descriptor = Descriptor { size, offset, ..Descriptor::of_sts(7, 0) };
            block.extend(descriptor.to_bytes());
        }
        block.extend((0..contents).map(|byte| byte as u8));
        block
    }

    fn pushed(count: u64, block: &[u8]) -> Result<RawData, ComponentProblem> {
        let mut data = RawData::default();
        data.push_timeslice(RawTimeslice { index: 3, ..RawTimeslice::default() });
        data.push_component(count, block).map(|()| data)
    }

    #[test]
    fn contents_are_found_by_offsets_that_wrap() {
        // The second content is before the first, and shares a byte with its own descriptor.
        let offset = u64::MAX - 1;
        let data = pushed(2, &block(&[(4, offset), (2, offset.wrapping_sub(1))], 6)).expect("fits");
        let (timeslice, mut components) = data.timeslices().next().expect("a timeslice");
        assert_eq!(timeslice.index, 3);
        let component = components.next().expect("a component");
        let contents = component.descriptors().map(|descriptor| component.content(&descriptor));
        assert_eq!(contents.collect::<Vec<_>>(), [&[0, 1, 2, 3][..], &[0xff, 0]]);
        assert_eq!((data.messages(), data.microslices()), (1, 2));
    }

    #[test]
    fn blocks_in_shared_memory_are_read_in_place() {
        let block = block(&[(4, 0)], 4);
        let bytes = [vec![9; 64], block.clone()].concat();
        let timeslice = RawTimeslice { index: 3, ..RawTimeslice::default() };
        let lent = || Array::lent(std::sync::Arc::new(bytes.clone()));
        let range = 64..64 + block.len();
        let data = RawData::in_place(lent(), timeslice, [(range.clone(), 1)]).expect("fits");
        let (found, mut components) = data.timeslices().next().expect("a timeslice");
        let component = components.next().expect("a component");
        assert_eq!((found, component.range(), component.block()), (timeslice, range, &block[..]));
        assert_eq!(data.messages(), 1);
        let beyond = RawData::in_place(lent(), timeslice, [(64..1 << 20, 1)]);
        let begin = 64;
        let end = 1 << 20;
        assert_eq!(beyond, Err(ComponentProblem::Block { begin, end, bytes: bytes.len() }));
    }

    #[test]
    fn descriptors_that_point_outside_are_refused() {
        let problem = |count, block: &[u8]| pushed(count, block).expect_err("it can't be");
        assert_eq!(problem(0, &[]), ComponentProblem::Empty);
        let descriptors = ComponentProblem::Descriptors { microslices: 2, bytes: 63 };
        assert_eq!(problem(2, &[0; 63]), descriptors);
        assert_eq!(
            problem(u64::MAX, &[0; 63]).to_string().split(' ').next(),
            Some("18446744073709551615")
        );
        let outside = |size, offset| problem(2, &block(&[(4, 0), (size, offset)], 8));
        assert_eq!(
            outside(5, 4),
            ComponentProblem::Outside { microslice: 1, begin: 68, size: 5, bytes: 72 }
        );
        for (size, offset) in [(0, 9), (u32::MAX, 0), (1, u64::MAX - 64), (1, u64::MAX / 2)] {
            assert!(matches!(outside(size, offset), ComponentProblem::Outside { .. }));
        }
    }

    #[test]
    fn too_many_messages_are_refused_in_any_block() {
        let content = 1 << 20;
        let shared = vec![(content, 0); 1 << 13];
        let block = block(&shared, content as usize);
        let mut data = RawData::default();
        data.push_timeslice(RawTimeslice::default());
        data.push_component(1 << 13, &block).expect("2^31 messages");
        assert_eq!(data.push_component(1 << 13, &block), Err(ComponentProblem::Messages));
        assert_eq!(data.messages(), 1 << 31);
        let (_, components) = data.timeslices().next().expect("a timeslice");
        assert_eq!(components.len(), 1);
    }

    #[test]
    fn data_are_equal_wherever_their_blocks_lie() {
        let of = |timeslices: [(u64, u32); 2]| {
            let mut data = RawData::default();
            for (index, size) in timeslices {
                data.push_timeslice(RawTimeslice { index, ..RawTimeslice::default() });
                data.push_component(1, &block(&[(size, 0)], 5)).expect("fits");
            }
            data.sort_by_index();
            data
        };
        let sorted = of([(3, 2), (4, 5)]);
        let moved = of([(4, 5), (3, 2)]);
        assert_ne!(moved.bytes(), sorted.bytes());
        assert_eq!(moved, sorted);
        for other in [of([(3, 2), (5, 5)]), of([(3, 2), (4, 4)]), of([(3, 5), (4, 2)])] {
            assert_ne!(moved, other);
        }
        let mut first = moved.clone();
        first.select(0, 1);
        let mut others = of([(3, 2), (4, 4)]);
        others.select(0, 1);
        assert_eq!(first, others);
        assert_ne!(first, sorted);
    }

    #[test]
    fn timeslices_are_split_and_joined_again() {
        let mut whole = RawData::default();
        for (index, components) in [(3, 2), (4, 0), (5, 1)] {
            whole.push_timeslice(RawTimeslice { index, ..RawTimeslice::default() });
            for size in 0..components {
                whole.push_component(1, &block(&[(size, 0)], 5)).expect("fits");
            }
        }
        let parts: Vec<RawData> = whole.each().collect();
        let components = |data: &RawData| -> Vec<usize> {
            data.timeslices().map(|(_, components)| components.len()).collect()
        };
        assert_eq!(parts.iter().map(components).collect::<Vec<_>>(), [[2], [0], [1]]);
        let mut joined = RawData::default();
        parts.iter().for_each(|part| joined.append(part));
        assert_eq!((joined.bytes(), joined.messages()), (whole.bytes(), whole.messages()));
        let heads = |data: &RawData| -> Vec<_> { data.timeslices().map(|it| it.0).collect() };
        assert_eq!((heads(&joined), components(&joined)), (heads(&whole), components(&whole)));
    }
}
