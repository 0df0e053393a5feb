//! One timeslice of an archive.

use generators_common::io::content_limit;

use super::header::{Bytes, Class, Problem};
use super::remarks::Remarks;
use crate::raw::{DESCRIPTOR_BYTES, Descriptor, STS_SYSTEM};

/// Newest class version of the timeslice descriptor.
const NEWEST_DESCRIPTOR: u32 = 2;
/// Newest class version of the component descriptor.
const NEWEST_COMPONENT: u32 = 1;

/// Classes of an archive: their marks precede the first object of each, wherever it is.
#[derive(Default)]
pub(super) struct Classes {
    timeslice: Class,
    descriptor: Class,
    blocks: Class,
    components: Class,
    component: Class,
}

#[derive(Default)]
pub(super) struct Timeslice {
    /// `None` in the oldest archives.
    pub(super) index: Option<u64>,
    pub(super) start_ns: u64,
    pub(super) duration_ns: u64,
    pub(super) core_microslices: u32,
    flags: u32,
    components: usize,
    blocks: Vec<Vec<u8>>,
    microslices: Vec<u64>,
    component_flags: Vec<u32>,
}

impl Timeslice {
    /// Reads the next timeslice; buffers of the previous one are reused.
    pub(super) fn read(
        &mut self,
        from: &mut Bytes<'_>,
        classes: &mut Classes,
    ) -> Result<(), Problem> {
        self.read_descriptor(from, classes)?;
        self.read_blocks(from, classes)?;
        self.read_components(from, classes)?;
        if self.start_ns == 0 {
            self.start_ns = self.first_microslice().unwrap_or(0);
        }
        Ok(())
    }

    /// Reads the beginning of a timeslice.
    pub(super) fn read_descriptor(
        &mut self,
        from: &mut Bytes<'_>,
        classes: &mut Classes,
    ) -> Result<(), Problem> {
        classes.timeslice.begin(from, "timeslice", 0)?;
        let version = classes.descriptor.begin(from, "timeslice descriptor", NEWEST_DESCRIPTOR)?;
        self.index = if version >= 1 { Some(from.u64()?) } else { None };
        (self.start_ns, self.duration_ns, self.flags) = (0, 0, 0);
        if version >= 2 {
            self.start_ns = from.u64()?;
            self.duration_ns = from.u64()?;
            self.flags = from.u32()?;
        }
        let _ring_buffer_position = from.u64()?;
        self.core_microslices = from.u32()?;
        self.components = from.u32()? as usize;
        Ok(())
    }

    fn read_blocks(&mut self, from: &mut Bytes<'_>, classes: &mut Classes) -> Result<(), Problem> {
        classes.blocks.begin(from, "vector of blocks", 0)?;
        self.check_count(from.u64()?, "blocks")?;
        let _item_version = from.u32()?;
        let mut bytes = 0;
        for number in 0..self.components {
            let length = from.u64()?;
            if self.blocks.len() == number {
                self.blocks.push(Vec::new());
            }
            from.block(&mut self.blocks[number], length)?;
            bytes += length;
            content_limit::check(bytes)?;
        }
        self.blocks.truncate(self.components);
        Ok(())
    }

    fn read_components(
        &mut self,
        from: &mut Bytes<'_>,
        classes: &mut Classes,
    ) -> Result<(), Problem> {
        classes.components.begin(from, "vector of component descriptors", 0)?;
        self.check_count(from.u64()?, "component descriptors")?;
        let _item_version = from.u32()?;
        self.microslices.clear();
        self.component_flags.clear();
        for number in 0..self.components {
            let version =
                classes.component.begin(from, "component descriptor", NEWEST_COMPONENT)?;
            let _index = from.u64()?;
            let _offset = from.u64()?;
            let bytes = from.u64()?;
            let microslices = from.u64()?;
            if version >= 1 {
                self.component_flags.push(from.u32()?);
            }
            let found = self.blocks[number].len() as u64;
            if bytes != found {
                let problem =
                    format!("component {number} has {bytes} bytes, but its block has {found}");
                return Err(Problem::Wrong(problem));
            }
            self.microslices.push(microslices);
        }
        Ok(())
    }

    fn check_count(&self, count: u64, what: &str) -> Result<(), Problem> {
        let components = self.components;
        if count == components as u64 {
            return Ok(());
        }
        Err(Problem::Wrong(format!("{count} {what} for {components} components")))
    }

    /// Start of the first microslice of the first component, whatever its detector.
    fn first_microslice(&self) -> Option<u64> {
        let microslices = *self.microslices.first()?;
        let block = self.blocks.first().filter(|_| microslices > 0)?;
        Some(descriptor(block)?.index)
    }

    /// Components of the STS that have microslices: number of the component, number of microslices,
    /// block. Others, and flags, are counted in the remarks.
    pub(super) fn sts_components<'t>(
        &'t self,
        remarks: &mut Remarks,
    ) -> Vec<(usize, u64, &'t [u8])> {
        remarks.timeslice_flags(self.flags);
        self.component_flags.iter().for_each(|&flags| remarks.component_flags(flags));
        let mut components = Vec::new();
        for (number, (block, &microslices)) in self.blocks.iter().zip(&self.microslices).enumerate()
        {
            if microslices == 0 {
                remarks.empty_component();
                continue;
            }
            match descriptor(block) {
                Some(first) if first.system != STS_SYSTEM => remarks.other_system(first.system),
                // A block without a descriptor is refused where it is added.
                _ => components.push((number, microslices, &block[..])),
            }
        }
        components
    }
}

/// The first descriptor of a block.
fn descriptor(block: &[u8]) -> Option<Descriptor> {
    block.first_chunk::<DESCRIPTOR_BYTES>().map(Descriptor::from_bytes)
}
