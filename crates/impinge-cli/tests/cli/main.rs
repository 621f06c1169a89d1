//! The built command, driven from outside: exit codes, lines, files.

mod batches;
mod cases;
mod certificates;
mod files;
mod pairs;
mod queries;
mod robots;
mod shared;
mod step;
mod swept;
mod watch;
mod world;
