//! A page for a browser: a profile at a glance, to send to others. One file, which loads nothing. Names are escaped in
//! markup and in the script's data.

mod tables;
mod times;

use super::exporter::{Exporter, Output};
use super::flame;
use super::part::{PROGRAM, Part};
use super::svg;
use crate::exporters::messages;
use crate::model::{FrameId, Measure, NodeId, View};
use crate::names::{Category, FrameKind};
use crate::object::object;
use crate::query::{FACTS, PartRequest, QueryError};
use crate::text::{start_of, visible};
use crate::units::{Scale, percent};
use indexmap::IndexMap;
use quick_xml::escape::escape;
use serde::Serialize;
use std::io::{self, Write};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "html",
    extensions: &[".html", ".htm"],
    output: Output::Picture,
    refusal: svg::refuse,
    write,
};

const MAX_FRAMES: usize = 20_000;
const MAX_NAME: usize = 400;

const STYLE: &str = include_str!("../../../assets/page/page.css");
const SCRIPT: &str = include_str!("../../../assets/page/page.js");

fn escaped(text: &str) -> String {
    let text = visible(text);
    let cut = start_of(&text, MAX_NAME);
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{more}", escape(cut))
}

/// Data for a script element. Escapes every `<`: the data can't end the element or start a comment.
fn data_text(data: &impl Serialize) -> String {
    let text = serde_json::to_string(data).unwrap_or_default();
    text.replace('<', "\\u003c")
}

struct Page<'a> {
    part: &'a Part<'a>,
    /// Before collapsing, because lists are about methods.
    view: &'a View,
    request: PartRequest<'a>,
    measure: Measure,
    whole: u64,
    scale: Scale,
    /// Names and looks.
    names: IndexMap<FrameId, (String, u8)>,
}

fn look(view: &View, frame: FrameId) -> u8 {
    let frame = view.frames.get(frame);
    match frame.category {
        _ if frame.is_wait => 5,
        Category::User => 0,
        Category::Library => 1,
        Category::System => 2,
        Category::Native => 3,
        Category::Pseudo => 4,
    }
}

impl<'a> Page<'a> {
    fn new(part: &'a Part<'a>) -> Result<Page<'a>, QueryError> {
        // a row that merges several subtrees has no single node there
        let (view, within) = match part.view.to_single_uncollapsed(part.root) {
            Some(within) => (part.view.uncollapsed(), within),
            None => (part.view, part.root),
        };
        let mut request = PartRequest {
            within,
            metric: Some(&part.chosen_metric().name),
            waiting: None,
        };
        let measure = request.measure(view)?;
        request.waiting = Some(measure.counts_waiting);
        let whole = measure.inclusive(view, within);
        Ok(Page {
            part,
            view,
            request,
            measure,
            whole,
            scale: Scale::for_values(part.chosen_metric().unit, whole),
            names: IndexMap::new(),
        })
    }

    fn name_row(&mut self, view: &View, node: NodeId) -> usize {
        let id = view.tree.frame(node);
        let entry = self.names.entry(id);
        let row = entry.index();
        entry.or_insert_with(|| {
            let name = flame::name(view, node);
            (start_of(&visible(&name), MAX_NAME).into(), look(view, id))
        });
        row
    }

    fn cells(&self, value: u64) -> String {
        let (number, share) = (self.scale.number(value), percent(value, self.whole));
        format!("<td class=v>{number}<td class=s style=--s:{share:.1}%>{share:.1}")
    }

    fn about(&self) -> String {
        let view = self.part.view;
        let value = self.scale.with_unit(self.whole);
        let metric = visible(&self.part.chosen_metric().name);
        let mut about = vec![format!("{metric} {value}")];
        if self.part.root != NodeId::ROOT || self.part.kind(NodeId::ROOT) != FrameKind::Root {
            about.push(visible(&flame::name(view, self.part.root)).into_owned());
        }
        about.extend(view.steps.words(&view.recording));
        let source = &view.recording.source;
        let shown = FACTS.iter().filter_map(|name| source.fact(name));
        about.extend(shown.map(str::to_string));
        about.join(" · ")
    }

    fn cautions(&self) -> String {
        let alerts = self.measure.alerts(self.part.view);
        let alerts = alerts.map(|alert| escaped(&alert.to_string()));
        let alerts = alerts.map(|alert| format!("<p class=caution>⚠ {alert}"));
        let alerts: String = alerts.collect();
        let kind = self.part.view.recording.source.kind;
        let notes = self.part.view.notes().map(ToString::to_string);
        let notes = [kind.about().to_string()].into_iter().chain(notes);
        let notes = notes.map(|note| format!("<li>{}", escaped(&note)));
        let notes: String = notes.collect();
        let title = messages::PAGE_KIND;
        format!("{alerts}<details><summary>{title}</summary><ul>{notes}</ul></details>")
    }

    /// In tree order: depth, name and value of each frame.
    fn flame(&mut self) -> Vec<u64> {
        let mut frames = flame::frames(self.part, self.measure);
        if frames.len() > MAX_FRAMES {
            let mut values: Vec<u64> = frames.iter().map(|frame| frame.value).collect();
            values.sort_unstable_by(|a, b| b.cmp(a));
            let too_small = values[MAX_FRAMES];
            frames.retain(|frame| frame.value > too_small);
        }
        let mut data = Vec::with_capacity(3 * frames.len());
        for frame in frames {
            let name = self.name_row(self.part.view, frame.node) as u64;
            data.extend([frame.depth as u64, name, frame.value]);
        }
        data
    }

    fn html(&mut self) -> Result<String, QueryError> {
        let name = escaped(self.part.source_name());
        let (time, time_data) = self.time();
        let frames = self.flame();
        let hotspots = self.hotspots()?;
        let callers = self.callers()?;
        let names = std::mem::take(&mut self.names).into_values();
        let (names, looks): (Vec<_>, Vec<_>) = names.unzip();
        let data = data_text(&object! {
            names,
            looks,
            frames,
            whole: self.whole,
            unit: self.scale.unit,
            one: self.scale.divisor,
            decimals: self.scale.decimals,
            time: time_data,
            words: object! {
                all: messages::PAGE_ALL,
                found: messages::PAGE_FOUND,
                no_stack: messages::PAGE_NO_STACK,
                runs: messages::PAGE_RUNS,
                waits: messages::PAGE_WAITS,
            },
        });
        let graph = "<p id=frame>&nbsp;<div id=scroll><div id=graph></div></div>";
        let (title, keys) = (messages::PAGE_FLAME, messages::PAGE_FLAME_KEYS);
        let flame = section("flame", title, keys, &(legend() + graph));
        let sections = [time, flame, hotspots, callers].concat();
        Ok(format!(
            "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n\
             <meta name=viewport content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
             <link rel=icon href=data:,>\n<title>{name}</title>\n<style>\n{STYLE}</style>\n\
             <header><h1>{name}</h1><p>{}</p>{}</header>\n\
             <search><input type=search id=search placeholder=\"{}\" aria-label=\"{}\"><output id=found></output></search>\n\
             <main>{sections}</main>\n<footer>{PROGRAM}</footer>\n\
             <script type=application/json id=data>{data}</script>\n<script>\n{SCRIPT}</script>\n",
            escaped(&self.about()),
            self.cautions(),
            messages::PAGE_SEARCH,
            messages::PAGE_SEARCH_LABEL,
        ))
    }
}

fn section(id: &str, title: &str, about: &str, body: &str) -> String {
    format!("<section id={id}><h2>{title}</h2><p class=about>{about}</p>{body}</section>\n")
}

fn legend() -> String {
    let words = messages::PAGE_LEGEND.split(", ").enumerate();
    let words = words.map(|(look, word)| format!("<span><i class=c{look}></i>{word}</span>"));
    format!("<p class=legend>{}</p>", words.collect::<String>())
}

fn write(part: &Part, out: &mut dyn Write) -> io::Result<()> {
    let html = Page::new(part).and_then(|mut page| page.html());
    out.write_all(html.map_err(io::Error::other)?.as_bytes())
}
