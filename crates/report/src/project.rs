//! How files are named: short where the reader stands, and the same on every machine in an id.

use std::path::{Component, Path, PathBuf};

/// Files that stand at the top of a project.
const MARKS: &[&str] = &["raceproof.toml", ".git", "Cargo.toml"];

/// Where a report is read: names of files are relative to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Project {
    /// The current directory; empty if files are to be named as the finding names them.
    folder: PathBuf,
    /// The top of the project around it.
    root: PathBuf,
}

impl Project {
    /// The project around a folder: the outermost folder with a mark, below which everything is
    /// the user's own; the folder itself if there is none.
    pub fn around(folder: &Path) -> Project {
        let marked = |at: &&Path| MARKS.iter().any(|mark| at.join(mark).exists());
        // The home directory or `/` may have a mark of something else.
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let inner = folder.ancestors().take_while(|at| at.parent().is_some() && Some(*at) != home.as_deref());
        // A workspace has a mark at its top and in each package; a repository is the end of it.
        let mut root = folder;
        for at in inner.filter(marked) {
            root = at;
            if at.join(".git").exists() || at.join("raceproof.toml").exists() {
                break;
            }
        }
        Project { folder: folder.to_owned(), root: root.to_owned() }
    }

    /// The project around the current directory.
    pub fn here() -> Project {
        std::env::current_dir().map_or_else(|_| Project::default(), |folder| Project::around(&folder))
    }

    /// The name that leads to a file from the current directory: relative within the project,
    /// absolute outside of it.
    pub fn shown(&self, file: &str) -> String {
        let path = Path::new(file);
        if !path.is_absolute() {
            return plain(&normal(path));
        }
        let path = normal(path);
        if self.folder.as_os_str().is_empty() {
            return plain(&path);
        }
        if let Ok(below) = path.strip_prefix(&self.folder) {
            return plain(below);
        }
        let Ok(below) = path.strip_prefix(&self.root) else { return plain(&path) };
        // Up from the current directory to where the two ways part, then down.
        let up = self.folder.strip_prefix(&self.root).unwrap_or(Path::new(""));
        let common = up.components().zip(below.components()).take_while(|(a, b)| a == b).count();
        let mut name: PathBuf = up.components().skip(common).map(|_| Component::ParentDir).collect();
        name.extend(below.components().skip(common));
        plain(&name)
    }

    /// The top of the project; empty if there is none.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The name of a file below the top of the project; none if it lies elsewhere.
    pub(crate) fn below(&self, file: &str) -> Option<String> {
        if self.root.as_os_str().is_empty() {
            return None;
        }
        let whole = normal(&self.folder.join(file));
        whole.strip_prefix(&self.root).ok().map(plain)
    }

    /// The name of a file that does not depend on the machine: below the root of the project; else
    /// its last two components.
    pub(crate) fn portable(&self, file: &str) -> String {
        let path = normal(Path::new(file));
        if path.is_absolute() {
            let root = Some(&self.root).filter(|root| !root.as_os_str().is_empty());
            if let Some(below) = root.and_then(|root| path.strip_prefix(root).ok()) {
                return plain(below);
            }
            let names: Vec<Component<'_>> = path.components().collect();
            return plain(&names[names.len().saturating_sub(2)..].iter().collect::<PathBuf>());
        }
        // Relative to the current directory, which may lie below the root.
        let whole = normal(&self.folder.join(&path));
        match whole.strip_prefix(&self.root) {
            Ok(below) if !self.root.as_os_str().is_empty() => plain(below),
            _ => {
                let down = path.components().filter(|part| !matches!(part, Component::ParentDir));
                plain(&down.collect::<PathBuf>())
            }
        }
    }
}

fn plain(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Without `.` and without `..` after a name; by the text alone, since the file may not be there.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(folder: &str, root: &str) -> Project {
        Project { folder: folder.into(), root: root.into() }
    }

    #[test]
    fn names_lead_from_the_current_directory() {
        let project = project("/p/build/x", "/p");
        for (file, shown) in [
            ("/p/build/x/a.c", "a.c"),
            ("/p/src/a.c", "../../src/a.c"),
            ("/p/build/y/a.c", "../y/a.c"),
            ("/q/a.c", "/q/a.c"),
            ("/usr/lib/gcc/12/../../../include/c.h", "/usr/include/c.h"),
            ("./a.c", "a.c"),
            ("../../src/a.c", "../../src/a.c"),
            ("f.tp", "f.tp"),
        ] {
            assert_eq!(project.shown(file), shown, "{file}");
        }
        assert_eq!(Project::default().shown("/p/src/a.c"), "/p/src/a.c");
    }

    #[test]
    fn ids_see_the_same_name_from_everywhere() {
        for (folder, root, file) in [
            ("/p", "/p", "src/a.c"),
            ("/p", "/p", "/p/src/a.c"),
            ("/p/build", "/p", "../src/a.c"),
            ("/other/p", "/other/p", "/other/p/src/a.c"),
            ("", "", "src/a.c"),
            ("", "", "../src/a.c"),
            ("/p", "/p", "/somewhere/else/src/a.c"),
        ] {
            assert_eq!(project(folder, root).portable(file), "src/a.c", "{folder} {file}");
        }
    }

    #[test]
    fn the_root_is_where_the_marks_are() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let project = Project::around(&here.join("src"));
        assert!(here.starts_with(&project.root), "{project:?}");
        assert!(project.root.join("Cargo.toml").exists(), "{project:?}");
    }
}
