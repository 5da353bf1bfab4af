use super::*;
use crate::analysis::ReadyView;
use crate::app::{Action, App, Event, Message};
use crate::model::testing::profile_of;
use crate::ui::draw;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Modifier;

/// The lines of the graph on a screen of 40 cells, and which cells of the last line before the legend are reversed.
fn drawn(stacks: &str, theme: Theme) -> (Vec<String>, Vec<usize>) {
    let mut app = App::new("a", 40, 12);
    let view = ReadyView::of(profile_of(stacks));
    let _ = app.update(Event::Message(Message::Loaded(Ok(view), None)));
    let _ = app.update(Event::Action(Action::Flame));
    let mut terminal = Terminal::new(TestBackend::new(40, 12)).unwrap();
    let draw = |frame: &mut ratatui::Frame| draw(frame, &app, theme);
    terminal.draw(draw).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| {
        let line: String = (0..40).map(|x| buffer[(x, y)].symbol()).collect();
        line.trim_end().to_string()
    };
    let is_reversed = |x: &usize| {
        let cell = &buffer[(*x as u16, 4)];
        cell.modifier.contains(Modifier::REVERSED)
    };
    let lines = (2..9).map(line).filter(|line| !line.is_empty()).collect();
    (lines, (0..40).filter(is_reversed).collect())
}

#[test]
fn without_colors_there_are_textures() {
    let stacks = "T;Acme.Run 20|T;System.IO.File.Read 10|T;System.Threading.Thread.Sleep 10";
    let (lines, reversed) = drawn(stacks, Theme::PLAIN);
    let expect = [
        "▶All threads",
        "T",
        "Acme.Run            ▏File.Read▏Sleep░░░░",
        "   user  ·· system  ░░ waiting",
    ];
    assert_eq!(lines, expect);
    assert_eq!(reversed, (0..20).collect::<Vec<_>>());
}

#[test]
fn a_shared_cell_is_divided_to_the_eighth() {
    // 40 cells: 21 of 32 are 26 cells and 2 eighths, 11 the rest
    let (lines, reversed) = drawn("T;System.IO.File.Read 21|T;Acme.Run 11", Theme::PLAIN);
    let texture = "·".repeat(17);
    assert_eq!(lines[2], format!("File.Read{texture}▎Acme.Run"));
    assert_eq!(reversed, (26..40).collect::<Vec<_>>());
}

#[test]
fn names_give_way_to_methods() {
    let method = "Orders.Consumer.ReadOrder (async)";
    for (cells, expect) in [
        (33, method),
        (30, "Orders.Consumer.ReadOrder"),
        (14, "Orde…ReadOrder"),
        (13, "ReadOrder"),
        (9, "ReadOrder"),
        (8, "ReadOrd…"),
        (4, "Rea…"),
        (3, ""),
        (0, ""),
    ] {
        assert_eq!(
            label(method, Category::User, cells),
            expect,
            "{cells} cells"
        );
    }
    let of = |name, cells| label(name, Category::User, cells);
    assert_eq!(of("A.Run", 3), "Run");
    assert_eq!(of("List.Add(Int32)", 12), "Add(Int32)");
    assert_eq!(of("List.Add(Int32)", 9), "Add");
    assert_eq!(of("Cache<System.String>.Get", 9), "Get");
    assert_eq!(of("Cache<System.String>", 9), "Cache<Sy…");
    assert_eq!(of("(anonymous)", 6), "(anon…");
}

#[test]
fn names_of_other_frames_are_cut_at_the_end() {
    let of = |text, cells| label(text, Category::Pseudo, cells);
    let folded = "… 18 async frames";
    for (cells, expect) in [
        (17, folded),
        (16, "… 18"),
        (4, "… 18"),
        (3, "…"),
        (1, "…"),
        (0, ""),
    ] {
        assert_eq!(of(folded, cells), expect, "{cells} cells");
    }
    assert_eq!(of("…+37", 3), "…");
    let thread = "Thread (11054) .NET pool";
    assert_eq!(of(thread, 24), thread);
    assert_eq!(of(thread, 20), "Thread (11054) .NET…");
    assert_eq!(of(thread, 8), "Thread …");
    assert_eq!(of(thread, 3), "");
}
