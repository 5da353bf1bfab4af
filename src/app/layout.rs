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

/// The panes that can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    Tree,
    /// Hotspots by exclusive value.
    Exclusive,
    /// Hotspots by inclusive value.
    Inclusive,
}

impl Pane {
    /// All panes in the order of their numbers on the screen.
    pub const ALL: [Pane; 3] = [Pane::Tree, Pane::Exclusive, Pane::Inclusive];
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

/// The places of everything on a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How much fits.
    pub mode: Mode,
    pub screen: Area,
    /// The line with file, kind and sizes.
    pub title: Area,
    /// The breadcrumbs of focuses; in narrow mode the tabs.
    pub breadcrumbs: Area,
    /// All between the breadcrumbs and the detail line.
    pub body: Area,
    /// The pane of each [`Pane`], borders included. In narrow mode all have the same place, and one is in front.
    pub panes: [Area; 3],
    /// The pane that is in front where only one fits.
    pub front: Pane,
    /// The lines about the selection.
    pub detail: Area,
    /// The line of hints and messages.
    pub hints: Area,
}

impl Layout {
    /// The layout of a screen of this size, with `pane` on top where only one fits.
    pub fn new(width: u16, height: u16, pane: Pane) -> Layout {
        let screen = Area::new(0, 0, width, height);
        let mode = if width < SMALLEST.0 || height < SMALLEST.1 {
            Mode::Tiny
        } else if width >= WIDE.0 && height >= WIDE.1 {
            Mode::Wide
        } else {
            Mode::Narrow
        };
        if mode == Mode::Tiny {
            let none = Area::default();
            return Layout {
                mode,
                screen,
                title: none,
                breadcrumbs: none,
                body: none,
                panes: [none; 3],
                front: pane,
                detail: none,
                hints: none,
            };
        }
        let detail_height = if height >= 12 { 2 } else { 1 };
        let body = Area::new(0, 2, width, height - 3 - detail_height);
        let panes = match mode {
            Mode::Wide => {
                let tree_width = (u32::from(width) * 58 / 100) as u16;
                let upper = body.height.div_ceil(2);
                let (x, right) = (tree_width, width - tree_width);
                [
                    Area::new(0, body.y, tree_width, body.height),
                    Area::new(x, body.y, right, upper),
                    Area::new(x, body.y + upper, right, body.height - upper),
                ]
            }
            _ => [body; 3],
        };
        Layout {
            mode,
            screen,
            title: Area::new(0, 0, width, 1),
            breadcrumbs: Area::new(0, 1, width, 1),
            body,
            panes,
            front: pane,
            detail: Area::new(0, body.y + body.height, width, detail_height),
            hints: Area::new(0, height - 1, width, 1),
        }
    }

    /// The layout of a tree of callers. That of a method has callers above callees in the first two panes, and threads in the third; an
    /// inverted tree has the screen for itself.
    pub fn of_upward(width: u16, height: u16, pane: Pane, has_callees: bool) -> Layout {
        let mut layout = Layout::new(width, height, pane);
        if !has_callees && layout.mode != Mode::Tiny {
            layout.panes = [layout.body, Area::default(), Area::default()];
            layout.front = Pane::Tree;
        } else if layout.mode == Mode::Wide {
            let body = layout.body;
            let tree_width = (u32::from(width) * 68 / 100) as u16;
            let upper = body.height.div_ceil(2);
            layout.panes = [
                Area::new(0, body.y, tree_width, upper),
                Area::new(0, body.y + upper, tree_width, body.height - upper),
                Area::new(tree_width, body.y, width - tree_width, body.height),
            ];
        }
        layout
    }

    /// The same with small hotspot panes, for when they show little and the tree needs the room.
    #[must_use]
    pub fn with_small_hotspots(mut self) -> Layout {
        if self.mode == Mode::Wide {
            let tree_width = (u32::from(self.screen.width) * 72 / 100) as u16;
            let right = self.screen.width - tree_width;
            self.panes[0].width = tree_width;
            for pane in &mut self.panes[1..] {
                (pane.x, pane.width) = (tree_width, right);
            }
        }
        self
    }

    /// Whether a pane is on the screen.
    pub fn is_shown(&self, pane: Pane) -> bool {
        match self.mode {
            Mode::Wide => self.pane(pane).height > 0,
            Mode::Narrow => pane == self.front,
            Mode::Tiny => false,
        }
    }

    /// The area of a pane, borders included.
    pub fn pane(&self, pane: Pane) -> Area {
        self.panes[pane as usize]
    }

    /// The pane without its border; in narrow mode there is none.
    pub fn content(&self, pane: Pane) -> Area {
        let area = self.pane(pane);
        if self.mode == Mode::Wide {
            area.inner()
        } else {
            area
        }
    }

    /// The line with the heads of the columns of a pane.
    pub fn header(&self, pane: Pane) -> Area {
        let content = self.content(pane);
        Area {
            height: content.height.min(1),
            ..content
        }
    }

    /// The rows of a pane, below its heads of columns.
    pub fn rows(&self, pane: Pane) -> Area {
        self.content(pane).below(1)
    }

    /// Where a dialog or a page lies over the panes.
    pub fn overlay(&self) -> Area {
        self.body
    }
}

/// The labels of the tabs in narrow mode, in the order of [`Pane::ALL`], each with a blank on both sides.
pub const TABS: [&str; 3] = [" 1 Tree ", " 2 Exclusive ", " 3 Inclusive "];

/// The same while a method is shown as one thing.
pub const BUTTERFLY_TABS: [&str; 3] = [" 1 Callers ", " 2 Callees ", " 3 Threads "];

/// The pane whose tab is at this column.
pub fn tab_at(tabs: [&str; 3], x: u16) -> Option<Pane> {
    let mut from = 0;
    for (label, pane) in tabs.into_iter().zip(Pane::ALL) {
        let to = from + label.len() as u16;
        if (from..to).contains(&x) {
            return Some(pane);
        }
        from = to;
    }
    None
}

#[cfg(test)]
mod tests;
