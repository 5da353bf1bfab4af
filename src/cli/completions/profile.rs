//! The profile on the command line, and the names in it.

use super::quoting::TypedWord;
use super::typed_words;
use crate::cli::names::names_of_recording;
use crate::cli::open::{OpenOptions, Target, open};
use crate::input::Progress;
use crate::profile_cache::{CacheLookup, CompletionNames, LARGE_BYTES, ProfileCache};
use std::path::{Path, PathBuf};

pub(super) fn typed_file(shell: &str) -> Option<PathBuf> {
    let words = typed_words(std::env::args_os()).skip(1);
    // words that are not Unicode are ignored
    let words = words.filter_map(|word| word.into_string().ok());
    let mut paths = words.map(|word| match shell {
        "powershell" => PathBuf::from(word),
        _ => in_home(TypedWord::new(&word, shell).word, &word),
    });
    paths.find(|path| path.is_file())
}

fn in_home(path: String, typed: &str) -> PathBuf {
    let below_home = path.strip_prefix("~/").filter(|_| typed.starts_with("~/"));
    match (below_home, std::env::home_dir()) {
        (Some(below_home), Some(home)) => home.join(below_home),
        _ => path.into(),
    }
}

/// The names in its index or, if it is small enough, in the file itself.
pub(super) fn names_of_file(file: &Path) -> Option<CompletionNames> {
    let options = OpenOptions::default();
    let lookup = CacheLookup {
        file,
        reading: &options.reading,
        decoding: &options.decoding,
    };
    let index_cache = ProfileCache::new(&options.decoding.environment, names_of_recording);
    if let Some(names) = index_cache.named(&lookup) {
        return Some(names);
    }
    let is_small = std::fs::metadata(file).is_ok_and(|file| file.len() <= LARGE_BYTES);
    let target = Target::File(file.into());
    let view = is_small.then(|| open(&target, &options, Progress::default()));
    names_of_recording(&view?.ok()?.recording, &|| true)
}
