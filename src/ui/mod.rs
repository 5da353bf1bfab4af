//! Draws the state of the explorer.
