//! The .NET runtime's events, the same in every trace format: methods, modules, the address of each method's code over
//! time, and markers.

mod code;
mod events;
mod markers;
mod payload;
mod space;

pub(super) use code::Code;
pub(super) use events::{CodeEvent, Lifecycle, RuntimeEvent, RuntimeProvider};
pub(super) use markers::{EventOrigin, MarkerEvent, RuntimeMarkers, busiest_providers};
pub(super) use payload::{Field, FieldFormat, decode};
pub(super) use space::{AddressResolver, AddressSpace, NativeCode, ResolvedFrame};
