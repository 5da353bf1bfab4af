//! JSON objects whose members are named where they are made, without a type for each document.

use serde::Serialize;
use serde::ser::SerializeMap;

/// Makes a value that serializes as an object with these members: anything that serializes; [`IfAny`], which may be
/// left out; or [`All`], whose members are in its place.
macro_rules! object {
    ($($name:ident $(: $value:expr)?),* $(,)?) => {{
        #[allow(non_camel_case_types, non_snake_case)]
        struct Object<$($name),*> {
            $($name: $name),*
        }
        #[allow(non_camel_case_types, non_snake_case)]
        impl<$($name: $crate::object::Member),*> $crate::object::Members for Object<$($name),*> {
            fn write<M: serde::ser::SerializeMap>(&self, object: &mut M) -> Result<(), M::Error> {
                $($crate::object::Member::write(&self.$name, stringify!($name), object)?;)*
                Ok(())
            }
        }
        #[allow(non_camel_case_types, non_snake_case)]
        impl<$($name: $crate::object::Member),*> serde::Serialize for Object<$($name),*> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut object = serializer.serialize_map(None)?;
                $crate::object::Members::write(self, &mut object)?;
                serde::ser::SerializeMap::end(object)
            }
        }
        Object { $($name $(: $value)?),* }
    }};
}

pub(crate) use object;

pub(crate) trait Members {
    fn write<M: SerializeMap>(&self, object: &mut M) -> Result<(), M::Error>;
}

pub(crate) trait Member {
    fn write<M: SerializeMap>(&self, name: &'static str, object: &mut M) -> Result<(), M::Error>;
}

impl<T: Serialize> Member for T {
    fn write<M: SerializeMap>(&self, name: &'static str, object: &mut M) -> Result<(), M::Error> {
        object.serialize_entry(name, self)
    }
}

/// A member that is left out without a value.
pub(crate) struct IfAny<T>(pub Option<T>);

impl<T: Serialize> Member for IfAny<T> {
    fn write<M: SerializeMap>(&self, name: &'static str, object: &mut M) -> Result<(), M::Error> {
        self.0
            .iter()
            .try_for_each(|value| object.serialize_entry(name, value))
    }
}

/// A member that is left out where it is 0, false or empty.
pub(crate) fn if_any<T: Default + PartialEq>(value: T) -> IfAny<T> {
    IfAny(Some(value).filter(|value| *value != T::default()))
}

/// A list that is left out where it is empty.
pub(crate) fn if_rows<T>(rows: impl Iterator<Item = T>) -> IfAny<Vec<T>> {
    IfAny(Some(rows.collect()).filter(|rows: &Vec<T>| !rows.is_empty()))
}

/// The members of another object, whatever its own name.
pub(crate) struct All<T>(pub T);

impl<T: Members> Member for All<T> {
    fn write<M: SerializeMap>(&self, _: &'static str, object: &mut M) -> Result<(), M::Error> {
        self.0.write(object)
    }
}
