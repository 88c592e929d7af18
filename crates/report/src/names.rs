//! Names of functions and types, as short as they stay clear.
//!
//! A demangled name spells out what the source leaves to defaults: allocators, comparators, inline
//! namespaces, return types of templates, paths of Rust's standard library, hashes. The text is
//! taken apart at its brackets and put together without them. Whatever does not look like a name
//! comes back as it is.

/// Longest list of template arguments or parameters that is written out.
const ROOM: usize = 40;

/// The name of a function: without return type and defaults, long lists elided.
pub fn function(name: &str) -> String {
    if name.contains("{{closure}}") || name.contains("{closure#") {
        return closure(name);
    }
    if let Some(name) = mangled(name) {
        return name;
    }
    if let Some(outer) = lambda(name) {
        return format!("lambda in {}", function(outer));
    }
    let name = &without_tags(without_hash(name));
    if !name.contains(['<', '(']) {
        return path(&inline_namespaces(name));
    }
    let (head, parameters) = split_parameters(name);
    let head = without_return_type(head);
    let head = type_name(head);
    match parameters {
        None => head,
        Some((inside, after)) => {
            let inside = type_name(inside);
            let inside = if inside.chars().count() > ROOM { "…" } else { &inside };
            format!("{head}({inside}){after}")
        }
    }
}

/// The name of a type, or any text with types in it.
pub fn type_name(name: &str) -> String {
    if !balanced(name) {
        return name.to_owned();
    }
    let name = inline_namespaces(&without_tags(name));
    shortened(&name)
}

/// Without the tags that a name carries for the linker: `names[abi:cxx11]`.
fn without_tags(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("[abi:") {
        let Some(end) = rest[at..].find(']') else { break };
        out.push_str(&rest[..at]);
        rest = &rest[at + end + 1..];
    }
    out + rest
}

/// The function that a lambda of C++ is in, of `main::$_0::operator()(int) const`; one in another is
/// not told apart.
fn lambda(name: &str) -> Option<&str> {
    let marks = ["::$_", "::{lambda", "::'lambda"];
    let at = marks.iter().filter_map(|mark| name.find(mark)).min()?;
    (name[at..].contains("::operator()") && balanced(&name[..at])).then_some(&name[..at])
}

/// What can be read of a name that nobody could demangle: the scopes it begins with.
fn mangled(name: &str) -> Option<String> {
    let mut rest = name.strip_prefix("_ZN")?.trim_start_matches(['V', 'K']);
    let mut scopes = Vec::new();
    if let Some(after) = rest.strip_prefix("St") {
        (scopes, rest) = (vec!["std"], after);
    }
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let Ok(length) = rest[..digits].parse::<usize>() else { break };
        let Some(scope) = rest.get(digits..digits + length) else { break };
        scopes.push(scope);
        rest = &rest[digits + length..];
    }
    let more = if rest.starts_with('I') { "<…>" } else { "" };
    (!scopes.is_empty()).then(|| inline_namespaces(&format!("{}{more}::…", scopes.join("::"))))
}

/// Without the hash that rustc appends to a symbol: `::h` and 16 digits.
pub(crate) fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => name,
        _ => name,
    }
}

/// `main::{{closure}}` as `closure in main`; one in another is not told apart.
fn closure(name: &str) -> String {
    let outer = ["::{{closure}}", "::{closure#"].iter().filter_map(|mark| name.find(mark)).min();
    match outer {
        Some(at) => format!("closure in {}", function(&name[..at])),
        None => name.to_owned(),
    }
}

fn inline_namespaces(name: &str) -> String {
    let mut name = name.to_owned();
    for inline in
        ["std::__1::", "std::__cxx11::", "std::__ndk1::", "std::__debug::", "std::__raceproof_futures::"]
    {
        name = name.replace(inline, "std::");
    }
    name.replace("(anonymous namespace)::", "").replace("{anonymous}::", "")
}

/// Whether every `<` has its `>`, operators such as `operator<` aside; these stay as they are.
fn balanced(name: &str) -> bool {
    let mut open = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        match c {
            '<' | '(' | '[' | '{' => open.push(c),
            // An arrow closes nothing.
            '>' if before == '-' || before == '=' => {}
            '>' | ')' | ']' | '}' => {
                let expected = match c {
                    '>' => '<',
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                if open.pop() != Some(expected) {
                    return false;
                }
            }
            _ => {}
        }
        before = c;
    }
    open.is_empty()
        && !name.contains("operator<")
        && !name.contains("operator>")
        && !name.contains("operator-")
}

/// Splits off the parameters of a function, with what stands after them (` const`).
fn split_parameters(name: &str) -> (&str, Option<(&str, &str)>) {
    let whole = (name, None);
    if !balanced(name) {
        return whole;
    }
    let Some(close) = name.rfind(')') else { return whole };
    let after = &name[close + 1..];
    if after.contains(['<', '>', ':', '(']) {
        return whole;
    }
    let mut depth = 0;
    for (at, c) in name[..=close].char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => {
                depth -= 1;
                if depth == 0 {
                    // `operator()` is a name.
                    let head = &name[..at];
                    let is_name = head.ends_with("operator") || head.is_empty();
                    return if is_name { whole } else { (head, Some((&name[at + 1..close], after))) };
                }
            }
            _ => {}
        }
    }
    whole
}

/// `int& std::vector<int>::emplace_back<int>` without the `int& `: what stands before the last
/// space outside of brackets, unless that belongs to the name (`operator new`, `<A as B>::f`).
fn without_return_type(head: &str) -> &str {
    if head.starts_with('<') {
        return head;
    }
    // `operator new` has a space of its own.
    let end = head.find("operator").unwrap_or(head.len());
    let mut depth = 0i32;
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in head[..end].char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' | '}' => depth -= 1,
            ' ' if depth == 0 => start = at + 1,
            _ => {}
        }
        before = c;
    }
    if start < head.len() { &head[start..] } else { head }
}

/// Takes the arguments of templates apart, drops defaults, elides what is long.
fn shortened(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('<') {
        // `<` at the start of a segment is Rust's `<T as Trait>`.
        let Some(length) = matching(&rest[at..]) else { break };
        let (before, inside) = (&rest[..at], &rest[at + 1..at + length - 1]);
        rest = &rest[at + length..];
        let qualified =
            before.is_empty() && out.is_empty() || before.ends_with([' ', '&', '*', '(', ',', '<']);
        if qualified || inside.contains(" as ") {
            out.push_str(&path_in(before));
            let sides: Vec<String> = inside.split(" as ").map(shortened).collect();
            out.push_str(&format!("<{}>", sides.join(" as ")));
            continue;
        }
        let full = path_in(before);
        let owner = full.rsplit([' ', '(', ',', '&', '*']).next().unwrap_or(&full).to_owned();
        out.push_str(&full);
        let mut arguments: Vec<String> = split(inside).into_iter().map(|one| shortened(one.trim())).collect();
        drop_defaults(&owner, &mut arguments);
        if let Some(alias) = alias(&owner, &arguments) {
            out.truncate(out.len() - owner.len());
            out.push_str(alias);
            continue;
        }
        let list = arguments.join(", ");
        let list = match list.chars().count() > ROOM {
            true if arguments.len() > 1 && arguments[0].chars().count() <= ROOM => {
                format!("{}, …", arguments[0])
            }
            true => "…".to_owned(),
            false => list,
        };
        out.push_str(&format!("<{list}>"));
    }
    out.push_str(&path_in(rest));
    out
}

/// What a standard template is called with these arguments.
fn alias(owner: &str, arguments: &[String]) -> Option<&'static str> {
    match (owner, arguments.first().map(String::as_str)?) {
        ("std::basic_string", "char") => Some("std::string"),
        ("std::basic_string", "wchar_t") => Some("std::wstring"),
        ("std::basic_string_view", "char") => Some("std::string_view"),
        ("std::basic_ostream", "char") => Some("std::ostream"),
        ("std::basic_istream", "char") => Some("std::istream"),
        _ => None,
    }
}

/// Drops trailing arguments that are what the template takes if nothing is said.
fn drop_defaults(owner: &str, arguments: &mut Vec<String>) {
    const DEFAULTS: &[&str] = &[
        "std::allocator<",
        "std::less<",
        "std::hash<",
        "std::equal_to<",
        "std::char_traits<",
        "std::default_delete<",
        "alloc::Global",
        "Global",
    ];
    let adaptor = ["std::stack", "std::queue", "std::priority_queue"].contains(&owner);
    while arguments.len() > 1 {
        let last = arguments.last().map_or("", |last| last.as_str());
        let default = DEFAULTS.iter().any(|known| match known.strip_suffix('<') {
            Some(_) => last.starts_with(known),
            None => last == *known,
        });
        let container = adaptor && (last.starts_with("std::deque<") || last.starts_with("std::vector<"));
        if !default && !container {
            break;
        }
        arguments.pop();
    }
}

/// Length of the bracket at the start of the text, with its inside.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before == '-' || before == '=' => {}
            '>' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        before = c;
    }
    None
}

/// At commas outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Every path in a text without brackets `<`, shortened.
fn path_in(text: &str) -> String {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_path(c)).unwrap_or(rest.len());
        if end > 0 {
            out.push_str(&path(&rest[..end]));
        }
        let gap = rest[end..].find(is_path).unwrap_or(rest.len() - end);
        out.push_str(&rest[end..end + gap]);
        rest = &rest[end + gap..];
    }
    // `vector<int, allocator<int> >` had a space for old parsers.
    if out.trim().is_empty() && text.len() == 1 { String::new() } else { out }
}

/// A path of Rust's standard library without its modules: `alloc::vec::Vec` as `Vec`. Types of Rust
/// begin with a capital, those of C++'s `std` do not.
fn path(text: &str) -> String {
    let parts: Vec<&str> = text.split("::").collect();
    if parts.len() < 3 || !["alloc", "core", "std", "hashbrown"].contains(&parts[0]) {
        return text.to_owned();
    }
    let capital = parts.iter().position(|part| part.starts_with(|c: char| c.is_ascii_uppercase()));
    match capital {
        Some(at) => parts[at..].join("::"),
        // A function keeps its module: `ptr::write`.
        None if parts[0] != "std" => parts[parts.len() - 2..].join("::"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_arguments_go() {
        for (long, short) in [
            ("std::vector<int, std::allocator<int> >", "std::vector<int>"),
            ("std::vector<int, std::allocator<int>>", "std::vector<int>"),
            ("std::__1::vector<int, std::__1::allocator<int>>", "std::vector<int>"),
            (
                "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
                "std::string",
            ),
            (
                "std::map<int, std::vector<long>, std::less<int>, std::allocator<std::pair<int const, std::vector<long> > > >",
                "std::map<int, std::vector<long>>",
            ),
            ("std::unique_ptr<A, std::default_delete<A> >", "std::unique_ptr<A>"),
            ("std::queue<int, std::deque<int, std::allocator<int> > >", "std::queue<int>"),
            (
                "std::unordered_map<std::__cxx11::basic_string<char>, int, std::hash<std::string>, std::equal_to<std::string>, std::allocator<int> >",
                "std::unordered_map<std::string, int>",
            ),
            ("A<B, my::allocator<B> >", "A<B, my::allocator<B>>"),
            ("std::array<int, 4ul>", "std::array<int, 4ul>"),
            ("names[abi:cxx11]", "names"),
            ("int", "int"),
            ("std::chrono::duration<long>", "std::chrono::duration<long>"),
        ] {
            assert_eq!(type_name(long), short, "{long}");
        }
    }

    #[test]
    fn functions_lose_return_types_and_long_lists() {
        for (long, short) in [
            (
                "std::vector<int, std::allocator<int> >::push_back(int&&)",
                "std::vector<int>::push_back(int&&)",
            ),
            (
                "int& std::vector<int, std::allocator<int> >::emplace_back<int>(int&&)",
                "std::vector<int>::emplace_back<int>(int&&)",
            ),
            (
                "void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(__gnu_cxx::__normal_iterator<int*, std::vector<int, std::allocator<int> > >, int&&)",
                "std::vector<int>::_M_realloc_insert<int>(…)",
            ),
            (
                "std::enable_if<std::__is_bitwise_relocatable<int>::value, int*>::type std::__relocate_a_1<int, int>(int*, int*, int*, std::allocator<int>&)",
                "std::__relocate_a_1<int, int>(int*, int*, int*, std::allocator<int>&)",
            ),
            ("Stack<int>::size() const", "Stack<int>::size() const"),
            ("(anonymous namespace)::add(int)", "add(int)"),
            ("main", "main"),
            ("omp task", "omp task"),
            ("operator new(unsigned long)", "operator new(unsigned long)"),
            ("A::operator()(int) const", "A::operator()(int) const"),
            (
                "bool operator< <int>(A<int> const&, A<int> const&)",
                "operator< <int>(A<int> const&, A<int> const&)",
            ),
            (
                "std::complex<double>& std::complex<double>::operator+=<double>(double const&)",
                "std::complex<double>::operator+=<double>(double const&)",
            ),
            ("A::operator bool() const", "A::operator bool() const"),
            ("main::$_0::operator()() const", "lambda in main"),
            ("add(int)::{lambda(int)#1}::operator()(int) const", "lambda in add(int)"),
            ("Cache::get[abi:cxx11](int)", "Cache::get(int)"),
            ("_ZNSt4pairIKiNSt7__cxx1112basic_stringEEEC2IJRS0_EJLm0EEJETpTnmJEEE", "std::pair<…>::…"),
            ("_ZNK3sim4Grid5relaxEv", "sim::Grid::relax::…"),
            ("?", "?"),
            ("", ""),
            ("a<b", "a<b"),
        ] {
            assert_eq!(function(long), short, "{long}");
        }
    }

    #[test]
    fn rust_paths_lose_modules_hashes_and_closures() {
        for (long, short) in [
            ("racy::main::{{closure}}", "closure in racy::main"),
            ("racy::main::{{closure}}::{{closure}}", "closure in racy::main"),
            ("racy::main::{closure#0}", "closure in racy::main"),
            ("racy::add::h0123456789abcdef", "racy::add"),
            ("alloc::vec::Vec<T>::push", "Vec<T>::push"),
            ("alloc::vec::Vec<T,A>::push", "Vec<T, A>::push"),
            ("core::ptr::write", "ptr::write"),
            ("alloc::vec::Vec<alloc::string::String, alloc::alloc::Global>", "Vec<String>"),
            (
                "<alloc::vec::Vec<T> as core::iter::traits::collect::Extend<T>>::extend",
                "<Vec<T> as Extend<T>>::extend",
            ),
            ("std::sync::Mutex<i32>::lock", "Mutex<i32>::lock"),
            ("hashbrown::map::HashMap<K, V>::insert", "HashMap<K, V>::insert"),
        ] {
            assert_eq!(function(long), short, "{long}");
        }
    }

    /// Whatever comes in, nothing panics, and the brackets of what comes out match if they did.
    #[test]
    fn odd_texts_come_back() {
        let mut seed = 1u64;
        for _ in 0..5000 {
            let mut text = String::new();
            for _ in 0..20 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let pieces =
                    ["<", ">", "(", ")", "std::", "a", ", ", "::", " ", "->", "ü", "operator", " as ", "&"];
                text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
            }
            let short = function(&text);
            assert!(!balanced(&text) || balanced(&short), "{text} became {short}");
            type_name(&text);
        }
    }
}
