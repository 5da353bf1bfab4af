//! Lists that lead to rows of the tree and back, and rows that spin.

use crate::common::compared;
use crate::common::stage::Stage;
use crate::common::text::assert_contains;
use dotspot::testing::app::AnyPanel;
use dotspot::testing::app::Event;
use dotspot::testing::app::{Message, Overlay};
use dotspot::testing::model::View;
use dotspot::testing::model::{profile_of, recording_of};
use dotspot::testing::query::{ComparedFile, ComparisonRequest, comparison};

const SPIN: &str = "System.Private.CoreLib!System.Threading.SpinWait.SpinOnce(int32)";
const SLEEP: &str = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";

/// A recording in this metric: 60 ms of work, and 40 ms of waiting called by `Ack`.
fn stage(metric: &str, wait: &str) -> Stage {
    let stacks = format!("T;App!App.Main;App!App.Work 60|T;App!App.Main;App!App.Ack;{wait} 40");
    Stage::new(in_metric(metric, &stacks), 160, 30)
}

/// The display name of the selected method in the list of methods.
#[track_caller]
fn listed(stage: &Stage) -> &str {
    let explorer = stage.explorer();
    let Overlay::Methods(table) = &explorer.overlay else {
        panic!("no list of methods on\n{}", stage.screen());
    };
    let frame = table.selected().unwrap().sums.frame;
    explorer.view().frames.display_name(frame)
}

#[test]
fn esc_returns_to_the_list_of_methods() {
    let mut stage = stage("CPU", SPIN);
    stage.press("L j");
    assert_eq!(listed(&stage), "App.Ack");
    // the details below describe the selected row: 40 of 100 ms inclusive
    assert_contains(
        stage.screen(),
        " App!App.Ack\n 40.0 ms incl, 0.0 ms excl in 1 occurrence",
    );
    stage.play("enter  on: App.Ack");
    // esc leaves a focus first
    stage.play("f esc esc");
    assert_eq!(listed(&stage), "App.Ack");
    stage.play("esc esc  notes: nothing to go back to");
    // esc undoes a later removal first
    stage.play("L enter d esc  notes: undone: without App.Work");
}

#[test]
fn a_note_cancelled_in_the_list_of_methods_returns_there() {
    let mut stage = stage("CPU", SPIN);
    stage.play("L j a 'waits for the broker' esc");
    assert_eq!(listed(&stage), "App.Ack");
}

#[test]
fn what_no_user_code_called_is_described() {
    let mut stage = Stage::new(profile_of("T;App!App.Main 60|T;System!Pump 40"), 160, 30);
    // 40 of 100 ms
    stage.play("L G  shows: time 40.0 ms (40.0 %) · ⏎ lists the methods");
    stage.play("b  says: not a method; ⏎ lists the methods that no user code calls");
}

#[test]
fn waits_are_not_stacked_and_their_keys_act_on_the_user_method() {
    let stacks = format!("T;App!App.A;{SLEEP} 30|T;App!App.B;{SLEEP} 20|T;App!App.C 50");
    let mut stage = Stage::new(in_metric("wall", &stacks), 120, 30);
    stage.play("I I  says: already shown; esc goes back");
    stage.play("D  notes: without App.A (node  page: open");
    stage.play("esc esc  page: closed");
}

#[test]
fn esc_returns_to_the_list_of_waits() {
    let stacks = format!("T;App!App.A;{SLEEP} 30|T;App!App.B;{SLEEP} 20|T;App!App.C 50");
    let mut stage = Stage::new(in_metric("wall", &stacks), 100, 30);
    stage.play("I j enter  on: Thread.Sleep");
    // other views of the tree have waits, too
    for keys in ["esc", "u"] {
        stage.press(keys);
        let AnyPanel::Waits(panel) = stage.explorer().page().focused() else {
            panic!("what waits is not on\n{}", stage.screen());
        };
        assert_eq!(panel.cursor.selected, 1);
    }
    stage.play("esc u u esc esc  notes: nothing to go back to");
}

#[test]
fn a_missing_panel_is_explained() {
    let mut stage = stage("CPU", SPIN);
    stage.play("4  says: no panel 4 here; the last is 3; b opens a page with four");
}

#[test]
fn cpu_time_in_spins_is_marked_and_can_be_excluded() {
    let mut stage = stage("CPU", SPIN);
    stage.play("shows: 40 % waits");
    stage.play("E j j j  shows: 100.0");
    stage.play("L  shows: App.Ack  waits 100 %  lacks: App.Work  waits");
    stage.play("esc W  says: percentages and sorting exclude 40.0 ms in waits and spins  lacks: 40 % waits");
    // 60 of 60
    stage.play("line App.Work: 100.0");
    stage.play("W  says: percentages include 40.0 ms in waits and spins");
    // as with `--no-waiting`
    stage.send(Event::Message(Message::Opened(None, Some(false))));
    assert_contains(stage.screen(), "busy ms");
}

#[test]
fn the_list_of_a_comparison_shows_both_sides() {
    let before =
        "T;Main;Run;Price 200|T;Main;Run;System.Linq!System.Linq.Enumerable.Any() 50|T;Main;Old 30";
    let after =
        "T;Main;Run;Price 700|T;Main;Run;System.Linq!System.Linq.Enumerable.Any() 80|T;Main;New 40";
    let mut stage = Stage::new(compared(&profile_of(before), &profile_of(after)), 120, 30);
    stage.press("L");
    stage.play("shows: Methods · own + system  line Price: 200.0 700.0 +500.0 ×3.50 Price");
    // no exclusive time, but system code that it calls is attributed to it
    stage.play("line Run: 50.0 80.0 +30.0 ×1.60 Run  line Old: 30.0 0.0 -30.0 gone Old");
    assert_eq!(listed(&stage), "Price");
    stage.play("s s  shows: Methods · incl  line Run: 250.0 780.0 +530.0 ×3.12 Run");
    stage.play("=  shows: compare BEFORE AFTER --metric time --by inclusive");
}

#[test]
fn code_without_user_callers_can_be_opened() {
    let pool = "System.Private.CoreLib!System.Threading.PortableThreadPool.Run()";
    let read = "System.Private.CoreLib!System.IO.File.Read()";
    let stacks = format!("T;{pool} 7|T;{pool};{read} 20|T;App!App.Main;{read} 30");
    let mut stage = Stage::new(profile_of(&stacks), 100, 30);
    stage.play("L G  shows: ▶        27.0  47.4");
    stage.play("enter  shows: Methods · called by no user code");
    // 20 of its 50 exclusive samples have no user code above
    stage.play("line File.Read: 20.0 35.1  line Pool.Run: 7.0 12.3");
    stage.play("esc  shows: ▶        27.0  47.4");
    stage.play("esc L G enter enter  on: File.Read");
}

/// A profile in this metric.
fn in_metric(metric: &str, stacks: &str) -> View {
    let mut recording = recording_of(stacks);
    recording.metrics[0].name = metric.into();
    recording.into_view()
}

/// The metric names in files don't determine what a comparison excludes.
#[test]
fn the_command_of_a_comparison_uses_the_metric_name_of_the_files() {
    let both = ["T;Main 20", "T;Main 30"].map(|stacks| in_metric("idle without waiting", stacks));
    let mut stage = Stage::new(compared(&both[0], &both[1]), 140, 30);
    stage.play("=  shows: --metric 'idle without waiting' --tree  lacks: --no-waiting");
}

/// 40 of 100 ms are spinning before, and all of it after. Gone was spinning.
#[test]
fn waiting_rows_of_comparisons_are_marked() {
    let before = format!("T;App!App.Work 60|T;App!App.Ack;{SPIN} 40|T;App!App.Gone;{SPIN} 10");
    let after = format!("T;App!App.Ack;{SPIN} 100");
    let both = [&*before, &*after].map(|stacks| in_metric("CPU", stacks));
    let mut stage = Stage::new(compared(&both[0], &both[1]), 160, 30);
    stage.play("3  shows: App.Ack  waits and spins 100 %  shows: App.Gone  waits and spins 100 %  lacks: App.Work  waits");
    stage.play("L  shows: App.Ack  waits and spins 100 %");
}

/// The exclusive value of a caller row is what ends there, not a value of the method.
#[test]
fn callers_in_a_comparison_have_one_value_per_side() {
    let both = ["T;Main;Run;Price 20", "T;Main;Run;Price 30"].map(profile_of);
    for (width, height) in [(80, 24), (160, 40)] {
        let mut stage = Stage::new(compared(&both[0], &both[1]), width, height);
        stage.play("2 b j  shows: 20.0 → 30.0 ms (+10.0 ms, ×1.50) of Price  lacks: excl ·  lacks: its own");
    }
}

/// 20 of 80 and 10 of 80 ms are spinning, which is excluded.
#[test]
fn the_title_of_a_comparison_states_its_metric() {
    let both = [(60, 20), (70, 10)].map(|(work, spin)| {
        let stacks = format!("T;App!App.Work {work}|T;App!App.Work;{SPIN} {spin}");
        in_metric("CPU", &stacks)
    });
    let files = ["before.nettrace", "after.nettrace"].map(String::from);
    let files = files.into_iter().zip(both);
    let files: Vec<_> = files
        .map(|(file, view)| ComparedFile { file, view })
        .collect();
    let (before, after) = files.split_at(1);
    let request = ComparisonRequest {
        leaves_out_waiting: true,
        before,
        after,
        ..ComparisonRequest::default()
    };
    let view = comparison(&request).unwrap().with_verdicts();
    for (width, title) in [
        (120, "CPU without waiting 60.0 → 70.0 ms, ×1.17"),
        (60, "CPU without waiting 60.0 → 70.0 ms, ×1.17"),
        (44, "CPU busy 60.0 → 70.0 ms"),
    ] {
        let mut stage = Stage::new(view.clone(), width, 30);
        assert_contains(stage.screen(), title);
        stage.press("=");
        let screen = stage.screen().replace(['│', '\n'], " ");
        let words: Vec<&str> = screen.split_whitespace().collect();
        assert_contains(words.join(" "), "--metric CPU --no-waiting");
    }
}

/// While waiting counts in wall time, rows show its share: 40 of 100 ms, in one thread that works.
#[test]
fn waits_in_wall_time_are_marked_while_they_count() {
    let mut stage = stage("wall", SLEEP);
    stage.play("shows: 40 % waits");
    stage.play("L  shows: App.Ack  waits 100 %  lacks: App.Work  waits");
    stage.play("esc W  lacks: 40 % waits");
}
