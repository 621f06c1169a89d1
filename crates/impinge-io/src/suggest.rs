//! Suggestions for unknown names.

/// Maximum number of names in a message.
const LISTED: usize = 40;

/// Returns `did you mean 'elbow'? known names: base, elbow`, for messages about an unknown name.
pub fn known_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let meant = did_you_mean(name, known.iter().copied());
    let listed = known.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    match known.len() {
        0 => "no names are known".into(),
        n if n > LISTED => format!("{meant}known names: {listed} and {} more", n - LISTED),
        _ => format!("{meant}known names: {listed}"),
    }
}

/// Returns `did you mean 'elbow'? ` if a known name is near enough, else an empty text.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or(String::new(), |near| format!("did you mean '{near}'? "))
}

/// Returns the known name that differs from `name` in the fewest letters, and in at most a third of them; case is ignored.
fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let most = wanted.len().div_ceil(3);
    let own = |full: &str| full.rsplit('/').next().unwrap_or_default().to_lowercase().chars().collect::<Vec<_>>();
    let distance = |full: &str| {
        let whole: Vec<char> = full.to_lowercase().chars().collect();
        edits(&wanted, &whole, most).min(edits(&wanted, &own(full), most))
    };
    known.into_iter().map(|k| (distance(k), k)).filter(|(d, _)| *d <= most).min_by_key(|(d, _)| *d).map(|(_, k)| k)
}

/// Returns the Levenshtein distance, or a number above `most`.
fn edits(a: &[char], b: &[char], most: usize) -> usize {
    if a.len().abs_diff(b.len()) > most {
        return most + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut before = i;
        row[0] = i + 1;
        for (k, y) in b.iter().enumerate() {
            let changed = before + usize::from(x != y);
            before = row[k + 1];
            row[k + 1] = changed.min(before + 1).min(row[k] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested_and_all_are_listed() {
        let known = ["arm/base", "arm/elbow_link", "arm/hand", "table"];
        let list = "known names: arm/base, arm/elbow_link, arm/hand, table";
        for (name, near) in [("tabel", "table"), ("hnad", "arm/hand"), ("arm/elbow_lnik", "arm/elbow_link"), ("BASE", "arm/base")]
        {
            assert_eq!(known_names(name, known), format!("did you mean '{near}'? {list}"));
        }
        assert_eq!(known_names("gripper", known), list);
        assert_eq!(known_names("x", []), "no names are known");
        let many: Vec<String> = (0..100).map(|i| format!("l{i}")).collect();
        assert!(known_names("zzz", many.iter().map(String::as_str)).ends_with("l39 and 60 more"));
    }
}
