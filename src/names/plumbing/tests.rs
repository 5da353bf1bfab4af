use super::*;

#[test]
fn every_rule_fits_its_example_and_no_other_does() {
    for (rule, example) in RULES.iter().copied() {
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
        let fitting = RULES
            .iter()
            .copied()
            .filter(|(rule, _)| plain.starts_with(rule.trim_end_matches('*')));
        assert_eq!(
            fitting.map(|(rule, _)| rule).collect::<Vec<_>>(),
            [rule],
            "{example}"
        );
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
