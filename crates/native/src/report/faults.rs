//! Crashes of the program. The runtime reports the crash, with its site and all findings so far;
//! then the program ends as it would without the runtime.
//!
//! The handler notes what has happened and makes the program continue in [`report_crash`], on a
//! stack of its own: nothing is built while the signal is handled. What the crash has broken is not
//! known, so there is one attempt, which uses no memory but the runtime's (the code that crashed
//! may hold the lock of the C library's allocator), and an alarm in case the report hangs. Then the
//! registers are restored, so that the program ends where it crashed.

use crate::detect::detector;
use crate::detect::frames;
use crate::process;
use crate::report::{self, calls};
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];
const STACK: usize = 1 << 20;

/// Seconds that a report of a crash may take.
const PATIENCE: u32 = 60;

/// The end of the stack on which a crash is reported.
static TELLING: AtomicUsize = AtomicUsize::new(0);

/// Handles the signals of crashes, on a stack of its own: the program's may have overflowed.
pub(crate) fn install() {
    // SAFETY: documented uses on values that live here; the stacks are never freed.
    unsafe {
        let memory = libc::mmap(
            std::ptr::null_mut(),
            2 * STACK,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        );
        if memory == libc::MAP_FAILED {
            return;
        }
        TELLING.store(memory as usize + 2 * STACK, Ordering::Relaxed);
        let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: STACK };
        libc::sigaltstack(&stack, std::ptr::null_mut());
        for signal in SIGNALS {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            process::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

pub(crate) fn uninstall() {
    for signal in SIGNALS {
        // SAFETY: back to what the system does.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// What has crashed: the signal, the address it is about, and the registers.
#[derive(Clone, Copy)]
struct Crash {
    signal: c_int,
    code: c_int,
    address: usize,
    instruction: usize,
    stack: usize,
    registers: [libc::greg_t; 23],
    calls: calls::Stack,
}

/// What the handler has noted.
struct Noted(UnsafeCell<Option<Crash>>);

// SAFETY: written by the first of the program's crashes, before anybody reads it.
unsafe impl Sync for Noted {}

static NOTED: Noted = Noted(UnsafeCell::new(None));

impl Crash {
    /// # Safety
    /// With what the system passes to a handler.
    unsafe fn new(signal: c_int, info: *const libc::siginfo_t, context: *const libc::ucontext_t) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let registers = (*context).uc_mcontext.gregs;
            let instruction = registers[libc::REG_RIP as usize] as usize;
            Crash {
                signal,
                code: (*info).si_code,
                address: (*info).si_addr() as usize,
                instruction,
                stack: registers[libc::REG_RSP as usize] as usize,
                registers,
                calls: calls::noted(instruction),
            }
        }
    }

    /// Whether the program has called something that is no code.
    fn is_call_of_data(&self) -> bool {
        let at = self.instruction;
        self.signal == libc::SIGSEGV
            && self.address == at
            && !frames::code().iter().any(|part| part.contains(&at))
    }

    fn is_overflow(&self) -> bool {
        let is_guard =
            |address| detector().stacks.is_guard(address) || detector().main_stack.is_guard(address);
        self.signal == libc::SIGSEGV && is_guard(self.address)
    }

    fn report(&self) {
        if self.is_overflow() {
            let text = "the stack of a task overflowed: give tasks larger ones with OMP_STACKSIZE, or look for endless recursion and large \
                        local variables";
            return report::program_error_at(
                "stack-overflow",
                text,
                calls::to(self.instruction, &self.calls),
            );
        }
        if self.is_call_of_data() {
            // SAFETY: the call has just put the address there that it would have returned to.
            let caller = unsafe { *(self.stack as *const usize) };
            let text = if self.address < PAGE {
                "a null function pointer"
            } else {
                "an address that is no function"
            };
            let text = format!("the program crashed: segmentation fault, in a call of {text}");
            return report::program_error_at("crash", &text, calls::from(caller));
        }
        let text = format!("the program crashed: {}", self.name());
        report::program_error_at("crash", &text, calls::to(self.instruction, &self.calls));
    }

    /// As the C library calls it, which would look for a translation and need memory for that.
    fn name(&self) -> &'static str {
        const INTEGER_DIVISION: c_int = 1;
        match self.signal {
            libc::SIGSEGV if self.address < PAGE => "segmentation fault, at a null pointer or near to it",
            libc::SIGSEGV => "segmentation fault",
            libc::SIGBUS => "bus error",
            libc::SIGFPE if self.code == INTEGER_DIVISION => {
                "floating point exception, an integer divided by zero"
            }
            libc::SIGFPE => "floating point exception",
            libc::SIGILL => "illegal instruction",
            _ => "aborted",
        }
    }
}

const PAGE: usize = 4096;

extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    static BUSY: AtomicBool = AtomicBool::new(false);
    let context = context.cast::<libc::ucontext_t>();
    if !BUSY.swap(true, Ordering::Relaxed) && report::is_up() {
        // SAFETY: the system passes a valid description. The program continues in `report_crash`,
        // as if it had called that from an empty stack.
        unsafe {
            *NOTED.0.get() = Some(Crash::new(signal, info, context));
            let registers = &mut (*context).uc_mcontext.gregs;
            registers[libc::REG_RIP as usize] = report_crash as *const () as i64;
            registers[libc::REG_RSP as usize] = TELLING.load(Ordering::Relaxed) as i64 - 8;
            registers[libc::REG_RBP as usize] = 0;
        }
        return;
    }
    uninstall();
    // SAFETY: the default action is set; the signal is unblocked when this returns, where the crash
    // was.
    unsafe {
        if let Some(crash) = *NOTED.0.get() {
            (*context).uc_mcontext.gregs = crash.registers;
        }
        libc::raise(signal);
    }
}

/// Tells of what was noted, then has the crash take its course.
extern "C" fn report_crash() -> ! {
    // SAFETY: documented uses; it was noted.
    let crash = unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(PATIENCE);
        (*NOTED.0.get()).expect("the handler notes a crash before it is reported")
    };
    crash.report();
    report::finish();
    // SAFETY: the handler is there, or the default action.
    unsafe {
        libc::raise(crash.signal);
        libc::_exit(128 + crash.signal)
    }
}
