//! CPU variants that fill a list.

use std::borrow::Cow;

use portable_gpu::DeviceError;

use super::{Algorithm, CheckError, PrepareResult, Runner, VariantContext};
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

/// Fills a list of some length at most; see [`Filling`].
struct FillingUpTo<'a, F> {
    filling: Filling<'a, F>,
    /// Elements that the last run wrote.
    written: usize,
}

impl<'a, A, T, F> Runner<A> for FillingUpTo<'a, F>
where
    A: Algorithm<Output = Vec<T>>,
    T: Poison,
    F: FnMut(&mut [T]) -> usize + Send,
{
    type Buffers = ArenaVec<'a, T>;

    fn allocate(&self) -> Result<Self::Buffers, DeviceError> {
        Ok(self.filling.arena.vector(self.filling.length))
    }

    fn run(&mut self, list: &mut Self::Buffers) -> Result<(), DeviceError> {
        self.written = (self.filling.fill)(list.as_mut_slice());
        Ok(())
    }

    fn inspect(&mut self, list: &mut Self::Buffers) -> Result<(), CheckError> {
        match list.get(..self.written) {
            Some(_) => Ok(()),
            None => Err(format!("{} elements in a list of {}", self.written, list.len()).into()),
        }
    }

    fn output<'b>(&'b self, list: &'b Self::Buffers) -> Cow<'b, Vec<T>> {
        Cow::Owned(list[..self.written.min(list.len())].to_vec())
    }

    fn input_bytes(&self) -> u64 {
        self.filling.input_bytes as u64
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

    /// Prepares a variant as [`Self::fill_output`] does, whose output has a length that depends on
    /// the data: `fill` overwrites the start of a list of `max_length` elements, and returns the
    /// number of elements that it has written. The rest is no output, but its memory counts.
    pub fn fill_output_up_to<T: Poison>(
        &self,
        max_length: usize,
        input_bytes: usize,
        fill: impl FnMut(&mut [T]) -> usize + Send + 'a,
    ) -> PrepareResult<'a, A>
    where
        A: Algorithm<Output = Vec<T>>,
    {
        let filling = Filling { arena: self.arena, length: max_length, input_bytes, fill };
        self.session(FillingUpTo { filling, written: 0 })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use generators_common::DataError;

    use super::*;
    use crate::algorithm::{Plan, Semantics, TaskInfo, Variant, Work};
    use crate::axis::Params;
    use crate::device::{Target, Team};

    /// Keeps the even numbers.
    #[derive(Clone, Copy)]
    struct Evens;

    impl Algorithm for Evens {
        type Input = Vec<u32>;
        type Output = Vec<u32>;

        fn info(&self) -> TaskInfo {
            TaskInfo::new("evens", "keep the even numbers", &[])
        }

        fn variants(&self) -> Vec<Variant<Self>> {
            vec![KEEPING, TOO_MANY]
        }

        fn plan(&self, params: Params) -> Result<Plan, DataError> {
            Ok(Plan { params, memory_bytes: 0 })
        }

        fn generate(&self, _: &Params, _: u64) -> Result<Vec<u32>, DataError> {
            Ok((0..9).collect())
        }

        fn write(&self, _: &Vec<u32>, _: &Path) -> Result<(), DataError> {
            Ok(())
        }

        fn hard_inputs(&self, _: u64) -> Vec<(String, Vec<u32>)> {
            vec![("odd".to_owned(), vec![1, 3])]
        }

        fn work(&self, _: &Vec<u32>) -> Work {
            Work::default()
        }

        fn reference(&self, input: &Vec<u32>, _: Semantics) -> Option<Vec<u32>> {
            Some(input.iter().copied().filter(|number| number % 2 == 0).collect())
        }
    }

    const KEEPING: Variant<Evens> = Variant::cpu("keeping", "", |at| {
        let input = at.input;
        at.fill_output_up_to(input.len(), size_of_val(input.as_slice()), |evens| {
            let found = input.iter().filter(|number| *number % 2 == 0);
            evens.iter_mut().zip(found).map(|(even, found)| *even = *found).count()
        })
    });

    const TOO_MANY: Variant<Evens> =
        Variant::cpu("too-many", "", |at| at.fill_output_up_to(2, 0, |_| 3));

    #[test]
    fn the_length_of_an_output_may_depend_on_the_data() {
        let team = Team::new(1).expect("a thread");
        let target = Target::host(&team);
        for input in [(0..9).collect(), vec![1, 3]] {
            let output = KEEPING.checked_output(&Evens, &input, &target, None);
            assert_eq!(Some(output.expect("right")), Evens.reference(&input, Semantics::Exact));
        }
        let problem = TOO_MANY.output(&Evens, &vec![2], &target).expect_err("too many");
        assert_eq!(problem.to_string(), "3 elements in a list of 2");
    }
}
