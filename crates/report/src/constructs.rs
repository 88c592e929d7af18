//! What made the tasks of a recorded native program. A trace has the place of each spawn and the
//! name of each task, and no constructs: these are read from the source, so that the report
//! explains the race in the words of the program, as the report of the run does.
//!
//! A race keeps the words of traces, which say less, unless every spawn on the way to both accesses
//! is of a construct that is known for certain: what orders them depends on it.

use super::sources::Sources;
use raceproof_core::finding::{Construct, Place, Report, Spawned};
use std::path::Path;

/// Names the constructs and threads of all spawns, where the source tells them.
pub fn name_constructs(report: &mut Report, sources: &Sources) {
    for race in &mut report.races {
        // Of a TP program nothing has to be read.
        if race.first.at.file.ends_with(".tp") {
            continue;
        }
        let sides = [&race.first, &race.second];
        let named = sides.map(|side| {
            side.spawned.iter().map(|spawn| construct(spawn, sources)).collect::<Option<Vec<_>>>()
        });
        let [Some(first), Some(second)] = named else {
            race.fork.clear();
            continue;
        };
        if first.is_empty() && second.is_empty() {
            race.fork.clear();
        }
        for (side, constructs) in [(&mut race.first, first), (&mut race.second, second)] {
            for (spawn, (construct, at)) in side.spawned.iter_mut().zip(constructs) {
                spawn.construct = Some(construct);
                spawn.at = at;
                spawn.thread = thread(&spawn.task).filter(|_| construct.makes_team());
            }
        }
    }
}

/// The number of a thread in its team: 3 of `main/1/t3`.
fn thread(task: &str) -> Option<u32> {
    task.rsplit('/').next()?.strip_prefix('t')?.parse().ok()
}

/// The construct, and where it stands.
fn construct(spawn: &Spawned, sources: &Sources) -> Option<(Construct, Place)> {
    let line = sources.line(&spawn.at)?;
    let here = |construct| (construct, spawn.at.clone());
    match Path::new(&spawn.at.file).extension()?.to_str()? {
        "rs" => in_rust(line, sources.text(&spawn.at.file)?).map(here),
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => in_c(spawn, line, sources),
        _ => None,
    }
}

fn in_c(spawn: &Spawned, line: &str, sources: &Sources) -> Option<(Construct, Place)> {
    let (_, tree) = sources.file(&spawn.at.file)?;
    let here = |construct| (construct, spawn.at.clone());
    if let Some(directive) = tree.directive_at(spawn.at.line) {
        if thread(&spawn.task).is_none() {
            let made =
                [("taskloop", Construct::Taskloop), ("task", Construct::Task), ("target", Construct::Target)];
            let made = made.into_iter().find(|&(name, _)| directive.has(name));
            return made.map(|(_, construct)| here(construct));
        }
        // After a barrier a thread is another task, which begins where the barrier stands.
        let around = std::iter::once(directive).chain(tree.directives(directive.node));
        return around.into_iter().find_map(|directive| {
            let made = [("parallel", Construct::Parallel), ("teams", Construct::Teams)];
            let (_, construct) = made.into_iter().find(|&(name, _)| directive.has(name))?;
            let (line, column) = (directive.line, directive.column);
            Some((construct, Place { line, column, ..spawn.at.clone() }))
        });
    }
    let calls = ["pthread_create", "thrd_create", "thread", "jthread"];
    let code = line.split("//").next().unwrap_or_default();
    let mut words = code.split(|character: char| !character.is_alphanumeric() && character != '_');
    let is_thread = words.clone().any(|word| calls.contains(&word)) && words.all(|word| word != "async");
    is_thread.then(|| here(Construct::Thread))
}

/// `spawn` may be rayon's or the standard library's: what the file speaks of decides.
fn in_rust(line: &str, text: &[String]) -> Option<Construct> {
    let is_code = |line: &&String| !line.trim_start().starts_with("//");
    let speaks = |word: &str| text.iter().filter(is_code).any(|line| line.contains(word));
    match (speaks("rayon::"), speaks("thread::")) {
        (true, false) => Some(Construct::Rayon),
        (false, true) => Some(Construct::Thread),
        _ if line.contains("thread::") => Some(Construct::Thread),
        _ if line.contains("rayon::") || line.contains("par_") => Some(Construct::Rayon),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(file: &str, text: &str, task: &str, line: u32) -> Option<Construct> {
        let mut sources = Sources::new();
        sources.insert(file, text);
        let at = Place { file: file.into(), line, column: 1 };
        let spawn = Spawned { task: task.into(), at, construct: None, thread: None, name: None };
        construct(&spawn, &sources).map(|(construct, _)| construct)
    }

    #[test]
    fn the_phases_of_a_thread_are_of_one_region() {
        let mut sources = Sources::new();
        let text = "void f(void) {\n#pragma omp parallel\n  {\n    x = 1;\n#pragma omp barrier\n    x = 2;\n  }\n}\n";
        sources.insert("f.c", text);
        let at = Place { file: "f.c".into(), line: 5, column: 1 };
        let spawn = Spawned { task: "main/t1".into(), at, construct: None, thread: None, name: None };
        let (made, at) = construct(&spawn, &sources).expect("the region around the barrier");
        assert_eq!((made, at.line, at.column), (Construct::Parallel, 2, 1));
    }

    #[test]
    fn constructs_are_those_of_the_source() {
        let c = "#pragma omp parallel for\nx;\n#pragma omp task\nx;\npthread_create(&t);\nf();\n";
        assert_eq!(named("f.c", c, "main/t1", 1), Some(Construct::Parallel));
        assert_eq!(named("f.c", c, "main/t1/1", 3), Some(Construct::Task));
        assert_eq!(named("f.c", c, "main/1", 5), Some(Construct::Thread));
        for (task, line) in [("main/1", 1), ("main/t1", 3), ("main/1", 6), ("main/1", 9)] {
            assert_eq!(named("f.c", c, task, line), None, "{task} at line {line}");
        }
        let cpp =
            "hclib::async([=] { nthreads++; });\nstd::async(thread);\nf(); // thread\nstd::thread t(f);\n";
        for (line, made) in [(1, None), (2, None), (3, None), (4, Some(Construct::Thread))] {
            assert_eq!(named("f.cpp", cpp, "main/1", line), made, "line {line}");
        }
        let rayon = "use rayon::join;\njoin(a, b);\n";
        assert_eq!(named("f.rs", rayon, "main/1", 2), Some(Construct::Rayon));
        assert_eq!(
            named("f.rs", "use std::thread;\nthread::scope(f);", "main/1", 2),
            Some(Construct::Thread)
        );
        let neither = "// as with rayon::spawn\nruntime.spawn(f);\n";
        assert_eq!(named("f.rs", neither, "main/1", 2), None);
        let both = format!("{rayon}thread::spawn(f);\n");
        assert_eq!(named("f.rs", &both, "main/1", 2), None, "it may be either");
        assert_eq!(named("f.rs", &both, "main/1", 3), Some(Construct::Thread));
        assert_eq!(named("f.f90", c, "main/t1", 1), None);
    }

    #[test]
    fn threads_of_a_team_have_their_number_in_their_name() {
        assert_eq!([thread("main/t3"), thread("main/3"), thread("main/t1/2")], [Some(3), None, None]);
    }
}
