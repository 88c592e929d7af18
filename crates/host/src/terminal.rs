//! The terminal that a command writes to.

/// Columns of the terminal on standard output, if it is one.
#[cfg(unix)]
pub fn width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}

/// Columns of the terminal on standard output, if it is one.
#[cfg(not(unix))]
pub fn width() -> Option<usize> {
    None
}
