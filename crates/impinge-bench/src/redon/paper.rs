//! The numbers of Redon, Kim, Lin and Manocha 2004, Tables 1 and 2, as printed (not every total is the sum of its stages).
//!
//! Milliseconds per query on a 2.4 GHz Pentium PC with a GeForce FX 5800.

use super::timing::Outlook;

/// Average times of one kind of query.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Times of each stage; `None` if it was switched off.
    pub stages: [Option<f64>; 3],
    /// Time of the whole query.
    pub total: f64,
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Largest rotation of a joint, degrees.
    pub degrees: f64,
    /// Active stages.
    pub stages: &'static str,
    /// Queries that end in a contact.
    pub colliding: Times,
    /// Free queries.
    pub free: Times,
}

impl Row {
    /// Returns the times of one kind of query.
    pub fn of(&self, outlook: Outlook) -> Times {
        match outlook {
            Outlook::Colliding => self.colliding,
            Outlook::Free => self.free,
        }
    }
}

const fn all(boxes: f64, sweeps: f64, exact: f64, total: f64) -> Times {
    Times { stages: [Some(boxes), Some(sweeps), Some(exact)], total }
}

const fn no_sweeps(boxes: f64, exact: f64, total: f64) -> Times {
    Times { stages: [Some(boxes), None, Some(exact)], total }
}

const fn no_boxes(sweeps: f64, exact: f64, total: f64) -> Times {
    Times { stages: [None, Some(sweeps), Some(exact)], total }
}

const fn only(exact: f64) -> Times {
    Times { stages: [None, None, Some(exact)], total: exact }
}

const fn row(degrees: f64, stages: &'static str, colliding: Times, free: Times) -> Row {
    Row { degrees, stages, colliding, free }
}

/// Robot among pipes.
pub const TABLE_1: [Row; 4] = [
    row(1.0, "1+2+3", all(0.0014, 11.9552, 11.8, 23.7566), all(0.0012, 2.9801, 3.3123, 6.2936)),
    row(5.0, "1+2+3", all(0.0017, 16.1848, 17.9427, 32.3713), all(0.0013, 4.3327, 3.6844, 8.0184)),
    row(15.0, "1+2+3", all(0.0018, 22.1523, 30.5652, 52.7193), all(0.0015, 3.9728, 5.4548, 9.4291)),
    row(30.0, "1+2+3", all(0.0018, 18.6973, 85.4134, 104.1125), all(0.0013, 4.4477, 18.7761, 23.2251)),
];

/// Robot in a machine room.
pub const TABLE_2: [Row; 12] = [
    row(1.0, "1+2+3", all(0.33, 41.58, 7.01, 48.92), all(0.33, 18.54, 2.06, 19.04)),
    row(1.0, "1+3", no_sweeps(0.34, 7.33, 7.67), no_sweeps(0.33, 1.79, 1.24)),
    row(1.0, "2+3", no_boxes(47.60, 23.29, 70.89), no_boxes(41.68, 15.00, 43.53)),
    row(1.0, "3", only(82.24), only(75.05)),
    row(30.0, "1+2+3", all(0.33, 30.83, 116.42, 147.58), all(0.33, 20.18, 46.15, 48.31)),
    row(30.0, "1+3", no_sweeps(0.33, 121.93, 122.26), no_sweeps(0.33, 43.43, 115.40)),
    row(30.0, "2+3", no_boxes(56.14, 147.00, 203.14), no_boxes(44.74, 63.72, 98.90)),
    row(30.0, "3", only(190.79), only(98.41)),
    row(60.0, "1+2+3", all(0.34, 43.13, 480.45, 523.92), all(0.33, 19.05, 91.74, 40.91)),
    row(60.0, "1+3", no_sweeps(0.35, 577.70, 578.05), no_sweeps(0.33, 73.06, 36.79)),
    row(60.0, "2+3", no_boxes(62.23, 519.39, 581.62), no_boxes(44.70, 107.86, 70.08)),
    row(60.0, "3", only(649.48), only(107.29)),
];
