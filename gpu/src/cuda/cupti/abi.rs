//! Functions and parameters of CUPTI that are used: the host profiler and the range profiler, which
//! version 12.6 introduced, and callbacks of launches.
//!
//! All functions of profilers take one struct, which begins with its size, by which the library knows
//! the version of its caller: the end of the last field, without padding.

use std::ffi::{c_char, c_int, c_void};
use std::mem::{forget, offset_of, zeroed};
use std::ptr::null_mut;

use libloading::Library;

use super::CuptiError;

/// Result of a call.
pub type Status = c_int;
/// An object of the library.
pub type Object = *mut c_void;

/// Profilers with ranges, as opposed to those that sample.
pub const RANGE_PROFILER: u32 = 0;
/// Each kernel is a range.
pub const AUTO_RANGE: u32 = 1;
/// Kernels are repeated for counters that can't be read at once.
pub const KERNEL_REPLAY: u32 = 2;
/// Metrics that are one counter by another.
pub const RATIOS: u32 = 1;
/// Callbacks of functions of the driver.
pub const DRIVER_CALLS: u32 = 1;
/// A callback before its function.
pub const ENTER: u32 = 0;
/// Functions that launch kernels: `cuLaunchKernel`, `cuLaunchCooperativeKernel` and
/// `cuLaunchKernelEx`, each also for streams of threads.
pub const LAUNCHES: [u32; 6] = [307, 442, 477, 478, 652, 653];
/// The driver reserves counters for administrators; on a GPU, or on a virtual one.
pub const FORBIDDEN: [Status; 2] = [35, 40];

macro_rules! parameters {
    ($($name:ident { $($field:ident: $type:ty,)* ; $last:ident: $last_type:ty })*) => {$(
        #[repr(C)]
        pub struct $name {
            pub size: usize,
            pub private: *mut c_void,
            $(pub $field: $type,)*
            pub $last: $last_type,
        }

        impl Default for $name {
            /// All zero but for the size.
            fn default() -> Self {
                // SAFETY: numbers and pointers may be zero.
                let zero: Self = unsafe { zeroed() };
                $name { size: offset_of!($name, $last) + size_of::<$last_type>(), ..zero }
            }
        }
    )*};
}

parameters! {
    GetChipName { device: usize,; name: *const c_char }
    CounterAvailability { context: Object, bytes: usize,; image: *mut u8 }
    HostInitialize { profiler: u32, chip: *const c_char, availability: *const u8,; host: Object }
    HostDeinitialize { ; host: Object }
    BaseMetrics { host: Object, kind: u32, names: *mut *const c_char,; count: usize }
    AddMetrics { host: Object, names: *const *const c_char,; count: usize }
    ConfigImageSize { host: Object,; bytes: usize }
    ConfigImage { host: Object, bytes: usize,; image: *mut u8 }
    Evaluate {
        host: Object,
        data: *const u8,
        data_bytes: usize,
        range: usize,
        names: *const *const c_char,
        count: usize,;
        values: *mut f64
    }
    Enable { context: Object,; profiler: Object }
    Disable { ; profiler: Object }
    CounterDataSize {
        profiler: Object,
        names: *const *const c_char,
        count: usize,
        max_ranges: usize,
        max_nodes: u32,;
        bytes: usize
    }
    CounterDataInitialize { profiler: Object, bytes: usize,; data: *mut u8 }
    SetConfig {
        profiler: Object,
        config_bytes: usize,
        config: *const u8,
        data_bytes: usize,
        data: *mut u8,
        range: u32,
        replay: u32,
        max_ranges: usize,
        nesting_levels: u16,
        min_nesting_level: u16,
        pass: usize,;
        nesting_level: u16
    }
    Start { ; profiler: Object }
    Stop { profiler: Object, pass: usize, nesting_level: usize,; is_all_submitted: u8 }
    DecodeData { profiler: Object,; dropped: usize }
    CounterDataInfo { data: *const u8, bytes: usize,; ranges: usize }
}

/// Parameters of the call that prepares profilers.
#[repr(C)]
pub struct Initialize {
    size: usize,
    private: *mut c_void,
}

impl Default for Initialize {
    fn default() -> Self {
        Initialize { size: size_of::<Self>(), private: null_mut() }
    }
}

/// Data of a callback; there are more fields, which are not read.
#[repr(C)]
pub struct CallbackData {
    pub site: u32,
    pub function: *const c_char,
    pub parameters: *const c_void,
    pub result: *mut c_void,
    /// Name of the kernel.
    pub symbol: *const c_char,
}

pub type Callback = unsafe extern "C" fn(*mut c_void, u32, u32, *const CallbackData);
type Call<P> = unsafe extern "C" fn(*mut P) -> Status;

macro_rules! functions {
    ($($name:ident: $type:ty = $symbol:literal,)*) => {
        /// Functions of the library.
        pub struct Functions {
            $(pub $name: $type,)*
        }

        impl Functions {
            /// # Errors
            /// If the library has not all of them.
            pub fn load(library: Library) -> Result<Self, CuptiError> {
                // SAFETY: functions of these names have these types.
                let functions = unsafe {
                    Functions {
                        $($name: *library
                            .get::<$type>($symbol.as_bytes())
                            .map_err(|_| CuptiError::TooOld($symbol))?,)*
                    }
                };
                // They are called until the process ends.
                forget(library);
                Ok(functions)
            }
        }
    };
}

functions! {
    result_words: unsafe extern "C" fn(Status, *mut *const c_char) -> Status = "cuptiGetResultString",
    subscribe: unsafe extern "C" fn(*mut Object, Callback, *mut c_void) -> Status = "cuptiSubscribe",
    unsubscribe: unsafe extern "C" fn(Object) -> Status = "cuptiUnsubscribe",
    enable_callback: unsafe extern "C" fn(u32, Object, u32, u32) -> Status = "cuptiEnableCallback",
    initialize: Call<Initialize> = "cuptiProfilerInitialize",
    chip_name: Call<GetChipName> = "cuptiDeviceGetChipName",
    counter_availability: Call<CounterAvailability> = "cuptiProfilerGetCounterAvailability",
    host_initialize: Call<HostInitialize> = "cuptiProfilerHostInitialize",
    host_deinitialize: Call<HostDeinitialize> = "cuptiProfilerHostDeinitialize",
    base_metrics: Call<BaseMetrics> = "cuptiProfilerHostGetBaseMetrics",
    add_metrics: Call<AddMetrics> = "cuptiProfilerHostConfigAddMetrics",
    config_image_size: Call<ConfigImageSize> = "cuptiProfilerHostGetConfigImageSize",
    config_image: Call<ConfigImage> = "cuptiProfilerHostGetConfigImage",
    evaluate: Call<Evaluate> = "cuptiProfilerHostEvaluateToGpuValues",
    enable: Call<Enable> = "cuptiRangeProfilerEnable",
    disable: Call<Disable> = "cuptiRangeProfilerDisable",
    counter_data_size: Call<CounterDataSize> = "cuptiRangeProfilerGetCounterDataSize",
    counter_data_initialize: Call<CounterDataInitialize> = "cuptiRangeProfilerCounterDataImageInitialize",
    set_config: Call<SetConfig> = "cuptiRangeProfilerSetConfig",
    start: Call<Start> = "cuptiRangeProfilerStart",
    stop: Call<Stop> = "cuptiRangeProfilerStop",
    decode_data: Call<DecodeData> = "cuptiRangeProfilerDecodeData",
    counter_data_info: Call<CounterDataInfo> = "cuptiRangeProfilerGetCounterDataInfo",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_end_with_the_last_field() {
        // By the library's headers of versions 12.9 and 13.0.
        assert_eq!(Initialize::default().size, 16);
        assert_eq!(GetChipName::default().size, 32);
        assert_eq!(CounterAvailability::default().size, 40);
        assert_eq!(HostInitialize::default().size, 48);
        assert_eq!(HostDeinitialize::default().size, 24);
        assert_eq!(BaseMetrics::default().size, 48);
        assert_eq!(AddMetrics::default().size, 40);
        assert_eq!(ConfigImageSize::default().size, 32);
        assert_eq!(ConfigImage::default().size, 40);
        assert_eq!(Evaluate::default().size, 72);
        assert_eq!(Enable::default().size, 32);
        assert_eq!(Disable::default().size, 24);
        assert_eq!(CounterDataSize::default().size, 64);
        assert_eq!(CounterDataInitialize::default().size, 40);
        assert_eq!(SetConfig::default().size, 90);
        assert_eq!(Start::default().size, 24);
        assert_eq!(Stop::default().size, 41);
        assert_eq!(DecodeData::default().size, 32);
        assert_eq!(CounterDataInfo::default().size, 40);
        assert_eq!(offset_of!(CallbackData, symbol), 32);
        assert_eq!(offset_of!(SetConfig, pass), 80);
    }
}
