//! Whose code frames are in a process without .NET: the user's, unless it is known to belong to the system or another
//! runtime.

use super::display_name::{Spelling, is_marked_as_kernel};
use super::{Category, FrameKind};
use std::collections::HashSet;
use std::sync::LazyLock;

fn has_word(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|known| known == word)
}

/// Looked up for every frame.
macro_rules! word_sets {
    ($($(#[$about:meta])* $name:ident = $words:literal;)*) => {
        $($(#[$about])* static $name: LazyLock<HashSet<&str>> = LazyLock::new(|| $words.split(' ').collect());)*
    };
}

word_sets! {
    /// libc, the loader or the kernel starts every native thread with one of these.
    STARTS = "_start start_thread clone clone3 __clone __clone3 thread_start _pthread_start entry_SYSCALL_64_after_hwframe \
        RtlUserThreadStart";
    /// A program in another language may use the same names: they only count if a stack starts in C.
    LIBC = "abort accept accept4 bcmp brk calloc clock_gettime close connect epoll_wait exit fclose fflush \
        fgets fopen fork fread free fstat fsync futex fwrite getpid gettimeofday ioctl kill lseek madvise malloc memchr \
        memcmp memcpy memmove memset mmap mprotect munmap nanosleep open openat poll ppoll printf pread pwrite qsort raise \
        read readv realloc recv recvfrom recvmsg sbrk sched_yield select send sendmsg sendto sigaction snprintf stat \
        strcasecmp strchr strcmp strcpy strlen strncmp strtol syscall time usleep vfprintf vsnprintf wait4 write writev";
    /// Reserved by C compilers, libc, the loader and the kernel.
    C_PREFIXES = "__GI_ __libc_ __pthread_ pthread_ __nptl_ __lll_ __futex_ __mem __str __new_ __clock_ __vdso_ __kernel_ \
        __x64_sys_ __do_sys_ do_syscall_64 entry_SYSCALL asm_ _dl_ _int_malloc _int_free _int_realloc __cxa_ _Unwind_ \
        __rust_";
    /// Modules of the system, up to a dot, a dash or a digit: libc, loader, C++ and unwinder, kernel.
    MODULES = "libc libm libpthread libdl librt ld ld-linux ld-linux-x86 ld-linux-aarch ld-musl linux-vdso libstdc++ libgcc_s \
        libsystem dyld libdyld libjvm vmlinux";
    /// Rust's standard crates, and C++'s namespaces.
    STANDARD_CRATES = "std core alloc hashbrown compiler_builtins panic_unwind proc_macro __gnu_cxx __cxxabiv1";
    /// The first path components of Go's standard packages.
    GO_PACKAGES = "archive bufio bytes cmp compress container context crypto database debug encoding errors \
        expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin \
        reflect regexp runtime slices sort strconv strings sync syscall testing text time unicode unique vendor weak";
}

const MANGLED: [&str; 5] = ["_ZN3std", "_ZN4core", "_ZN5alloc", "_ZNSt", "_ZNKSt"];

const RUST_PRIMITIVES: &str =
    "bool char str i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64";

/// Functions of Go's runtime that are written in assembly and have no package.
const GO_ASSEMBLY: &str = "aeshashbody callRet gcWriteBarrier cmpbody countbody gogo indexbody indexbytebody memeqbody \
    memhashFallback wbZero wbMove";

const JDK_PACKAGES: [&str; 6] = ["java", "javax", "jdk", "sun", "com/sun", "com.sun"];

/// Parts of the Java virtual machine that are not C++.
const JVM: [&str; 10] = [
    "java",
    "Interpreter",
    "call_stub",
    "vtable chunks",
    "vtable stub",
    "itable stub",
    "SpinPause",
    "JavaMain",
    "java_start",
    "thread_native_entry",
];

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Runtimes {
    pub(crate) has_dotnet: bool,
    c: bool,
    go: bool,
    java: bool,
    v8: bool,
}

impl Runtimes {
    /// `location` is the source location or empty, `category` by .NET's rules.
    pub(crate) fn note(&mut self, kind: FrameKind, name: &str, location: &str, category: Category) {
        let spelling = Spelling::of(name);
        let full = spelling.full;
        self.v8 |= location.starts_with("node:")
            || kind == FrameKind::Special && matches!(name, "(program)" | "(garbage collector)");
        if kind != FrameKind::Method {
            return;
        }
        let clrs = ["coreclr", "libcoreclr", "clr", "mscorwks", "libmono"];
        let is_clr = clrs.iter().any(|clr| is_module(spelling.module, clr));
        self.has_dotnet |= category == Category::System || spelling.result.is_some() || is_clr;
        self.c |=
            STARTS.contains(full) || full.starts_with("__libc_start") || name.ends_with("_[k]");
        self.go |= matches!(full, "runtime.goexit" | "runtime.main" | "runtime.mcall")
            || full.starts_with("runtime.mstart");
        self.java |= jdk_package(java_class(full)).is_some_and(|package| package == "java");
    }

    /// Whose code a frame is in a process without .NET. Packages by .NET's rules stay packages.
    pub(crate) fn category(
        self,
        kind: FrameKind,
        name: &str,
        location: &str,
        dotnet_category: Category,
    ) -> Category {
        if kind != FrameKind::Method || dotnet_category == Category::Library {
            return dotnet_category;
        }
        let spelling = Spelling::of(name);
        let Spelling { module, full, .. } = spelling;
        if spelling.is_nameless()
            || full.starts_with('[')
            || module.starts_with('[')
            || is_marked_as_kernel(name)
        {
            return Category::Native;
        }
        if let Some(category) = python_category(if location.is_empty() { full } else { location }) {
            return category;
        }
        let belongs_to_runtime = self.go && is_go(full)
            || self.java && jdk_package(java_class(full)).is_some()
            || self.v8 && is_built_in(location)
            || is_standard_library(full);
        if belongs_to_runtime {
            return Category::System;
        }
        let is_native = MODULES.iter().any(|system| is_module(module, system))
            || C_PREFIXES.iter().any(|prefix| full.starts_with(prefix))
            || STARTS.contains(full)
            || self.c && LIBC.contains(full)
            || self.java && is_jvm(module, full);
        if is_native {
            Category::Native
        } else {
            Category::User
        }
    }
}

/// Such as `libc.so.6`, `libc-2.31.so`, `ld-linux-x86-64.so.2`.
fn is_module(module: &str, system: &str) -> bool {
    module
        .strip_prefix(system)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

/// `pkg/path.Function`: Go's own packages have no dot in the first part of their path. Its assembly has none.
fn is_go(full: &str) -> bool {
    let first = full.split(['/', '.', '(']).next().unwrap_or_default();
    GO_PACKAGES.contains(first) || has_word(GO_ASSEMBLY, full)
}

/// Of `Ljava/util/HashMap;::get`, `java/util/HashMap:.get` and `java.util.HashMap.get`.
fn java_class(full: &str) -> &str {
    let class = full.split([':', ';', '(']).next().unwrap_or_default();
    match class.strip_prefix('L') {
        Some(path) if path.contains('/') => path,
        _ => class,
    }
}

/// The Java virtual machine is written in C++ and has names for the code it generates.
fn is_jvm(module: &str, full: &str) -> bool {
    let is_class = java_class(full).contains(['/', '.']);
    module.is_empty() && !is_class && (full.contains("::") || JVM.contains(&full))
}

fn jdk_package(class: &str) -> Option<&'static str> {
    JDK_PACKAGES.into_iter().find(|package| {
        class
            .strip_prefix(package)
            .is_some_and(|rest| rest.starts_with(['/', '.']))
    })
}

/// Scripts have a location; frames without one, or with one of Node's, are built in.
fn is_built_in(location: &str) -> bool {
    location.is_empty()
        || ["node:", "internal/", "native ", "extensions::"]
            .iter()
            .any(|own| location.starts_with(own))
}

/// By the path in `function (/usr/lib/python3.11/json/decoder.py:337)`; `None` for frames other than Python's.
fn python_category(text: &str) -> Option<Category> {
    let is_python = text.contains(".py:") || text.ends_with(".py") || text.ends_with(".py)");
    if text.contains("<frozen ") {
        Some(Category::System)
    } else if !is_python {
        None
    } else if text.contains("-packages/") || text.contains("-packages\\") {
        Some(Category::Library)
    } else if text.contains("/lib/python") || text.contains("\\lib\\python") {
        Some(Category::System)
    } else {
        Some(Category::User)
    }
}

/// Rust's and C++'s: the crate of a path or, in `<Type as Trait>::method`, that of the type.
fn is_standard_library(full: &str) -> bool {
    if MANGLED.iter().any(|start| full.starts_with(start)) {
        return true;
    }
    let mut path = full;
    for _ in 0..8 {
        let marks = [
            "<", "&", "*const ", "*mut ", "mut ", "dyn ", "impl ", "(", "[",
        ];
        match marks.iter().find_map(|mark| path.strip_prefix(mark)) {
            Some(rest) => path = rest,
            None => break,
        }
    }
    let first = path.split(['<', '>', ' ', ',', ';', ']', ')', ':']).next();
    let first = first.unwrap_or_default();
    let is_path = path[first.len()..].starts_with("::");
    is_path && STANDARD_CRATES.contains(first)
        || path.len() < full.len() && has_word(RUST_PRIMITIVES, first)
        || full.starts_with("operator new")
        || full.starts_with("operator delete")
}

#[cfg(test)]
mod tests;
