use super::*;

#[test]
fn marker_frames_are_recognized_by_name() {
    for (name, expect) in [
        (
            "[truncated at 100 frames]",
            Some(Synthetic::Truncated { limit: 100 }),
        ),
        (
            "[truncated at 7 frames]",
            Some(Synthetic::Truncated { limit: 7 }),
        ),
        ("[truncated at some frames]", None),
        ("[native code]", None),
    ] {
        assert_eq!(Synthetic::truncated_named(name), expect, "{name}");
        assert!(expect.is_none_or(|synthetic| synthetic.name() == name));
    }
}

#[test]
fn views_share_the_frames_of_their_recording() {
    let mut frames = Frames::default();
    let thread = frames.intern(FrameKind::Thread, "3 threads merged", "");
    let recorded = Arc::new(frames);
    let mut view = Frames::over(Arc::clone(&recorded));
    let merged = view.add_synthetic(Synthetic::MergedThreads {
        count: 3,
        are_pool: false,
    });
    assert_eq!(
        (
            merged,
            view.add_synthetic(Synthetic::MergedThreads {
                count: 3,
                are_pool: false
            })
        ),
        (FrameId(1), FrameId(1))
    );
    assert_eq!(
        view.add_synthetic(Synthetic::MergedThreads {
            count: 2,
            are_pool: false
        }),
        FrameId(2)
    );
    assert_eq!(
        (view.name(thread), view.display_name(merged)),
        ("3 threads merged", "3 threads merged")
    );
    assert_eq!(
        (view.synthetic(thread), view.synthetic(merged)),
        (
            None,
            Some(Synthetic::MergedThreads {
                count: 3,
                are_pool: false
            })
        )
    );
    assert_eq!(
        view.lookup(FrameKind::Thread, "3 threads merged", ""),
        Some(thread),
        "the name is the recorded one's"
    );
    let kinds: Vec<FrameKind> = view.iter().map(|(_, frame)| frame.kind).collect();
    assert_eq!(
        (kinds, view.len(), recorded.len()),
        (vec![FrameKind::Thread; 3], 3, 1)
    );
}

#[test]
fn methods_are_found_by_the_names_people_use() {
    let mut frames = Frames::default();
    let names = [
        "Acme!Acme.Book.Match(int32)",
        "Acme!Acme.Book.Match(class System.String)",
        "Acme!Acme.Book.match()",
    ];
    let ids = names.map(|name| frames.intern(FrameKind::Method, name, ""));
    let signed = frames.intern(FrameKind::Method, "Acme!Acme.Shop.Sell", "(int32) : bool");
    for (text, expect) in [
        ("Acme!Acme.Book.Match(int32)", &ids[..1]),
        ("Acme.Book.Match(int32)", &ids[..1]),
        ("Book.Match(int32)", &ids[..1]),
        ("Book.Match", &ids[..2]),
        ("Acme.Book.Match", &ids[..2]),
        ("Book.match()", &ids[2..]),
        ("book.match", &[]),
        ("Book.match", &ids[2..]),
        ("Acme!Acme.Shop.Sell(int32) : bool", &[signed]),
        ("Shop.Sell", &[signed]),
        ("Match", &[]),
        ("", &[]),
    ] {
        assert_eq!(frames.find(text), expect, "{text}");
    }
}

#[test]
fn list_names_are_as_short_as_possible_but_unique() {
    #[track_caller]
    fn check(methods: &[(&str, &str)]) {
        let mut frames = Frames::default();
        let ids: Vec<FrameId> = methods
            .iter()
            .map(|(name, _)| frames.intern(FrameKind::Method, name, ""))
            .collect();
        for (id, (name, expect)) in ids.iter().zip(methods) {
            assert_eq!(frames.list_name(*id), *expect, "{name}");
        }
    }
    check(&[
        (
            "Shop!Acme.Billing.Handler.Handle()",
            "Billing.Handler.Handle",
        ),
        (
            "Shop!Acme.Shipping.Handler.Handle()",
            "Shipping.Handler.Handle",
        ),
        ("Shop!Acme.Shipping.Handler..ctor()", "new Handler"),
        ("Shop!Acme.Shipping.Handler.Stop()", "Handler.Stop"),
    ]);
    check(&[
        (
            "Shop!Acme.A.Sql.Orders.Read(int32)",
            "A.Sql.Orders.Read(Int32)",
        ),
        (
            "Shop!Acme.A.Sql.Orders.Read(string)",
            "A.Sql.Orders.Read(String)",
        ),
        ("Shop!Acme.B.Sql.Orders.Read(int32)", "B.Sql.Orders.Read"),
        ("Shop!Orders.Read(int32)", "Orders.Read"),
        ("Shop!Acme.A.Sql.Orders..ctor()", "new A.Sql.Orders"),
        ("Shop!Acme.B.Sql.Orders..ctor()", "new B.Sql.Orders"),
    ]);
    check(&[
        ("Old!Acme.Orders.Read(int32)", "Old!Orders.Read"),
        ("New!Acme.Orders.Read(int32)", "New!Orders.Read"),
    ]);
}
