use super::*;
use crate::model::testing::recording_of;
use std::sync::Arc;

#[test]
fn old_runtimes_miss_cpu_time() {
    for (runtime, metrics, is_expected) in [
        (".NET Core 3", &["CPU", "wall"][..], true),
        (".NET 5.0.20", &["CPU", "wall"], false),
        (".NET Core 3", &["wall"], false),
    ] {
        let mut view = recording_of("A;m 10").into_view();
        let recording = Arc::make_mut(&mut view.recording);
        recording.source.facts = vec![("runtime".into(), runtime.into())];
        let of_time = metrics.iter().map(|name| Metric::time(name, None));
        recording.metrics = of_time.collect();
        let is_reported = old_runtime_caution(&view).is_some();
        assert_eq!(is_reported, is_expected, "{runtime} {metrics:?}");
    }
}

#[test]
fn debug_builds_are_known_by_their_folders() {
    for (line, is_debug) in [
        ("/src/Shop/bin/Debug/net8.0/Shop", true),
        ("dotnet bin/Debug/net8.0/Shop.dll", true),
        ("bin/Debug/net8.0/Shop --fast", true),
        (r#""C:\dotnet.exe" "bin\Debug\net8.0\Shop.dll""#, true),
        ("dotnet bin/Release/net8.0/Shop.dll", false),
        ("dotnet /opt/cabin/Debug/Shop.dll", false),
    ] {
        let mut view = recording_of("A;m 10").into_view();
        let recording = Arc::make_mut(&mut view.recording);
        recording.source.facts = vec![("command line".into(), line.into())];
        assert_eq!(is_debug_build(&view), is_debug, "{line}");
    }
}

/// Checks the cautions about a profile whose metric has this name.
#[track_caller]
fn check(metric: &str, stacks: &str, expect: &[&str]) {
    let mut recording = recording_of(stacks);
    recording.metrics[0].name = metric.into();
    let sentences: Vec<String> = cautions(&recording.into_view())
        .iter()
        .map(Diagnostic::to_string)
        .collect();
    assert_eq!(sentences, expect, "{stacks}");
}

const POLLS: &str = "T;m;System.Private.CoreLib!System.Threading.Thread.PollGC();System.Private.CoreLib!System.Threading.\
                         Thread.<PollGC>g__PollGCWorker()";

#[test]
fn polls_are_reported_from_two_percent() {
    let expected = "2.1 % of the CPU time (21.0 ms) is in Thread.PollGC and its PollGCWorker. A thread can only be sampled at a GC poll, so time in short methods is charged to the next poll: they look cheaper than they \
                    are, and the callers of PollGC more expensive.";
    check("CPU", &format!("{POLLS} 21|T;m 979"), &[expected]);
    check("CPU", &format!("{POLLS} 20|T;m 980"), &[]);
    check("wall", &format!("{POLLS} 21|T;m 979"), &[]);
    check("CPU", "T;m;Acme!Acme.Thread.PollGC() 500|T;m 500", &[]);
}

#[test]
fn waits_are_reported_if_they_count_as_work() {
    let [wait, spin] = [
        "LowLevelLifoSemaphore.Wait(int32)",
        "SpinWait.SpinOnceCore(int32)",
    ]
    .map(|name| format!("T;m;System.Private.CoreLib!System.Threading.{name}"));
    let expected = "5.1 % of the CPU time (51.0 ms) is in waits and spins, above all in calls of LowLevelLifoSemaphore.Wait. \
                    Threads that spin while looking for work count as running; the program's own work is in the rest.";
    check("CPU", &format!("{wait} 31|{spin} 20|T;m 949"), &[expected]);
    check("CPU", &format!("{wait} 30|{spin} 20|T;m 950"), &[]);
    check("wall", &format!("{wait} 31|{spin} 20|T;m 949"), &[]);
    let expected = "5.1 % of the time (51.0 ms) is in waits and spins, above all in calls of LowLevelLifoSemaphore.Wait. \
                    The program's own work is in the rest.";
    check("time", &format!("{wait} 31|{spin} 20|T;m 949"), &[expected]);
    let others = "T;m;Acme!Acme.Threading.Gate.Wait() 300|T;m;System.Private.CoreLib!System.Threading.Tasks.Task.GetAwaiter() 300";
    check("CPU", &format!("{others}|T;m 400"), &[]);
}

#[test]
fn waiting_threads_are_reported_if_they_take_most_of_the_time() {
    let sleep = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
    let wait = "System.Private.CoreLib!System.Threading.Monitor.Wait(class System.Object,int32)";
    let expected = "2 of 3 threads hardly do anything but wait, for 66.7 % of the wall time (200.0 ms). Percentages of wall exclude waiting; W or \
                    --waiting includes it.";
    check(
        "wall",
        &format!("A;m;{sleep} 96|A;m 4|B;{wait} 100|C;m 100"),
        &[expected],
    );
    check(
        "time",
        &format!("A;m;{sleep} 96|A;m 4|B;{wait} 100|C;m 100"),
        &[&expected
            .replace("wall time", "time")
            .replace("of wall", "of time")],
    );
    let on_cpu = "65.3 % of the CPU time (196.0 ms) is in waits and spins, above all in calls of Monitor.Wait. Threads that spin while looking for work count as running; the program's own work is in the rest.";
    check(
        "CPU",
        &format!("A;m;{sleep} 96|A;m 4|B;{wait} 100|C;m 100"),
        &[on_cpu],
    );
    // 95 % is not more than 95 %; then one thread has a third
    check(
        "wall",
        &format!("A;m;{sleep} 95|A;m 5|B;{wait} 100|C;m 100"),
        &[],
    );
    check("wall", &format!("A;m;{sleep} 100|B;{wait} 100"), &[]);
    check("wall", &format!("A;m;{sleep} 100|B;m 100"), &[]);
}

#[test]
fn message_loops_are_explained() {
    let loops = "T;m;WindowsBase!System.Windows.Threading.Dispatcher.GetMessage(value class MSG&,int,int32,int32)";
    let expected = "5.1 % of the wall time (51.0 ms) is Dispatcher.GetMessage's own time: a native message loop either waits \
                for events or handles them, and the recording can't tell which. It counts as waiting.";
    check("wall", &format!("{loops} 51|T;m 949"), &[expected]);
    check("wall", &format!("{loops} 50|T;m 950"), &[]);
    check("CPU", &format!("{loops} 51|T;m 949"), &[]);
}
