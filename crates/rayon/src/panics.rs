//! Panics of the program: the drop-in reports each one to the runtime, which reports the one that
//! ends the program with its message and place.
//!
//! The hook is set before `main`, and calls the one it has found. A program that sets another later
//! has that one alone.

use std::any::Any;
use std::panic;

unsafe extern "C" {
    fn __raceproof_rayon_panics(text: *const u8, length: usize);
}

/// Run with the constructors of the program.
#[used]
#[unsafe(link_section = ".init_array")]
static HOOK: extern "C" fn() = hook;

extern "C" fn hook() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let text = text(panic.payload());
        // SAFETY: a text, which the runtime copies.
        unsafe { __raceproof_rayon_panics(text.as_ptr(), text.len()) };
        before(panic);
    }));
}

fn text(payload: &(dyn Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "Box<dyn Any>",
    }
}
