//! How pools are made. Threads are virtual: how to start one, its name and its stack are taken note
//! of and make no difference.

use crate::broadcast::broadcast_in;
use crate::pool::ThreadPool;
use crate::region::Panic;
use crate::runtime;
use std::error::Error;
use std::marker::PhantomData;
use std::{fmt, io, process, ptr};

/// What a pool does besides running tasks.
#[derive(Default)]
struct Handlers {
    panic: Option<Box<dyn Fn(Panic) + Send + Sync>>,
    start: Option<Box<dyn Fn(usize) + Send + Sync>>,
    exit: Option<Box<dyn Fn(usize) + Send + Sync>>,
}

fn handlers(pool: u32) -> Option<&'static Handlers> {
    // SAFETY: `make` has put it there, and it is never freed.
    unsafe { runtime::data(pool).cast::<Handlers>().as_ref() }
}

/// A task that nobody waits for has panicked.
pub(crate) fn panicked_alone(pool: u32, panic: Panic) {
    match handlers(pool).and_then(|handlers| handlers.panic.as_ref()) {
        Some(handler) => handler(panic),
        None => {
            eprintln!("Rayon: detected unexpected panic; aborting");
            process::abort()
        }
    }
}

/// The pool is not used any more.
pub(crate) fn ended(pool: u32) {
    if let Some(handler) = handlers(pool).and_then(|handlers| handlers.exit.as_ref()) {
        broadcast_in(pool, |context| handler(context.index()));
    }
}

/// Threads are started as the runtime does.
pub struct DefaultSpawn;

/// Threads would be started as the program does.
pub struct CustomSpawn<F>(PhantomData<F>);

/// Makes a pool.
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    threads: usize,
    handlers: Handlers,
    of: PhantomData<S>,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        ThreadPoolBuilder { threads: 0, handlers: Handlers::default(), of: PhantomData }
    }
}

impl ThreadPoolBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs the closure with a pool; how its threads are to be wrapped makes no difference.
    pub fn build_scoped<W, F, R>(self, _wrapper: W, with_pool: F) -> Result<R, ThreadPoolBuildError>
    where
        W: Fn(ThreadBuilder) + Sync,
        F: FnOnce(&ThreadPool) -> R,
    {
        Ok(with_pool(&self.build()?))
    }
}

impl<S> ThreadPoolBuilder<S> {
    fn make(self) -> u32 {
        let Handlers { panic, start, exit } = &self.handlers;
        let (starts, any) = (start.is_some(), panic.is_some() || start.is_some() || exit.is_some());
        let data = if any { Box::into_raw(Box::new(self.handlers)).cast() } else { ptr::null_mut() };
        let pool = runtime::new_pool(self.threads as u32, data);
        if let Some(handler) = handlers(pool).and_then(|handlers| handlers.start.as_ref()).filter(|_| starts)
        {
            broadcast_in(pool, |context| handler(context.index()));
        }
        pool
    }

    /// Makes a pool.
    pub fn build(self) -> Result<ThreadPool, ThreadPoolBuildError> {
        // The first pool is the global one.
        runtime::threads(0);
        Ok(ThreadPool { number: self.make() })
    }

    /// Makes the global pool, unless it is there.
    pub fn build_global(self) -> Result<(), ThreadPoolBuildError> {
        if runtime::has_global() {
            return Err(ThreadPoolBuildError { kind: Kind::GlobalPoolAlreadyInitialized });
        }
        self.make();
        Ok(())
    }

    pub fn spawn_handler<F>(self, _spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        ThreadPoolBuilder { threads: self.threads, handlers: self.handlers, of: PhantomData }
    }

    pub fn thread_name<F>(self, _closure: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self
    }

    /// As many threads as said; 0: the usual number.
    pub fn num_threads(self, threads: usize) -> Self {
        ThreadPoolBuilder { threads, ..self }
    }

    pub fn use_current_thread(self) -> Self {
        self
    }

    pub fn panic_handler<H>(mut self, handler: H) -> Self
    where
        H: Fn(Panic) + Send + Sync + 'static,
    {
        self.handlers.panic = Some(Box::new(handler));
        self
    }

    pub fn stack_size(self, _bytes: usize) -> Self {
        self
    }

    #[deprecated(note = "use `scope_fifo` and `spawn_fifo` for similar effect")]
    pub fn breadth_first(self) -> Self {
        self
    }

    pub fn start_handler<H>(mut self, handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.handlers.start = Some(Box::new(handler));
        self
    }

    pub fn exit_handler<H>(mut self, handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.handlers.exit = Some(Box::new(handler));
        self
    }
}

impl<S> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPoolBuilder").field("num_threads", &self.threads).finish_non_exhaustive()
    }
}

/// A thread that a program would start itself; none is ever made.
#[derive(Debug)]
pub struct ThreadBuilder {
    never: std::convert::Infallible,
}

impl ThreadBuilder {
    pub fn index(&self) -> usize {
        match self.never {}
    }

    pub fn name(&self) -> Option<&str> {
        match self.never {}
    }

    pub fn stack_size(&self) -> Option<usize> {
        match self.never {}
    }

    pub fn run(self) {
        match self.never {}
    }
}

/// Why there is no pool.
#[derive(Debug)]
pub struct ThreadPoolBuildError {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    GlobalPoolAlreadyInitialized,
}

impl fmt::Display for ThreadPoolBuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::GlobalPoolAlreadyInitialized => {
                f.write_str("The global thread pool has already been initialized.")
            }
        }
    }
}

impl Error for ThreadPoolBuildError {}

/// The older name of a builder.
#[deprecated(note = "Use `ThreadPoolBuilder`")]
#[derive(Default, Debug)]
pub struct Configuration {
    builder: ThreadPoolBuilder,
}

#[allow(deprecated)]
impl Configuration {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn build(self) -> Result<ThreadPool, Box<dyn Error + 'static>> {
        self.builder.build().map_err(Box::from)
    }

    pub fn num_threads(self, threads: usize) -> Self {
        Configuration { builder: self.builder.num_threads(threads) }
    }
}

#[deprecated(note = "Use `ThreadPoolBuilder::build_global`")]
#[allow(deprecated)]
pub fn initialize(config: Configuration) -> Result<(), Box<dyn Error>> {
    config.builder.build_global().map_err(Box::from)
}
