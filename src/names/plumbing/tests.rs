use super::*;

/// A name for each rule, in order.
const EXAMPLES: [&str; 29] = [
    "System.Runtime.CompilerServices.AsyncMethodBuilderCore.Start(!!0&)",
    "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Int32,Acme.Program+<Main>d__0].\
         MoveNext(class System.Threading.Thread)",
    "System.Runtime.CompilerServices.AsyncValueTaskMethodBuilder`1[System.Decimal].SetResult(!0)",
    "System.Runtime.CompilerServices.AsyncVoidMethodBuilder.Start(!!0&)",
    "System.Runtime.CompilerServices.AsyncIteratorMethodBuilder.MoveNext(!!0&)",
    "System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder`1+StateMachineBox`1.MoveNext()",
    "System.Runtime.CompilerServices.TaskAwaiter`1[System.Decimal].GetResult()",
    "System.Runtime.CompilerServices.YieldAwaitable+YieldAwaiter.AwaitUnsafeOnCompleted()",
    "System.Threading.Tasks.AwaitTaskContinuation.RunOrScheduleAction(class System.Action,bool)",
    "System.Threading.Tasks.SynchronizationContextAwaitTaskContinuation+<>c.<.cctor>b__8_0(class System.Object)",
    "System.Threading.Tasks.ContinuationTaskFromTask.InnerInvoke()",
    "System.Threading.Tasks.ContinuationResultTaskFromTask`1[System.Int32].InnerInvoke()",
    "System.Threading.Tasks.Task.RunContinuations(class System.Object)",
    "System.Threading.Tasks.Task.FinishContinuations()",
    "System.Threading.Tasks.Task`1[System.Decimal].TrySetResult(!0)",
    "System.Threading.Tasks.Task.ExecuteWithThreadLocal()",
    "System.Threading.Tasks.Task`1[System.Int32].InnerInvoke()",
    "System.Threading.Tasks.TaskCompletionSource`1.SetResult(!0)",
    "System.Threading.Tasks.Sources.ManualResetValueTaskSourceCore`1[System.Boolean].SignalCompletion()",
    "System.Threading.ExecutionContext.RunInternal(class System.Threading.ExecutionContext)",
    "System.Threading.ThreadPoolWorkQueue.Dispatch()",
    "System.Threading.QueueUserWorkItemCallbackDefaultContext`1[System.__Canon].Execute()",
    "System.Threading.ThreadPool+<>c.<.cctor>b__48_0(class System.Object)",
    "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart()",
    "System.Threading.PortableThreadPool+WorkerThread.WorkerDoWork(class System.Threading.PortableThreadPool,bool&)",
    "System.Threading.Thread.StartCallback()",
    "System.Threading.Thread+StartHelper.RunWorker()",
    "System.Threading.ThreadHelper.ThreadStart_Context(class System.Object)",
    "dynamicClass.IL_STUB_InstantiatingStub(class System.Object)",
];

fn rules() -> Vec<String> {
    let of_namespace = |(namespace, rules): &(&str, &'static str)| {
        let namespace = namespace.to_string();
        rules
            .split(' ')
            .map(move |rule| format!("{namespace}{rule}"))
    };
    RULES.iter().flat_map(of_namespace).collect()
}

#[test]
fn every_rule_fits_its_example_and_no_other_does() {
    assert_eq!(rules().len(), EXAMPLES.len());
    for (rule, example) in rules().into_iter().zip(EXAMPLES) {
        for name in [
            example.to_string(),
            format!("System.Private.CoreLib!{example}"),
        ] {
            assert!(
                is_plumbing(FrameKind::Method, &Spelling::of(&name)),
                "{rule}: {name}"
            );
        }
        let plain = without_arguments(example);
        let fitting = rules()
            .into_iter()
            .filter(|rule| plain.starts_with(rule.trim_end_matches('*')));
        assert_eq!(fitting.collect::<Vec<_>>(), [rule], "{example}");
    }
}

#[test]
fn work_is_no_plumbing() {
    for name in [
        "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)",
        "System.Private.CoreLib!System.Threading.Tasks.Task.Delay(int32)",
        "System.Private.CoreLib!System.Threading.Tasks.TaskExtensions.Unwrap()",
        "System.Private.CoreLib!System.Threading.Thread.StartCallbackLater()",
        "System.Private.CoreLib!System.Threading.ThreadPoolWorkQueue.EnqueueAtHighPriority(class System.Object)",
        "Acme!Acme.Program+<Main>d__0.MoveNext()",
        "Acme!Acme.Threading.ExecutionContext.Run()",
        "",
    ] {
        assert!(
            !is_plumbing(FrameKind::Method, &Spelling::of(name)),
            "{name}"
        );
    }
    assert!(!is_plumbing(
        FrameKind::Special,
        &Spelling::of("dynamicClass.IL_STUB")
    ));
}
