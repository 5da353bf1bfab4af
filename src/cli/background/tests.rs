use super::*;

fn key(c: char, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers))
}

/// The result of an answer with this text and end, with keys before and after it.
fn read(text: &str, end: Event) -> (Option<Background>, usize) {
    let mut reader = AnswerReader::default();
    let (mut found, mut typed) = (None, 0);
    let plain = |c| key(c, KeyModifiers::NONE);
    let answer = [key(']', KeyModifiers::ALT)]
        .into_iter()
        .chain(text.chars().map(plain));
    let events = [plain('j')]
        .into_iter()
        .chain(answer)
        .chain([end, plain('k')]);
    for event in events {
        match reader.take(event) {
            Ok(background) => found = Some(background),
            Err(events) => typed += events.len(),
        }
    }
    (found, typed)
}

#[test]
fn only_the_answer_is_filtered_out() {
    let (st, bel) = (
        key('\\', KeyModifiers::ALT),
        key('g', KeyModifiers::CONTROL),
    );
    for (text, end, found, typed) in [
        (
            "11;rgb:0000/2b2b/3636",
            st.clone(),
            Some(Background::Dark),
            2,
        ),
        ("11;rgb:FDFD/F6F6/E3E3", bel, Some(Background::Light), 2),
        ("11;rgb:ff/ff/ff", st.clone(), Some(Background::Light), 2),
        // not an answer: all of it was typed
        ("x", st.clone(), None, 5),
        ("11;rgb:1/2", st.clone(), None, 14),
        ("11;rgb:0000/0000/0000/0", st, None, 27),
    ] {
        assert_eq!(read(text, end), (found, typed), "{text}");
    }
}
