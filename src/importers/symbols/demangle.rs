//! Names as spelled in their languages.

use cpp_demangle::DemangleOptions;
use std::fmt::{self, Write};

/// Marks a function's stub in another file that calls it.
pub(super) const PLT: &str = "@plt";
const MAX_NAME_BYTES: usize = 4_000;

/// Rust without its hash, C++ without its parameters, as in perf; others unchanged.
pub(crate) fn demangled(symbol: &str) -> String {
    let (symbol, plt) = match symbol.strip_suffix(PLT) {
        Some(function) => (function, PLT),
        None => (symbol, ""),
    };
    let mut name = Bounded(String::new());
    let is_whole = if let Ok(rust) = rustc_demangle::try_demangle(symbol) {
        write!(name, "{rust:#}").is_ok()
    } else if symbol.starts_with("_Z") && symbol.len() <= MAX_NAME_BYTES {
        let options = DemangleOptions::new().no_params().no_return_type();
        let cpp = cpp_demangle::Symbol::new(symbol).ok();
        cpp.is_some_and(|cpp| cpp.structured_demangle(&mut name, &options).is_ok())
    } else {
        false
    };
    match is_whole {
        true => name.0 + plt,
        false => format!("{symbol}{plt}"),
    }
}

struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_NAME_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}
