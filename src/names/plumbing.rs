//! Detects infrastructure frames that .NET puts between callers and callees, by name, once per frame.

use crate::names::FrameKind;
use crate::names::display_name::Spelling;

/// By namespace: methods with their type, nested types after a dot, without arguments; a `*` matches any rest.
const RULES: [(&str, &str); 4] = [
    // async methods: start, await, completion
    (
        "System.Runtime.CompilerServices.",
        "AsyncMethodBuilderCore.* AsyncTaskMethodBuilder.* AsyncValueTaskMethodBuilder.* AsyncVoidMethodBuilder.* \
        AsyncIteratorMethodBuilder.* PoolingAsyncValueTaskMethodBuilder.* TaskAwaiter.* YieldAwaitable.*",
    ),
    // continuations after an await, running and completing tasks
    (
        "System.Threading.Tasks.",
        "AwaitTaskContinuation.* SynchronizationContextAwaitTaskContinuation.* ContinuationTaskFromTask.* \
        ContinuationResultTaskFromTask.* Task.RunContinuations Task.Finish* Task.TrySet* Task.Execute* Task.InnerInvoke \
        TaskCompletionSource.* Sources.ManualResetValueTaskSourceCore.*",
    ),
    // the thread pool, up to the thread's root
    (
        "System.Threading.",
        "ExecutionContext.Run* ThreadPoolWorkQueue.Dispatch* QueueUserWorkItemCallback* ThreadPool.<>c.<.cctor>* \
        PortableThreadPool.WorkerThread.WorkerThreadStart PortableThreadPool.WorkerThread.WorkerDoWork \
        Thread.StartCallback Thread.StartHelper.* ThreadHelper.ThreadStart*",
    ),
    // stubs of delegates and native calls
    ("dynamicClass.", "IL_STUB*"),
];

pub(crate) fn is_plumbing(kind: FrameKind, Spelling { full, .. }: &Spelling) -> bool {
    // the first letters rule out most names
    if kind != FrameKind::Method || !RULES.iter().any(|(begin, _)| full.starts_with(begin)) {
        return false;
    }
    let plain = without_arguments(full);
    let fits = |method: &str, rule: &str| match rule.strip_suffix('*') {
        Some(begin) => method.starts_with(begin),
        None => method == rule,
    };
    RULES.iter().any(|(namespace, rules)| {
        let method = plain.strip_prefix(namespace);
        method.is_some_and(|method| rules.split(' ').any(|rule| fits(method, rule)))
    })
}

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
