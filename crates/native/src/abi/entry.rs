//! Entry points that note where they are called from.

pub(crate) use crate::process::call_site::{CALLER, caller};

/// Defines an entry point that stores its return address in `CALLER`, the stack pointer in `STACK`
/// and the frame of its caller in `FRAME`, and jumps to the function `$target`.
macro_rules! entry {
    ($($name:ident => $target:ident;)*) => { $(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            ::std::arch::naked_asm!(
                "mov rax, [rsp]",
                "mov [rip + {caller}], rax",
                "mov [rip + {frame}], rbp",
                "mov [rip + {stack}], rsp",
                "jmp {target}",
                caller = sym crate::process::call_site::CALLER,
                frame = sym crate::process::call_site::FRAME,
                stack = sym crate::process::call_site::STACK,
                target = sym $target,
            )
        }
    )* };
}
pub(crate) use entry;
