//! Questions that agents answered incorrectly in a trial, with the right answers. Shares and savings are calculated from the totals.

use super::SAMPLE;
use super::session::Session;
use crate::common::shared_folder;

/// Calls tools in one session over the bundled recordings and the shared data, see [`Session::check_calls`]. SAMPLE, ETL and CPUBOUND
/// are replaced by profiles.
#[track_caller]
fn check_calls(table: &str) {
    let (snapshots, data) = (super::snapshots(), shared_folder());
    let data = data.as_deref().and_then(|data| data.to_str());
    let folders: Vec<&str> = std::iter::once(snapshots.as_str()).chain(data).collect();
    let mut session = Session::ready(&folders);
    let is_available = |row: &&str| data.is_some() || row.contains("SAMPLE");
    for row in table.lines().filter(is_available) {
        let profile = |name: &str| format!(r#""profile": "{name}""#);
        let row = row.replace("SAMPLE", &profile(SAMPLE));
        let row = row.replace("ETL", &profile("etl/net.4.5.2.x64.etl.zip"));
        session.check_calls(&row.replace("CPUBOUND", &profile("net10/cpubound.nettrace")));
    }
}

/// 3,525.9 - 3,366.6 = 159.3. Waits are in neither: the time that neither waits nor spins in dotnet-trace's conversion, summed with
/// Python. Groups are those in expected/views/orderedconsume.json.
#[test]
fn savings_of_steps_have_one_base() {
    check_calls(
        r#"
        hotspots {"profile": "dtp/Issue254.dtp", "steps": ["drop:List<T>.Contains"], "budget": 300} => 3,366.6 of 3,525.9 ms left, 159.3 ms (4.5 %) saved
        hotspots {SAMPLE, "metric": "wall", "steps": ["drop:PriceRules.Discount"], "budget": 300} => 1.425 of 3.048 s left, 1.623 s (53.3 %) saved
        tree {SAMPLE, "steps": "fold:system"} => - saved
        hotspots {SAMPLE, "group": "module", "budget": 200} => 31.6 1,645.0 43.7 2,274.2"#,
    );
}

/// 263 of 264 collections are in 3676, and one is in 3988; main joins its threads for 6,015.1 ms.
#[test]
fn a_timeline_is_limited_to_the_selection() {
    check_calls(
        r#"
        timeline {ETL, "process": "3988"} => garbage collections: 0 0 0 0 1 0 0 0 0 0 | CPU 356.0 ms = 100 % | 5.6 % of 6,320.0 ms in total
        timeline {CPUBOUND, "threads": ["10741"], "metric": "wall", "waiting": true} => 6,015.1 ms of it waiting | - 10754
        timeline {CPUBOUND, "metric": "wall", "waiting": false} => wall 12.084 s = 100 % (6.015 s of waiting excluded)"#,
    );
}

/// `SemaphoreSlim.WaitCore` has 443.2 of 1,141.0 ms exclusive, all of it waiting and spinning; JSON has its samples: 360 of 925.
/// `PriceRules.Discount` has 1,617.2 of its 1,618.9 ms exclusive, and 1,259 samples; an inverted tree shows the former.
#[test]
fn lists_show_the_parts_of_their_values() {
    check_calls(
        r#"
        hotspots {SAMPLE, "by": "exclusive", "budget": 2000} => incl excl-waits excl-samples node method | 443.2 360 n1500 SemaphoreSlim.WaitCore | 2,429.1 ms of it in waits and spins
        hotspots {SAMPLE, "by": "inclusive", "budget": 2000} => incl incl-waits incl-samples node method | 1,062.7 925 n1500 SemaphoreSlim.WaitCore
        hotspots {SAMPLE, "waiting": false} => CPU 2,779.6 ms = 100 % (2,429.1 ms in waits and spins excluded) | warnings: gc-polls (see info) | - -waits
        tree {SAMPLE, "inverted": true, "budget": 300} => depth node excl% excl excl-waits excl-samples method | 1 n13 31.0 1,617.2 0.0 1,259 PriceRules.Discount"#,
    );
}

/// 5,129 of 6,320 samples are in the process; DateTime.GetDatePart calls nothing and has 1,856 of them. Without it, polls are a larger
/// share of the rest, which is not a limitation of the recording.
#[test]
fn a_view_distinguishes_the_process_from_what_steps_leave() {
    check_calls(
        r#"
        hotspots {ETL, "steps": ["drop:DateTime.GetDatePart"]} => view: Process (3676) Test.x64.exe, 1 of 20 = 81.2 % of 6,320.0 ms in total; without DateTime.GetDatePart: 3,273.0 of 5,129.0 ms left, 1,856.0 ms (36.2 %) saved
        hotspots {ETL, "steps": ["drop:DateTime.GetDatePart", "drop:TimeZoneInfo.TransitionTimeToDateTime"]} => ; each alone: without DateTime.GetDatePart 1,856.0 ms (36.2 %), without TimeZoneInfo.TransitionTimeToDateTime
        hotspots {CPUBOUND, "steps": ["drop:Hot.Sixty"]} => - warning | - 0.0 0.0
        hotspots {ETL, "steps": ["drop:Nothing.GetDatePart"]} =! the nearest is DateTime.GetDatePart"#,
    );
}

/// expected/te/orderedconsume.json has 4,088 samples of CPU.
#[test]
fn waits_report_their_callers_kind_and_thread_count() {
    check_calls(
        r#"
        waits {SAMPLE} => most CPU in waits and spins: 1.063 s in LoopbackBroker.AckLoop | : TaskAwaiter<Int32>.GetResult → Monitor.Wait, awaits tasks (Thread (11036) main) | Housekeeping.Run: Thread.Sleep, sleeps (Thread (11051))
        waits {SAMPLE} => , spins: 1.063 s CPU (Thread (11050)) | (2 threads: Thread (11053) .NET pool gate, Thread (11057) .NET timer) | (3 threads: Thread (11056) .NET pool, Thread (11052) .NET pool, …)
        info {SAMPLE} => metric samples 58,835 (4,088 of them on CPU) | Percentages of wall exclude waiting"#,
    );
}

#[test]
fn ignored_arguments_are_refused_and_nothing_is_repeated() {
    check_calls(
        r#"
        hotspots {SAMPLE, "own_code": "Acme"} =! own_code needs user_code: true
        callers {SAMPLE, "own_code": "Acme", "method": "PriceRules.Discount"} =! own_code needs user: true
        hotspots {SAMPLE, "user_code": true} => by own-system, user code only; CPU
        open_profile {SAMPLE} => caution gc-polls: | - (see info)
        tree {SAMPLE, "node": "n7+16"} => call tree of OrderedConsumer<T>.ConsumeAsync"#,
    );
}

/// 263 of 264 collections are in the default process; the idle process only has interrupts.
#[test]
fn machine_wide_numbers_are_labeled() {
    check_calls(
        r#"
        info {ETL} => 263 of generation 0, 1 of generation 1 (all processes) | Process (0) Idle: 105.0 ms of interrupts on idle processors | % of CPU is spent in frames without a name. 76.6 % of the frames"#,
    );
}
