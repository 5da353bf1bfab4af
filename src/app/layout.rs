//! Where things are on the screen: plain numbers, so that the explorer knows its pages and what a click hits, and the
//! drawing code draws there.

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Columns from the left edge of the screen.
    pub x: u16,
    /// Rows from the top.
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl Area {
    /// A rectangle.
    pub const fn new(x: u16, y: u16, width: u16, height: u16) -> Area {
        Area {
            x,
            y,
            width,
            height,
        }
    }

    /// Whether a cell lies in it.
    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }

    /// The rows from the `skip`th on.
    pub fn below(self, skip: u16) -> Area {
        let skip = skip.min(self.height);
        Area::new(self.x, self.y + skip, self.width, self.height - skip)
    }

    /// Without a border of one cell.
    pub fn inner(self) -> Area {
        Area::new(
            self.x + 1,
            self.y + 1,
            self.width.saturating_sub(2),
            self.height.saturating_sub(2),
        )
    }
}

/// How the panels of a page share its room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// One has all of it.
    Alone,
    /// A tree, and next to it two lists of hotspots.
    Hotspots,
    /// The same with small lists, for when they show little and the tree needs the room.
    SmallHotspots,
    /// A tree, and next to it a flame graph.
    Flame,
    /// Callers above callees, and next to them threads below user code.
    Method,
    /// Lanes over time above two lists of hotspots.
    Lanes,
}

impl Split {
    /// Whether lists are below lanes, also on narrow screens: there is room for both.
    fn has_lists_below(self, body: Area) -> bool {
        self == Split::Lanes && body.height >= WITH_LISTS
    }

    /// The areas of panels that are side by side.
    fn areas(self, body: Area) -> Vec<Area> {
        let percent = match self {
            Split::Alone => return vec![body],
            Split::Flame | Split::Lanes => 50,
            Split::Hotspots => 58,
            Split::SmallHotspots => 72,
            Split::Method => 68,
        };
        let left_width = (u32::from(body.width) * percent / 100) as u16;
        let right_width = body.width - left_width;
        let (upper, below) = (body.height.div_ceil(2), body.y + body.height.div_ceil(2));
        let lower = body.height - upper;
        match self {
            Split::Method => vec![
                Area::new(0, body.y, left_width, upper),
                Area::new(0, below, left_width, lower),
                Area::new(left_width, below, right_width, lower),
                Area::new(left_width, body.y, right_width, upper),
            ],
            Split::Lanes => vec![
                Area::new(0, body.y, body.width, upper),
                Area::new(0, below, left_width, lower),
                Area::new(left_width, below, right_width, lower),
            ],
            Split::Flame => vec![
                Area::new(0, body.y, left_width, body.height),
                Area::new(left_width, body.y, right_width, body.height),
            ],
            _ => vec![
                Area::new(0, body.y, left_width, body.height),
                Area::new(left_width, body.y, right_width, upper),
                Area::new(left_width, below, right_width, lower),
            ],
        }
    }
}

/// How much fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// All panes side by side.
    Wide,
    /// One pane at a time, with tabs.
    Narrow,
    /// Nothing but a sentence.
    Tiny,
}

/// The narrowest screen with all panes, and its lowest height.
pub const WIDE: (u16, u16) = (110, 16);
/// The smallest screen that shows anything.
pub const SMALLEST: (u16, u16) = (40, 8);

/// The cells of the labels on both sides of the strip of time.
const STRIP_LABEL: u16 = 10;

/// The cells of a lane before its name, and of the name with the blanks after it at most.
const LANE_VALUE: u16 = 13;
const LANE_NAME: u16 = 32;
/// The lines of lanes and lists that have room for both.
const WITH_LISTS: u16 = 9;

/// The places of everything on a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How much fits.
    pub mode: Mode,
    pub screen: Area,
    /// The line with file, kind and sizes.
    pub title: Area,
    /// The breadcrumbs of focuses; in narrow mode the tabs.
    pub breadcrumbs: Area,
    /// The strip of time; without rows where there is none.
    pub strip: Area,
    /// All between the breadcrumbs and the detail line: there dialogs and pages of text lie over the panels.
    pub body: Area,
    /// The panels of the page, borders included. In narrow mode all have the same place, and one is in front.
    pub panels: Vec<Area>,
    /// The panel that is in front where only one fits.
    pub front: usize,
    /// How the panels share their room.
    split: Split,
    /// The lines about the selection.
    pub detail: Area,
    /// The line of hints and messages.
    pub hints: Area,
}

impl Mode {
    /// How much fits on a screen of this size.
    pub fn of(width: u16, height: u16) -> Mode {
        if width < SMALLEST.0 || height < SMALLEST.1 {
            Mode::Tiny
        } else if width >= WIDE.0 && height >= WIDE.1 {
            Mode::Wide
        } else {
            Mode::Narrow
        }
    }
}

impl Layout {
    /// The layout of a screen of this size, with this many rows of timeline strip. If only one panel fits, it shows the
    /// panel `front`.
    pub fn new((width, height): (u16, u16), split: Split, front: usize, strip_rows: u16) -> Layout {
        let (mode, none) = (Mode::of(width, height), Area::default());
        let screen = Area::new(0, 0, width, height);
        if mode == Mode::Tiny {
            return Layout {
                mode,
                screen,
                title: none,
                breadcrumbs: none,
                strip: none,
                body: none,
                panels: Vec::new(),
                front,
                split,
                detail: none,
                hints: none,
            };
        }
        let detail_height = if height >= 12 { 2 } else { 1 };
        let strip = Area::new(0, 2, width, strip_rows);
        let body = Area::new(
            0,
            2 + strip_rows,
            width,
            height - 3 - detail_height - strip_rows,
        );
        let mut panels = split.areas(body);
        match (mode, split) {
            (Mode::Narrow, _) if split.has_lists_below(body) => {
                panels[1..].iter_mut().for_each(|list| {
                    (list.x, list.width) = (body.x, body.width);
                })
            }
            (Mode::Narrow, _) => panels.fill(body),
            _ => {}
        }
        Layout {
            mode,
            screen,
            title: Area::new(0, 0, width, 1),
            breadcrumbs: Area::new(0, 1, width, 1),
            strip,
            body,
            panels,
            front,
            split,
            detail: Area::new(0, body.y + body.height, width, detail_height),
            hints: Area::new(0, height - 1, width, 1),
        }
    }

    /// Gives lanes, or the panels on the right, no more lines than they have rows.
    pub(super) fn fit(&mut self, rows: impl Fn(usize) -> Option<usize>) {
        match self.split.has_lists_below(self.body) {
            true => self.fit_lanes(rows(0).unwrap_or(0)),
            false => self.fit_sides(rows),
        }
    }

    /// Gives lanes lines for their rows, their head and what their cells mean, and lists below the rest, a third at least.
    fn fit_lanes(&mut self, rows: usize) {
        let (body, borders) = (self.body, if self.mode == Mode::Wide { 2 } else { 0 });
        let Some((lanes, lists)) = self.panels.split_first_mut() else {
            return;
        };
        let most = body.height - (body.height / 3).max(borders + 3);
        let lines = u16::try_from(rows.max(1) + 2).unwrap_or(u16::MAX);
        lanes.height = lines.saturating_add(borders).min(most);
        for list in lists {
            (list.y, list.height) = (body.y + lanes.height, body.height - lanes.height);
        }
    }

    /// Gives the panels on the right no more lines than they have rows. Of the two, one may have what the other leaves.
    fn fit_sides(&mut self, rows: impl Fn(usize) -> Option<usize>) {
        let body = self.body;
        let mut sides: Vec<usize> = (0..self.panels.len()).collect();
        sides.retain(|&at| self.panels[at].x > body.x);
        sides.sort_by_key(|&at| self.panels[at].y);
        let (Mode::Wide, &[upper, lower]) = (self.mode, sides.as_slice()) else {
            return;
        };
        // with border, heads, and one line for a sentence where there are no rows
        let lines = |at| {
            rows(at).map_or(body.height, |rows| {
                u16::try_from(rows.max(1) + 3)
                    .unwrap_or(u16::MAX)
                    .min(body.height)
            })
        };
        let half = self.panels[upper].height;
        let of_upper = lines(upper).min(half.max(body.height - lines(lower)));
        let of_lower = lines(lower).min(body.height - of_upper);
        self.panels[upper].height = of_upper;
        (self.panels[lower].y, self.panels[lower].height) = (body.y + of_upper, of_lower);
    }

    /// The cells of the strip that stand for time, between its labels; above lanes, those above their cells.
    pub fn strip_cells(&self) -> Area {
        if self.split == Split::Lanes && self.mode != Mode::Tiny {
            let lanes = self.lanes_cells();
            return Area {
                x: lanes.x,
                width: lanes.width,
                ..self.strip
            };
        }
        Area {
            x: self.strip.x + STRIP_LABEL,
            width: self.strip.width.saturating_sub(2 * STRIP_LABEL),
            ..self.strip
        }
    }

    /// The cells of lanes that stand for time, after their values and names.
    pub fn lanes_cells(&self) -> Area {
        let rows = self.rows(0);
        let names = LANE_NAME.min(rows.width.saturating_sub(LANE_VALUE) / 3);
        let label = (LANE_VALUE + names).min(rows.width);
        Area {
            x: rows.x + label,
            width: rows.width - label,
            ..rows
        }
    }

    /// Whether a panel is on the screen. Where lists have no room next to each other, the first is below lanes that are in front.
    pub fn is_shown(&self, panel: usize) -> bool {
        match self.mode {
            Mode::Tiny => false,
            Mode::Wide => true,
            Mode::Narrow if self.split.has_lists_below(self.body) => {
                panel == 0 || panel == self.front.max(1)
            }
            Mode::Narrow => panel == self.front,
        }
    }

    /// The panel at a place of the screen.
    pub(super) fn panel_at(&self, x: u16, y: u16) -> Option<usize> {
        (0..self.panels.len())
            .find(|&panel| self.is_shown(panel) && self.panels[panel].contains(x, y))
    }

    /// A panel without its border; in narrow mode there is none.
    pub fn content(&self, panel: usize) -> Area {
        let area = self.panels.get(panel).copied().unwrap_or_default();
        if self.mode == Mode::Wide {
            area.inner()
        } else {
            area
        }
    }

    /// The line with the heads of the columns of a panel.
    pub fn header(&self, panel: usize) -> Area {
        let content = self.content(panel);
        Area {
            height: content.height.min(1),
            ..content
        }
    }

    /// The rows of a panel, below its heads of columns.
    pub fn rows(&self, panel: usize) -> Area {
        self.content(panel).below(1)
    }
}

#[cfg(test)]
mod tests;
