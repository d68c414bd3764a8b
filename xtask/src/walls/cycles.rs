//! The modules of a crate use each other in one direction: no cycle between what lies directly below `src`.
//!
//! Cannot: see a method that is called without its type being named, nor a path that a macro makes.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::{
    Complaint, Crate, Reached, Repository, line_at, masked, paths_from, reached, without_tests, word_offsets,
};

/// A crate whose modules still form cycles, and the reason.
struct Unclean {
    name: &'static str,
    reason: &'static str,
}

const UNCLEAN: &[Unclean] = &[];

/// One use of a module by another: the file and line that name it.
struct Use {
    path: String,
    line: usize,
}

/// Modules by name, each with those that it uses and the first use of each.
type Graph = BTreeMap<String, BTreeMap<String, Use>>;

fn check(repository: &Repository) -> Vec<Complaint> {
    check_but(repository, UNCLEAN)
}

fn check_but(repository: &Repository, unclean: &[Unclean]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for package in Crate::all(repository) {
        let found = in_crate(repository, &package);
        match unclean.iter().find(|row| row.name == package.name) {
            None => complaints.extend(found),
            Some(row) if found.is_empty() => {
                let message = format!("{} has no cycle: take it off the list ({})", row.name, row.reason);
                complaints.push(Complaint::about(&package.manifest(), message));
            }
            Some(_) => {}
        }
    }
    complaints
}

fn in_crate(repository: &Repository, package: &Crate<'_>) -> Vec<Complaint> {
    let graph = graph(repository, package);
    let mut complaints = Vec::new();
    let mut named = BTreeSet::new();
    for module in graph.keys() {
        let Some(cycle) = cycle_through(&graph, module).filter(|_| !named.contains(module)) else { continue };
        let uses: Vec<String> = cycle
            .iter()
            .zip(cycle.iter().cycle().skip(1))
            .map(|(from, to)| {
                let Use { path, line } = &graph[from][to];
                format!("{from} uses {to} at {path}:{line}")
            })
            .collect();
        let first = &graph[&cycle[0]][cycle.get(1).unwrap_or(&cycle[0])];
        let message = format!("modules of {} form a cycle: {}", package.name, uses.join(", "));
        complaints.push(Complaint::at(&first.path, first.line, message));
        named.extend(cycle);
    }
    complaints
}

/// The uses between the modules directly below `src`; the root is no module.
fn graph(repository: &Repository, package: &Crate<'_>) -> Graph {
    let source = format!("{}/src/", package.directory);
    let codes: Vec<(String, Vec<String>, String)> = reached(repository, package)
        .into_iter()
        .filter(|&(_, reached)| reached == Reached::Always)
        .filter_map(|(path, _)| {
            let place = place_of(path.strip_prefix(&source)?)?;
            let code = without_tests(&masked(repository.text(&path)?));
            Some((path, place, code))
        })
        .collect();
    let modules: BTreeSet<&str> =
        codes.iter().filter_map(|(_, place, _)| Some(place.first()?.as_str())).collect();
    let roots = codes.iter().filter(|(_, place, _)| place.is_empty());
    let exported: BTreeMap<String, String> = roots.flat_map(|(_, _, code)| exports(code, &modules)).collect();
    let mut graph: Graph = modules.iter().map(|&module| (module.to_owned(), BTreeMap::new())).collect();
    for (path, place, code) in codes.iter().filter(|(_, place, _)| !place.is_empty()) {
        for (offset, name) in used_from_root(code, place) {
            let used = modules.get(name.as_str()).map(|&module| module.to_owned());
            let Some(used) = used.or_else(|| exported.get(&name).cloned()) else { continue };
            if used != place[0] {
                let uses = graph.entry(place[0].clone()).or_default();
                uses.entry(used).or_insert_with(|| Use { path: path.clone(), line: line_at(code, offset) });
            }
        }
    }
    graph
}

/// The modules around what stands in a file; none for the root, nothing for a program of its own.
fn place_of(inside: &str) -> Option<Vec<String>> {
    let stem = inside.strip_suffix(".rs")?;
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    match stem {
        "lib" | "main" => Some(Vec::new()),
        _ if stem.starts_with("bin/") => None,
        _ => Some(stem.split('/').map(str::to_owned).collect()),
    }
}

/// The names that a root gives to what its modules hold, each with the module.
fn exports(code: &str, modules: &BTreeSet<&str>) -> Vec<(String, String)> {
    word_offsets(code, "use")
        .flat_map(|offset| paths_from(code, offset + "use".len()))
        .filter_map(|(_, used)| {
            let used = used.strip_prefix("crate::").or_else(|| used.strip_prefix("self::")).unwrap_or(&used);
            let (module, rest) = used.split_once("::")?;
            let name = rest.rsplit("::").next()?;
            modules.contains(module).then(|| (name.to_owned(), module.to_owned()))
        })
        .collect()
}

/// The first names below the root in the paths that begin with `crate` or lead there by `super`.
fn used_from_root(code: &str, place: &[String]) -> Vec<(usize, String)> {
    let from_root = word_offsets(code, "crate").flat_map(|offset| paths_from(code, offset));
    let from_root = from_root.filter_map(|(offset, used)| {
        let first = used.strip_prefix("crate::")?.split("::").next()?.to_owned();
        Some((offset, first))
    });
    let upwards = "super::".repeat(place.len());
    let from_above = word_offsets(code, "super").filter(|&offset| !code[..offset].ends_with("super::"));
    let from_above = from_above.flat_map(|offset| paths_from(code, offset)).filter_map(|(offset, used)| {
        let first = used.strip_prefix(&upwards)?.split("::").next()?.to_owned();
        Some((offset, first))
    });
    from_root.chain(from_above).collect()
}

/// The shortest way from a module back to itself, without its end.
fn cycle_through(graph: &Graph, start: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.to_owned()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let Some(uses) = way.last().and_then(|last| graph.get(last)) else { continue };
            if uses.contains_key(start) {
                return Some(way);
            }
            for next in uses.keys().filter(|next| seen.insert((*next).clone())) {
                longer.push(way.iter().chain([next]).cloned().collect());
            }
        }
        ways = longer;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::{assert_clean, assert_complaints};

    const MANIFEST: (&str, &str) = ("crates/x/Cargo.toml", "[package]\nname = \"x\"");

    #[test]
    fn no_crate_has_modules_in_a_cycle() {
        assert_clean(check);
    }

    #[test]
    fn a_cycle_is_found_and_named() {
        assert_complaints(
            check,
            &[
                MANIFEST,
                ("crates/x/src/lib.rs", "mod a;\nmod b;\nmod c;\nmod d;"),
                ("crates/x/src/a/mod.rs", "mod deep;"),
                ("crates/x/src/a/deep.rs", "\nuse super::super::{b::B, d::D};"),
                ("crates/x/src/b.rs", "use crate::d;\nfn f() -> crate::c::C {}"),
                ("crates/x/src/c.rs", "use super::a;"),
                ("crates/x/src/d.rs", ""),
            ],
            &["crates/x/src/a/deep.rs:2: modules of x form a cycle: a uses b at crates/x/src/a/deep.rs:2, \
               b uses c at crates/x/src/b.rs:2, c uses a at crates/x/src/c.rs:1"],
        );
    }

    #[test]
    fn a_name_that_the_root_exports_stands_for_its_module() {
        assert_complaints(
            check,
            &[
                MANIFEST,
                ("crates/x/src/lib.rs", "mod a;\nmod b;\npub use b::{deep::B, C};"),
                ("crates/x/src/a.rs", "use crate::B;"),
                ("crates/x/src/b.rs", "use crate::a::A;"),
            ],
            &["crates/x/src/a.rs:1: modules of x form a cycle: a uses b at crates/x/src/a.rs:1, \
               b uses a at crates/x/src/b.rs:1"],
        );
    }

    #[test]
    fn tests_and_comments_and_uses_within_a_module_are_free() {
        assert_complaints(
            check,
            &[
                MANIFEST,
                ("crates/x/src/lib.rs", "mod a;\nmod b;"),
                (
                    "crates/x/src/a.rs",
                    "mod deep; // crate::b\nuse crate::a::deep;\n#[cfg(test)]\nmod tests { use crate::b::B; }",
                ),
                ("crates/x/src/a/deep.rs", "use super::A;\nuse crate::other::C;"),
                ("crates/x/src/b.rs", "use crate::a;"),
            ],
            &[],
        );
    }

    #[test]
    fn the_list_of_unclean_crates_holds_unclean_crates_only() {
        let listed =
            |repository: &Repository| check_but(repository, &[Unclean { name: "x", reason: "later" }]);
        let root = ("crates/x/src/lib.rs", "mod a;\nmod b;");
        let cyclic = [
            MANIFEST,
            root,
            ("crates/x/src/a.rs", "use crate::b::B;"),
            ("crates/x/src/b.rs", "use crate::a::A;"),
        ];
        assert_complaints(listed, &cyclic, &[]);
        assert_complaints(
            listed,
            &[MANIFEST, root, ("crates/x/src/a.rs", ""), ("crates/x/src/b.rs", "use crate::a::A;")],
            &["crates/x/Cargo.toml:1: x has no cycle: take it off the list (later)"],
        );
    }
}
