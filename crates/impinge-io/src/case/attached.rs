//! Parts attached to links of a case.

use impinge::geometry::Piece;
use impinge::math::Pose;

use super::pose::pose;
use crate::error::Result;
use crate::json::Item;
use crate::scene::Attached;
use crate::shapes::ShapeReader;

/// Reads `{"name", "link", "shape", "pose", "touch"}`; the pose is in the link frame.
pub(super) fn from_json(item: &Item<'_>, reader: &mut ShapeReader<'_>) -> Result<Attached> {
    item.only(&["name", "link", "shape", "pose", "touch"])?;
    let link_from_shape = item.get("pose").map_or(Ok(Pose::IDENTITY), |p| pose(&p, "p"))?;
    let touch = item.get("touch").map_or(Ok(Vec::new()), |t| t.items())?;
    Ok(Attached {
        name: item.need("name")?.text()?.to_owned(),
        link: item.need("link")?.text()?.to_owned(),
        pieces: vec![Piece::new(reader.shape(&item.need("shape")?)?, link_from_shape)],
        touch: touch.iter().map(|t| Ok(t.text()?.to_owned())).collect::<Result<_>>()?,
    })
}
