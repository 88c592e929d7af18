//! The source of `crates/rayon`, which is part of this program: whoever has installed it need not
//! have the repository.

use raceproof_host::output::replace;
use std::path::Path;
use std::{fs, io};

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../rayon-core/", $name)))),*]
    };
}

const FILES: [(&str, &str); 10] = files! {
    "lib.rs" "broadcast.rs" "builder.rs" "join.rs" "panics.rs" "pool.rs" "region.rs" "runtime.rs" "scope.rs" "spawn.rs"
};

/// All of it, to tell one version from another.
pub(super) fn text() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(_, text)| *text)
}

/// Writes it to a folder.
pub(super) fn write(to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    FILES.iter().try_for_each(|(name, text)| replace(&to.join(name), text))
}
