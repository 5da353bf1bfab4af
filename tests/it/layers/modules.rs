//! Which file of a crate takes names from which others, read from its sources by what rustfmt and the compiler guarantee: a `use` is a
//! statement at the start of a line, a module is a file, and unit tests are at the end of theirs.

use std::collections::{BTreeMap, BTreeSet};

type Path = Vec<String>;

struct Module {
    file: String,
    /// What `use` brings into scope: the name it has here, and its path.
    imports: Vec<(String, Path)>,
    /// The paths outside of `use`.
    paths: BTreeSet<Path>,
}

/// All modules by their paths. That of the crate is empty.
pub struct Modules(BTreeMap<Path, Module>);

impl Modules {
    /// Reads the files of a crate: paths below `src/`, with their texts without comments.
    pub fn read(files: &[(String, String)]) -> Modules {
        let is_for_tests = |file: &str| {
            let path = module_path(file);
            path.split_last().is_some_and(|(name, parent)| {
                let declared = format!("#[cfg(test)]\nmod {name};");
                let mut others = files.iter();
                others.any(|(file, text)| module_path(file) == parent && text.contains(&declared))
            })
        };
        let modules = files.iter().filter(|(file, _)| !is_for_tests(file));
        Modules(
            modules
                .map(|(file, text)| (module_path(file), Module::read(file, text)))
                .collect(),
        )
    }

    /// The files that each file takes names from, and those names.
    pub fn arrows(&self) -> BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> {
        let mut arrows: BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
        for (at, module) in &self.0 {
            // what is only handed on is not used
            let words: BTreeSet<&String> = module.paths.iter().map(|path| &path[0]).collect();
            let imports = module.imports.iter();
            let used = imports.filter(|(name, _)| words.contains(name));
            for path in used.map(|(_, path)| path).chain(&module.paths) {
                let Some((home, name)) = self.home(at, path, 0) else {
                    continue;
                };
                let home = self.0[&home].file.as_str();
                if home != module.file {
                    let names = arrows.entry(&module.file).or_default();
                    names.entry(home).or_default().insert(name);
                }
            }
        }
        arrows
    }

    /// The module that defines what `path` names in the module `at`, and its name there. `None` for other crates and local names.
    fn home(&self, at: &[String], path: &[String], turns: usize) -> Option<(Path, String)> {
        let mut home = at.to_vec();
        for (index, name) in path.iter().enumerate() {
            let below = [home.as_slice(), std::slice::from_ref(name)].concat();
            match name.as_str() {
                "crate" => home.clear(),
                "self" => {}
                "super" => drop(home.pop()),
                _ => {
                    let rest = &path[index + 1..];
                    let mut imports = self.0.get(&home)?.imports.iter();
                    let import = imports.find(|(known, _)| known == name);
                    match import.filter(|_| turns < 16) {
                        // a function may have the name of its module
                        _ if self.0.contains_key(&below)
                            && !(rest.is_empty() && import.is_some()) =>
                        {
                            home = below;
                        }
                        Some((_, import)) => {
                            return self.home(&home, &[import, rest].concat(), turns + 1);
                        }
                        None => return (index + turns > 0).then(|| (home, name.clone())),
                    }
                }
            }
        }
        None
    }
}

/// The module that a file is.
fn module_path(file: &str) -> Path {
    let parts = file.trim_end_matches(".rs").split('/');
    parts
        .filter(|part| !["mod", "lib"].contains(part))
        .map(String::from)
        .collect()
}

impl Module {
    fn read(file: &str, text: &str) -> Module {
        let tests = text.find("#[cfg(test)]\nmod tests {");
        let text = &text[..tests.unwrap_or(text.len())];
        let mut imports = Vec::new();
        let mut body = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let is_use =
                line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ");
            if !is_use {
                let is_module = line.starts_with("mod ") || line.contains(" mod ");
                body += if is_module { "" } else { line };
                body.push('\n');
                continue;
            }
            let mut tree = line[line.find("use ").unwrap() + 4..].to_string();
            while !tree.ends_with(';') {
                tree += lines.next().expect("`use` ends").trim();
            }
            add_imports(tree.trim_end_matches(';'), &[], &mut imports);
        }
        Module {
            file: file.to_string(),
            imports,
            paths: paths(&body),
        }
    }
}

/// Reads a tree of `use` below `prefix`.
fn add_imports(tree: &str, prefix: &[String], imports: &mut Vec<(String, Path)>) {
    if let Some((head, rest)) = tree.split_once('{') {
        let below = [prefix, &names(head)].concat();
        let rest = rest.strip_suffix('}').expect("braces are closed");
        let mut depth = 0;
        let parts = rest.split(|c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        for part in parts.filter(|part| !part.trim().is_empty()) {
            add_imports(part.trim(), &below, imports);
        }
        return;
    }
    let (path, alias) = tree.split_once(" as ").unwrap_or((tree, ""));
    let mut path = [prefix, &names(path)].concat();
    // `{self}` is what precedes the brace
    path.pop_if(|last| last == "self" && !prefix.is_empty());
    let name = Some(alias).filter(|alias| !alias.is_empty());
    let name = name.map(String::from).or(path.last().cloned());
    imports.extend(name.map(|name| (name, path)));
}

fn names(path: &str) -> Path {
    let parts = path.split("::").filter(|part| !part.is_empty());
    parts.map(String::from).collect()
}

/// All words of a text, with what follows them behind `::`.
fn paths(text: &str) -> BTreeSet<Path> {
    let is_in_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    text.split(|c| !is_in_path(c))
        .flat_map(|words| words.split(": "))
        .map(|words| names(words.trim_matches(':')))
        .filter(|path| !path.is_empty())
        .collect()
}
