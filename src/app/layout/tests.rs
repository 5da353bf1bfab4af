use super::*;

const SPLITS: [Split; 6] = [
    Split::Alone,
    Split::Flame,
    Split::Lanes,
    Split::Hotspots,
    Split::SmallHotspots,
    Split::Method,
];

#[test]
fn every_size_has_a_layout_within_the_screen() {
    for width in 1..=230 {
        for height in 1..=70 {
            for split in SPLITS {
                let layout = Layout::new((width, height), split, 0, 0);
                let all = [
                    layout.title,
                    layout.breadcrumbs,
                    layout.body,
                    layout.detail,
                    layout.hints,
                ];
                for area in all.into_iter().chain(layout.panels.iter().copied()) {
                    assert!(
                        area.x + area.width <= width && area.y + area.height <= height,
                        "{width}x{height}: {area:?}"
                    );
                }
                if layout.mode != Mode::Tiny {
                    assert!(
                        (0..layout.panels.len()).all(|panel| layout.rows(panel).height >= 2),
                        "{width}x{height} shows no rows"
                    );
                    assert_eq!(layout.hints.y, height - 1);
                }
            }
        }
    }
}

#[test]
fn modes_change_at_the_specified_sizes() {
    let mode = |width, height| Mode::of(width, height);
    assert_eq!(
        [mode(110, 30), mode(109, 30), mode(200, 15)],
        [Mode::Wide, Mode::Narrow, Mode::Narrow]
    );
    assert_eq!(
        [mode(40, 8), mode(39, 8), mode(40, 7), mode(20, 24)],
        [Mode::Narrow, Mode::Tiny, Mode::Tiny, Mode::Tiny]
    );
}
