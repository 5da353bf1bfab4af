//! The modules of a crate, read from its sources: what each defines, what it brings into scope and what it names.
//!
//! No compiler: words and signs are enough for items and paths. Comments, texts and whatever is for tests only are left out.

use std::collections::{BTreeMap, BTreeSet};

/// A path of names, such as `super::model::FrameId`.
pub type Path = Vec<String>;

/// A module: a file, or a part of one in braces.
#[derive(Default)]
pub struct Module {
    pub file: String,
    /// Items that are no modules.
    items: BTreeSet<String>,
    children: BTreeSet<String>,
    /// What `use` brings into scope, by the name it has here. A name can be brought in twice: as a type and as a function.
    imports: Vec<(String, Path)>,
    /// The paths that `use` brings all names of.
    globs: Vec<Path>,
    /// Paths of at least two names outside of `use`, and names that were brought in and are used.
    named: BTreeSet<Path>,
    /// Single words outside of `use`.
    words: BTreeSet<String>,
}

/// All modules by their paths, that of the crate being empty.
#[derive(Default)]
pub struct Modules(BTreeMap<Path, Module>);

impl Modules {
    /// Reads the files of a crate: paths below `src/`, with their texts.
    pub fn read(files: &[(String, String)]) -> Modules {
        let mut modules = Modules::default();
        let for_tests: BTreeSet<Path> = files
            .iter()
            .flat_map(|(file, text)| modules.add(file, text))
            .collect();
        modules
            .0
            .retain(|path, _| !for_tests.iter().any(|test| path.starts_with(test)));
        modules
    }

    /// Reads a file: the modules that it declares for tests only.
    fn add(&mut self, file: &str, text: &str) -> Vec<Path> {
        let path = file.trim_end_matches(".rs").split('/').map(String::from);
        let mut at: Path = path.filter(|part| part != "mod" && part != "lib").collect();
        let (tokens, for_tests) = without_tests(tokens(text));
        let for_tests = for_tests
            .into_iter()
            .map(|name| [at.clone(), vec![name]].concat())
            .collect();
        let mut depths = vec![0];
        let mut depth = 0;
        let mut rest = tokens.as_slice();
        self.0.entry(at.clone()).or_default().file = file.to_string();
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            let module = self.0.entry(at.clone()).or_default();
            let is_item = depths.last() == Some(&depth);
            match first.as_str() {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if depths.last().is_some_and(|&of_module| depth < of_module) {
                        depths.pop();
                        at.pop();
                    }
                }
                // `use<'a>` says what a type holds
                "use" if rest[0] != "<" => rest = module.import(rest, &mut Vec::new()),
                "mod" if is_item => {
                    let name = rest[0].clone();
                    module.children.insert(name.clone());
                    if rest[1] == "{" {
                        depth += 1;
                        depths.push(depth);
                        at.push(name);
                        self.0.entry(at.clone()).or_default().file = file.to_string();
                    }
                    rest = &rest[2..];
                }
                "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static"
                    if is_item =>
                {
                    module.items.insert(rest[0].clone());
                }
                word if is_word(word) => rest = module.name(word, rest),
                _ => {}
            }
        }
        for_tests
    }

    /// The files that each file takes names from, and those names.
    pub fn arrows(&self) -> BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> {
        let mut arrows: BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
        for (at, module) in &self.0 {
            let used = module
                .imports
                .iter()
                .filter(|(name, _)| module.words.contains(name));
            for path in used.map(|(_, path)| path).chain(&module.named) {
                for (home, name) in self.homes(at, path, 0) {
                    let home = self.0[&home].file.as_str();
                    if home != module.file {
                        arrows
                            .entry(&module.file)
                            .or_default()
                            .entry(home)
                            .or_default()
                            .insert(name);
                    }
                }
            }
        }
        arrows
    }

    /// The modules that define what `path` names in the module `at`, with the name it has there.
    fn homes(&self, at: &[String], path: &[String], turns: usize) -> Vec<(Path, String)> {
        let mut at = at.to_vec();
        let mut path = path;
        // a path that leads to itself ends here
        if turns > 16 {
            return Vec::new();
        }
        while let Some((name, rest)) = path.split_first() {
            let Some(module) = self.0.get(&at) else {
                return Vec::new();
            };
            match name.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                name if module.children.contains(name) => at.push(name.to_string()),
                name if module.items.contains(name) => return vec![(at, name.to_string())],
                name => {
                    let homes =
                        |path: &[String]| self.homes(&at, &[path, rest].concat(), turns + 1);
                    let imports = module.imports.iter().filter(|(known, _)| known == name);
                    let mut found: Vec<_> = imports.flat_map(|(_, path)| homes(path)).collect();
                    for glob in &module.globs {
                        // all names of an enum say nothing about others
                        let of_glob = homes(&[glob.as_slice(), &[name.to_string()]].concat());
                        found.extend(
                            of_glob
                                .into_iter()
                                .filter(|(_, item)| glob.last() != Some(item)),
                        );
                    }
                    return found;
                }
            }
            path = rest;
        }
        Vec::new()
    }
}

impl Module {
    /// Reads a tree of `use` behind `prefix`: what follows it.
    fn import<'a>(&mut self, mut rest: &'a [String], prefix: &mut Path) -> &'a [String] {
        let start = prefix.len();
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            match first.as_str() {
                "::" => {}
                "*" => self.globs.push(prefix.clone()),
                "{" => {
                    while rest[0] != "}" {
                        rest = self.import(rest, prefix);
                        rest = if rest[0] == "," { &rest[1..] } else { rest };
                    }
                    rest = &rest[1..];
                    prefix.truncate(start);
                    return rest;
                }
                word if is_word(word) => {
                    // `{self}` is what stands before the brace
                    if word != "self" || prefix.is_empty() {
                        prefix.push(word.to_string());
                    }
                    if rest[0] == "as" {
                        self.imports.push((rest[1].clone(), prefix.clone()));
                        rest = &rest[2..];
                    } else if rest[0] != "::" {
                        let name = prefix.last().cloned().unwrap_or_default();
                        self.imports.push((name, prefix.clone()));
                    }
                }
                _ => unreachable!("`use` has words, signs and braces only: {first}"),
            }
            if [";", ",", "}"].contains(&rest[0].as_str()) {
                break;
            }
        }
        prefix.truncate(start);
        rest
    }

    /// Notes a word, or the path that starts with it: what follows.
    fn name<'a>(&mut self, word: &str, mut rest: &'a [String]) -> &'a [String] {
        self.words.insert(word.to_string());
        let mut path = vec![word.to_string()];
        while let [sign, name, after @ ..] = rest
            && sign == "::"
            && is_word(name)
        {
            path.push(name.clone());
            rest = after;
        }
        if path.len() > 1 {
            self.named.insert(path);
        }
        rest
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The words and signs of a source. Texts become `""`; `::` is one sign.
fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = || {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len())
        };
        let (length, token) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), None)
        } else if let Some(length) = text_length(rest) {
            (length, Some("\"\""))
        } else if first.is_alphanumeric() || first == '_' {
            (word(), Some(&rest[..word()]))
        } else if rest.starts_with("::") {
            (2, Some("::"))
        } else {
            let length = first.len_utf8();
            (
                length,
                Some(&rest[..length]).filter(|_| !first.is_whitespace()),
            )
        };
        found.extend(token.map(String::from));
        rest = &rest[length..];
    }
    found
}

/// How long the text, character or lifetime is with which a source goes on.
fn text_length(rest: &str) -> Option<usize> {
    let raw = rest.trim_start_matches(['b', 'r']);
    let prefix = rest.len() - raw.len();
    let hashes = raw.len() - raw.trim_start_matches('#').len();
    if prefix > 0 && rest[..prefix].contains('r') && raw[hashes..].starts_with('"') {
        let end = format!("\"{}", "#".repeat(hashes));
        let start = prefix + hashes + 1;
        return Some(start + rest[start..].find(&end)? + end.len());
    }
    let quote = raw
        .chars()
        .next()
        .filter(|&c| prefix <= 1 && (c == '"' || c == '\''))?;
    if quote == '\'' && prefix == 0 {
        // a character ends two places on unless it is escaped; a lifetime does not
        let mut next = rest[1..].chars();
        let first = next.next()?;
        if first != '\\' && next.next() != Some('\'') {
            return Some(1 + rest[1..].find(|c: char| !(c.is_alphanumeric() || c == '_'))?);
        }
    }
    let mut is_escaped = false;
    let end = raw[1..].find(|c| {
        let is_end = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    })?;
    Some(prefix + 1 + end + 1)
}

/// Leaves out the items that are for tests, and attributes; also the names of the modules among those items.
fn without_tests(tokens: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut kept = Vec::new();
    let mut modules = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some((first, after)) = rest.split_first() {
        if first != "#" {
            kept.push(first.clone());
            rest = after;
            continue;
        }
        let open = after.iter().position(|token| token == "[").unwrap_or(0);
        let attribute = balanced(&after[open..], "[", "]");
        let is_for_tests =
            after[open..open + attribute].starts_with(&["[", "cfg", "(", "test"].map(String::from));
        rest = &after[open + attribute..];
        if is_for_tests {
            let end = rest
                .iter()
                .position(|token| token == ";" || token == "{")
                .unwrap_or(0);
            if let Some(name) = rest[..end].iter().position(|token| token == "mod") {
                modules.push(rest[name + 1].clone());
            }
            rest = if rest[end] == ";" {
                &rest[end + 1..]
            } else {
                &rest[end + balanced(&rest[end..], "{", "}")..]
            };
        }
    }
    (kept, modules)
}

/// How many tokens there are up to the one that closes the first.
fn balanced(tokens: &[String], open: &str, close: &str) -> usize {
    let mut depth = 0;
    let end = tokens.iter().position(|token| {
        depth += i32::from(token == open) - i32::from(token == close);
        depth == 0
    });
    end.map_or(tokens.len(), |end| end + 1)
}
