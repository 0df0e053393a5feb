//! A CPU variant that fills a list.

use std::borrow::Cow;

use portable_gpu::DeviceError;

use super::{Algorithm, PrepareResult, Runner, VariantContext};
use crate::device::{Arena, ArenaVec, Poison};

/// Fills a list of some length, from an input of `input_bytes` bytes.
struct Filling<'a, F> {
    arena: &'a Arena,
    length: usize,
    input_bytes: usize,
    fill: F,
}

impl<'a, A, T, F> Runner<A> for Filling<'a, F>
where
    A: Algorithm<Output = Vec<T>>,
    T: Poison,
    F: FnMut(&mut [T]) + Send,
{
    type Buffers = ArenaVec<'a, T>;

    fn allocate(&self) -> Result<Self::Buffers, DeviceError> {
        Ok(self.arena.vector(self.length))
    }

    fn run(&mut self, list: &mut Self::Buffers) -> Result<(), DeviceError> {
        (self.fill)(list.as_mut_slice());
        Ok(())
    }

    fn output<'b>(&'b self, list: &'b Self::Buffers) -> Cow<'b, Vec<T>> {
        Cow::Borrowed(list)
    }

    fn input_bytes(&self) -> u64 {
        self.input_bytes as u64
    }
}

impl<'a, A: Algorithm> VariantContext<'a, '_, A> {
    /// Prepares a variant without buffers except its output, a list of `length` elements, which
    /// `fill` overwrites completely. The input has `input_bytes` bytes.
    pub fn fill_output<T: Poison>(
        &self,
        length: usize,
        input_bytes: usize,
        fill: impl FnMut(&mut [T]) + Send + 'a,
    ) -> PrepareResult<'a, A>
    where
        A: Algorithm<Output = Vec<T>>,
    {
        self.session(Filling { arena: self.arena, length, input_bytes, fill })
    }
}
