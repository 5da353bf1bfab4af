use crate::names::display_name::libraries::LIBRARIES;
use crate::names::display_name::spelling::{Spelling, is_marked_as_kernel};
use crate::names::{Category, FrameKind};
use std::sync::LazyLock;

/// Modules that come with .NET, including names that continue with `.` or `-`. `dynamicClass` is generated at run
/// time, such as stubs.
const SYSTEM_MODULES: &str = "System Microsoft mscorlib netstandard FSharp.Core WindowsBase PresentationCore PresentationFramework \
    PresentationUI PresentationBuildTasks ReachFramework WindowsFormsIntegration UIAutomationClient \
    UIAutomationClientsideProviders UIAutomationProvider UIAutomationTypes DirectWriteForwarder Accessibility \
    CustomMarshalers SMDiagnostics dynamicClass";

const DYNAMIC_ASSEMBLY: &str = "Anonymously Hosted DynamicMethods Assembly";

const SYSTEM_NAMESPACES: &str =
    "System Microsoft FSharp Interop Internal.Runtime MS.Internal MS.Win32 dynamicClass";

/// Native modules without an extension, as ETW and EventPipe name them. Those with `.so` or `.dylib` need no table.
const NATIVE_MODULES: &str = "advapi32 afd apphost bcrypt bcryptprimitives clr clretwrc clrgc clrjit combase comctl32 coreclr coremessaging \
    crypt32 d2d1 d3d11 d3d9 dbghelp dnsapi dwmapi dwrite dxgi fltmgr gdi32 gdi32full hal hostfxr hostpolicy http \
    httpapi imm32 iphlpapi kernel32 kernelbase libclrjit libcoreclr libhostfxr libhostpolicy mscoree mscoreei \
    mscorjit mscorsvr mscorwks msctf msvcrt mswsock ndis netio ntdll ntfs ntoskrnl ole32 oleaut32 psapi rpcrt4 \
    schannel sechost shell32 shlwapi sspicli tcpip ucrtbase user32 uxtheme vmlinux win32k win32kfull win32u winhttp \
    wow64 ws2_32";

/// Such as `msvcp140`, `wpfgfx_cor3`.
const NATIVE_PREFIXES: &str =
    "msvcp vcruntime wpfgfx presentationnative d3dcompiler libsystem. system.native api-ms-win";

/// Rows by first letter, ignoring case: every frame of a profile is looked up.
struct ByLetter([Vec<&'static str>; 256]);

impl ByLetter {
    fn new(rows: impl IntoIterator<Item = &'static str>) -> ByLetter {
        let mut by_letter = ByLetter([const { Vec::new() }; 256]);
        for row in rows {
            by_letter.0[Self::letter(row)].push(row);
        }
        by_letter
    }

    fn letter(text: &str) -> usize {
        text.bytes()
            .next()
            .map_or(0, |byte| usize::from(byte.to_ascii_lowercase()))
    }

    fn any(&self, text: &str, fits: impl Fn(&str) -> bool) -> bool {
        self.0[Self::letter(text)].iter().any(|row| fits(row))
    }

    /// Whether a text is a row, or continues after it with one of `ends`.
    fn has(&self, text: &str, ends: &[char]) -> bool {
        self.any(text, |row| starts_with_part(text, row, ends))
    }
}

struct Prefixes {
    system: ByLetter,
    namespaces: ByLetter,
    native: ByLetter,
    native_starts: ByLetter,
    libraries: ByLetter,
}

static PREFIXES: LazyLock<Prefixes> = LazyLock::new(|| Prefixes {
    system: ByLetter::new(SYSTEM_MODULES.split(' ').chain([DYNAMIC_ASSEMBLY])),
    namespaces: ByLetter::new(SYSTEM_NAMESPACES.split(' ')),
    native: ByLetter::new(NATIVE_MODULES.split(' ')),
    native_starts: ByLetter::new(NATIVE_PREFIXES.split(' ')),
    libraries: ByLetter::new(LIBRARIES.iter().copied()),
});

/// The module decides if there is one, otherwise the namespace. A method in `System` but in another module belongs to
/// .NET, too: generic code precompiled into the module that uses it.
pub fn category_of(kind: FrameKind, name: &str) -> Category {
    category_as_spelled(kind, name, &Spelling::of(name))
}

pub(crate) fn category_as_spelled(kind: FrameKind, name: &str, spelling: &Spelling) -> Category {
    match kind {
        FrameKind::Root | FrameKind::Process | FrameKind::Thread => Category::Pseudo,
        FrameKind::Special => Category::Native,
        FrameKind::Method => {
            if is_marked_as_kernel(name) || is_native(spelling) {
                Category::Native
            } else if is_system(spelling) {
                Category::System
            } else if is_library(spelling) {
                Category::Library
            } else if spelling.is_nameless() {
                Category::Native
            } else {
                Category::User
            }
        }
    }
}

fn is_system(spelling: &Spelling) -> bool {
    let Spelling { module, full, .. } = *spelling;
    match module {
        "" => PREFIXES.namespaces.has(full, &['.', '+']),
        _ => {
            full.starts_with("System.")
                || full.starts_with("Internal.Runtime.")
                || PREFIXES.system.has(module, &['.', '-'])
        }
    }
}

fn is_library(spelling: &Spelling) -> bool {
    match spelling.module {
        "" => PREFIXES.libraries.has(spelling.full, &['.', '+']),
        module => PREFIXES.libraries.has(module, &['.', '-']),
    }
}

/// The user's rules for whose code is whose. The longest matching prefix wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserCode {
    pub own: Vec<String>,
    pub foreign: Vec<String>,
}

impl UserCode {
    pub fn corrected(&self, kind: FrameKind, name: &str, default_category: Category) -> Category {
        if kind != FrameKind::Method {
            return default_category;
        }
        let spelling = Spelling::of(name);
        let longest = |prefixes: &[String]| {
            prefixes
                .iter()
                .filter_map(|prefix| fits(prefix, &spelling))
                .max()
        };
        let (own, foreign) = (longest(&self.own), longest(&self.foreign));
        match default_category {
            _ if own.is_some() && own >= foreign => Category::User,
            Category::User if foreign.is_some() => Category::Library,
            _ => default_category,
        }
    }

    pub fn unmatched<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<String> {
        let mut unmatched: Vec<&String> = self.own.iter().chain(&self.foreign).collect();
        for name in names {
            if unmatched.is_empty() {
                break;
            }
            let spelling = Spelling::of(name);
            unmatched.retain(|prefix| fits(prefix, &spelling).is_none());
        }
        unmatched.into_iter().cloned().collect()
    }

    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.foreign.is_empty()
    }
}

fn fits(prefix: &str, spelling: &Spelling) -> Option<usize> {
    let prefix = prefix.trim_end_matches(['.', '*']);
    let is_match = !prefix.is_empty()
        && (starts_with_part(spelling.module, prefix, &['.', '-'])
            || starts_with_part(spelling.full, prefix, &['.', '+', ':', '`', '(']));
    is_match.then_some(prefix.len())
}

fn is_native(spelling: &Spelling) -> bool {
    let Spelling { module, full, .. } = *spelling;
    if module.is_empty() {
        let is_cpp = full.contains("::")
            && spelling.result.is_none()
            && !full[..full.find("::").unwrap_or(0)].contains('.');
        return full.starts_with(['[', '?'])
            || full.starts_with("stub<")
            || full.contains("@GLIBC")
            || is_cpp;
    }
    let mut ends = [".so", ".dylib", ".sys"].iter();
    let is_file = ends.any(|end| module.ends_with(end)) || module.contains(".so.");
    is_file
        || module.starts_with('[')
        || PREFIXES.native.has(module, &[])
        || PREFIXES
            .native_starts
            .any(module, |prefix| starts_with(module, prefix))
}

fn starts_with_part(text: &str, part: &str, ends: &[char]) -> bool {
    starts_with(text, part)
        && text
            .get(part.len()..)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(ends))
}

/// Case does not matter: Windows sometimes has modules in lower case.
fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests;
