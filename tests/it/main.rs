//! Scenarios that run within this process, or run the program for a moment.

#[macro_use]
#[path = "../common/mod.rs"]
mod common;

mod budgets;
mod call_tree_json;
mod call_tree_json_export;
mod cli;
mod collapsed;
mod compare;
mod containers;
mod convert;
mod cpuprofile;
mod diagnostics;
mod docs;
mod dtp;
mod etl;
mod etl_written;
mod every_file;
mod export_occurrences;
mod journeys;
mod kinds;
mod layers;
mod markers;
mod mcp;
mod names;
mod nettrace;
mod nettrace_written;
mod page;
mod peek;
mod perf_script;
mod perfview;
mod pprof;
mod recognised;
mod report_xml;
mod report_xml_damage;
mod reports;
mod round_trips;
mod same_recording;
mod schemas;
mod screens;
mod speedscope;
mod step_properties;
mod steps;
mod svg;
mod time_order;
mod time_ranges;
mod timeline;
mod tokens;
mod trace_event;
mod trace_readers;
mod truncation;
mod views_methods;
mod views_range;
mod views_steps;
mod waits;
