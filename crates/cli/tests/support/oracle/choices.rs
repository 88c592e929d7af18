//! Programs that are nothing but choices: two to four tasks with a few sections, `P`, `V`, `set`,
//! `post` and `wait` each. Every variable has its lock, so there is never a race, and the order of
//! choices decides as much as it can: which branches are taken, who waits, who fails, whether it
//! comes to a deadlock.

use super::rng::Rng;

const DECLARATIONS: &str = "lock l; lock m;\nevent e;\nvar x[2]; var y[2]; var z[3];\n";

/// The source of a program; the same seed gives the same text.
pub fn choices(seed: u64) -> String {
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6368_6f69_6365);
    rng.next();
    let (s, t) = (rng.range(0, 3), rng.range(0, 3));
    let mut text =
        format!("sem s = {s}; sem t = {t};\n{DECLARATIONS}proc main() {{\n    let p = promise();\n");
    let mut left = rng.range(4, 10);
    for task in 0..rng.range(2, 5) {
        let awaits = if task == 1 && rng.percent(20) { " await(p)" } else { "" };
        text += &format!("    async{awaits} {{\n");
        for _ in 0..rng.range(1, 5).min(left) {
            left -= 1;
            text += &format!("        {}\n", statement(&mut rng));
        }
        text += "    }\n";
    }
    text + "}\n"
}

/// A program of isolated sections only, most of which access one thing or another depending on what
/// they find: what conflicts with what is then a matter of the order. The same seed gives the same
/// text.
pub fn branches(seed: u64) -> String {
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6272_616e_6368);
    rng.next();
    let cells = rng.range(2, 5);
    let mut text = format!("var z[{cells}];\nproc main() {{\n");
    let mut left = rng.range(4, 8);
    for _ in 0..rng.range(2, 5) {
        text += "    async {\n";
        for _ in 0..rng.range(1, 4).min(left) {
            left -= 1;
            let (i, j, k) = (rng.range(0, cells), rng.range(0, cells), rng.range(0, cells));
            let section = match rng.range(0, 7) {
                0 => format!("z[{i}] = 1;"),
                1 => format!("let v = z[{i}];"),
                2 => format!("if (z[{i}] == 0) {{ z[{j}] = 1; }}"),
                3 => format!("if (z[{i}] == 0) {{ let v = z[{j}]; }}"),
                4 => format!("if (z[{i}] > 0) {{ z[{j}] = 1; }}"),
                5 => format!("if (z[{i}] > 0) {{ let v = z[{j}]; }} else {{ z[{k}] = 1; }}"),
                _ => format!("z[{i}] = z[{j}];"),
            };
            text += &format!("        isolated {{ {section} }}\n");
        }
        text += "    }\n";
    }
    text + "}\n"
}

fn statement(rng: &mut Rng) -> String {
    match rng.range(0, 10) {
        0..3 => simple(rng),
        3..5 => isolated(rng),
        5 => with(rng, "l", "x", ""),
        6 => {
            let inner = if rng.percent(40) { with(rng, "m", "y", "") } else { inside(rng) };
            with(rng, "l", "x", &inner)
        }
        7 => {
            let inner = if rng.percent(40) { with(rng, "l", "x", "") } else { inside(rng) };
            with(rng, "m", "y", &inner)
        }
        8 => {
            let inside = ["V(s);", "post(e);", "p.set(7);", "let n = new(2); n[1] = 1;"];
            let inside = inside[rng.range(0, inside.len())];
            format!("isolated {{ {} {inside} }}", accesses(rng, "z", 3))
        }
        _ => {
            let (then, or) = (inside(rng), inside(rng));
            let cell = rng.range(0, 3);
            format!("let c = 0; isolated {{ c = z[{cell}]; }} if (c > 0) {{ {then} }} else {{ {or} }}")
        }
    }
}

fn simple(rng: &mut Rng) -> String {
    let statements =
        ["P(s);", "P(s);", "V(s);", "V(s);", "P(t);", "V(t);", "post(e);", "wait(e);", "p.set(1);"];
    statements[rng.range(0, statements.len())].into()
}

/// What may stand inside a section of a lock.
fn inside(rng: &mut Rng) -> String {
    if rng.percent(50) { simple(rng) } else { isolated(rng) }
}

fn isolated(rng: &mut Rng) -> String {
    format!("isolated {{ {} }}", accesses(rng, "z", 3))
}

fn with(rng: &mut Rng, lock: &str, array: &str, inner: &str) -> String {
    let (before, after) = (accesses(rng, array, 2), accesses(rng, array, 2));
    match inner {
        "" => format!("with {lock} {{ {before} }}"),
        _ => format!("with {lock} {{ {before} {inner} {after} }}"),
    }
}

fn accesses(rng: &mut Rng, array: &str, len: usize) -> String {
    let one = |rng: &mut Rng| {
        let (i, j) = (rng.range(0, len), rng.range(0, len));
        match rng.range(0, 4) {
            0 => format!("{array}[{i}] = {array}[{i}] + 1;"),
            1 => format!("{array}[{i}] = {};", rng.range(0, 2)),
            2 => format!("let v = {array}[{i}];"),
            _ => format!("if ({array}[{i}] > 0) {{ {array}[{j}] = 1; }}"),
        }
    };
    let count = rng.range(1, 3);
    (0..count).map(|_| one(rng)).collect::<Vec<_>>().join(" ")
}

/// A program in which most sections only add to something, others read it or write it, and some do
/// both; now and then beside any section. Elements, calls and two locks are among them. The same
/// seed gives the same text.
pub fn additions(seed: u64) -> String {
    let mut rng = Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6164_6469_7469);
    rng.next();
    let careless = rng.percent(40);
    let mut text = String::from(
        "lock l;\nvar c; var d; var z[2]; var w[2]; var x; var y;\n\
         proc add(v) { c = c + v; return v; }\n\
         proc twice(v) { c = c + v; z[0] = z[0] + add(v); return 1; }\n\
         proc main() {\n",
    );
    let mut left = rng.range(4, 8);
    for _ in 0..rng.range(2, 5) {
        text += "    async {\n";
        for _ in 0..rng.range(1, 4).min(left) {
            left -= 1;
            let beside = if careless { beside(&mut rng) } else { String::new() };
            let count = if rng.percent(25) { 2 } else { 1 };
            let inside: Vec<String> = (0..count).map(|_| added(&mut rng)).collect();
            let inside = inside.join(" ");
            text += &match rng.range(0, 10) {
                // Under another lock, other variables.
                0..2 => {
                    let inner =
                        if rng.percent(30) { format!("isolated {{ {inside} }}") } else { String::new() };
                    format!("        {beside}with l {{ w[{}] = w[0] + 1; {inner} }}\n", rng.range(0, 2))
                }
                _ => format!("        {beside}isolated {{ {inside} }}\n"),
            };
        }
        if careless {
            text += &format!("        {}\n", beside(&mut rng));
        }
        text += "    }\n";
    }
    text + "}\n"
}

fn added(rng: &mut Rng) -> String {
    let (one, other) = if rng.percent(50) { ("c", "d") } else { ("d", "c") };
    let (i, j) = (rng.range(0, 2), rng.range(0, 2));
    match rng.range(0, 22) {
        0..4 => format!("{one} = {one} + {i};"),
        4 => format!("{one} = {one} - 1;"),
        5 => format!("{one} = 2 + {one} + 1;"),
        6 => format!("{one} = {one} + {other};"),
        7..10 => format!("z[{i}] = z[{i}] + 1;"),
        10 => format!("z[{i}] = z[{j}] + 1;"),
        11 => format!("z[{one}] = z[{one}] + 1;"),
        12 => format!("{one} = {one} + z[{i}];"),
        13 => format!("{one} = {one} + {one};"),
        14 => format!("{one} = {i} - {one};"),
        15 => format!("{one} = {j};"),
        16 => format!("let v = {one};"),
        17 => format!("if ({one} > {i}) {{ {other} = {other} + 1; }}"),
        18 => format!("if ({one} > {i}) {{ x = 1; }} else {{ {one} = {one} + 2; }}"),
        19 => format!("{one} = {one} + add({i});"),
        20 => "let v = twice(1);".to_owned(),
        _ => format!("{one} = {one} + 6 / ({other} - 1);"),
    }
}

fn beside(rng: &mut Rng) -> String {
    match rng.range(0, 6) {
        0 => "x = 1; ".to_owned(),
        1 => "y = 2; ".to_owned(),
        2 => "let u = x; ".to_owned(),
        3 if rng.percent(30) => "c = c + 1; ".to_owned(),
        _ => String::new(),
    }
}
