//! The macro behind each module's `messages.rs`, the one file with all user-facing text of that module.

/// Defines the sentences of a room: constants for those without values, then functions that fill in values.
macro_rules! messages {
    (
        $(const $constant:ident = $sentence:literal;)*
        $(fn $function:ident($($value:ident),* $(,)?) = $template:literal;)*
    ) => {
        // some are for Unix alone
        $(#[cfg_attr(windows, allow(dead_code))]
        pub(crate) const $constant: &str = $sentence;)*
        $(
            #[cfg_attr(windows, allow(dead_code))]
            pub(crate) fn $function($($value: &dyn std::fmt::Display),*) -> String {
                format!($template)
            }
        )*
    };
}

pub(crate) use messages;
