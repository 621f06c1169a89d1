//! Notes about meshes that are not closed and are treated as surfaces.

use impinge::{Mesh, Scene};

use crate::goal::part_name;

/// Maximum number of names in a note.
const MOST_NAMED: usize = 12;

/// Returns a note about parts that cannot be solids.
pub fn of_scene(scene: &Scene) -> Option<String> {
    of_names(&scene.open_meshes().map(|part| (part_name(scene, part), scene.open_edges(part).unwrap_or(0))).collect::<Vec<_>>())
}

/// Returns the same note about one mesh.
pub fn of_mesh(name: &str, mesh: &Mesh) -> Option<String> {
    if mesh.is_closed() { None } else { of_names(&[(name, mesh.open_edges())]) }
}

fn of_names(open: &[(&str, usize)]) -> Option<String> {
    let parts = if open.len() == 1 { "part has" } else { "parts have" };
    let described = |&(name, edges): &(&str, usize)| match edges {
        0 => format!("{name} (encloses no volume)"),
        1 => format!("{name} (1 open edge)"),
        _ => format!("{name} ({edges} open edges)"),
    };
    let list = open.iter().take(MOST_NAMED).map(described).collect::<Vec<_>>().join(", ");
    let more = if open.len() > MOST_NAMED { ", …" } else { "" };
    (!open.is_empty()).then(|| {
        format!(
            "{} {parts} an open mesh: {list}{more}. Open meshes are surfaces, not solids: a part that starts inside is free \
             unless it touches.",
            open.len()
        )
    })
}
