//! Shown names of real frames: what each must be was decided by hand, with the C# sources of the recorded programs
//! (`../shared/data/net10/src`, `nettrace/Workload.cs`) and .NET's documentation at hand.

use crate::common::dtp_writer;
use crate::common::pprof_writer;
use crate::common::profiles::{read_bytes, read_file};
use crate::common::shared;
use dotspot::testing::model::View;
use dotspot::testing::names::{Category, FrameKind, category_of, display_name};
use std::collections::{HashMap, HashSet};

/// File, raw name in it, display name.
const REAL: &[(&str, &str, &str)] = &[
    // methods, constructors, accessors, operators
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.PriceRules.Discount(class Acme.Orders.OrderEvent,value class System.Decimal)",
        "PriceRules.Discount",
    ),
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.StepTimer.Run(int64&,class System.Func`1<!!0>)",
        "StepTimer.Run",
    ),
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.OrderSource..ctor(int32)",
        "new OrderSource",
    ),
    (
        "net10/orderedconsume.nettrace",
        "Acme.Streaming!Acme.Streaming.LoopbackBroker.AckLoop()",
        "LoopbackBroker.AckLoop",
    ),
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.OrderPipeline.HandleAsync(value class Acme.Streaming.StreamMessage`1<class Acme.Orders.OrderEvent>)",
        "OrderPipeline.HandleAsync",
    ),
    (
        "net10/deepstacks-cycle.nettrace",
        "DeepStacks!Demo.Stacks.Program..cctor()",
        "Program..cctor",
    ),
    (
        "net10/deepstacks-cycle.nettrace",
        "DeepStacks!Demo.Stacks.Walker.Add(class System.Collections.Generic.SortedDictionary`2<int32,float64>,int32,int64)",
        "Walker.Add",
    ),
    (
        "nettrace/only_managed_samples.nettrace.zip",
        "NoNativeStacks!NoNativeStacks.Program.InnerLoop(int32&,value class System.Numerics.Vector`1<unsigned int8>&)",
        "Program.InnerLoop",
    ),
    (
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
        "ElmSharp!ElmSharp.EvasObject.get_Geometry()",
        "EvasObject.get_Geometry",
    ),
    (
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
        "ElmSharp!ElmSharp.Widget..ctor(class ElmSharp.EvasObject)",
        "new Widget",
    ),
    (
        "dtp/profile.dtp",
        "NBodySimulation!BVolume.get_allChildren",
        "BVolume.get_allChildren",
    ),
    (
        "dtp/profile.dtp",
        "NBodySimulation!Globals.Logger..ctor",
        "new Logger",
    ),
    (
        "dtp/profile.dtp",
        "NBodySimulation!dynamicPosition.ToString",
        "dynamicPosition.ToString",
    ),
    (
        "dtp/profile.dtp",
        "NBodySimulation!Program.<Main>$",
        "Program.Main",
    ),
    (
        "dtp/Issue254.dtp",
        "Issue254!Issue254.Program.Main",
        "Program.Main",
    ),
    (
        "net10/cpubound.speedscope.json",
        "System.Text.Encodings.Web!System.Text.Encodings.Web.DefaultJavaScriptEncoder..cctor()",
        "DefaultJavaScriptEncoder..cctor",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "void [Workload] Demo.Shallow::Run(int32)",
        "Shallow.Run",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "int32 [Workload] Demo.Deep::Level(int32,int32)",
        "Deep.Level",
    ),
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
    (
        "net10/orderedconsume-regressed.chromium.json.gz",
        "System.Private.CoreLib!System.Decimal.op_Addition(value class System.Decimal,value class System.Decimal)",
        "Decimal.op_Addition",
    ),
    (
        "dtp/Issue254.dtp",
        "System.Private.CoreLib!System.String.op_Equality",
        "String.op_Equality",
    ),
    (
        "dtp/Issue254.dtp",
        "System.Private.CoreLib!System.ReadOnlySpan`1.op_Implicit",
        "ReadOnlySpan<T>.op_Implicit",
    ),
    (
        "net10/orderedconsume-regressed.chromium.json.gz",
        "System.Private.CoreLib!System.Numerics.IAdditionOperators`3[System.Decimal,System.Decimal,System.Decimal].op_CheckedAddition(!0,!1)",
        "IAdditionOperators<Decimal,Decimal,Decimal>.op_CheckedAddition",
    ),
    (
        "dtp/Issue254.dtp",
        "System.Linq!System.Linq.Grouping`2.System.Collections.Generic.ICollection<TElement>.get_Count",
        "Grouping<T1,T2>.ICollection<TElement>.get_Count",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "void [System.Private.CoreLib] System.String::FillStringChecked(string,int32,string)",
        "String.FillStringChecked",
    ),
    // async methods and iterators
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.Program+<Main>d__0.MoveNext()",
        "Program.Main (async)",
    ),
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.Program.<Main>(class System.String[])",
        "Program.Main",
    ),
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext()",
        "OrderPipeline.HandleAsync (async)",
    ),
    (
        "net10/orderedconsume-regressed.nettrace",
        "OrderedConsume!Acme.Orders.OrderPipeline+<StoreAsync>d__13.MoveNext()",
        "OrderPipeline.StoreAsync (async)",
    ),
    (
        "net10/orderedconsume.nettrace",
        "Acme.Streaming!Acme.Streaming.OrderedConsumer`1+<ConsumeAsync>d__7[System.__Canon].MoveNext()",
        "OrderedConsumer<T>.ConsumeAsync (async)",
    ),
    (
        "net10/orderedconsume.nettrace",
        "Acme.Streaming!Acme.Streaming.Retry+<WithBackoffAsync>d__0`2[System.ValueTuple`2[Acme.Streaming.StreamMessage`1[System.__Canon],System.Decimal],System.Decimal].MoveNext()",
        "Retry.WithBackoffAsync (async)",
    ),
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.OrderPipeline+<>c__DisplayClass12_0+<<HandleAsync>b__3>d.MoveNext()",
        "OrderPipeline.HandleAsync.lambda 3 (async)",
    ),
    (
        "net10/orderedconsume.nettrace",
        "System.Collections.Concurrent!System.Collections.Concurrent.BlockingCollection`1+<GetConsumingEnumerable>d__68[System.__Canon].MoveNext()",
        "BlockingCollection<T>.GetConsumingEnumerable (async/iterator)",
    ),
    (
        "nettrace/deep31.nettrace",
        "Workload!Demo.Program+<AsyncWork>c__async0.MoveNext()",
        "Program.AsyncWork (async)",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "instance void [Workload] Demo.Program+<AsyncWork>c__async0::MoveNext()",
        "Program.AsyncWork (async)",
    ),
    (
        "net10/orderedconsume.nettrace",
        "System.Private.CoreLib!System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Int32,Acme.Orders.Program+<Main>d__0].MoveNext()",
        "AsyncTaskMethodBuilder<Int32>.AsyncStateMachineBox<Program.Main>.MoveNext",
    ),
    (
        "net10/orderedconsume-regressed.nettrace",
        "System.Private.CoreLib!System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Decimal,Acme.Orders.OrderPipeline+<>c__DisplayClass12_0+<<HandleAsync>b__3>d].MoveNext()",
        "AsyncTaskMethodBuilder<Decimal>.AsyncStateMachineBox<OrderPipeline.HandleAsync.lambda 3>.MoveNext",
    ),
    (
        "net10/orderedconsume-regressed.nettrace",
        "System.Private.CoreLib!System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Decimal,Acme.Streaming.Retry+<WithBackoffAsync>d__0`2[System.ValueTuple`2[Acme.Streaming.StreamMessage`1[System.__Canon],System.Decimal],System.Decimal]].MoveNext()",
        "AsyncTaskMethodBuilder<Decimal>.AsyncStateMachineBox<Retry.WithBackoffAsync>.MoveNext",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "instance void [System.Private.CoreLib] System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Threading.Tasks.VoidTaskResult,Demo.Program+<AsyncWork>c__async0]::MoveNext(class System.Threading.Thread)",
        "AsyncTaskMethodBuilder<VoidTaskResult>.AsyncStateMachineBox<Program.AsyncWork>.MoveNext",
    ),
    (
        "dtp/Issue254.dtp",
        "System.Linq!System.Linq.Enumerable+<CastIterator>d__64`1.MoveNext",
        "Enumerable.CastIterator (iterator)",
    ),
    (
        "dtp/Issue254.dtp",
        "System.Linq!System.Linq.Enumerable+<CastIterator>d__64`1.<>m__Finally1",
        "Enumerable.CastIterator.finally 1",
    ),
    (
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
        "System.Linq!System.Linq.Enumerable+<OfTypeIterator>d__61`1[System.__Canon].MoveNext()",
        "Enumerable.OfTypeIterator (iterator)",
    ),
    (
        "dtp/Issue254.dtp",
        "System.Linq!System.Linq.Lookup`2+<GetEnumerator>d__17.MoveNext",
        "Lookup<T1,T2>.GetEnumerator (iterator)",
    ),
    (
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
        "HeartRateMonitor!HeartRateMonitor.App+<OnStart>d__5.MoveNext()",
        "App.OnStart (async/iterator)",
    ),
    (
        "net10/orderedconsume.chromium.json.gz",
        "Acme.Streaming!Acme.Streaming.OrderedConsumer`1+<ConsumeAsync>d__7[System.__Canon].System.Collections.Generic.IAsyncEnumerator<Acme.Streaming.StreamMessage<T>>.MoveNextAsync()",
        "OrderedConsumer<T>.ConsumeAsync.MoveNextAsync",
    ),
    (
        "net10/orderedconsume-regressed.chromium.json.gz",
        "Acme.Streaming!Acme.Streaming.Retry+<<WithBackoffAsync>g__Pause|0_0>d`2[System.ValueTuple`2[Acme.Streaming.StreamMessage`1[System.__Canon],System.Decimal],System.Decimal].MoveNext()",
        "Retry.WithBackoffAsync.Pause (async/iterator)",
    ),
    (
        "net10/orderedconsume-regressed.speedscope.json.gz",
        "Acme.Streaming!Acme.Streaming.OrderedConsumer`1+<ResetAsync>d__9[System.__Canon].MoveNext()",
        "OrderedConsumer<T>.ResetAsync (async)",
    ),
    // lambdas and local functions
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.Program+<>c__DisplayClass0_1.<Main>b__2()",
        "Program.Main.lambda 2",
    ),
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.OrderPipeline+<>c__DisplayClass12_0.<HandleAsync>b__0()",
        "OrderPipeline.HandleAsync.lambda 0",
    ),
    (
        "net10/orderedconsume.nettrace",
        "OrderedConsume!Acme.Orders.OrderPipeline+<>c__DisplayClass12_0.<HandleAsync>b__1()",
        "OrderPipeline.HandleAsync.lambda 1",
    ),
    (
        "net10/orderedconsume-regressed.nettrace",
        "OrderedConsume!Acme.Orders.PriceRules+<>c.<Evaluate>b__2_1(class Acme.Orders.OrderLine)",
        "PriceRules.Evaluate.lambda 1",
    ),
    (
        "net10/deepstacks-mutual.nettrace",
        "DeepStacks!Demo.Stacks.Program+<>c.<Main>b__3_0(class Demo.Stacks.Walker,int32)",
        "Program.Main.lambda 0",
    ),
    (
        "net10/deepstacks-mutual.nettrace",
        "DeepStacks!Demo.Stacks.Program+<>c.<Main>b__3_7(class Demo.Stacks.Walker)",
        "Program.Main.lambda 7",
    ),
    (
        "net10/deepstacks-cycle.nettrace",
        "DeepStacks!Demo.Stacks.Walker+<>c.<Truth>b__19_1(value class System.Collections.Generic.KeyValuePair`2<int32,float64>)",
        "Walker.Truth.lambda 1",
    ),
    (
        "nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip",
        "ManagedModule!EventGenerator.Program+<>c__DisplayClass1_0.<Main>b__0()",
        "Program.Main.lambda 0",
    ),
    (
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
        "System.Private.CoreLib!System.Threading.Tasks.Task+<>c.<.cctor>b__274_0(class System.Object)",
        "Task..cctor.lambda 0",
    ),
    (
        "nettrace/deep31.nettrace",
        "Workload!Demo.Program+<Main>c__AnonStorey1.<>m__0()",
        "Program.Main.lambda 0",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "bool [Workload] Demo.Burn::<Linq>m__1(int32)[OptimizedTier1]",
        "Burn.Linq.lambda 1",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "instance void [Workload] Demo.Program+<Main>c__AnonStorey1::.ctor()[QuickJitted]",
        "new Program.Main.closure",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "instance void [System.Private.CoreLib] System.Threading.Tasks.Task+DelayPromise+<>c::<.ctor>b__1_0(object)[OptimizedTier1]",
        "Task.DelayPromise..ctor.lambda 0",
    ),
    (
        "dtp/Issue254.dtp",
        "sly!sly.parser.llparser.RecursiveDescentSyntaxParser`2+<>c__DisplayClass23_0.<ParseNonTerminal>b__0",
        "RecursiveDescentSyntaxParser<T1,T2>.ParseNonTerminal.lambda 0",
    ),
    (
        "dtp/baseline.dtp",
        "sly!sly.lexer.TokenChannel`1+<>c.<Add>b__17_1",
        "TokenChannel<T>.Add.lambda 1",
    ),
    (
        "net10/cpubound.speedscope.json",
        "System.Text.Json!System.Text.Json.Serialization.Metadata.ReflectionEmitCachingMemberAccessor+Cache`1+<>c__6`1[System.ValueTuple`3[System.__Canon,System.__Canon,System.__Canon],System.__Canon].<GetOrAdd>b__6_0(!0,class System.Func`2<!0,!1>)",
        "ReflectionEmitCachingMemberAccessor.Cache<ValueTuple<T1,T2,T3>>.GetOrAdd.lambda 0",
    ),
    (
        "net10/orderedconsume.nettrace",
        "Acme.Streaming!Acme.Streaming.LoopbackBroker.<Publish>g__Write|16_0(unsigned int8[])",
        "LoopbackBroker.Publish.Write",
    ),
    (
        "net10/cpubound.nettrace",
        "System.Private.CoreLib!System.Threading.Thread.<PollGC>g__PollGCWorker|67_0()",
        "Thread.PollGC.PollGCWorker",
    ),
    (
        "net10/deepstacks-cycle.nettrace",
        "System.Text.Json!System.Text.Json.JsonSerializerOptions.<get_CacheContext>g__GetOrCreate|1_0()",
        "JsonSerializerOptions.get_CacheContext.GetOrCreate",
    ),
    (
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
        "ElmSharp!ElmSharp.Box+<>c__DisplayClass14_0.<SetLayoutCallback>b__0(int,int,int)",
        "Box.SetLayoutCallback.lambda 0",
    ),
    (
        "net10/orderedconsume-regressed.chromium.json.gz",
        "OrderedConsume!Acme.Orders.OrderPipeline+<>c__DisplayClass12_0.<HandleAsync>b__3(value class System.ValueTuple`2<value class Acme.Streaming.StreamMessage`1<class Acme.Orders.OrderEvent>,value class System.Decimal>,int32)",
        "OrderPipeline.HandleAsync.lambda 3",
    ),
    (
        "net10/orderedconsume-regressed.speedscope.json.gz",
        "OrderedConsume!Acme.Orders.OrderSource+<>c__DisplayClass1_0.<.ctor>b__0(int32)",
        "OrderSource..ctor.lambda 0",
    ),
    (
        "dtp/Issue254.dtp",
        "System.Linq!System.Linq.Utilities+<>c__DisplayClass1_0`1..ctor",
        "new Utilities.closure",
    ),
    (
        "dtp/profile.dtp",
        "System.Console!System.ConsolePal+<>c.<.cctor>b__119_0",
        "ConsolePal..cctor.lambda 0",
    ),
    (
        "dtp/profile.dtp",
        "Microsoft.Extensions.Options!Microsoft.Extensions.Options.OptionsCache`1+<>c__DisplayClass3_1`1.<GetOrAdd>b__2",
        "OptionsCache<T>.GetOrAdd.lambda 2",
    ),
    (
        "dtp/Issue254.dtp",
        "sly!sly.parser.syntax.grammar.ChoiceClause`1+<>c.<get_IsTerminalChoice>b__5_1",
        "ChoiceClause<T>.get_IsTerminalChoice.lambda 1",
    ),
    (
        "net10/orderedconsume-regressed.speedscope.json.gz",
        "System.Private.CoreLib!System.RuntimeTypeHandle.<InternalAllocNoChecks>g__InternalAllocNoChecksWorker|37_0(value class System.Runtime.CompilerServices.MethodTable*)",
        "RuntimeTypeHandle.InternalAllocNoChecks.InternalAllocNoChecksWorker",
    ),
    // generics and nested types
    (
        "net10/orderedconsume.nettrace",
        "Acme.Streaming!Acme.Streaming.OrderedConsumer`1[System.__Canon].Accept(unsigned int8[])",
        "OrderedConsumer<T>.Accept",
    ),
    (
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
        "ElmSharp!ElmSharp.SmartEvent`1[System.__Canon].add_On(class System.EventHandler`1<!0>)",
        "SmartEvent<T>.add_On",
    ),
    (
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
        "System.Private.CoreLib!System.Collections.Generic.Dictionary`2[System.__Canon,System.__Canon]..ctor(int32,class System.Collections.Generic.IEqualityComparer`1<!0>)",
        "new Dictionary<T1,T2>",
    ),
    (
        "net10/deepstacks-cycle.nettrace",
        "System.Collections!System.Collections.Generic.SortedDictionary`2[System.Int32,System.Double].System.Collections.Generic.IEnumerable<System.Collections.Generic.KeyValuePair<TKey,TValue>>.GetEnumerator()",
        "SortedDictionary<Int32,Double>.IEnumerable<KeyValuePair<TKey,TValue>>.GetEnumerator",
    ),
    (
        "net10/deepstacks-mutual.nettrace",
        "System.Collections!System.Collections.Generic.SortedSet`1+Enumerator[System.Collections.Generic.KeyValuePair`2[System.Int32,System.Double]]..ctor(class System.Collections.Generic.SortedSet`1<!0>,bool)",
        "new SortedSet<KeyValuePair<Int32,Double>>.Enumerator",
    ),
    (
        "nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip",
        "ManagedModule!System.Threading.Tasks.Task`1[System.ValueTuple`4[System.Int32,System.Int32,System.Int32,System.Boolean]]..ctor(!0)",
        "new Task<ValueTuple<Int32,Int32,Int32,Boolean>>",
    ),
    (
        "net10/orderedconsume.nettrace",
        "System.Private.CoreLib!System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart()",
        "PortableThreadPool.WorkerThread.WorkerThreadStart",
    ),
    (
        "dtp/profile_multi.dtp",
        "System.Private.CoreLib!System.Threading.PortableThreadPool+GateThread.GateThreadStart",
        "PortableThreadPool.GateThread.GateThreadStart",
    ),
    (
        "dtp/Issue254.dtp",
        "System.Private.CoreLib!System.Collections.Generic.List`1+Enumerator.MoveNext",
        "List<T>.Enumerator.MoveNext",
    ),
    (
        "dtp/baseline.dtp",
        "sly!sly.lexer.TokenChannel`1.set_Item",
        "TokenChannel<T>.set_Item",
    ),
    (
        "dtp/Issue254.dtp",
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
        "System.Text.Json!System.Text.Json.Serialization.Converters.SmallObjectWithParameterizedConstructorConverter`5[System.__Canon,System.Double,System.Double,System.Double,System.__Canon].ConfigureJsonTypeInfoUsingReflection(class System.Text.Json.Serialization.Metadata.JsonTypeInfo,class System.Text.Json.JsonSerializerOptions)",
        "SmallObjectWithParameterizedConstructorConverter<T1,Double,Double,Double,T5>.ConfigureJsonTypeInfoUsingReflection",
    ),
    (
        "perf-script/perf-dotnet31.map",
        "instance void [System.Linq] System.Linq.Enumerable+SelectRangeIterator`1[System.Int32]::.ctor(int32,int32,class [System.Runtime]System.Func`2<int32,!0>)[OptimizedTier1]",
        "new Enumerable.SelectRangeIterator<Int32>",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "instance bool [System.Linq] System.Linq.Enumerable+WhereEnumerableIterator`1[System.Int32]::MoveNext()",
        "Enumerable.WhereEnumerableIterator<Int32>.MoveNext",
    ),
    (
        "nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip",
        "ManagedModule!System.ReadOnlySpan`1[System.UInt32].get_Length()",
        "ReadOnlySpan<UInt32>.get_Length",
    ),
    (
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
        "System.Private.CoreLib!System.RuntimeType+RuntimeTypeCache+MemberInfoCache`1[System.__Canon].GetListByName(wchar*,int32,unsigned int8*,int32,value class MemberListType,value class CacheType)",
        "RuntimeType.RuntimeTypeCache.MemberInfoCache<T>.GetListByName",
    ),
    // what is no .NET name
    ("nettrace/cutoff31.nettrace", "?!?", "?!?"),
    (
        "dtp/profile.dtp",
        "[Native code, no managed frames]",
        "[Native code, no managed frames]",
    ),
    ("perf-script/perf-dotnet31.map", "stub<1> ", "stub<1> "),
    (
        "perfview-xml/ls.strace.perfview.xml",
        "Return Code: -1 EINVAL (Invalid argument)",
        "Return Code: -1 EINVAL (Invalid argument)",
    ),
    (
        "dtp/Issue254.dtp",
        "[Garbage collection]",
        "[Garbage collection]",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "System.Private.CoreLib!?",
        "System.Private.CoreLib!?",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "[kernel.kallsyms]!do_futex",
        "do_futex",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "[vdso]!__vdso_clock_gettime",
        "__vdso_clock_gettime",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "libcoreclr.so!CorUnix::CPalThread::ThreadEntry",
        "CorUnix::CPalThread::ThreadEntry",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "libc.so.6!clock_gettime@@GLIBC_2.17",
        "clock_gettime@@GLIBC_2.17",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "stub<556> GenerateDispatchStub<GenerateDispatchStub>",
        "stub<556> GenerateDispatchStub<GenerateDispatchStub>",
    ),
    (
        "perf-script/dotnet31.perf-script.txt.gz",
        "Thread (12604) dotnet",
        "Thread (12604) dotnet",
    ),
    (
        "collapsed/perf-vertx-stacks-01-collapsed-all.txt",
        "tcp_sendmsg_[k]",
        "tcp_sendmsg",
    ),
    (
        "collapsed/perf-vertx-stacks-01-collapsed-all.txt",
        "org/mozilla/javascript/ScriptableObject:.getPrototype_[j]",
        "org/mozilla/javascript/ScriptableObject:.getPrototype",
    ),
    (
        "perfview-xml/ls.strace.perfview.xml",
        "Path: /lib/x86_64-linux-gnu/libc.so.6",
        "Path: /lib/x86_64-linux-gnu/libc.so.6",
    ),
    (
        "perfview-xml/perf.strace.perfview.xml",
        r#"Arguments: 3, "\t\0\0\0\1\0\230\0!\0\f\253\377\377\377\377\253o\0\0\253o\0\0\34\222w\36,\33\1\0"..., 280"#,
        r#"Arguments: 3, "\t\0\0\0\1\0\230\0!\0\f\253\377\377\377\377\253o\0\0\253o\0\0\34\222w\36,\33\1\0"..., 280"#,
    ),
    ("trace-event/simple.json", "alpha", "alpha"),
];

#[test]
fn real_names_read_like_their_source() {
    for (file, raw, shown) in REAL {
        // what is in brackets is no method in the files that have it
        let kind = if raw.starts_with("Thread (") {
            FrameKind::Thread
        } else {
            FrameKind::Method
        };
        assert_eq!(display_name(kind, raw), *shown, "{raw} in {file}");
    }
}

/// Each name is that of a frame of its file, as dotspot reads the file, and is shown so there.
#[test]
fn real_names_are_real() {
    let mut shown_of: HashMap<&str, HashMap<String, String>> = HashMap::new();
    for (file, raw, shown) in REAL {
        let Some(path) = shared(file) else { continue };
        // a map is no profile, and has names that no sample of its recording has
        if file.ends_with(".map") {
            assert!(
                std::fs::read_to_string(&path).unwrap().contains(raw),
                "{file} does not hold {raw}"
            );
            continue;
        }
        let names = shown_of
            .entry(file)
            .or_insert_with(|| names(&read_file(&path)));
        assert_eq!(
            names.get(*raw).map(String::as_str),
            Some(*shown),
            "{raw} in {file}"
        );
    }
}

/// The raw names of a profile with their shown names, of which only some sources know what type parameters are called.
fn names(profile: &View) -> HashMap<String, String> {
    let name = |(id, _)| {
        (
            profile.frames.name(id).to_string(),
            profile.frames.plain_display_name(id).into_owned(),
        )
    };
    profile.frames.iter().map(name).collect()
}

/// How `OrderPipeline.HandleAsync` of data/net10/src/OrderedConsume.cs is called: its body is the `MoveNext` of a nested type.
const HANDLE_ASYNC: &str = "OrderPipeline.HandleAsync (async)";

/// Asserts that a profile has a frame that is called `raw`, and that it is shown as that method.
#[track_caller]
fn check_spelling(what: &str, profile: &View, raw: &str) {
    let names = names(profile);
    assert_eq!(
        names.get(raw).map(String::as_str),
        Some(HANDLE_ASYNC),
        "{what}: {names:?}"
    );
}

/// The files in which this method really is, and what Microsoft's TraceEvent calls it.
#[test]
fn one_method_is_shown_alike_in_all_files_that_have_it() {
    let raw = "OrderedConsume!Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext()";
    for file in [
        "orderedconsume.nettrace",
        "orderedconsume.speedscope.json.gz",
        "orderedconsume.chromium.json.gz",
    ] {
        let Some(path) = shared(&format!("net10/{file}")) else {
            continue;
        };
        check_spelling(file, &read_file(&path), raw);
    }
    let by_traceevent =
        std::fs::read_to_string(shared("expected/te/orderedconsume.json").unwrap()).unwrap();
    assert!(by_traceevent.contains(raw));
}

/// The same method in formats of which no file with it is at hand, in the spelling that is documented for each.
#[test]
fn one_method_is_shown_alike_in_all_formats() {
    let read = |name: &str, text: &str| {
        read_bytes(name, text.as_bytes().to_vec()).unwrap_or_else(|e| panic!("{e}"))
    };
    let raw = "OrderedConsume!Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext()";
    // dotnet-trace writes `<` as an escape, and the module of Chromium's form apart
    let speedscope = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"OrderedConsume!Acme.Orders.OrderPipeline+\u003cHandleAsync\u003ed__12.MoveNext()"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[0]],"weights":[1]}]}"#;
    check_spelling("speedscope", &read("a.speedscope.json", speedscope), raw);
    let method = r"Acme.Orders.OrderPipeline+\u003cHandleAsync\u003ed__12.MoveNext()";
    let event = |name: &str, does: &str, frame: u8| {
        format!(
            r#"{{"name":"{name}","cat":"sampleEvent","ph":"{does}","ts":{frame},"pid":0,"tid":9,"sf":{frame}}}"#
        )
    };
    let events = [
        event(method, "B", 0),
        event("CPU_TIME", "B", 1),
        event("CPU_TIME", "E", 1),
        event(method, "E", 0),
    ];
    let chromium = format!(
        r#"{{"traceEvents":[{}],"stackFrames":{{"0":{{"name":"{method}","category":"OrderedConsume"}},"1":{{"name":"CPU_TIME","category":""}}}}}}"#,
        events.join(",")
    );
    check_spelling("Chromium JSON", &read("a.chromium.json", &chromium), raw);
    // TraceEvent before 2026, with tiers shown
    let tiered =
        "OrderedConsume.il![OptimizedTier1]Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext()";
    check_spelling(
        "collapsed",
        &read("a.folded", &format!("all;{tiered} 1\nall;{raw}_[j] 2\n")),
        tiered,
    );
    // PerfView: whole paths, the tier as an attribute
    let perfview = r#"<StackWindow><StackSource><Frames><Frame ID="0" OptimizationTier="OptimizedTier1">C:\app\OrderedConsume!Acme.Orders.OrderPipeline+&lt;HandleAsync&gt;d__12.MoveNext()</Frame></Frames><Stacks><Stack ID="0" CallerID="-1" FrameID="0"/></Stacks><Samples><Sample StackID="0"/></Samples></StackSource></StackWindow>"#;
    check_spelling(
        "PerfView",
        &read("a.perfView.xml", perfview),
        &format!(r"C:\app\{raw}"),
    );
    // the runtime's perf map, in perf script and in collapsed stacks of it
    let map =
        "instance void [OrderedConsume] Acme.Orders.OrderPipeline+<HandleAsync>d__12::MoveNext()";
    let perf = format!(
        "dotnet 5/6 1.1: 7 cpu-clock:\n\t7f10 {map}[OptimizedTier1]+0x1f (/tmp/perf-5.map)\n\n"
    );
    check_spelling("perf script", &read("a.perf", &perf), map);
    let folded = format!("dotnet;{map}[PreJIT]_[j] 12\n");
    check_spelling(
        "collapsed perf",
        &read("a.folded", &folded),
        &format!("{map}[PreJIT]_[j]"),
    );
    // dotTrace: no arguments; its Reporter and the helper's contract have no module
    let bare = "Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext";
    let report = r#"<Report><Function FQN="Acme.Orders.OrderPipeline+&lt;HandleAsync&gt;d__12.MoveNext" TotalTime="1" OwnTime="1" Calls="1" Instances="1"><Instance CallStack="Acme.Orders.OrderPipeline+&lt;HandleAsync&gt;d__12.MoveNext" TotalTime="1" OwnTime="1" Calls="1"/></Function></Report>"#;
    check_spelling("report", &read("a.xml", report), bare);
    let helper = format!(
        r#"{{"schema":"dotspot.call-tree/1","snapshot":{{"source":"a.dtp","thread_count":1,"node_count":null,"payload_type":"unknown","time_unit":"ms","decoder":"helper","decoder_version":"1","warnings":[]}},"thread_roots":[],"call_tree":{{"id":"0x0","name":"{bare}","kind":"method","inclusive_time":1,"exclusive_time":1,"call_count":1,"children":[]}},"hotspots":{{"inclusive":[],"exclusive":[]}}}}"#
    );
    check_spelling("helper", &read("a.json", &helper), bare);
    check_spelling(
        "dotTrace snapshot",
        &dottrace_snapshot(),
        &format!("OrderedConsume!{bare}"),
    );
    check_spelling("pprof", &pprof(), &format!("OrderedConsume!{bare}"));
}

fn dottrace_snapshot() -> View {
    use dtp_writer::{Kind, Snapshot, Thread, one_file};
    let mut snapshot = Snapshot::new(Kind::Sampling);
    let method =
        snapshot.method("OrderedConsume!Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext");
    let mut thread = Thread::new(1, 2, "");
    thread.add(Thread::ROOT, method, 5, 1);
    snapshot.threads.push(thread);
    read_bytes("a.dtp", one_file(&snapshot.sections())).unwrap()
}

/// A profiler that knows the file of the module, here one that was compiled ahead of time.
fn pprof() -> View {
    use pprof_writer::{Message, Writer};
    let mut file = Writer::default();
    file.sample_type("samples", "count");
    file.sample(&[1], &[2], &[]);
    let module = file.string("/app/OrderedConsume.ni.dll");
    file.add(3, Message::default().number(1, 1).number(5, module));
    file.location(1, 1, 0x10, &[1]);
    file.function(
        1,
        "Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext",
        "",
        0,
    );
    read_bytes("a.pprof", file.finish()).unwrap()
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
    Some(
        file.shared
            .frames
            .into_iter()
            .map(|frame| frame.name)
            .collect(),
    )
}

/// `dotnet-trace report topN` shortens names as well. Where nothing in them is generic, nested or made by a compiler, both must agree.
#[test]
fn plain_names_are_as_short_as_those_of_dotnet_trace() {
    let Some(frames) = speedscope_frames("net10/cpubound.speedscope.json") else {
        return;
    };
    let shown: HashSet<String> = frames
        .iter()
        .map(|frame| display_name(FrameKind::Method, frame))
        .collect();
    let mut compared = 0;
    for file in [
        "net10/cpubound.topN-inclusive.txt",
        "net10/cpubound.topN-exclusive.txt",
    ] {
        let text = std::fs::read_to_string(shared(file).unwrap()).unwrap();
        for line in text.lines().skip(1) {
            let Some((_, name)) = line.split_once(". ") else {
                continue;
            };
            let Some((name, _)) = name.trim_start().split_once('(') else {
                continue;
            };
            let is_plain = name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._".contains(&b))
                && !name.starts_with('.');
            // the report counts a method whose only sample is the last of its thread, the conversion leaves it out
            if is_plain
                && frames
                    .iter()
                    .any(|frame| frame.contains(&format!(".{name}(")))
            {
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
    let Some(frames) = speedscope_frames("net10/cpubound.speedscope.json") else {
        return;
    };
    for frame in frames.iter().filter(|frame| frame.contains('!')) {
        let expect = match frame.split('!').next() {
            Some("CpuBound") => Category::User,
            Some("?") => Category::Native,
            _ => Category::System,
        };
        assert_eq!(category_of(FrameKind::Method, frame), expect, "{frame}");
    }
}
