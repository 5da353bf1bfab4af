//! Detects infrastructure frames that .NET puts between callers and callees, by name, once per frame.

use crate::names::FrameKind;
use crate::names::display_name::Spelling;

/// What is async infrastructure: methods with their namespace and type, nested types after a dot, without type arguments
/// and arguments; what ends with `*` begins so. All of it is in the namespace `System` or in code that the runtime makes up.
const RULES: [&str; 29] = [
    // async methods that begin, wait and end
    "System.Runtime.CompilerServices.AsyncMethodBuilderCore.*",
    "System.Runtime.CompilerServices.AsyncTaskMethodBuilder.*",
    "System.Runtime.CompilerServices.AsyncValueTaskMethodBuilder.*",
    "System.Runtime.CompilerServices.AsyncVoidMethodBuilder.*",
    "System.Runtime.CompilerServices.AsyncIteratorMethodBuilder.*",
    "System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder.*",
    "System.Threading.ExecutionContext.Run*",
    // continuations after an await
    "System.Threading.Tasks.AwaitTaskContinuation.*",
    "System.Threading.Tasks.SynchronizationContextAwaitTaskContinuation.*",
    "System.Threading.Tasks.ContinuationTaskFromTask.*",
    "System.Threading.Tasks.ContinuationResultTaskFromTask.*",
    "System.Runtime.CompilerServices.TaskAwaiter.*",
    "System.Runtime.CompilerServices.YieldAwaitable.*",
    // tasks that run and end
    "System.Threading.Tasks.Task.RunContinuations",
    "System.Threading.Tasks.Task.Finish*",
    "System.Threading.Tasks.Task.TrySet*",
    "System.Threading.Tasks.Task.Execute*",
    "System.Threading.Tasks.Task.InnerInvoke",
    "System.Threading.Tasks.TaskCompletionSource.*",
    "System.Threading.Tasks.Sources.ManualResetValueTaskSourceCore.*",
    // the thread pool, up to the root of the thread
    "System.Threading.ThreadPoolWorkQueue.Dispatch*",
    "System.Threading.QueueUserWorkItemCallback*",
    "System.Threading.ThreadPool.<>c.<.cctor>*",
    "System.Threading.PortableThreadPool.WorkerThread.WorkerThreadStart",
    "System.Threading.PortableThreadPool.WorkerThread.WorkerDoWork",
    "System.Threading.Thread.StartCallback",
    "System.Threading.Thread.StartHelper.*",
    "System.Threading.ThreadHelper.ThreadStart*",
    // stubs of delegates and native calls
    "dynamicClass.IL_STUB*",
];

/// Whether a frame with this kind and raw name, which was taken apart, is async infrastructure. O(length).
pub(crate) fn is_plumbing(kind: FrameKind, Spelling { full, .. }: &Spelling) -> bool {
    if kind != FrameKind::Method {
        return false;
    }
    // most names are sorted out by how they begin
    let begins = [
        "System.Threading.",
        "System.Runtime.CompilerServices.",
        "dynamicClass.",
    ];
    if !begins.iter().any(|begin| full.starts_with(begin)) {
        return false;
    }
    let plain = without_arguments(full);
    RULES.iter().any(|rule| match rule.strip_suffix('*') {
        Some(begin) => plain.starts_with(begin),
        None => plain == *rule,
    })
}

/// A full name without arguments and type arguments, nested types after a dot.
fn without_arguments(full: &str) -> String {
    let bare = &full[..full.find('(').unwrap_or(full.len())];
    let (mut plain, mut depth, mut in_arity) = (String::with_capacity(bare.len()), 0usize, false);
    for c in bare.chars() {
        in_arity = c == '`' || (in_arity && c.is_ascii_digit());
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth > 0 || in_arity => {}
            '+' => plain.push('.'),
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests;
