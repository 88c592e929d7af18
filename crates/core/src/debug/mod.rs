//! What a race is worth to whoever has to fix it: witnesses for predicted races, and their checker.
