//! Processes in a recording of a whole machine.

use super::{boxes, rows};
use crate::common::profiles::read_file;
use crate::common::shared;
use crate::common::stage::Stage;
use crate::common::text::assert_starts_with;

/// A trace by PerfView. Samples of a millisecond each, as in `../shared/data/expected/etl/net.4.5.2.x64.json`.
#[test]
fn a_process_of_a_windows_trace_is_selected() {
    let path = present!(shared("etl/net.4.5.2.x64.etl.zip"));
    let mut stage = Stage::new(read_file(&path), 120, 30);
    stage.press("P");
    let listed = boxes(&stage);
    let expect = "[x]*Test.x64.exe [x]PerfView.exe [x]MsMpEng.exe [x]dwm.exe ";
    assert_starts_with(&listed, expect);
    stage.play("shows: Test.x64.exe  shows: PerfView.exe  shows: MsMpEng.exe");
    stage.play("a space");
    let listed = boxes(&stage);
    assert_starts_with(&listed, "[x]*Test.x64.exe [ ]PerfView.exe ");
    assert_eq!(listed.matches("[x]").count(), 1);
    stage.play("enter  rows: …|>Process (3676) Test.x64.exe");
    stage.play(
        "shows: metric: CPU 5,129.0 ms  (samples 5,129)  shows: 1,856.0  shows: 95.8 Program.Main",
    );
    stage.play("m j  shows: 5,129 (100.0 %) incl, 0 excl");
    // one step at a time
    stage.play("P down space enter  shows: 2 of 20 processes");
    stage.play("esc  rows: …|>Process (3676) Test.x64.exe");
    stage.play("esc");
    assert!(rows(&stage).len() > 10, "all are back: {:?}", rows(&stage));
}
