//! Inputs that consist of arrays and lists only, indexed in the order in which they are added.
//!
//! On the host, too, each array is copied to a separate buffer, so that a plugin can't change the
//! input.

use std::borrow::Cow;
use std::ffi::c_void;
use std::ptr::null;

use bytemuck::{NoUninit, Pod, cast_slice};
use generators::partition::Partition;

use super::task::{
    AbiInput, Addresses, Array, Description, OutputSpec, Read, Upload, changed_at_byte,
};
use crate::plugin::abi;

/// Arrays that a plugin reads, and arrays that it writes.
#[derive(Default)]
pub(crate) struct Layout<'a> {
    arrays: Vec<Array<'a>>,
    outputs: Vec<OutputSpec>,
}

impl<'a> Layout<'a> {
    /// Adds an array to be read; returns its index.
    pub(crate) fn array<T: NoUninit>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        content: impl Into<Cow<'a, [T]>>,
    ) -> usize {
        let content = match content.into() {
            Cow::Borrowed(content) => Cow::Borrowed(cast_slice(content)),
            Cow::Owned(content) => Cow::Owned(cast_slice(&content).to_vec()),
        };
        self.arrays.push(Array { name: name.into(), content, changed: Some(changed_at_byte) });
        self.arrays.len() - 1
    }

    /// Adds an array of `length` elements to be written; returns its index.
    pub(crate) fn output<T>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        elements: usize,
    ) -> usize {
        self.outputs.push(OutputSpec { name: name.into(), bytes: elements * size_of::<T>() });
        self.outputs.len() - 1
    }

    /// Builds the description. `shown` is the initial value of the task's struct, and `point` sets
    /// its pointers to the buffers; `read` reads the outputs by index.
    pub(crate) fn describe<S: 'a, O>(
        self,
        shown: S,
        point: impl Fn(&mut S, &Addresses) + Send + 'a,
        read: Read<'a, O>,
    ) -> Description<'a, O> {
        let mut shown = Pointing { shown: Box::new(shown), point };
        shown.set(&Addresses::default());
        Description {
            shown: Box::new(shown),
            on_host: self.arrays.len(),
            arrays: self.arrays,
            outputs: self.outputs,
            upload: Upload::InRun,
            read,
        }
    }
}

/// A struct with pointers to buffers, and the function that sets them.
struct Pointing<S, F> {
    shown: Box<S>,
    point: F,
}

// SAFETY: its pointers are to buffers that move between threads together with it.
unsafe impl<S, F: Send> Send for Pointing<S, F> {}

impl<S, F: Fn(&mut S, &Addresses) + Send> AbiInput for Pointing<S, F> {
    fn as_ptr(&self) -> *const c_void {
        (&raw const *self.shown).cast()
    }

    fn set(&mut self, buffers: &Addresses) {
        (self.point)(&mut self.shown, buffers);
    }
}

/// Lists that a plugin reads.
pub(crate) struct InputLists {
    /// Indices of items, offsets and counts among the arrays.
    indices: [usize; 3],
    items: u64,
    offsets: Vec<u64>,
    counts: Vec<u64>,
}

/// Lists that a plugin writes.
#[derive(Clone, Copy)]
pub(crate) struct OutputLists {
    what: &'static str,
    /// Indices of items, offsets and counts among the outputs.
    indices: [usize; 3],
    lists: usize,
    capacity: usize,
}

/// Names of the items, offsets and counts of lists.
fn names(what: &str) -> [String; 3] {
    [
        format!("its {what}"),
        format!("the offsets of its {what}"),
        format!("the counts of its {what}"),
    ]
}

impl<'a> Layout<'a> {
    /// Adds contiguous lists to be read.
    pub(crate) fn lists<T: NoUninit>(
        &mut self,
        what: &str,
        items: impl Into<Cow<'a, [T]>>,
        lists: &Partition,
    ) -> InputLists {
        let offsets = lists.ranges().map(|list| list.start as u64).collect();
        self.spaced_lists(what, items, offsets, lists.lengths().map(|count| count as u64).collect())
    }

    /// Adds lists to be read with the offset and length of each: there may be gaps.
    pub(crate) fn spaced_lists<T: NoUninit>(
        &mut self,
        what: &str,
        items: impl Into<Cow<'a, [T]>>,
        offsets: Vec<u64>,
        counts: Vec<u64>,
    ) -> InputLists {
        let items = items.into();
        let count = items.len() as u64;
        let [of_items, of_offsets, of_counts] = names(what);
        let indices = [
            self.array(of_items, items),
            self.array(of_offsets, offsets.clone()),
            self.array(of_counts, counts.clone()),
        ];
        InputLists { indices, items: count, offsets, counts }
    }

    /// Adds `lists` lists to be written, with a capacity of `capacity` items in total.
    pub(crate) fn output_lists<T>(
        &mut self,
        what: &'static str,
        lists: usize,
        capacity: usize,
    ) -> OutputLists {
        let [of_items, of_offsets, of_counts] = names(what);
        let indices = [
            self.output::<T>(of_items, capacity),
            self.output::<u64>(of_offsets, lists),
            self.output::<u64>(of_counts, lists),
        ];
        OutputLists { what, indices, lists, capacity }
    }
}

impl InputLists {
    /// Returns the struct of the header.
    pub(crate) fn shown(&self, at: &Addresses) -> abi::Lists {
        let [items, offsets, counts] = self.indices;
        abi::Lists {
            lists: self.offsets.len() as u64,
            capacity: self.items,
            items: at.array(items),
            begins: at.array(offsets),
            counts: at.array(counts),
            host_begins: self.offsets.as_ptr(),
            host_counts: self.counts.as_ptr(),
        }
    }
}

impl OutputLists {
    /// Returns the struct of the header.
    pub(crate) fn shown(&self, at: &Addresses) -> abi::Lists {
        let [items, offsets, counts] = self.indices;
        abi::Lists {
            lists: self.lists as u64,
            capacity: self.capacity as u64,
            items: at.output(items),
            begins: at.output(offsets),
            counts: at.output(counts),
            host_begins: null(),
            host_counts: null(),
        }
    }

    /// Reads the lists that a plugin wrote.
    ///
    /// # Errors
    /// Description of the first invalid list.
    pub(crate) fn read<'o, T: Pod>(&self, outputs: &[&'o [u8]]) -> Result<Vec<&'o [T]>, String> {
        let [items, offsets, counts] = self.indices.map(|list_index| outputs[list_index]);
        let items = cast_slice::<_, T>(items);
        let offsets = cast_slice::<_, u64>(offsets);
        let lists = offsets.iter().zip(cast_slice::<_, u64>(counts)).enumerate();
        let mut free = self.capacity as u64;
        let list = |(list_index, (&begin, &count)): (usize, (&u64, &u64))| {
            let end = begin.checked_add(count).filter(|&end| end <= self.capacity as u64);
            let Some((end, left)) = end.zip(free.checked_sub(count)) else {
                return Err(self.does_not_fit(list_index, begin, count));
            };
            free = left;
            Ok(&items[begin as usize..end as usize])
        };
        lists.map(list).collect()
    }

    /// Reads the lists that a plugin wrote, which must be contiguous from offset 0 on.
    ///
    /// # Errors
    /// Description of the first list that is invalid, or does not start where the previous one
    /// ends.
    pub(crate) fn read_packed<'o, T: Pod>(
        &self,
        outputs: &[&'o [u8]],
    ) -> Result<Vec<&'o [T]>, String> {
        let lists = self.read(outputs)?;
        let offsets = cast_slice::<_, u64>(outputs[self.indices[1]]);
        let mut end = 0;
        for (list_index, (list, &begin)) in lists.iter().zip(offsets).enumerate() {
            if begin != end {
                let what = self.what;
                return Err(format!(
                    "list {list_index} of its {what} begins at {begin} instead of {end}"
                ));
            }
            end += list.len() as u64;
        }
        Ok(lists)
    }

    fn does_not_fit(&self, list: usize, begin: u64, count: u64) -> String {
        let what = self.what;
        let capacity = self.capacity;
        format!(
            "list {list} of its {what} has {count} items from index {begin} on, but there is capacity \
             for {capacity} in all lists together"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads lists from an array of ten items with these offsets and counts.
    fn read(offsets: &[u64], counts: &[u64]) -> (Result<Vec<Vec<u32>>, String>, bool) {
        let lists = Layout::default().output_lists::<u32>("hits", offsets.len(), 10);
        let items: Vec<u32> = (0..10).collect();
        let outputs = [cast_slice(&items), cast_slice(offsets), cast_slice(counts)];
        let owned = |lists: Vec<&[u32]>| lists.into_iter().map(<[u32]>::to_vec).collect();
        (lists.read(&outputs).map(owned), lists.read_packed::<u32>(&outputs).is_ok())
    }

    #[test]
    fn lists_may_have_gaps_and_any_order_unless_they_are_packed() {
        assert_eq!(read(&[0, 2, 2], &[2, 0, 1]), (Ok(vec![vec![0, 1], vec![], vec![2]]), true));
        assert_eq!(read(&[7, 0], &[3, 2]), (Ok(vec![vec![7, 8, 9], vec![0, 1]]), false));
        assert_eq!(read(&[], &[]), (Ok(vec![]), true));
    }

    #[test]
    fn lists_beyond_the_capacity_are_reported() {
        let problem =
            |offsets: &[u64], counts: &[u64]| read(offsets, counts).0.expect_err("too many");
        let beyond = "list 1 of its hits has 4 items from index 7 on, but there is capacity for 10 in \
                  all lists together";
        assert_eq!(problem(&[0, 7], &[1, 4]), beyond);
        assert!(
            problem(&[u64::MAX], &[2]).starts_with("list 0 of its hits has 2 items from index 18")
        );
        // Overlapping lists.
        assert!(
            problem(&[0, 0], &[6, 6]).starts_with("list 1 of its hits has 6 items from index 0 on")
        );
    }
}
