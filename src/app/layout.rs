//! Where things are on the screen, for clicks and for drawing.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl Area {
    pub const fn new(x: u16, y: u16, width: u16, height: u16) -> Area {
        Area {
            x,
            y,
            width,
            height,
        }
    }

    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }

    pub fn centered(self, width: u16, height: u16) -> Area {
        let (x, y) = ((self.width - width) / 2, (self.height - height) / 2);
        Area::new(self.x + x, self.y + y, width, height)
    }

    pub fn below(self, skip: u16) -> Area {
        let skip = skip.min(self.height);
        Area::new(self.x, self.y + skip, self.width, self.height - skip)
    }

    pub fn inner(self) -> Area {
        Area::new(
            self.x + 1,
            self.y + 1,
            self.width.saturating_sub(2),
            self.height.saturating_sub(2),
        )
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    #[default]
    Alone,
    Hotspots,
    /// The same with smaller lists, when they have little to show.
    SmallHotspots,
    Flame,
    /// Callers above callees, next to threads and user code.
    Method,
    Lanes,
}

impl Split {
    /// Whether the lists are below the lanes; even narrow screens have room for both.
    fn has_lists_below(self, body: Area) -> bool {
        self == Split::Lanes && body.height >= MIN_HEIGHT_WITH_LISTS
    }

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
        let upper = body.height.div_ceil(2);
        let (lower, lower_y) = (body.height - upper, body.y + upper);
        let left = |y, height| Area::new(body.x, y, left_width, height);
        let right = |y, height| Area::new(body.x + left_width, y, right_width, height);
        match self {
            Split::Method => vec![
                left(body.y, upper),
                left(lower_y, lower),
                right(lower_y, lower),
                right(body.y, upper),
            ],
            Split::Lanes => {
                let lanes = Area::new(body.x, body.y, body.width, upper);
                vec![lanes, left(lower_y, lower), right(lower_y, lower)]
            }
            Split::Flame => vec![left(body.y, body.height), right(body.y, body.height)],
            _ => vec![
                left(body.y, body.height),
                right(body.y, upper),
                right(lower_y, lower),
            ],
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    Wide,
    /// One pane at a time, with tabs.
    Narrow,
    #[default]
    Tiny,
}

/// Width and height.
pub const WIDE: (u16, u16) = (110, 16);
pub const SMALLEST: (u16, u16) = (40, 8);

const STRIP_LABEL: u16 = 10;

/// A lane's cells before its name, and the maximum for the name.
const LANE_VALUE: u16 = 13;
const MAX_LANE_NAME: u16 = 32;
const MIN_HEIGHT_WITH_LISTS: u16 = 9;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub mode: Mode,
    pub screen: Area,
    pub title: Area,
    /// The breadcrumbs; in narrow mode, the tabs.
    pub breadcrumbs: Area,
    /// The timeline strip; no rows if there is none.
    pub strip: Area,
    /// Between the breadcrumbs and the detail line; dialogs and text pages cover it.
    pub body: Area,
    /// The areas include borders. In narrow mode all have the same area, and one is in front.
    pub panels: Vec<Area>,
    pub front: usize,
    split: Split,
    pub detail: Area,
    pub hints: Area,
}

impl Mode {
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
    pub fn new((width, height): (u16, u16), split: Split, front: usize, strip_rows: u16) -> Layout {
        let mode = Mode::of(width, height);
        let layout = Layout {
            mode,
            screen: Area::new(0, 0, width, height),
            front,
            split,
            ..Layout::default()
        };
        if mode == Mode::Tiny {
            return layout;
        }
        let detail_height = if height >= 12 { 2 } else { 1 };
        let strip = Area::new(0, 2, width, strip_rows);
        let body_height = height - 3 - detail_height - strip_rows;
        let body = Area::new(0, 2 + strip_rows, width, body_height);
        let mut panels = split.areas(body);
        match (mode, split) {
            (Mode::Narrow, _) if split.has_lists_below(body) => {
                for list in &mut panels[1..] {
                    (list.x, list.width) = (body.x, body.width);
                }
            }
            (Mode::Narrow, _) => panels.fill(body),
            _ => {}
        }
        Layout {
            title: Area::new(0, 0, width, 1),
            breadcrumbs: Area::new(0, 1, width, 1),
            strip,
            body,
            panels,
            detail: Area::new(0, body.y + body.height, width, detail_height),
            hints: Area::new(0, height - 1, width, 1),
            ..layout
        }
    }

    /// Gives no panel more lines than it has rows.
    pub(super) fn fit(&mut self, rows: impl Fn(usize) -> Option<usize>) {
        match self.split.has_lists_below(self.body) {
            true => self.fit_lanes(rows(0).unwrap_or(0)),
            false => self.fit_right_panels(rows),
        }
    }

    /// The lists get the rest, at least a third.
    fn fit_lanes(&mut self, rows: usize) {
        let (body, borders) = (self.body, if self.mode == Mode::Wide { 2 } else { 0 });
        let Some((lanes, lists)) = self.panels.split_first_mut() else {
            return;
        };
        let max_height = body.height - (body.height / 3).max(borders + 3);
        let lines = u16::try_from(rows.max(1) + 2).unwrap_or(u16::MAX);
        lanes.height = lines.saturating_add(borders).min(max_height);
        for list in lists {
            (list.y, list.height) = (body.y + lanes.height, body.height - lanes.height);
        }
    }

    /// Either of the two panels on the right may use the space that the other does not need.
    fn fit_right_panels(&mut self, rows: impl Fn(usize) -> Option<usize>) {
        let body = self.body;
        let mut right_panels: Vec<usize> = (0..self.panels.len()).collect();
        right_panels.retain(|&at| self.panels[at].x > body.x);
        right_panels.sort_by_key(|&at| self.panels[at].y);
        let (Mode::Wide, &[upper, lower]) = (self.mode, right_panels.as_slice()) else {
            return;
        };
        // with border, headers, and one line for a message if there are no rows
        let fitted = |rows: usize| u16::try_from(rows.max(1) + 3).unwrap_or(u16::MAX);
        let lines = |at| rows(at).map_or(body.height, |rows| fitted(rows).min(body.height));
        let half = self.panels[upper].height;
        let upper_height = lines(upper).min(half.max(body.height - lines(lower)));
        let lower_height = lines(lower).min(body.height - upper_height);
        self.panels[upper].height = upper_height;
        (self.panels[lower].y, self.panels[lower].height) = (body.y + upper_height, lower_height);
    }

    /// The strip between its labels; above lanes, it lines up with their cells.
    pub fn strip_cells(&self) -> Area {
        if self.split == Split::Lanes && self.mode != Mode::Tiny {
            let lanes = self.lane_cells();
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

    /// The lanes without their values and names.
    pub fn lane_cells(&self) -> Area {
        let rows = self.rows(0);
        let names = MAX_LANE_NAME.min(rows.width.saturating_sub(LANE_VALUE) / 3);
        let label = (LANE_VALUE + names).min(rows.width);
        Area {
            x: rows.x + label,
            width: rows.width - label,
            ..rows
        }
    }

    /// One list is below the lanes if two don't fit: the one in front or, if the lanes are in front, the first.
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

    pub(super) fn panel_at(&self, x: u16, y: u16) -> Option<usize> {
        (0..self.panels.len())
            .find(|&panel| self.is_shown(panel) && self.panels[panel].contains(x, y))
    }

    /// In narrow mode panels have no border.
    pub fn content(&self, panel: usize) -> Area {
        let area = self.panels.get(panel).copied().unwrap_or_default();
        match self.mode {
            Mode::Wide => area.inner(),
            _ => area,
        }
    }

    pub fn header(&self, panel: usize) -> Area {
        let content = self.content(panel);
        Area {
            height: content.height.min(1),
            ..content
        }
    }

    pub fn rows(&self, panel: usize) -> Area {
        self.content(panel).below(1)
    }
}

#[cfg(test)]
mod tests;
