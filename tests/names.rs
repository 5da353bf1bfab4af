//! Shown names of real frames: what each must be was decided by hand, with the C# sources of the recorded programs
//! (`../shared/data/net10/src`, `nettrace/Workload.cs`) and .NET's documentation at hand.

mod common;

use common::shared;
use dotspot::model::{Category, FrameKind, category_of, shown_name};
use std::collections::{HashMap, HashSet};

/// File, raw name in it, shown name.
const REAL: &[(&str, &str, &str)] = &[
    // methods, constructors, accessors, operators
    (
        "expected/te/orderedconsume.json",
        "OrderedConsume!Acme.Orders.PriceRules.Discount(class Acme.Orders.OrderEvent,value class System.Decimal)",
        "PriceRules.Discount",
    ),
    (
        "expected/te/orderedconsume.json",
        "OrderedConsume!Acme.Orders.StepTimer.Run(int64&,class System.Func`1<!!0>)",
        "StepTimer.Run",
    ),
    ("expected/te/orderedconsume.json", "OrderedConsume!Acme.Orders.OrderSource..ctor(int32)", "OrderSource..ctor"),
    (
        "expected/te/orderedconsume.json",
        "Acme.Streaming!Acme.Streaming.LoopbackBroker.AckLoop()",
        "LoopbackBroker.AckLoop",
    ),
    (
        "expected/te/orderedconsume.json",
        "OrderedConsume!Acme.Orders.OrderPipeline.HandleAsync(value class Acme.Streaming.StreamMessage`1<class Acme.Orders.OrderEvent>)",
        "OrderPipeline.HandleAsync",
    ),
    ("expected/te/deepstacks-cycle.json", "DeepStacks!Demo.Stacks.Program..cctor()", "Program..cctor"),
    (
        "expected/te/deepstacks-cycle.json",
        "DeepStacks!Demo.Stacks.Walker.Add(class System.Collections.Generic.SortedDictionary`2<int32,float64>,int32,int64)",
        "Walker.Add",
    ),
    (
        "expected/te/only_managed_samples.json",
        "NoNativeStacks!NoNativeStacks.Program.InnerLoop(int32&,value class System.Numerics.Vector`1<unsigned int8>&)",
        "Program.InnerLoop",
    ),
    (
        "expected/te/HeartRateMonitor.10068.json",
        "ElmSharp!ElmSharp.EvasObject.get_Geometry()",
        "EvasObject.get_Geometry",
    ),
    (
        "expected/te/HeartRateMonitor.10068.json",
        "ElmSharp!ElmSharp.Widget..ctor(class ElmSharp.EvasObject)",
        "Widget..ctor",
    ),
    ("dtp/expected/profile.json", "NBodySimulation!BVolume.get_allChildren", "BVolume.get_allChildren"),
    ("dtp/expected/profile.json", "NBodySimulation!Globals.Logger..ctor", "Logger..ctor"),
    ("dtp/expected/profile.json", "NBodySimulation!dynamicPosition.ToString", "dynamicPosition.ToString"),
    ("dtp/expected/profile.json", "NBodySimulation!Program.<Main>$", "Program.Main"),
    ("dtp/expected/Issue254.json", "Issue254!Issue254.Program.Main", "Program.Main"),
    (
        "net10/cpubound.speedscope.json",
        "System.Text.Encodings.Web!System.Text.Encodings.Web.DefaultJavaScriptEncoder..cctor()",
        "DefaultJavaScriptEncoder..cctor",
    ),
    ("perf-script/perf-dotnet31.map", "void [Workload] Demo.Shallow::Run(int32)[Optimized]", "Shallow.Run"),
    ("perf-script/perf-dotnet31.map", "int32 [Workload] Demo.Deep::Level(int32,int32)[OptimizedTier1]", "Deep.Level"),
    (
        "perf-script/perf-dotnet31.map",
        "instance string [System.Private.CoreLib] System.RuntimeType::get_Name()[OptimizedTier1]",
        "RuntimeType.get_Name",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "class [System.Runtime]System.Collections.Generic.IEnumerable`1<!!1> [System.Linq] System.Linq.Enumerable::Select(class [System.Runtime]System.Collections.Generic.IEnumerable`1<!!0>,class [System.Runtime]System.Func`2<!!0,!!1>)[QuickJitted]",
        "Enumerable.Select",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "valuetype System.Runtime.Intrinsics.Vector128`1<int16> [System.Private.CoreLib] System.Runtime.Intrinsics.Vector128::AsInt16(valuetype System.Runtime.Intrinsics.Vector128`1<!!0>)[QuickJitted]",
        "Vector128.AsInt16",
    ),
    // async methods and iterators
    (
        "expected/te/orderedconsume.json",
        "OrderedConsume!Acme.Orders.Program+<Main>d__0.MoveNext()",
        "Program.Main (async)",
    ),
    (
        "expected/te/orderedconsume.json",
        "OrderedConsume!Acme.Orders.Program.<Main>(class System.String[])",
        "Program.Main",
    ),
    (
        "expected/te/orderedconsume.json",
        "OrderedConsume!Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext()",
        "OrderPipeline.HandleAsync (async)",
    ),
    (
        "expected/te/orderedconsume-regressed.json",
        "OrderedConsume!Acme.Orders.OrderPipeline+<StoreAsync>d__13.MoveNext()",
        "OrderPipeline.StoreAsync (async)",
    ),
    (
        "expected/te/orderedconsume.json",
        "Acme.Streaming!Acme.Streaming.OrderedConsumer`1+<ConsumeAsync>d__7[System.__Canon].MoveNext()",
        "OrderedConsumer<T>.ConsumeAsync (async)",
    ),
    (
        "expected/te/orderedconsume.json",
        "Acme.Streaming!Acme.Streaming.Retry+<WithBackoffAsync>d__0`2[System.ValueTuple`2[Acme.Streaming.StreamMessage`1[System.__Canon],System.Decimal],System.Decimal].MoveNext()",
        "Retry.WithBackoffAsync (async)",
    ),
    (
        "expected/te/orderedconsume.json",
        "OrderedConsume!Acme.Orders.OrderPipeline+<>c__DisplayClass12_0+<<HandleAsync>b__3>d.MoveNext()",
        "OrderPipeline.HandleAsync.lambda 3 (async)",
    ),
    (
        "expected/te/orderedconsume.json",
        "System.Collections.Concurrent!System.Collections.Concurrent.BlockingCollection`1+<GetConsumingEnumerable>d__68[System.__Canon].MoveNext()",
        "BlockingCollection<T>.GetConsumingEnumerable (async/iterator)",
    ),
    ("expected/te/deep31.json", "Workload!Demo.Program+<AsyncWork>c__async0.MoveNext()", "Program.AsyncWork (async)"),
    (
        "perf-script/perf-dotnet31.map",
        "instance void [Workload] Demo.Program+<AsyncWork>c__async0::MoveNext()[Optimized]",
        "Program.AsyncWork (async)",
    ),
    (
        "expected/te/orderedconsume.json",
        "System.Private.CoreLib!System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Int32,Acme.Orders.Program+<Main>d__0].MoveNext()",
        "AsyncTaskMethodBuilder<Int32>.AsyncStateMachineBox<Program.Main>.MoveNext",
    ),
    (
        "expected/te/orderedconsume-regressed.json",
        "System.Private.CoreLib!System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Decimal,Acme.Orders.OrderPipeline+<>c__DisplayClass12_0+<<HandleAsync>b__3>d].MoveNext()",
        "AsyncTaskMethodBuilder<Decimal>.AsyncStateMachineBox<OrderPipeline.HandleAsync.lambda 3>.MoveNext",
    ),
    (
        "expected/te/orderedconsume-regressed.json",
        "System.Private.CoreLib!System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Decimal,Acme.Streaming.Retry+<WithBackoffAsync>d__0`2[System.ValueTuple`2[Acme.Streaming.StreamMessage`1[System.__Canon],System.Decimal],System.Decimal]].MoveNext()",
        "AsyncTaskMethodBuilder<Decimal>.AsyncStateMachineBox<Retry.WithBackoffAsync>.MoveNext",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "instance void [System.Private.CoreLib] System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Threading.Tasks.VoidTaskResult,Demo.Program+<AsyncWork>c__async0]::MoveNext(class System.Threading.Thread)[OptimizedTier1]",
        "AsyncTaskMethodBuilder<VoidTaskResult>.AsyncStateMachineBox<Program.AsyncWork>.MoveNext",
    ),
    // lambdas and local functions
    (
        "expected/te/orderedconsume.json",
        "OrderedConsume!Acme.Orders.Program+<>c__DisplayClass0_1.<Main>b__2()",
        "Program.Main.lambda 2",
    ),
    (
        "expected/te/orderedconsume.json",
        "OrderedConsume!Acme.Orders.OrderPipeline+<>c__DisplayClass12_0.<HandleAsync>b__0()",
        "OrderPipeline.HandleAsync.lambda 0",
    ),
    (
        "expected/te/orderedconsume.json",
        "OrderedConsume!Acme.Orders.OrderPipeline+<>c__DisplayClass12_0.<HandleAsync>b__1()",
        "OrderPipeline.HandleAsync.lambda 1",
    ),
    (
        "expected/te/orderedconsume-regressed.json",
        "OrderedConsume!Acme.Orders.PriceRules+<>c.<Evaluate>b__2_1(class Acme.Orders.OrderLine)",
        "PriceRules.Evaluate.lambda 1",
    ),
    (
        "expected/te/deepstacks-mutual.json",
        "DeepStacks!Demo.Stacks.Program+<>c.<Main>b__3_0(class Demo.Stacks.Walker,int32)",
        "Program.Main.lambda 0",
    ),
    (
        "expected/te/deepstacks-mutual.json",
        "DeepStacks!Demo.Stacks.Program+<>c.<Main>b__3_7(class Demo.Stacks.Walker)",
        "Program.Main.lambda 7",
    ),
    (
        "expected/te/deepstacks-cycle.json",
        "DeepStacks!Demo.Stacks.Walker+<>c.<Truth>b__19_1(value class System.Collections.Generic.KeyValuePair`2<int32,float64>)",
        "Walker.Truth.lambda 1",
    ),
    (
        "expected/te/eventpipe-dotnetcore3.0-win-x64-objver4.json",
        "ManagedModule!EventGenerator.Program+<>c__DisplayClass1_0.<Main>b__0()",
        "Program.Main.lambda 0",
    ),
    (
        "expected/te/HeartRateMonitor.10068.json",
        "System.Private.CoreLib!System.Threading.Tasks.Task+<>c.<.cctor>b__274_0(class System.Object)",
        "Task..cctor.lambda 0",
    ),
    ("expected/te/deep31.json", "Workload!Demo.Program+<Main>c__AnonStorey1.<>m__0()", "Program.Main.lambda 0"),
    (
        "perf-script/perf-dotnet31.map",
        "bool [Workload] Demo.Burn::<Linq>m__1(int32)[OptimizedTier1]",
        "Burn.Linq.lambda 1",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "instance void [Workload] Demo.Program+<Main>c__AnonStorey1::.ctor()[QuickJitted]",
        "Program.Main.closure..ctor",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "instance void [System.Private.CoreLib] System.Threading.Tasks.Task+DelayPromise+<>c::<.ctor>b__1_0(object)[OptimizedTier1]",
        "Task.DelayPromise..ctor.lambda 0",
    ),
    (
        "dtp/expected/Issue254.json",
        "sly!sly.parser.llparser.RecursiveDescentSyntaxParser`2+<>c__DisplayClass23_0.<ParseNonTerminal>b__0",
        "RecursiveDescentSyntaxParser<T1,T2>.ParseNonTerminal.lambda 0",
    ),
    ("dtp/expected/baseline.json", "sly!sly.lexer.TokenChannel`1+<>c.<Add>b__17_1", "TokenChannel<T>.Add.lambda 1"),
    (
        "net10/cpubound.speedscope.json",
        "System.Text.Json!System.Text.Json.Serialization.Metadata.ReflectionEmitCachingMemberAccessor+Cache`1+<>c__6`1[System.ValueTuple`3[System.__Canon,System.__Canon,System.__Canon],System.__Canon].<GetOrAdd>b__6_0(!0,class System.Func`2<!0,!1>)",
        "ReflectionEmitCachingMemberAccessor.Cache<ValueTuple<T1,T2,T3>>.GetOrAdd.lambda 0",
    ),
    (
        "expected/te/orderedconsume.json",
        "Acme.Streaming!Acme.Streaming.LoopbackBroker.<Publish>g__Write|16_0(unsigned int8[])",
        "LoopbackBroker.Publish.Write",
    ),
    (
        "expected/te/cpubound.json",
        "System.Private.CoreLib!System.Threading.Thread.<PollGC>g__PollGCWorker|67_0()",
        "Thread.PollGC.PollGCWorker",
    ),
    (
        "expected/te/deepstacks-cycle.json",
        "System.Text.Json!System.Text.Json.JsonSerializerOptions.<get_CacheContext>g__GetOrCreate|1_0()",
        "JsonSerializerOptions.get_CacheContext.GetOrCreate",
    ),
    // generics and nested types
    (
        "expected/te/orderedconsume.json",
        "Acme.Streaming!Acme.Streaming.OrderedConsumer`1[System.__Canon].Accept(unsigned int8[])",
        "OrderedConsumer<T>.Accept",
    ),
    (
        "expected/te/HeartRateMonitor.10068.json",
        "ElmSharp!ElmSharp.SmartEvent`1[System.__Canon].add_On(class System.EventHandler`1<!0>)",
        "SmartEvent<T>.add_On",
    ),
    (
        "expected/te/HeartRateMonitor.10068.json",
        "System.Private.CoreLib!System.Collections.Generic.Dictionary`2[System.__Canon,System.__Canon]..ctor(int32,class System.Collections.Generic.IEqualityComparer`1<!0>)",
        "Dictionary<T1,T2>..ctor",
    ),
    (
        "expected/te/deepstacks-cycle.json",
        "System.Collections!System.Collections.Generic.SortedDictionary`2[System.Int32,System.Double].System.Collections.Generic.IEnumerable<System.Collections.Generic.KeyValuePair<TKey,TValue>>.GetEnumerator()",
        "SortedDictionary<Int32,Double>.IEnumerable<KeyValuePair<TKey,TValue>>.GetEnumerator",
    ),
    (
        "expected/te/deepstacks-mutual.json",
        "System.Collections!System.Collections.Generic.SortedSet`1+Enumerator[System.Collections.Generic.KeyValuePair`2[System.Int32,System.Double]]..ctor(class System.Collections.Generic.SortedSet`1<!0>,bool)",
        "SortedSet<KeyValuePair<Int32,Double>>.Enumerator..ctor",
    ),
    (
        "expected/te/eventpipe-dotnetcore3.0-win-x64-objver4.json",
        "ManagedModule!System.Threading.Tasks.Task`1[System.ValueTuple`4[System.Int32,System.Int32,System.Int32,System.Boolean]]..ctor(!0)",
        "Task<ValueTuple<Int32,Int32,Int32,Boolean>>..ctor",
    ),
    (
        "expected/te/orderedconsume.json",
        "System.Private.CoreLib!System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart()",
        "PortableThreadPool.WorkerThread.WorkerThreadStart",
    ),
    (
        "dtp/expected/profile_multi.json",
        "System.Private.CoreLib!System.Threading.PortableThreadPool+GateThread.GateThreadStart",
        "PortableThreadPool.GateThread.GateThreadStart",
    ),
    (
        "dtp/expected/Issue254.json",
        "System.Private.CoreLib!System.Collections.Generic.List`1+Enumerator.MoveNext",
        "List<T>.Enumerator.MoveNext",
    ),
    ("dtp/expected/baseline.json", "sly!sly.lexer.TokenChannel`1.set_Item", "TokenChannel<T>.set_Item"),
    (
        "dtp/expected/Issue254.json",
        "sly!sly.parser.llparser.EBNFRecursiveDescentSyntaxParser`2.ParseChoice",
        "EBNFRecursiveDescentSyntaxParser<T1,T2>.ParseChoice",
    ),
    (
        "net10/cpubound.speedscope.json",
        "System.Private.CoreLib!System.Buffers.AsciiCharSearchValues`2[System.Buffers.IndexOfAnyAsciiSearcher+Default,System.Buffers.SearchValues+FalseConst].IndexOfAny(value class System.ReadOnlySpan`1<wchar>)",
        "AsciiCharSearchValues<IndexOfAnyAsciiSearcher.Default,SearchValues.FalseConst>.IndexOfAny",
    ),
    (
        "net10/cpubound.speedscope.json",
        "System.Private.CoreLib!System.Collections.Generic.Dictionary`2[System.__Canon,System.ValueTuple`2[System.__Canon,System.Int32]].TryInsert(!0,!1,value class System.Collections.Generic.InsertionBehavior)",
        "Dictionary<T1,ValueTuple<T1,Int32>>.TryInsert",
    ),
    (
        "net10/cpubound.speedscope.json",
        "System.Private.CoreLib!Interop+Sys.ReadLink(value class System.ReadOnlySpan`1<wchar>)",
        "Interop.Sys.ReadLink",
    ),
    (
        "net10/cpubound.speedscope.json",
        "System.Text.Json!System.Text.Json.Serialization.Converters.SmallObjectWithParameterizedConstructorConverter`5[System.__Canon,System.Double,System.Double,System.Double,System.__Canon].ConfigureJsonTypeInfoUsingReflection(",
        "SmallObjectWithParameterizedConstructorConverter<T1,Double,Double,Double,T5>.ConfigureJsonTypeInfoUsingReflection",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "instance void [System.Linq] System.Linq.Enumerable+SelectRangeIterator`1[System.Int32]::.ctor(int32,int32,class [System.Runtime]System.Func`2<int32,!0>)[OptimizedTier1]",
        "Enumerable.SelectRangeIterator<Int32>..ctor",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "instance bool [System.Linq] System.Linq.Enumerable+WhereEnumerableIterator`1[System.Int32]::MoveNext()[OptimizedTier1]",
        "Enumerable.WhereEnumerableIterator<Int32>.MoveNext",
    ),
    // what is no .NET name
    ("expected/te/cutoff31.json", "?!?", "?!?"),
    ("dtp/expected/profile.json", "[special 5]", "[special 5]"),
    ("perf-script/perf-dotnet31.map", "stub<1> ", "stub<1> "),
    (
        "perfview-xml/ls.strace.perfview.xml",
        "Return Code: -1 EINVAL (Invalid argument)",
        "Return Code: -1 EINVAL (Invalid argument)",
    ),
    ("net10/cpubound.speedscope.json", "(Non-Activities)", "(Non-Activities)"),
    ("net10/cpubound.speedscope.json", "UNMANAGED_CODE_TIME", "UNMANAGED_CODE_TIME"),
];

#[test]
fn real_names_read_like_their_source() {
    for (file, raw, shown) in REAL {
        assert_eq!(shown_name(FrameKind::Method, raw), *shown, "{raw} in {file}");
    }
}

#[test]
fn real_names_are_real() {
    let mut texts: HashMap<&str, String> = HashMap::new();
    for (file, raw, _) in REAL {
        let Some(path) = shared(file) else { return };
        // JSON may write these characters as escapes
        let text = texts.entry(file).or_insert_with(|| {
            let text = std::fs::read_to_string(&path).unwrap();
            text.replace("\\u003C", "<")
                .replace("\\u003E", ">")
                .replace("\\u003c", "<")
                .replace("\\u003e", ">")
                .replace("\\u0026", "&")
        });
        assert!(text.contains(raw), "{file} does not hold {raw}");
    }
}

/// The frames of a speedscope file that dotnet-trace wrote.
fn speedscope_frames(file: &str) -> Option<Vec<String>> {
    #[derive(serde::Deserialize)]
    struct File {
        shared: Shared,
    }
    #[derive(serde::Deserialize)]
    struct Shared {
        frames: Vec<Named>,
    }
    #[derive(serde::Deserialize)]
    struct Named {
        name: String,
    }
    let text = std::fs::read_to_string(shared(file)?).unwrap();
    let file: File = serde_json::from_str(&text).unwrap();
    Some(file.shared.frames.into_iter().map(|frame| frame.name).collect())
}

/// `dotnet-trace report topN` shortens names as well. Where nothing in them is generic, nested or made by a compiler, both must agree.
#[test]
fn plain_names_are_as_short_as_those_of_dotnet_trace() {
    let Some(frames) = speedscope_frames("net10/cpubound.speedscope.json") else { return };
    let shown: HashSet<String> = frames.iter().map(|frame| shown_name(FrameKind::Method, frame)).collect();
    let mut compared = 0;
    for file in ["net10/cpubound.topN-inclusive.txt", "net10/cpubound.topN-exclusive.txt"] {
        let text = std::fs::read_to_string(shared(file).unwrap()).unwrap();
        for line in text.lines().skip(1) {
            let Some((_, name)) = line.split_once(". ") else { continue };
            let Some((name, _)) = name.trim_start().split_once('(') else { continue };
            let is_plain =
                name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._".contains(&b)) && !name.starts_with('.');
            // the report counts a method whose only sample is the last of its thread, the conversion leaves it out
            if is_plain && frames.iter().any(|frame| frame.contains(&format!(".{name}("))) {
                assert!(shown.contains(name), "dotnet-trace calls a method {name}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 30, "only {compared} names could be compared");
}

/// Every frame of a recording belongs to the program, to .NET or to the native side, and the module says which.
#[test]
fn categories_follow_the_modules_of_a_recording() {
    let Some(frames) = speedscope_frames("net10/cpubound.speedscope.json") else { return };
    for frame in frames.iter().filter(|frame| frame.contains('!')) {
        let expect = match frame.split('!').next() {
            Some("CpuBound") => Category::Own,
            Some("?") => Category::Native,
            _ => Category::System,
        };
        assert_eq!(category_of(FrameKind::Method, frame), expect, "{frame}");
    }
}
