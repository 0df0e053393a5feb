//! Hardware counters of kernels, by NVIDIA's CUPTI, which is loaded if it is there: it comes with the
//! CUDA toolkit, and with the package `nvidia-cuda-cupti` for Python.
//!
//! Each kernel is repeated until all counters are read, as one pass over the hardware reads few. So
//! kernels that are counted take long, and counted work is not timed.
//!
//! | module | holds |
//! |---|---|
//! | `abi` | functions of the library and their parameters |

mod abi;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::env;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use cudarc::driver::result::ctx;
use cudarc::driver::sys;
use text::Untrusted;

use super::super::driver_library::first_of;
use super::super::{DeviceError, Gpu};
use abi::{
    AUTO_RANGE, AddMetrics, BaseMetrics, CallbackData, ConfigImage, ConfigImageSize,
    CounterAvailability, CounterDataInfo, CounterDataInitialize, CounterDataSize, DRIVER_CALLS,
    DecodeData, Disable, ENTER, Enable, Evaluate, FORBIDDEN, Functions, GetChipName,
    HostDeinitialize, HostInitialize, Initialize, KERNEL_REPLAY, LAUNCHES, Object, RANGE_PROFILER,
    RATIOS, SetConfig, Start, Status, Stop,
};

/// Names of the library, the newest first.
const LIBRARIES: [&str; 3] = ["libcupti.so.13", "libcupti.so.12", "libcupti.so"];
/// Folder of the library in a toolkit.
const IN_TOOLKIT: &str = "extras/CUPTI/lib64";
/// Variables with the folder of a toolkit.
const TOOLKITS: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];
/// The usual folder of a toolkit.
const USUAL_TOOLKIT: &str = "/usr/local/cuda";
/// Maximum number of launches that are counted.
const MAX_LAUNCHES: usize = 512;

/// Reason why kernels are not counted.
#[derive(Debug, thiserror::Error)]
pub enum CuptiError {
    /// There is no library.
    #[error(
        "CUPTI is not installed: it comes with the CUDA toolkit, whose folder CUDA_HOME names, and \
         with the package nvidia-cuda-cupti"
    )]
    Missing,
    /// The library can't be loaded.
    #[error("CUPTI can't be loaded: {0}")]
    Broken(String),
    /// The library lacks this function.
    #[error("CUPTI is too old: it has no {0}; version 12.6 and later have it")]
    TooOld(&'static str),
    /// The driver reserves counters for administrators.
    #[error("the driver reserves counters for administrators")]
    Forbidden,
    /// A call failed.
    #[error("{call} of CUPTI failed: {words}")]
    Refused {
        /// Its name.
        call: &'static str,
        /// The library's message.
        words: String,
    },
    /// Launches and counted kernels differ in number.
    #[error("CUPTI counted {counted} kernels of {launches} launches: which is which is unknown")]
    Unassigned {
        /// Number of counted kernels.
        counted: usize,
        /// Number of launches.
        launches: usize,
    },
    /// Launches of threads, whose order is not that of kernels.
    #[error("kernels were launched by {0} threads: which is which is unknown")]
    Threads(usize),
    /// The GPU failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The GPU is used by other means than CUDA.
    #[error("CUPTI counts kernels in CUDA, on GPUs by NVIDIA")]
    NoContext,
}

/// Metrics to count.
#[derive(Clone, Copy, Debug)]
pub struct Metrics<'a> {
    /// Names of metrics.
    pub named: &'a [&'a str],
    /// Beginning and end of the names of ratios, all of which are counted.
    pub ratios: (&'a str, &'a str),
}

/// Counts of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedLaunch {
    /// Name of the kernel.
    pub kernel: String,
    /// Values by metric. Metrics that the GPU does not have are NaN.
    pub values: Vec<(String, f64)>,
}

/// The library, ready to be used.
pub struct Cupti(Arc<Functions>);

/// Counting of all kernels that a GPU is given while this exists.
pub struct KernelCounting {
    functions: Arc<Functions>,
    metrics: Vec<CString>,
    /// Points to the metrics.
    names: Vec<*const c_char>,
    /// Counters that the GPU has; the host object reads it.
    availability: Vec<u8>,
    host: Object,
    profiler: Object,
    subscriber: Object,
    /// Counters, in the form of the library.
    data: Vec<u8>,
    /// Passes over the counters; the library reads it while it counts.
    config: Vec<u8>,
    launches: Box<Mutex<Vec<Launch>>>,
}

/// A launch, when it is asked for.
struct Launch {
    kernel: String,
    thread: ThreadId,
}

impl Cupti {
    /// Loads the library; nothing is started.
    ///
    /// # Errors
    /// If there is none, or it is too old.
    pub fn open() -> Result<Self, CuptiError> {
        let names = candidates();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let missing =
            |problem: Option<String>| problem.map_or(CuptiError::Missing, CuptiError::Broken);
        let library = first_of(&names).map_err(missing)?;
        Functions::load(library).map(Arc::new).map(Cupti)
    }

    /// Begins to count the kernels of a GPU by NVIDIA.
    ///
    /// # Errors
    /// If the library or the driver refuses.
    pub fn count(&self, gpu: &Gpu, metrics: Metrics<'_>) -> Result<KernelCounting, CuptiError> {
        // Calls make the context of the GPU current for this thread.
        gpu.finish()?;
        let (context, device) = current().ok_or(CuptiError::NoContext)?;
        KernelCounting::start(Arc::clone(&self.0), context, device, metrics)
    }
}

/// The context that is current for this thread, and the index of its GPU.
fn current() -> Option<(Object, usize)> {
    super::devices().ok()?;
    let context = ctx::get_current().ok().flatten()?;
    let mut device = 0;
    // SAFETY: the driver is loaded, and a context is current.
    let status = unsafe { sys::cuCtxGetDevice(&raw mut device) };
    (status == sys::CUresult::CUDA_SUCCESS).then_some((context.cast(), device as usize))
}

/// Paths and names of the library, in the order in which they are tried.
fn candidates() -> Vec<String> {
    let given = TOOLKITS.iter().filter_map(env::var_os).map(PathBuf::from);
    let toolkits = given.chain([PathBuf::from(USUAL_TOOLKIT)]);
    let in_toolkits = toolkits.flat_map(|toolkit| {
        LIBRARIES.map(|name| toolkit.join(IN_TOOLKIT).join(name).to_string_lossy().into_owned())
    });
    LIBRARIES.map(str::to_owned).into_iter().chain(in_toolkits).collect()
}

impl KernelCounting {
    /// Begins to count in a context, which is current for this thread.
    fn start(
        functions: Arc<Functions>,
        context: Object,
        device: usize,
        metrics: Metrics<'_>,
    ) -> Result<Self, CuptiError> {
        let mut counting = KernelCounting {
            functions,
            metrics: Vec::new(),
            names: Vec::new(),
            availability: Vec::new(),
            host: null_mut(),
            profiler: null_mut(),
            subscriber: null_mut(),
            data: Vec::new(),
            config: Vec::new(),
            launches: Box::default(),
        };
        counting.open_host(context, device)?;
        counting.choose(metrics)?;
        counting.config = counting.config_image()?;
        counting.open_profiler(context)?;
        counting.listen()?;
        let mut start = Start { profiler: counting.profiler, ..Start::default() };
        counting.call("cuptiRangeProfilerStart", counting.functions.start, &mut start)?;
        Ok(counting)
    }

    /// Ends counting: the counts of all launches, in order.
    ///
    /// # Errors
    /// If the GPU or the library fails, or launches can't be assigned to kernels.
    pub fn finish(self, gpu: &Gpu) -> Result<Vec<CountedLaunch>, CuptiError> {
        gpu.finish()?;
        self.stop()
    }

    fn stop(mut self) -> Result<Vec<CountedLaunch>, CuptiError> {
        let mut stop = Stop { profiler: self.profiler, ..Stop::default() };
        self.call("cuptiRangeProfilerStop", self.functions.stop, &mut stop)?;
        self.end_listening();
        let mut decode = DecodeData { profiler: self.profiler, ..DecodeData::default() };
        self.call("cuptiRangeProfilerDecodeData", self.functions.decode_data, &mut decode)?;
        let mut info = CounterDataInfo {
            data: self.data.as_ptr(),
            bytes: self.data.len(),
            ..CounterDataInfo::default()
        };
        let get_info = self.functions.counter_data_info;
        self.call("cuptiRangeProfilerGetCounterDataInfo", get_info, &mut info)?;
        let launches = std::mem::take(&mut *lock(&self.launches));
        let threads: HashSet<ThreadId> = launches.iter().map(|launch| launch.thread).collect();
        if threads.len() > 1 {
            return Err(CuptiError::Threads(threads.len()));
        }
        if info.ranges != launches.len() || decode.dropped > 0 {
            let launches = launches.len();
            return Err(CuptiError::Unassigned { counted: info.ranges, launches });
        }
        let counted = launches.into_iter().enumerate();
        counted.map(|(range, launch)| self.evaluated(range, launch.kernel)).collect()
    }

    /// The counts of a range.
    fn evaluated(&self, range: usize, kernel: String) -> Result<CountedLaunch, CuptiError> {
        let mut values = vec![0.0; self.names.len()];
        let mut evaluate = Evaluate {
            host: self.host,
            data: self.data.as_ptr(),
            data_bytes: self.data.len(),
            range,
            names: self.names.as_ptr(),
            count: self.names.len(),
            values: values.as_mut_ptr(),
            ..Evaluate::default()
        };
        let function = self.functions.evaluate;
        self.call("cuptiProfilerHostEvaluateToGpuValues", function, &mut evaluate)?;
        let names = self.metrics.iter().map(|name| name.to_string_lossy().into_owned());
        Ok(CountedLaunch { kernel, values: names.zip(values).collect() })
    }

    /// Opens the part of the library that knows the metrics of a GPU.
    fn open_host(&mut self, context: Object, device: usize) -> Result<(), CuptiError> {
        let functions = Arc::clone(&self.functions);
        self.call("cuptiProfilerInitialize", functions.initialize, &mut Initialize::default())?;
        let mut chip = GetChipName { device, ..GetChipName::default() };
        self.call("cuptiDeviceGetChipName", functions.chip_name, &mut chip)?;
        let mut availability = CounterAvailability { context, ..CounterAvailability::default() };
        let name = "cuptiProfilerGetCounterAvailability";
        self.call(name, functions.counter_availability, &mut availability)?;
        self.availability = vec![0; availability.bytes];
        availability.image = self.availability.as_mut_ptr();
        self.call(name, functions.counter_availability, &mut availability)?;
        let mut host = HostInitialize {
            profiler: RANGE_PROFILER,
            chip: chip.name,
            availability: self.availability.as_ptr(),
            ..HostInitialize::default()
        };
        self.call("cuptiProfilerHostInitialize", functions.host_initialize, &mut host)?;
        self.host = host.host;
        Ok(())
    }

    /// Takes the metrics to count.
    fn choose(&mut self, metrics: Metrics<'_>) -> Result<(), CuptiError> {
        let mut base = BaseMetrics { host: self.host, kind: RATIOS, ..BaseMetrics::default() };
        let base_metrics = self.functions.base_metrics;
        self.call("cuptiProfilerHostGetBaseMetrics", base_metrics, &mut base)?;
        let (before, after) = metrics.ratios;
        let ratio = |index: usize| {
            // SAFETY: the library has that number of names, which end with a null byte.
            let name = unsafe { CStr::from_ptr(*base.names.add(index)) }.to_string_lossy();
            let name = format!("{name}.ratio");
            (name.starts_with(before) && name.ends_with(after)).then_some(name)
        };
        let named = metrics.named.iter().map(|&name| name.to_owned());
        let names = named.chain((0..base.count).filter_map(ratio));
        self.metrics = names.filter_map(|name| CString::new(name).ok()).collect();
        self.names = self.metrics.iter().map(|name| name.as_ptr()).collect();
        let mut add = AddMetrics {
            host: self.host,
            names: self.names.as_ptr(),
            count: self.names.len(),
            ..AddMetrics::default()
        };
        self.call("cuptiProfilerHostConfigAddMetrics", self.functions.add_metrics, &mut add)
    }

    /// The passes over the counters of the metrics.
    fn config_image(&self) -> Result<Vec<u8>, CuptiError> {
        let mut size = ConfigImageSize { host: self.host, ..ConfigImageSize::default() };
        let get_size = self.functions.config_image_size;
        self.call("cuptiProfilerHostGetConfigImageSize", get_size, &mut size)?;
        let mut bytes = vec![0_u8; size.bytes];
        let mut image = ConfigImage {
            host: self.host,
            bytes: bytes.len(),
            image: bytes.as_mut_ptr(),
            ..ConfigImage::default()
        };
        let get_image = self.functions.config_image;
        self.call("cuptiProfilerHostGetConfigImage", get_image, &mut image)?;
        Ok(bytes)
    }

    /// Prepares counting in a context.
    fn open_profiler(&mut self, context: Object) -> Result<(), CuptiError> {
        let functions = Arc::clone(&self.functions);
        let mut enable = Enable { context, ..Enable::default() };
        self.call("cuptiRangeProfilerEnable", functions.enable, &mut enable)?;
        self.profiler = enable.profiler;
        let mut size = CounterDataSize {
            profiler: self.profiler,
            names: self.names.as_ptr(),
            count: self.names.len(),
            max_ranges: MAX_LAUNCHES,
            max_nodes: MAX_LAUNCHES as u32,
            ..CounterDataSize::default()
        };
        let get_size = functions.counter_data_size;
        self.call("cuptiRangeProfilerGetCounterDataSize", get_size, &mut size)?;
        self.data = vec![0; size.bytes];
        let mut initialize = CounterDataInitialize {
            profiler: self.profiler,
            bytes: self.data.len(),
            data: self.data.as_mut_ptr(),
            ..CounterDataInitialize::default()
        };
        let name = "cuptiRangeProfilerCounterDataImageInitialize";
        self.call(name, functions.counter_data_initialize, &mut initialize)?;
        let mut config = SetConfig {
            profiler: self.profiler,
            config_bytes: self.config.len(),
            config: self.config.as_ptr(),
            data_bytes: self.data.len(),
            data: self.data.as_mut_ptr(),
            range: AUTO_RANGE,
            replay: KERNEL_REPLAY,
            max_ranges: MAX_LAUNCHES,
            nesting_levels: 1,
            min_nesting_level: 1,
            nesting_level: 1,
            ..SetConfig::default()
        };
        self.call("cuptiRangeProfilerSetConfig", functions.set_config, &mut config)
    }

    /// Subscribes to launches.
    fn listen(&mut self) -> Result<(), CuptiError> {
        let functions = Arc::clone(&self.functions);
        let launches = (&raw const *self.launches).cast_mut().cast::<c_void>();
        // SAFETY: the launches live on the heap until the subscription has ended.
        let status = unsafe { (functions.subscribe)(&raw mut self.subscriber, note, launches) };
        self.checked("cuptiSubscribe", status)?;
        for launch in LAUNCHES {
            // SAFETY: this is a subscription, and the number of a function of the driver.
            let status =
                unsafe { (functions.enable_callback)(1, self.subscriber, DRIVER_CALLS, launch) };
            self.checked("cuptiEnableCallback", status)?;
        }
        Ok(())
    }

    fn end_listening(&mut self) {
        let subscriber = std::mem::replace(&mut self.subscriber, null_mut());
        if !subscriber.is_null() {
            // SAFETY: it is a subscription, and ends once.
            unsafe { (self.functions.unsubscribe)(subscriber) };
        }
    }

    fn call<P>(
        &self,
        name: &'static str,
        function: unsafe extern "C" fn(*mut P) -> Status,
        parameters: &mut P,
    ) -> Result<(), CuptiError> {
        // SAFETY: the parameters are those of the function, and live until it returns or, where it
        // keeps pointers, as long as this.
        let status = unsafe { function(parameters) };
        self.checked(name, status)
    }

    fn checked(&self, call: &'static str, status: Status) -> Result<(), CuptiError> {
        if status == 0 {
            return Ok(());
        }
        if FORBIDDEN.contains(&status) {
            return Err(CuptiError::Forbidden);
        }
        let mut words = null();
        // SAFETY: the library writes the address of a text that ends with a null byte, or nothing.
        let words = unsafe {
            (self.functions.result_words)(status, &raw mut words);
            (!words.is_null()).then(|| CStr::from_ptr(words).to_string_lossy())
        };
        let words = words.map_or_else(|| format!("error {status}"), |it| it.escaped().to_string());
        Err(CuptiError::Refused { call, words })
    }
}

impl Drop for KernelCounting {
    fn drop(&mut self) {
        self.end_listening();
        // Errors at the end change no counts.
        if !self.profiler.is_null() {
            let mut disable = Disable { profiler: self.profiler, ..Disable::default() };
            let _ = self.call("cuptiRangeProfilerDisable", self.functions.disable, &mut disable);
        }
        if !self.host.is_null() {
            let mut end = HostDeinitialize { host: self.host, ..HostDeinitialize::default() };
            let end_host = self.functions.host_deinitialize;
            let _ = self.call("cuptiProfilerHostDeinitialize", end_host, &mut end);
        }
    }
}

/// Notes the name of a kernel before its launch.
unsafe extern "C" fn note(launches: *mut c_void, _: u32, _: u32, data: *const CallbackData) {
    // SAFETY: the library calls this for launches alone, with what was subscribed and data of which
    // the kernel's name is known.
    let (launches, data) = unsafe { (&*launches.cast::<Mutex<Vec<Launch>>>(), &*data) };
    if data.site != ENTER || data.symbol.is_null() {
        return;
    }
    // SAFETY: a name that ends with a null byte.
    let kernel = unsafe { CStr::from_ptr(data.symbol) }.to_string_lossy().into_owned();
    lock(launches).push(Launch { kernel, thread: thread::current().id() });
}

fn lock(launches: &Mutex<Vec<Launch>>) -> MutexGuard<'_, Vec<Launch>> {
    launches.lock().unwrap_or_else(PoisonError::into_inner)
}
