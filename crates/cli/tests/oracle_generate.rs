mod oracle;
use oracle::{Limits, Profile, explore, generate};
use raceproof_cli::tp;

#[test]
fn stats() {
    let n: u64 = std::env::var("N").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    for profile in Profile::ALL {
        let (mut states, mut incomplete, mut racy, mut dead, mut err, mut later, mut bad, mut single) =
            (0, 0, 0, 0, 0, 0, 0, 0);
        let mut max = 0;
        let mut partial = 0;
        let mut quiet = 0;
        let mut lines = 0;
        let mut worst = 0;
        let (mut tgen, mut texp) = (0.0, 0.0);
        for seed in 0..n {
            let t = std::time::Instant::now();
            let source = generate(profile, seed);
            lines += source.lines().count();
            let program = match tp::parse(&source) {
                Ok(p) => p,
                Err(e) => {
                    println!("{}", source);
                    println!("{}", tp::render("g.tp", &source, &e, false));
                    bad += 1;
                    if bad > 3 {
                        panic!()
                    }
                    continue;
                }
            };
            tgen += t.elapsed().as_secs_f64();
            let t = std::time::Instant::now();
            let o = explore(&program, &source, Limits::default());
            texp += t.elapsed().as_secs_f64();
            states += o.states;
            if o.states > max {
                max = o.states;
                worst = seed;
            }
            if !o.complete {
                incomplete += 1;
            }
            if !o.races.is_empty() {
                racy += 1;
            }
            if !o.deadlocks.is_empty() {
                dead += 1;
            }
            if !o.errors.is_empty() {
                err += 1;
            }
            if (!o.deadlocks.is_empty() || !o.errors.is_empty()) && !o.final_states.is_empty() {
                partial += 1;
            }
            if o.races.is_empty() && o.errors.is_empty() && o.deadlocks.is_empty() {
                quiet += 1;
            }
            if o.states < 3 {
                single += 1;
            }
            let first = explore(&program, &source, Limits { stop_at_races: true, ..Limits::default() });
            if first.races != o.races {
                later += 1;
            }
        }
        let p = |k: i32| 100.0 * k as f64 / n as f64;
        println!(
            "{profile:?}: states {} max {max}@{worst} incomplete {:.1}% racy {:.1}% quiet {:.1}% deadlock {:.1}% error {:.1}% (partial {:.1}%) later {:.1}% trivial {:.1}% lines {} gen {:.3}ms explore {:.3}ms",
            states as u64 / n,
            p(incomplete),
            p(racy),
            p(quiet),
            p(dead),
            p(err),
            p(partial),
            p(later),
            p(single),
            lines as u64 / n,
            tgen * 1e3 / n as f64,
            texp * 1e3 / n as f64
        );
    }
}
#[test]
fn show() {
    let Ok(seed) = std::env::var("SEED") else { return };
    let profile = Profile::ALL[std::env::var("P").unwrap().parse::<usize>().unwrap()];
    println!("{}", generate(profile, seed.parse().unwrap()));
}
