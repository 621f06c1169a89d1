//! The numbers of Xavier 1997, as printed: seconds for all steps on an SGI Indigo2 R4400/250.

/// Table 1: scenario, experiment, seconds for 25, 50, 100, 200, 400 steps.
pub const TABLE_1: [(&str, &str, [f64; 5]); 8] = [
    ("FT", "D", [1.6, 1.9, 2.2, 2.9, 5.3]),
    ("FT", "I", [0.32, 0.49, 0.83, 1.5, 2.7]),
    ("FT", "DS", [1.5, 1.9, 2.5, 3.8, 6.4]),
    ("FT", "IS", [0.44, 0.64, 1.1, 2.0, 3.5]),
    ("GPM", "D", [2.0, 3.3, 5.9, 10.7, 20.9]),
    ("GPM", "I", [0.59, 1.1, 1.7, 3.1, 6.0]),
    ("GPM", "DS", [3.1, 5.1, 9.3, 17.3, 31.9]),
    ("GPM", "IS", [1.0, 1.6, 2.6, 4.6, 8.6]),
];

/// Table 2: experiment, seconds.
pub const TABLE_2: [(&str, [f64; 5]); 5] = [
    ("TW", [3.7, 3.6, 5.7, 9.8, 7.8]),
    ("TWe", [3.7, 3.7, 5.8, 9.4, 17.8]),
    ("ISW", [0.83, 1.2, 2.1, 3.5, 7.8]),
    ("ISe", [0.44, 0.6, 0.84, 1.49, 2.85]),
    ("ISWe", [1.9, 3.0, 5.1, 8.7, 16.8]),
];

/// The distance that counts as contact in Table 2.
pub const EPSILON: f64 = 0.00128;

/// Section 3.3: margin, problem, seconds for the whole motion at once, pairs.
pub const WHOLE: [(f64, &str, f64, usize); 4] =
    [(0.00124, "(i)", 0.45, 0), (0.00124, "(ii)", 0.45, 0), (0.00126, "(i)", 0.45, 1), (0.00126, "(ii)", 0.89, 1335)];
