//! The layout of the code is what its documentation says: which folder uses which, and no files that use each other in a circle.
//!
//! Read with `syn`: the paths of each file, resolved through re-exports to the file that defines what they name. A module's use of
//! what its parent defines is no arrow: the file is a part of its parent. Code for tests is left out.

mod packages;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

/// The crates of the workspace, with what must not be among their dependencies.
const CRATES: [(&str, &str, &[&str]); 19] = [
    (
        "dedup",
        "dedup",
        &["storage", "page", "web", "crawler", "reqwest", "scraper", "tokio"],
    ),
    (
        "storage",
        "storage",
        &["dedup", "page", "web", "crawler", "reqwest", "scraper", "tokio"],
    ),
    (
        "page",
        "crawler/page",
        &["dedup", "storage", "web", "crawler", "reqwest", "sled", "tokio"],
    ),
    (
        "web",
        "crawler/web",
        &["dedup", "storage", "page", "crawler", "scraper", "sled"],
    ),
    (
        "documents",
        "crawler/documents",
        &[
            "dedup", "storage", "page", "web", "crawler", "reqwest", "scraper", "sled", "tokio",
        ],
    ),
    (
        "browser",
        "crawler/browser",
        &[
            "dedup", "storage", "page", "web", "crawler", "reqwest", "scraper", "sled",
        ],
    ),
    (
        "export",
        "crawler/export",
        &["dedup", "storage", "page", "web", "crawler", "reqwest", "sled", "tokio"],
    ),
    (
        "fleet",
        "crawler/fleet",
        &[
            "dedup", "storage", "page", "web", "crawler", "reqwest", "scraper", "sled",
        ],
    ),
    (
        "archive",
        "crawler/archive",
        &["dedup", "storage", "page", "web", "crawler", "scraper", "sled"],
    ),
    (
        "telemetry",
        "crawler/telemetry",
        &["dedup", "storage", "page", "web", "crawl", "crawler", "sled"],
    ),
    (
        "terminal",
        "crawler/terminal",
        &["dedup", "storage", "page", "web", "config", "crawler"],
    ),
    (
        "config",
        "crawler/config",
        &["archive", "browser", "fleet", "export", "crawler", "sled", "tokio"],
    ),
    (
        "error",
        "crawler/error",
        &["config", "crawl", "page", "crawler", "sled"],
    ),
    (
        "crawl",
        "crawler/crawl",
        &["documents", "export", "crawler", "clap", "scraper", "sled"],
    ),
    (
        "files",
        "crawler/files",
        &["dedup", "crawl", "study", "views", "crawler", "clap", "sled", "tokio"],
    ),
    (
        "study",
        "crawler/study",
        &[
            "views", "demo", "crawler", "clap", "reqwest", "scraper", "sled", "tokio",
        ],
    ),
    (
        "views",
        "crawler/views",
        &["demo", "crawler", "clap", "scraper", "sled"],
    ),
    (
        "demo",
        "crawler/demo",
        &["crawl", "dedup", "storage", "crawler", "clap", "scraper", "sled"],
    ),
    ("crawler", "crawler", &["axum", "askama", "scraper", "sled"]),
];

/// `crate::a::b` as `["a", "b"]`.
type ModulePath = Vec<String>;

struct File {
    source: syn::File,
    /// Names of its own modules, those in the file included.
    children: BTreeSet<String>,
}

/// The files of one crate by the module that each is.
struct Crate {
    root: PathBuf,
    files: BTreeMap<ModulePath, File>,
    /// What a module offers that another defines: module and name to the path it stands for.
    reexports: BTreeMap<(ModulePath, String), ModulePath>,
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|condition| condition == "test")
    })
}

/// Each path of a use tree with the name that it brings in; `*` for a glob.
fn leaves(tree: &UseTree, before: &[String], out: &mut Vec<(Vec<String>, String)>) {
    let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
    match tree {
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident), out),
        UseTree::Group(group) => group.items.iter().for_each(|item| leaves(item, before, out)),
        UseTree::Name(name) if name.ident == "self" => {
            out.push((before.to_vec(), before.last().cloned().unwrap_or_default()))
        }
        UseTree::Name(name) => out.push((with(&name.ident), name.ident.to_string())),
        UseTree::Rename(rename) => out.push((with(&rename.ident), rename.rename.to_string())),
        UseTree::Glob(_) => out.push((before.to_vec(), "*".to_owned())),
    }
}

#[derive(Default)]
struct Paths {
    found: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut found = Vec::new();
        leaves(&item.tree, &[], &mut found);
        self.found.extend(found.into_iter().map(|(path, _)| path));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.found
            .push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

impl Crate {
    fn read(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut waiting = vec![(Vec::new(), root.join("src/lib.rs"))];
        while let Some((module, path)) = waiting.pop() {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let source = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut children = BTreeSet::new();
            for item in &source.items {
                let Item::Mod(child) = item else { continue };
                if is_for_tests(&child.attrs) {
                    continue;
                }
                children.insert(child.ident.to_string());
                if child.content.is_some() {
                    continue;
                }
                let child = [&module[..], &[child.ident.to_string()]].concat();
                let file = root.join("src").join(child.join("/")).with_extension("rs");
                let file = if file.is_file() {
                    file
                } else {
                    file.with_extension("").join("mod.rs")
                };
                waiting.push((child, file));
            }
            files.insert(module, File { source, children });
        }
        let mut read = Self {
            root: root.to_owned(),
            files,
            reexports: BTreeMap::new(),
        };
        read.reexports = read.find_reexports();
        read
    }

    fn find_reexports(&self) -> BTreeMap<(ModulePath, String), ModulePath> {
        let mut found = BTreeMap::new();
        for (module, file) in &self.files {
            for item in &file.source.items {
                let Item::Use(item) = item else { continue };
                if matches!(item.vis, Visibility::Inherited) {
                    continue;
                }
                let mut named = Vec::new();
                leaves(&item.tree, &[], &mut named);
                for (path, name) in named {
                    if let Some(absolute) = self.absolute(module, &path) {
                        found.insert((module.clone(), name), absolute);
                    }
                }
            }
        }
        found
    }

    /// A path of a file from the crate's root; `None` if it leads out of the crate or is no more than a name.
    fn absolute(&self, module: &ModulePath, path: &[String]) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([module, rest].concat()),
            "super" => {
                let (_, parent) = module.split_last()?;
                let mut parent = parent.to_vec();
                let mut rest = rest;
                while rest.first().is_some_and(|part| part == "super") {
                    parent.pop();
                    rest = &rest[1..];
                }
                Some([&parent, rest].concat())
            }
            name if self.files[module].children.contains(name) => Some([module, path].concat()),
            _ => None,
        }
    }

    /// The file that defines what an absolute path names.
    fn definition(&self, path: &ModulePath) -> ModulePath {
        let mut path = path.clone();
        for _ in 0..8 {
            let depth = (0..=path.len())
                .rev()
                .find(|&depth| self.files.contains_key(&path[..depth]))
                .unwrap_or(0);
            let (module, rest) = path.split_at(depth);
            let target = rest
                .first()
                .and_then(|name| self.reexports.get(&(module.to_vec(), name.clone())));
            match target {
                Some(target) => path = [target, &rest[1..]].concat(),
                None => return module.to_vec(),
            }
        }
        panic!("a re-export that has no end: {path:?}")
    }

    /// Which file uses which.
    fn arrows(&self) -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
        let arrows = self.files.iter().map(|(module, file)| {
            let mut paths = Paths::default();
            paths.visit_file(&file.source);
            let absolute = paths.found.iter().filter_map(|path| self.absolute(module, path));
            let defined = absolute.map(|path| self.definition(&path));
            (
                module.clone(),
                defined.filter(|other| !module.starts_with(other)).collect(),
            )
        });
        arrows.collect()
    }

    /// The first segments of all paths that lead out of the crate.
    fn outside(&self, module: &ModulePath) -> BTreeSet<String> {
        let mut paths = Paths::default();
        paths.visit_file(&self.files[module].source);
        let leads_out = |path: &Vec<String>| path.len() > 1 && self.absolute(module, path).is_none();
        let mut outside: BTreeSet<String> = paths
            .found
            .iter()
            .filter(|path| leads_out(path))
            .map(|path| path[0].clone())
            .collect();
        // A name that a `use` brings in from this crate is no other crate's.
        for path in paths.found.iter().filter(|path| self.absolute(module, path).is_some()) {
            if let Some(name) = path.last() {
                outside.remove(name);
            }
        }
        outside
    }
}

/// Files from each of which every other can be reached: strongly connected components of more than one (Tarjan 1972).
fn circles(arrows: &BTreeMap<ModulePath, BTreeSet<ModulePath>>) -> Vec<Vec<String>> {
    let reached = |from: &ModulePath| {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![from]);
        while let Some(file) = waiting.pop() {
            for next in arrows.get(file).into_iter().flatten() {
                if seen.insert(next) {
                    waiting.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<_, _> = arrows.keys().map(|file| (file, reached(file))).collect();
    let mut found = BTreeSet::new();
    for (file, seen) in &reached {
        if seen.contains(file) {
            let circle = seen
                .iter()
                .filter(|other| reached.get(*other).is_some_and(|back| back.contains(file)));
            found.insert(circle.map(|file| file.join("/")).collect::<Vec<_>>());
        }
    }
    found.into_iter().collect()
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let mut found = Vec::new();
    for (name, folder, _) in CRATES {
        let read = Crate::read(&top().join(folder));
        found.extend(
            circles(&read.arrows())
                .into_iter()
                .map(|circle| format!("{name}: {}", circle.join(" <-> "))),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What the module named by `text` may use, from its line `//! Uses: a, b.`
fn allowed(text: &str) -> Option<BTreeSet<String>> {
    let list = text.lines().find_map(|line| line.strip_prefix("//! Uses: "))?;
    let names = list.trim_end_matches('.').split(", ").filter(|name| *name != "nothing");
    Some(names.map(str::to_owned).collect())
}

/// `views` holds three folders, because they share their templates: what Cargo checks between crates is checked here.
#[test]
fn folders_of_views_use_only_what_their_documentation_lists() {
    let views = Crate::read(&top().join("crawler/views"));
    let arrows = views.arrows();
    let folders = &views.files[&Vec::new()].children;
    let mut wrong = Vec::new();
    for folder in folders {
        let text = fs::read_to_string(views.root.join(format!("src/{folder}.rs"))).unwrap();
        let question = text.lines().next().unwrap_or_default();
        if !question.starts_with("//! ") || !question.ends_with('?') {
            wrong.push(format!("{folder} does not open with the question that it answers"));
        }
        let Some(allowed) = allowed(&text) else {
            wrong.push(format!("{folder} has no line `//! Uses: …`"));
            continue;
        };
        let inside = |module: &&ModulePath| module.first() == Some(folder);
        let used: BTreeSet<String> = (views.files.keys().filter(inside))
            .flat_map(|module| arrows[module].iter().filter_map(|other| other.first()))
            .filter(|other| *other != folder)
            .cloned()
            .collect();
        for other in used.difference(&allowed) {
            wrong.push(format!("{folder} uses {other}, which its documentation does not list"));
        }
        for other in allowed.difference(&used) {
            wrong.push(format!("{folder} lists {other} and does not use it"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_crawl_without_a_fleet_is_built_without_one() {
    let crawl = Crate::read(&top().join("crawler/crawl"));
    let arrows = crawl.arrows();
    let names_fleet = |module: &ModulePath| {
        let uses_part = arrows[module].iter().any(|other| other.starts_with(&["fleet".into()]));
        uses_part || crawl.outside(module).contains("fleet")
    };
    let naming: Vec<String> = crawl
        .files
        .keys()
        .filter(|module| module.first().is_some_and(|folder| folder != "fleet"))
        .filter(|module| names_fleet(module))
        .map(|module| module.join("/"))
        .collect();
    assert_eq!(naming, ["pipeline/join"], "only this file puts a fleet together");
    for folder in ["frontier", "recorder", "interpret", "steering"] {
        let module: ModulePath = vec![folder.into()];
        assert!(crawl.files.contains_key(&module), "{folder} is among these files");
    }
}

#[test]
fn crates_depend_only_on_those_below_them() {
    for (name, folder, forbidden) in CRATES {
        let text = fs::read_to_string(top().join(folder).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let dependencies = manifest["dependencies"].as_table().unwrap();
        for other in forbidden {
            assert!(!dependencies.contains_key(*other), "{name} depends on {other}");
        }
    }
}

/// Crates in which the methods of a type stand in the file of the type, or in its private children: the compiler then holds its seams.
const IMPLS_STAND_BY_THEIR_TYPES: &[&str] = &[
    "storage",
    "dedup",
    "page",
    "web",
    "documents",
    "browser",
    "export",
    "archive",
    "terminal",
    "config",
    "error",
    "crawl",
    "files",
    "study",
    "views",
    "demo",
    "crawler",
];

/// The names that a file defines as types, and those that its `use` lines bring in from its own crate.
fn types_of(read: &Crate, module: &ModulePath) -> (BTreeSet<String>, BTreeMap<String, ModulePath>) {
    let (mut own, mut used) = (BTreeSet::new(), BTreeMap::new());
    for item in &read.files[module].source.items {
        match item {
            Item::Struct(item) => drop(own.insert(item.ident.to_string())),
            Item::Enum(item) => drop(own.insert(item.ident.to_string())),
            Item::Union(item) => drop(own.insert(item.ident.to_string())),
            Item::Trait(item) => drop(own.insert(item.ident.to_string())),
            Item::Type(item) => drop(own.insert(item.ident.to_string())),
            Item::Use(item) => {
                let mut named = Vec::new();
                leaves(&item.tree, &[], &mut named);
                for (path, name) in named {
                    used.extend(read.absolute(module, &path).map(|path| (name, path)));
                }
            }
            _ => {}
        }
    }
    (own, used)
}

/// The `impl` blocks of a crate that stand neither in the file of their type nor in a private child of it.
fn strays(read: &Crate) -> Vec<String> {
    let mut found = Vec::new();
    for (module, file) in &read.files {
        let (own, used) = types_of(read, module);
        for item in &file.source.items {
            let Item::Impl(block) = item else { continue };
            let syn::Type::Path(of) = &*block.self_ty else { continue };
            let path: Vec<String> = of.path.segments.iter().map(|part| part.ident.to_string()).collect();
            let name = path.last().cloned().unwrap_or_default();
            let absolute = match &path[..] {
                [name] if own.contains(name) => continue,
                [name] => used.get(name).cloned(),
                path => read.absolute(module, path),
            };
            let Some(definition) = absolute.map(|path| read.definition(&path)) else {
                continue;
            };
            // A trait of this file may be implemented for a type of another one.
            let is_of_own_trait = block
                .trait_
                .as_ref()
                .is_some_and(|(_, of, _)| of.get_ident().is_some_and(|name| own.contains(&name.to_string())));
            if !module.starts_with(&definition) && !is_of_own_trait {
                let (file, home) = (module.join("/"), definition.join("/"));
                found.push(format!("{file} has a method block of {name}, which {home} defines"));
            }
        }
    }
    found
}

#[test]
fn methods_stand_by_their_types() {
    let mut found = Vec::new();
    for name in IMPLS_STAND_BY_THEIR_TYPES {
        let (_, folder, _) = CRATES.iter().find(|(known, ..)| known == name).unwrap();
        let strays = strays(&Crate::read(&top().join(folder)));
        found.extend(strays.into_iter().map(|stray| format!("{name}: {stray}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
