//! A kernel as a variant: common code.

use std::ffi::{CStr, c_void};
use std::ptr::null;

use crate::recobench::{self, CUDA, Host, Memory, Problem, answer};

/// A variant that is ready for an input.
pub(crate) trait Ready: Sized {
    /// The struct of its task.
    type Input;
    /// The task.
    const TASK: &'static CStr;
    /// Bit mask of the buffers that it uses.
    const BUFFERS: u32;

    /// Prepares for an input on the GPU that bench selected.
    fn prepare(host: &Host, input: &Self::Input) -> Result<Self, Problem>;
    /// The bytes of scratch memory that it needs, and of memory that it has itself.
    fn memory(&self) -> (u64, u64);
    /// Puts the work into bench's stream.
    fn run(&self, host: &Host, input: &Self::Input) -> Result<(), Problem>;
}

/// Description of a variant.
pub(crate) struct About {
    pub(crate) name: &'static CStr,
    pub(crate) summary: &'static CStr,
    /// The native counterpart.
    pub(crate) native: &'static CStr,
    /// A further difference, with the reason.
    pub(crate) differs: Option<&'static CStr>,
}

/// The entry of a variant in the table.
pub(crate) const fn entry<R: Ready>(about: About) -> recobench::Variant {
    recobench::Variant {
        size: size_of::<recobench::Variant>(),
        task: R::TASK.as_ptr(),
        name: about.name.as_ptr(),
        summary: about.summary.as_ptr(),
        backend: CUDA,
        buffers: R::BUFFERS,
        // Both tasks keep the order.
        stable: 1,
        omits: 0,
        waits: 0,
        prepare: Some(prepare::<R>),
        memory: Some(memory::<R>),
        reset: None,
        run: Some(run::<R>),
        output: None,
        release: Some(release::<R>),
        semantics: 0,
        order: 0,
        native: about.native.as_ptr(),
        written_as: c"CubeCL".as_ptr(),
        differs: match about.differs {
            Some(differs) => differs.as_ptr(),
            None => null(),
        },
    }
}

unsafe extern "C" fn prepare<R: Ready>(
    _variant: *const recobench::Variant,
    host: *const Host,
    input: *const c_void,
    state: *mut *mut c_void,
) -> i32 {
    // SAFETY: the header has a host, and the task's struct is valid during the call.
    let (host, input) = unsafe { (&*host, &*input.cast::<R::Input>()) };
    let ready = R::prepare(host, input).map(|ready| {
        // SAFETY: `state` points to memory for a pointer.
        unsafe { state.write(Box::into_raw(Box::new(ready)).cast()) };
    });
    answer(host, ready)
}

unsafe extern "C" fn memory<R: Ready>(
    state: *mut c_void,
    _host: *const Host,
    memory: *mut Memory,
) -> i32 {
    // SAFETY: the state is what `prepare` has stored; the struct is valid during the call.
    let (ready, memory) = unsafe { (&*state.cast::<R>(), &mut *memory) };
    (memory.scratch_bytes, memory.own_bytes) = ready.memory();
    recobench::OK
}

unsafe extern "C" fn run<R: Ready>(
    state: *mut c_void,
    host: *const Host,
    input: *const c_void,
) -> i32 {
    // SAFETY: the state is what `prepare` has stored; the header has a host, and the task's struct
    // is valid during the call.
    let (ready, host, input) = unsafe { (&*state.cast::<R>(), &*host, &*input.cast::<R::Input>()) };
    answer(host, ready.run(host, input))
}

unsafe extern "C" fn release<R: Ready>(state: *mut c_void) {
    if !state.is_null() {
        // SAFETY: it is what `prepare` has stored, and is not used after this.
        drop(unsafe { Box::from_raw(state.cast::<R>()) });
    }
}
