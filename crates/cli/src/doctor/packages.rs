//! The command that installs what is missing, for the distribution that this is.

use raceproof_host::interrupt::output_of;
use std::fs;
use std::process::Command;

/// The distributions by how they install.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manager {
    Apt,
    Dnf,
    Pacman,
    Zypper,
}

/// What may be missing, for a version of LLVM if that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// clang, with the header of its OpenMP runtime and those of LLVM.
    Clang,
    OmpHeader(u32),
    LlvmHeaders(u32),
    Flang,
    Binutils,
    Cargo,
}

/// The versions of LLVM that the pass is written for, of which apt is asked for the newest.
const NEWEST_FIRST: [u32; 6] = [21, 20, 19, 18, 17, 16];

/// The command; none on a system whose packages are not known.
pub(super) fn install(wanted: Wanted) -> Option<String> {
    if wanted == Wanted::Cargo {
        return Some("curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh".to_owned());
    }
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let manager = manager(&release)?;
    let newest = if manager == Manager::Apt && wanted == Wanted::Clang { newest_clang() } else { None };
    Some(line(manager, wanted, newest))
}

/// As the file `os-release` says it: the distribution, or one that it is like.
fn manager(release: &str) -> Option<Manager> {
    let value = |key: &str| {
        let line = release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    let names = format!("{} {}", value("ID"), value("ID_LIKE"));
    names.split_whitespace().find_map(|name| match name {
        "debian" | "ubuntu" => Some(Manager::Apt),
        "fedora" | "rhel" | "centos" => Some(Manager::Dnf),
        "arch" => Some(Manager::Pacman),
        "suse" | "opensuse" => Some(Manager::Zypper),
        _ => None,
    })
}

/// The newest clang that apt has and the pass is written for.
fn newest_clang() -> Option<u32> {
    let mut command = Command::new("apt-cache");
    let output = output_of(command.args(["pkgnames", "clang-"])).ok()?;
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    NEWEST_FIRST.into_iter().find(|version| names.lines().any(|name| name == format!("clang-{version}")))
}

fn line(manager: Manager, wanted: Wanted, newest: Option<u32>) -> String {
    let (command, packages) = match manager {
        Manager::Apt => ("apt install", apt(wanted, newest)),
        Manager::Dnf => ("dnf install", rpm(wanted).to_owned()),
        Manager::Pacman => ("pacman -S", pacman(wanted).to_owned()),
        Manager::Zypper => ("zypper install", rpm(wanted).to_owned()),
    };
    format!("sudo {command} {packages}")
}

fn apt(wanted: Wanted, newest: Option<u32>) -> String {
    match (wanted, newest) {
        (Wanted::Clang, Some(version)) => {
            format!("clang-{version} libomp-{version}-dev llvm-{version}-dev")
        }
        (Wanted::Clang, None) => "clang libomp-dev llvm-dev".to_owned(),
        (Wanted::OmpHeader(version), _) => format!("libomp-{version}-dev"),
        (Wanted::LlvmHeaders(version), _) => format!("clang-{version} llvm-{version}-dev"),
        (Wanted::Flang, _) => "flang-19 clang-19 llvm-19-dev".to_owned(),
        (Wanted::Binutils, _) => "binutils".to_owned(),
        (Wanted::Cargo, _) => "cargo".to_owned(),
    }
}

/// The packages have the same names in Fedora and in openSUSE.
fn rpm(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Clang => "clang libomp-devel llvm-devel",
        Wanted::OmpHeader(_) => "libomp-devel",
        Wanted::LlvmHeaders(_) => "llvm-devel",
        Wanted::Flang => "flang clang llvm-devel",
        Wanted::Binutils => "binutils",
        Wanted::Cargo => "cargo",
    }
}

fn pacman(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Clang => "clang openmp llvm",
        Wanted::OmpHeader(_) => "openmp",
        Wanted::LlvmHeaders(_) => "llvm",
        Wanted::Flang => "flang clang llvm",
        Wanted::Binutils => "binutils",
        Wanted::Cargo => "rust",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_are_known_by_themselves_or_by_what_they_are_like() {
        assert_eq!(manager("PRETTY_NAME=\"x\"\nID=debian\n"), Some(Manager::Apt));
        assert_eq!(manager("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), Some(Manager::Apt));
        assert_eq!(manager("ID=fedora\n"), Some(Manager::Dnf));
        assert_eq!(manager("ID=manjaro\nID_LIKE=arch\n"), Some(Manager::Pacman));
        assert_eq!(manager("ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n"), Some(Manager::Zypper));
        assert_eq!(manager("ID=alpine\n"), None);
        assert_eq!(manager(""), None);
    }

    #[test]
    fn commands_name_the_packages_of_the_distribution() {
        assert_eq!(line(Manager::Apt, Wanted::OmpHeader(18), None), "sudo apt install libomp-18-dev");
        assert_eq!(
            line(Manager::Apt, Wanted::Clang, Some(19)),
            "sudo apt install clang-19 libomp-19-dev llvm-19-dev"
        );
        assert_eq!(line(Manager::Dnf, Wanted::Clang, None), "sudo dnf install clang libomp-devel llvm-devel");
        assert_eq!(line(Manager::Pacman, Wanted::LlvmHeaders(19), None), "sudo pacman -S llvm");
    }
}
