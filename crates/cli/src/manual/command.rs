//! `raceproof completions`, `raceproof man` and `raceproof toolchain`.

use super::{completions, man};
use crate::args::{BuildSystem, CompletionsArgs, ManArgs, ToolchainArgs};
use crate::shared::status::{BadInput, bad};
use raceproof_host::output::deliver;
use std::fs;

/// The files of `share`: whoever has installed the command need not have the repository.
const CMAKE: &str = include_str!("../../share/cmake/raceproof.cmake");
const MESON: &str = include_str!("../../share/meson/raceproof.ini");

pub(crate) fn toolchain_command(args: &ToolchainArgs) -> Result<u8, BadInput> {
    let text = match args.system {
        BuildSystem::Cmake => CMAKE,
        BuildSystem::Meson => MESON,
    };
    deliver(text, args.output.as_deref()).map_err(bad)?;
    Ok(0)
}

pub(crate) fn completions_command(args: &CompletionsArgs) -> Result<u8, BadInput> {
    deliver(&completions(args.shell), args.output.as_deref()).map_err(bad)?;
    Ok(0)
}

/// Prints the page of the command, or writes all pages to a folder.
pub(crate) fn man_command(args: &ManArgs) -> Result<u8, BadInput> {
    let pages = man::pages().map_err(|error| bad(format!("cannot write the man pages: {error}")))?;
    let Some(folder) = &args.out else {
        let first = pages.first().map(|(_, text)| text.as_str()).unwrap_or_default();
        deliver(first, None).map_err(bad)?;
        return Ok(0);
    };
    fs::create_dir_all(folder).map_err(|error| bad(format!("cannot make {}: {error}", folder.display())))?;
    for (name, text) in &pages {
        deliver(text, Some(&folder.join(name))).map_err(bad)?;
    }
    Ok(0)
}
