//! Transforms of COLLADA nodes: the first one written is applied last, `outer * inner`.

use impinge::math::rounding::U;
use impinge::math::trig::sin_cos;
use impinge::math::{Mat3, Vec3};
use roxmltree::Node;

use crate::error::{IoError, Result};
use crate::mesh::affine::Affine;
use crate::number;
use crate::xml::{self, Xml};

/// Maximum difference of a matrix's bottom row from 0 0 0 1: exporters print six digits.
const BOTTOM_ROW: f64 = 1e-6;

/// Returns the transform that a node's own elements describe.
pub(super) fn of_node(xml: &Xml<'_>, node: Node<'_, '_>) -> Result<Affine> {
    let mut all = Affine::IDENTITY;
    for element in node.children().filter(Node::is_element) {
        let one = match element.tag_name().name() {
            "matrix" => matrix(xml, element)?,
            "translate" => Affine::new(Mat3::IDENTITY, Vec3::from(floats::<3>(xml, element)?)),
            "scale" => Affine::new(diagonal(floats::<3>(xml, element)?), Vec3::ZERO),
            "rotate" => rotate(xml, element)?,
            "skew" | "lookat" => {
                return Err(IoError::UnsupportedFormat {
                    at: xml.place(element),
                    what: format!("the transform <{}>", element.tag_name().name()),
                    remedy: "export transforms as matrices".into(),
                });
            }
            _ => continue,
        };
        all = all * one;
    }
    Ok(all)
}

/// Reads a matrix of sixteen numbers, row by row.
fn matrix(xml: &Xml<'_>, element: Node<'_, '_>) -> Result<Affine> {
    let m = floats::<16>(xml, element)?;
    if m[12..].iter().zip([0.0, 0.0, 0.0, 1.0]).any(|(found, wanted)| (found - wanted).abs() > BOTTOM_ROW) {
        return Err(IoError::BadElement {
            at: xml.place(element),
            what: "the last row of a matrix is not 0 0 0 1".into(),
            remedy: "write the matrix row by row, without projection".into(),
        });
    }
    let linear = Mat3::from_rows([[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]]]);
    Ok(Affine::new(linear, Vec3::new(m[3], m[7], m[11])))
}

/// Reads a rotation given by an axis and an angle in degrees (Rodrigues).
fn rotate(xml: &Xml<'_>, element: Node<'_, '_>) -> Result<Affine> {
    let [x, y, z, degrees] = floats::<4>(xml, element)?;
    if degrees == 0.0 {
        return Ok(Affine::IDENTITY);
    }
    let axis = Vec3::new(x, y, z);
    let length = axis.norm();
    let (s, c) = sin_cos_degrees(degrees);
    if !(length > 0.0 && length.is_finite() && s.is_finite()) {
        return Err(IoError::BadElement {
            at: xml.place(element),
            what: format!("a rotation about ({x}, {y}, {z}) by {degrees} degrees"),
            remedy: "write a unit axis and an angle in degrees".into(),
        });
    }
    let u = axis * (1.0 / length);
    let along = Mat3::outer(u, u);
    let linear = (Mat3::IDENTITY - along) * c + Mat3::cross_matrix(u) * s + along;
    // Quarter turns about a coordinate axis are exact. Otherwise the error of sine and cosine is at most 8 u, the angle's
    // conversion included, of the axis 5 u and of its square 10 u, and products and sums add 5 u: less than 40 u in an entry.
    let exact = [s, c].iter().all(|x| [-1.0, 0.0, 1.0].contains(x)) && axis.norm1() == axis.max_abs();
    Ok(Affine::computed(linear, Vec3::ZERO, if exact { 0.0 } else { 40.0 * U }))
}

/// Returns sine and cosine; exact for multiples of a quarter turn, which most files use.
fn sin_cos_degrees(degrees: f64) -> (f64, f64) {
    match degrees.rem_euclid(360.0) {
        0.0 => (0.0, 1.0),
        90.0 => (1.0, 0.0),
        180.0 => (0.0, -1.0),
        270.0 => (-1.0, 0.0),
        other => sin_cos(other.to_radians()),
    }
}

fn diagonal(d: [f64; 3]) -> Mat3 {
    Mat3::from_rows([[d[0], 0.0, 0.0], [0.0, d[1], 0.0], [0.0, 0.0, d[2]]])
}

/// Reads exactly `N` numbers inside an element.
fn floats<const N: usize>(xml: &Xml<'_>, element: Node<'_, '_>) -> Result<[f64; N]> {
    let text = xml::text(element);
    let mut words = text.split_ascii_whitespace();
    let name = || format!("<{}>", element.tag_name().name());
    let mut numbers = [0.0; N];
    for (i, slot) in numbers.iter_mut().enumerate() {
        let word = words.next().ok_or_else(|| IoError::Truncated {
            at: xml.place(element),
            what: format!("{} holds {i} numbers instead of {N}", name()),
        })?;
        *slot = number::parse(word, || (xml.place(element), name()))?;
    }
    match words.next() {
        None => Ok(numbers),
        Some(_) => Err(IoError::BadElement {
            at: xml.place(element),
            what: format!("{} holds more than {N} numbers", name()),
            remedy: format!("write {N}"),
        }),
    }
}
