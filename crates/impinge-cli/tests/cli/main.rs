//! The built command, driven from outside: exit codes, lines, files.

mod attached;
mod batches;
mod cases;
mod certificates;
mod clearance;
mod dancers;
mod distance;
mod documents;
mod engines;
mod files;
mod formats;
mod frames;
mod limits;
mod loops;
mod names;
mod newcomers;
mod pairs;
mod queries;
mod robots;
mod several;
mod shared;
mod step;
mod swept;
mod watch;
mod witnesses;
mod world;
