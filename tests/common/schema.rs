//! The schemas in `assets/schema`, and validation against them.
use boon::{Compiler, Draft, SchemaIndex, Schemas};
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/schema")
}

/// The schemas by file name, without the extension.
pub fn texts() -> BTreeMap<String, Value> {
    let files = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        (
            name,
            serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        )
    };
    files.map(read).collect()
}

/// The compiled schemas, and their indices by name.
struct Compiled {
    schemas: Schemas,
    names: BTreeMap<String, SchemaIndex>,
}

/// All schemas. Nothing is fetched: everything they refer to is in the folder. Fails if one is invalid.
fn compiled() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let (texts, mut compiler) = (texts(), Compiler::new());
        compiler.set_default_draft(Draft::V2020_12);
        let address = |name: &str| format!("urn:dotspot:schema:{name}");
        for (name, schema) in &texts {
            compiler
                .add_resource(&address(name), schema.clone())
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let mut schemas = Schemas::new();
        let mut compile = |name: String| {
            let index = compiler
                .compile(&address(&name), &mut schemas)
                .unwrap_or_else(|error| panic!("{name}: {error:#}"));
            (name, index)
        };
        let names = texts.into_keys().map(&mut compile).collect();
        Compiled { schemas, names }
    })
}

/// The name of a document's schema: `info-1` for `dotspot.info/1`.
pub fn name_of(document: &Value) -> Option<String> {
    Some(
        document["schema"]
            .as_str()?
            .strip_prefix("dotspot.")?
            .replace('/', "-"),
    )
}

/// Reads a document of any depth, validates it against the schema that it names, and returns the schema's name.
///
/// # Panics
/// If it is not JSON, names no schema, or does not match the schema. `what` describes its origin.
pub fn check(text: &str, what: &str) -> (String, Value) {
    let (text, what) = (text.to_string(), what.to_string());
    // exported trees are as deep as stacks, and all of this is recursive
    let work = move || {
        let mut reader = serde_json::Deserializer::from_str(&text);
        reader.disable_recursion_limit();
        let document =
            Value::deserialize(&mut reader).unwrap_or_else(|error| panic!("{what}: {error}"));
        let name = name_of(&document).unwrap_or_else(|| panic!("{what}: no known schema"));
        hold(&document, &name, &what);
        (name, document)
    };
    let thread = std::thread::Builder::new()
        .stack_size(256 << 20)
        .spawn(work)
        .unwrap();
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Validates a document, or a part of one, against a schema.
#[track_caller]
pub fn hold(document: &Value, name: &str, what: &str) {
    let all = compiled();
    let schema = all
        .names
        .get(name)
        .unwrap_or_else(|| panic!("{what}: no assets/schema/{name}.json"));
    if let Err(error) = all.schemas.validate(document, *schema) {
        let errors: String = format!("{error:#}").chars().take(1500).collect();
        panic!("{what} does not match assets/schema/{name}.json:\n{errors}");
    }
}
