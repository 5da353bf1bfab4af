use crate::names::display_name::*;
use crate::text::is_hostile;
use proptest::prelude::*;

/// Raw names and the expected display names.
type Examples = &'static [(&'static str, &'static str)];

#[track_caller]
fn check(raw: &str, expect: &str) {
    assert_eq!(display_name(FrameKind::Method, raw), expect, "{raw}");
}

#[test]
fn every_rule_has_passing_examples() {
    for (what, examples) in RULES.iter().chain(GENERATED) {
        assert!(!examples.is_empty(), "no example for: {what}");
        for (raw, shown) in *examples {
            assert_eq!(
                display_name(FrameKind::Method, raw),
                *shown,
                "{what}: {raw}"
            );
        }
    }
}

#[test]
fn all_spellings_of_a_method_have_one_display_name() {
    for raw in [
        "Acme!Acme.Cache`1+Slot[System.__Canon].Get(!0)",
        "Acme.il![QuickJitted]Acme.Cache`1+Slot[System.__Canon].Get(!0)",
        "Acme!Acme.Cache`1+Slot.Get",
        "Acme.Cache`1+Slot.Get",
        "Acme.Cache`1.Slot.Get(Object)",
        "instance !0 [Acme] Acme.Cache`1+Slot[System.__Canon]::Get(!0)[OptimizedTier1]+0x12",
        "Acme.Cache<T>.Slot.Get(T)",
    ] {
        check(raw, "Cache<T>.Slot.Get");
    }
    // a method of the program in data/perf-script, as perf and as dotnet-trace name it
    for raw in [
        "instance void [Workload] Demo.Program+<Main>c__AnonStorey1::<>m__0()[QuickJitted]",
        "Workload!Demo.Program+<Main>c__AnonStorey1.<>m__0()",
        "instance void [Workload] Demo.Program+<Main>c__AnonStorey1::<>m__0()",
        "instance void [Workload] Demo.Program+<Main>c__AnonStorey1::<>m__0()[Optimized]_[j]",
    ] {
        check(raw, "Program.Main.lambda 0");
    }
    for raw in [
        "Acme.Billing!Acme.Billing.Domain+<>c__DisplayClass12_0.<Map>b__3(class System.Object,value class System.Threading.CancellationToken)",
        "Acme.Billing!Acme.Billing.Domain+<>c__DisplayClass12_0.<Map>b__3",
        "Acme.Billing.Domain+<>c__DisplayClass12_0.<Map>b__3",
        "Acme.Billing.Domain.<>c__DisplayClass12_0.<Map>b__3(Object, CancellationToken)",
        "instance void [Acme.Billing] Acme.Billing.Domain+<>c__DisplayClass12_0::<Map>b__3(object)[Optimized]",
    ] {
        check(raw, "Domain.Map.lambda 3");
    }
}

#[test]
fn only_methods_are_rewritten() {
    for kind in [FrameKind::Root, FrameKind::Thread, FrameKind::Special] {
        assert_eq!(
            display_name(kind, "Acme.Worker.Pool (7)!x.y"),
            "Acme.Worker.Pool (7)!x.y"
        );
        assert_eq!(display_name(kind, "red\u{1b}[31m"), "red\\u{1b}[31m");
    }
}

#[test]
fn hostile_characters_are_visible() {
    check("Acme!Acme.Book.Ma\u{202e}tch()", "Book.Ma\\u{202e}tch");
    check("Acme!Acme.\u{200b}.\u{200c}()", "\\u{200b}.\\u{200c}");
    check("Größe!Länge.Breite.Höhe()", "Breite.Höhe");
}

#[test]
fn long_names_are_cut_in_the_middle() {
    let raw = |len| format!("Acme.{}.{}", "A".repeat(len), "b".repeat(len));
    check(
        &raw(8_000),
        &format!("{}…{}", "A".repeat(199), "b".repeat(200)),
    );
    // too long to be parsed
    check(
        &raw(100_000),
        &format!("Acme.{}…{}", "A".repeat(194), "b".repeat(200)),
    );
    check(
        &format!("[allocated] {}.T", "a".repeat(20_000)),
        &format!("[allocated] {}…{}.T", "a".repeat(187), "a".repeat(198)),
    );
    let fits = format!("{}.{}", "Ä".repeat(199), "ö".repeat(200));
    check(&fits, &fits);
    check(
        &format!("{fits}ß"),
        &format!("{}…{}ß", "Ä".repeat(199), "ö".repeat(199)),
    );
}

#[test]
fn parameters_distinguish_overloads() {
    let check = |raw, expect| {
        assert_eq!(
            display_parameters(raw, TypeParameters::UNKNOWN).as_deref(),
            expect,
            "{raw}"
        )
    };
    check(
        "Acme!Acme.Program.Main(class System.String[])",
        Some("(String[])"),
    );
    check("Acme!Acme.Program.Main()", Some("()"));
    check("Acme!Acme.Program.Main", None);
    check(
        "A!System.Dictionary`2[System.__Canon,System.Int32].TryInsert(!0,!1,value class System.Collections.Generic.InsertionBehavior)",
        Some("(T1, T2, InsertionBehavior)"),
    );
    check(
        "A!Acme.Run.Of(int64&,class System.Func`1<!!0>)",
        Some("(Int64&, Func<M1>)"),
    );
    check(
        "void [W] Demo.Shallow::Run(unsigned int8[],void*)[Optimized]+0xfc",
        Some("(Byte[], Void*)"),
    );
    check(
        "Acme.Billing.Domain.Map(Object, CancellationToken)",
        Some("(Object, CancellationToken)"),
    );
    check("Thread (12)", None);
    check("Acme.Run(broken", None);
}

#[test]
fn known_type_parameter_names_are_used() {
    #[track_caller]
    fn check(raw: &str, of_types: &str, of_method: &str, shown: &str, parameters: &str) {
        let names = TypeParameters {
            of_types,
            of_method,
        };
        assert_eq!(
            display_name_as_spelled(FrameKind::Method, raw, &Spelling::of(raw), names),
            shown
        );
        assert_eq!(
            display_parameters(raw, names).as_deref(),
            Some(parameters),
            "{raw}"
        );
    }
    let both = "TKey,TValue";
    check(
        "A!S.Dictionary`2.TryInsert(!0,!1,bool)",
        both,
        "",
        "Dictionary<TKey,TValue>.TryInsert",
        "(TKey, TValue, Boolean)",
    );
    check(
        "A!S.Dictionary`2..ctor(int32)",
        both,
        "",
        "new Dictionary<TKey,TValue>",
        "(Int32)",
    );
    // a nested type repeats those of the types around it
    check(
        "A!S.Dictionary`2+Enumerator.MoveNext()",
        both,
        "",
        "Dictionary<TKey,TValue>.Enumerator.MoveNext",
        "()",
    );
    check(
        "A!S.Cache`1+Slot`1.Get(!1)",
        both,
        "",
        "Cache<TKey>.Slot<TValue>.Get",
        "(TValue)",
    );
    check(
        "A!S.Enumerable.Any(class S.IEnumerable`1<!!0>)",
        "",
        "TSource",
        "Enumerable.Any",
        "(IEnumerable<TSource>)",
    );
    let many = "TA,TB,TC,TD,TE";
    check("A!S.Tuple`5.Get(!4)", many, "", "Tuple<TA…TE>.Get", "(TE)");
    // a number that does not fit is ignored
    check(
        "A!S.Dictionary`2.Get(!0,!!0)",
        "T",
        "",
        "Dictionary<T1,T2>.Get",
        "(T1, M1)",
    );
    // known arguments are kept
    check(
        "A!S.Dictionary`2[System.Int32,System.Char].Get(!0)",
        both,
        "",
        "Dictionary<Int32,Char>.Get",
        "(TKey)",
    );
}

/// Repetitive structures that a careless parser would recurse into or scan repeatedly.
#[test]
fn hostile_structures_take_linear_time() {
    let started = std::time::Instant::now();
    for (open, close) in [
        ("A`1[", "]"),
        ("<<", ">b__0>d"),
        ("A.I<", ">.M"),
        ("<A.I<", ">.M>d__0"),
        ("[", "]"),
        ("(", ")"),
        ("A+", ""),
        ("A::", ""),
        ("A.", ""),
        (" [", "] "),
        ("!", ""),
        ("`1", ""),
        (",", ""),
        ("System.", ""),
        ("[]", ""),
        ("+0x", ""),
        (".ctor", ""),
    ] {
        // the longest name that is still parsed, and one that is too long
        for count in [700, 20_000] {
            let nested = format!("{}X{}", open.repeat(count), close.repeat(count));
            for raw in [
                nested.clone(),
                format!("A!B.C`1[{nested}].D({nested})"),
                format!("A!B.<{nested}>b__0({nested}"),
            ] {
                let shown = display_name(FrameKind::Method, &raw);
                assert!(shown.chars().count() <= MAX_CHARS, "{open}");
                display_parameters(&raw, TypeParameters::UNKNOWN);
                category_of(FrameKind::Method, &raw);
            }
        }
    }
    // quadratic time would take minutes; linear takes well under a second
    assert!(
        started.elapsed().as_secs() < 20,
        "took {:?}",
        started.elapsed()
    );
}

#[test]
fn a_name_of_four_megabytes_is_only_truncated() {
    let started = std::time::Instant::now();
    for part in ["A`2[B].", "A[B]+", "A<B>.", "A.", "(A,"] {
        let raw = format!("Acme!{}End", part.repeat(4_000_000 / part.len()));
        let shown = display_name(FrameKind::Method, &raw);
        assert!(
            shown.starts_with(&part.repeat(20)) && shown.ends_with("End"),
            "{shown}"
        );
        assert_eq!(
            (shown.chars().count(), split_module(&raw).0),
            (MAX_CHARS, "Acme")
        );
        assert_eq!(display_parameters(&raw, TypeParameters::UNKNOWN), None);
    }
    // quadratic time would take hours
    assert!(
        started.elapsed().as_secs() < 20,
        "took {:?}",
        started.elapsed()
    );
}

#[test]
fn absurd_type_parameter_counts_are_harmless() {
    let most = usize::MAX;
    check(
        &format!("Acme.A`{most}+B`{most}[System.Int32].Run()"),
        &format!("A<T1…T{most}>.B<Int32>.Run"),
    );
    let raw = format!("Acme.A`{most}+B`{most}.Run(!0)");
    let named = TypeParameters {
        of_types: "TKey",
        of_method: "",
    };
    assert_eq!(display_parameters(&raw, named).as_deref(), Some("(T1)"));
    assert_eq!(
        display_name_as_spelled(FrameKind::Method, &raw, &Spelling::of(&raw), named),
        format!("A<T1…T{most}>.B<T1…T{most}>.Run")
    );
}

/// Names made of the characters with a meaning, in any order.
fn structure() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "A", "b", "<", ">", "[", "]", "(", ")", ".", "+", "::", "`1", "`2", ",", "!", "|",
            "<>c", "d__1", "b__0_1", "g__X|0_1", ".ctor", "MoveNext", "System", "IFoo", "__Canon",
            " ", "-", "&", "*", "class ", "é", "\u{202e}", "$", "#", "?", "0", "_", "\\", "/",
        ]),
        0..40,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_text_has_a_short_safe_name(raw in prop_oneof![any::<String>(), structure()]) {
        for kind in [FrameKind::Method, FrameKind::Special] {
            let shown = display_name(kind, &raw);
            prop_assert!(shown.chars().count() <= MAX_CHARS);
            prop_assert!(!shown.chars().any(is_hostile));
            prop_assert_eq!(shown.is_empty(), raw.is_empty());
            category_of(kind, &raw);
        }
        let (module, rest) = split_module(&raw);
        prop_assert!(raw.contains(module) && raw.contains(rest));
        display_parameters(&raw, TypeParameters::UNKNOWN);
    }

    #[test]
    fn ordinary_methods_only_lose_module_namespace_and_arguments(
        module in "[A-Z][a-z]{1,8}", namespace in "([A-Z][a-z]{1,5}\\.){0,4}", name in "[A-Z][a-z]{0,8}\\.[A-Z][a-z]{1,8}", arguments in "(\\((class Ab.Cd|int32)\\))?"
    ) {
        prop_assume!(!namespace.contains("System.") && !namespace.contains("Microsoft."));
        let raw = format!("{module}!{namespace}{name}{arguments}");
        prop_assert_eq!(display_name(FrameKind::Method, &raw), name);
    }
}

#[test]
fn methods_have_a_namespace_and_a_type() {
    #[track_caller]
    fn check(name: &str, expect: Option<(&str, &str)>) {
        let expect =
            expect.map(|(namespace, of_type)| (namespace.to_string(), of_type.to_string()));
        assert_eq!(namespace_and_type(name), expect, "{name}");
    }
    check(
        "Acme!Acme.Orders.Book.Match(int32)",
        Some(("Acme.Orders", "Book")),
    );
    check(
        "Acme!Acme.Orders.Book..ctor(class System.String)",
        Some(("Acme.Orders", "Book")),
    );
    check(
        "Acme!Acme.Pool+Worker+Slot..cctor()",
        Some(("Acme", "Pool.Worker.Slot")),
    );
    check(
        "Acme!Acme.Orders.Program+<Main>d__0.MoveNext()",
        Some(("Acme.Orders", "Program")),
    );
    check(
        "Acme!Acme.Program+<>c__DisplayClass12_0+<<HandleAsync>b__3>d.MoveNext()",
        Some(("Acme", "Program")),
    );
    check(
        "System.Collections.Generic.List`1[System.String].Add(!0)",
        Some(("System.Collections.Generic", "List")),
    );
    check(
        "Acme!Acme.Broker.System.IDisposable.Dispose()",
        Some(("Acme", "Broker")),
    );
    check("Acme!Program.Run()", Some(("", "Program")));
    check("WKS::gc_heap::allocate", None);
    check("memcpy", None);
    check("?!?", None);
}

/// The rules for names that no compiler generated, each with examples.
const RULES: &[(&str, Examples)] = &[
    (
        "module, namespaces, arguments, tier marks and code offsets: left out",
        &[
            (
                "Acme!Acme.Orders.PriceRules.Discount(class Acme.Orders.OrderEvent)",
                "PriceRules.Discount",
            ),
            ("Acme.Orders.PriceRules.Discount", "PriceRules.Discount"),
            (
                "Acme.il![OptimizedTier1]Acme.Orders.PriceRules.Discount(float64)",
                "PriceRules.Discount",
            ),
            (
                "void [Acme] Acme.Orders.PriceRules::Discount(int32)[PreJIT]+0x12",
                "PriceRules.Discount",
            ),
            (
                "int32 [Workload] Demo.Deep::Level(int32,int32)[OptimizedTier1]",
                "Deep.Level",
            ),
            ("Workload!Demo.Deep.Level(int32,int32)", "Deep.Level"),
            (
                r"C:\app\Acme.dll!Acme.Orders.PriceRules.Discount()",
                "PriceRules.Discount",
            ),
            ("Program.Main", "Program.Main"),
            (
                "Acme!Acme.Tests.Book.should match any order()",
                "Book.should match any order",
            ),
        ],
    ),
    (
        "marks of collapsed stacks (kernel, compiled at run time, inlined, waker): left out",
        &[
            ("hypercall_page_[k]", "hypercall_page"),
            (
                "void [Acme] Acme.Orders.PriceRules::Discount(int32)[PreJIT]_[j]",
                "PriceRules.Discount",
            ),
            ("Acme!Acme.Book.Match(int32)_[i]", "Book.Match"),
            ("try_to_wake_up_[w]", "try_to_wake_up"),
        ],
    ),
    (
        "nested types: joined by dots as in C#",
        &[
            ("Acme!Acme.Pool+Worker.Start()", "Pool.Worker.Start"),
            (
                "Acme!Acme.Pool+Worker+Slot..cctor()",
                "Pool.Worker.Slot..cctor",
            ),
        ],
    ),
    (
        "type parameters and arguments: as in C#, without namespaces; `T` for what the source does not say",
        &[
            (
                "Acme!System.Collections.Generic.List`1[System.String].Add(!0)",
                "List<String>.Add",
            ),
            ("Acme!System.Collections.Generic.List`1.Add", "List<T>.Add"),
            (
                "Acme!System.Collections.Generic.Dictionary`2[System.__Canon,System.Int32].get_Item(!0)",
                "Dictionary<T1,Int32>.get_Item",
            ),
            (
                "Acme!System.Collections.Generic.Dictionary`2.get_Item",
                "Dictionary<T1,T2>.get_Item",
            ),
            (
                "Acme!System.Collections.Generic.Dictionary`2+Enumerator[System.Char,System.Byte[]].MoveNext()",
                "Dictionary<Char,Byte[]>.Enumerator.MoveNext",
            ),
            (
                "Acme!Acme.Outer`1+Inner`1[System.Int32,Acme.Orders.Book+Line].Run()",
                "Outer<Int32>.Inner<Book.Line>.Run",
            ),
            (
                "Acme.Outer<System.Int32>.Inner.Run()",
                "Outer<Int32>.Inner.Run",
            ),
            (
                "Acme.Orders.Book.Find[System.Int32](class System.String)",
                "Book.Find<Int32>",
            ),
            ("Acme!Acme.Wide`7.Run", "Wide<T1…T7>.Run"),
        ],
    ),
    (
        "constructors: as in C#; search finds them by `..ctor`, too",
        &[
            ("Acme!Acme.Orders.Book..ctor(int32)", "new Book"),
            (
                "instance void [Acme] Acme.Orders.Book::.ctor(int32)[QuickJitted]",
                "new Book",
            ),
            (
                "Acme!System.Collections.Generic.Dictionary`2[System.__Canon,System.Int32]..ctor()",
                "new Dictionary<T1,Int32>",
            ),
            ("Acme!Acme.Pool+Worker+Slot..ctor()", "new Pool.Worker.Slot"),
            (
                "Acme!Acme.Orders.Program+<>c__DisplayClass0_1..ctor()",
                "new Program.closure",
            ),
            (
                "Acme!Acme.House+<Summaries>d__1..ctor(int32)",
                "new House.Summaries (async/iterator)",
            ),
            ("Acme.Source..ctor", "new Source"),
        ],
    ),
    (
        "static constructors, accessors and operators: as in stack traces",
        &[
            ("Acme!Acme.Orders.Book..cctor()", "Book..cctor"),
            ("Acme!Acme.Orders.Book.get_Item(int32)", "Book.get_Item"),
            (
                "Acme!Acme.Orders.Book.add_Changed(class System.EventHandler)",
                "Book.add_Changed",
            ),
            (
                "Acme!Acme.Money.op_Addition(value class Acme.Money,value class Acme.Money)",
                "Money.op_Addition",
            ),
        ],
    ),
    (
        "explicit implementations: type, interface, method; the type is lost if nothing tells where it ends",
        &[
            (
                "Acme!Acme.Broker.System.IDisposable.Dispose()",
                "Broker.IDisposable.Dispose",
            ),
            (
                "Acme!Acme.Broker.Acme.Contracts.IFeed.get_Next()",
                "Broker.IFeed.get_Next",
            ),
            (
                "Acme!Acme.Bag`1[System.Int32].System.Collections.Generic.IEnumerable<T>.GetEnumerator()",
                "Bag<Int32>.IEnumerable<T>.GetEnumerator",
            ),
            (
                "Acme!Acme.Pool+Worker.Other.IRun.Run()",
                "Pool.Worker.IRun.Run",
            ),
            ("Acme!Acme.IFeed.Skip()", "IFeed.Skip"),
            ("Acme!Acme.Broker.Other.IFeed.Skip()", "IFeed.Skip"),
        ],
    ),
    (
        "allocated objects: their type without namespaces",
        &[
            ("[allocated] System.Char[]", "[allocated] Char[]"),
            (
                "[allocated] System.Collections.Generic.List`1[System.String]",
                "[allocated] List<String>",
            ),
            ("[allocated] Acme.Pool+Slot[]", "[allocated] Pool.Slot[]"),
            ("[allocated] ?", "[allocated] ?"),
        ],
    ),
    (
        "what is no .NET name: as it is, but for module and offset",
        &[
            ("?!?", "?!?"),
            ("Acme!?", "Acme!?"),
            ("/app/Acme.il.dll!?", "Acme!?"),
            ("[Garbage collection]", "[Garbage collection]"),
            ("(Non-Activities)", "(Non-Activities)"),
            ("Thread (4711)", "Thread (4711)"),
            ("CPU_TIME", "CPU_TIME"),
            ("Process(9832)", "Process(9832)"),
            ("Syscall: execve", "Syscall: execve"),
            (
                r#"Arguments: 3, "\230\0!\0\f""#,
                r#"Arguments: 3, "\230\0!\0\f""#,
            ),
            (
                "WKS::gc_heap::allocate_small+0x20f",
                "WKS::gc_heap::allocate_small",
            ),
            (
                "libcoreclr.so!ThreadNative::KickOffThread",
                "ThreadNative::KickOffThread",
            ),
            ("clock_gettime@@GLIBC_2.17", "clock_gettime@@GLIBC_2.17"),
            (
                "stub<12> AllocateTemporaryEntryPoints<PRECODE_FIXUP>",
                "stub<12> AllocateTemporaryEntryPoints<PRECODE_FIXUP>",
            ),
            ("server.js:12", "server.js:12"),
        ],
    ),
];

/// The rules for compiler-generated names, each with examples.
const GENERATED: &[(&str, Examples)] = &[
    (
        "class of lambdas: left out, its type comes before the lambda; otherwise named `closure`",
        &[
            (
                "Acme!Acme.Orders.Program+<>c__DisplayClass0_1.<Main>b__2()",
                "Program.Main.lambda 2",
            ),
            (
                "Acme!Acme.Orders.Rules+<>c.<Evaluate>b__2_1(class Acme.Orders.Line)",
                "Rules.Evaluate.lambda 1",
            ),
            (
                "Acme!Acme.Cache`1+<>c__6`1[System.__Canon,System.Int32].<Get>b__6_0(!0)",
                "Cache<T>.Get.lambda 0",
            ),
            (
                "Acme!Acme.Orders.Rules+<>c..cctor()",
                "Rules.closure..cctor",
            ),
            (
                "Acme.Billing.Domain.<>c__DisplayClass12_0.<Map>b__3(Object, CancellationToken)",
                "Domain.Map.lambda 3",
            ),
        ],
    ),
    (
        "lambda: its method, and its number within the method",
        &[
            (
                "Acme!Acme.Book.<Match>b__13_0(int32)",
                "Book.Match.lambda 0",
            ),
            (
                "Acme!Acme.Source+<>c__DisplayClass1_0.<.ctor>b__0(int32)",
                "Source..ctor.lambda 0",
            ),
            (
                "Acme!Acme.Book.<get_Lines>b__7_2()",
                "Book.get_Lines.lambda 2",
            ),
            (
                "Acme!Acme.Book.<Match>b__13_0#1(int32)",
                "Book.Match.lambda 0",
            ),
            (
                "Acme!Program+<>c.<<Main>$>b__0_1()",
                "Program.Main.lambda 1",
            ),
            (
                "Acme!Acme.Bag+<>c.<System.Collections.IEnumerable.GetEnumerator>b__3_0()",
                "Bag.IEnumerable.GetEnumerator.lambda 0",
            ),
        ],
    ),
    (
        "local function: behind the method that it is in",
        &[
            (
                "Acme!Acme.Broker.<Publish>g__Write|16_0(unsigned int8[])",
                "Broker.Publish.Write",
            ),
            (
                "Acme!Program.<<Main>$>g__Parse|0_1(class System.String)",
                "Program.Main.Parse",
            ),
            (
                "Acme!Acme.Options.<get_Context>g__GetOrCreate|1_0()",
                "Options.get_Context.GetOrCreate",
            ),
        ],
    ),
    (
        "state machine: its `MoveNext` is the method, marked (async), (iterator), or (async/iterator) where the name can be both",
        &[
            (
                "Acme!Acme.Orders.Program+<Main>d__0.MoveNext()",
                "Program.Main (async)",
            ),
            (
                "Acme!Program+<<Main>$>d__0.MoveNext()",
                "Program.Main (async)",
            ),
            (
                "Acme!Acme.Consumer`1+<ConsumeAsync>d__12[System.__Canon].MoveNext()",
                "Consumer<T>.ConsumeAsync (async)",
            ),
            (
                "Acme!Acme.Pipe+<>c__DisplayClass12_0+<<Run>b__3>d.MoveNext()",
                "Pipe.Run.lambda 3 (async)",
            ),
            (
                "Acme!Acme.Retry+<<WithBackoff>g__PauseAsync|0_0>d`2[System.Int32,System.Int32].MoveNext()",
                "Retry.WithBackoff.PauseAsync (async)",
            ),
            (
                "Acme!Acme.House+<Summaries>d__1.MoveNext()",
                "House.Summaries (async/iterator)",
            ),
            (
                "System.Linq!System.Linq.Enumerable+<CastIterator>d__64`1.MoveNext",
                "Enumerable.CastIterator (iterator)",
            ),
            (
                "instance bool [Acme] Acme.House+<Summaries>d__1::MoveNext()[OptimizedTier1]",
                "House.Summaries (iterator)",
            ),
            (
                "instance void [Acme] Acme.House+<Clean>d__2::MoveNext()[OptimizedTier1]",
                "House.Clean (async)",
            ),
            (
                "Acme!Acme.House+<Summaries>d__1.System.IDisposable.Dispose()",
                "House.Summaries.Dispose",
            ),
            (
                "Acme!Acme.House+<Summaries>d__1.<>m__Finally1()",
                "House.Summaries.finally 1",
            ),
            (
                "Acme!Acme.Bag+<System-Collections-IEnumerable-GetEnumerator>d__5.MoveNext()",
                "Bag.IEnumerable.GetEnumerator (iterator)",
            ),
            (
                "Acme!Acme.House+<Clean>d__2.SetStateMachine(class System.Object)",
                "House.Clean.SetStateMachine",
            ),
        ],
    ),
    (
        "`finally` block of an iterator",
        &[(
            "Acme!Acme.Bag+<Items>d__3.<>m__Finally2()",
            "Bag.Items.finally 2",
        )],
    ),
    (
        "call of a base method out of a lambda or state machine",
        &[("Acme!Acme.Page.<>n__0()", "Page.base call 0")],
    ),
    (
        "Mono's C# compiler: closures, async methods, iterators, lambdas",
        &[
            (
                "Workload!Demo.Program+<Main>c__AnonStorey1.<>m__0()",
                "Program.Main.lambda 0",
            ),
            (
                "Workload!Demo.Program+<AsyncWork>c__async0.MoveNext()",
                "Program.AsyncWork (async)",
            ),
            (
                "Workload!Demo.Program+<Items>c__Iterator0.MoveNext()",
                "Program.Items (iterator)",
            ),
            ("Workload!Demo.Burn.<Linq>m__0(int32)", "Burn.Linq.lambda 0"),
        ],
    ),
    (
        "type that only one file sees: its own name",
        &[(
            "Acme!System.Text.RegularExpressions.Generated.<RegexGenerator_g>F1A2B3C4__Digits_0+Runner.Scan(int32)",
            "Digits_0.Runner.Scan",
        )],
    ),
    (
        "type that stands for an expression: anonymous types, collection expressions",
        &[
            (
                "Acme!<>f__AnonymousType0`2[System.__Canon,System.Int32].GetHashCode()",
                "AnonymousType0<T1,Int32>.GetHashCode",
            ),
            (
                "Acme!<>z__ReadOnlyArray`1[System.__Canon].get_Count()",
                "ReadOnlyArray<T>.get_Count",
            ),
        ],
    ),
    (
        "entry point and record members: without the brackets",
        &[
            ("NBodySimulation!Program.<Main>$", "Program.Main"),
            (
                "Acme!Acme.Orders.Program.<Main>(class System.String[])",
                "Program.Main",
            ),
            ("Acme!Acme.Orders.Line.<Clone>$()", "Line.Clone"),
            ("Acme!<Module>..cctor()", "<Module>..cctor"),
            (
                "Acme!<PrivateImplementationDetails>.ComputeStringHash(string)",
                "<PrivateImplementationDetails>.ComputeStringHash",
            ),
        ],
    ),
    (
        "Visual Basic: closures, lambdas (which do not know their method), state machines",
        &[
            (
                "Acme!Acme.Book+_Closure$__12-0._Lambda$__3()",
                "Book.lambda 3",
            ),
            (
                "Acme!Acme.Book+_Closure$__._Lambda$__7-1()",
                "Book.lambda 1",
            ),
            (
                "Acme!Acme.Book+VB$StateMachine_4_LoadAsync.MoveNext()",
                "Book.LoadAsync (async)",
            ),
        ],
    ),
];
