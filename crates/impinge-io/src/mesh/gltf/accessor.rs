//! Accessors: typed numbers in a buffer view, dense or sparse.

use impinge::math::Vec3;

use super::buffers::{Buffers, View};
use super::{unsupported, whole};
use crate::error::{IoError, Result};
use crate::json::Item;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Scalar {
    fn of(code: usize) -> Option<Self> {
        Some(match code {
            5120 => Scalar::I8,
            5121 => Scalar::U8,
            5122 => Scalar::I16,
            5123 => Scalar::U16,
            5125 => Scalar::U32,
            5126 => Scalar::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::U32 | Scalar::F32 => 4,
        }
    }

    /// Returns the number in the first bytes; exact.
    fn read(self, b: &[u8]) -> f64 {
        match self {
            Scalar::I8 => f64::from(b[0] as i8),
            Scalar::U8 => f64::from(b[0]),
            Scalar::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
            Scalar::U16 => f64::from(u16::from_le_bytes([b[0], b[1]])),
            Scalar::U32 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            Scalar::F32 => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        }
    }

    /// Returns the divisor of a normalized number; the quotient is then at least -1.
    fn most(self) -> f64 {
        match self {
            Scalar::I8 => 127.0,
            Scalar::U8 => 255.0,
            Scalar::I16 => 32767.0,
            Scalar::U16 => 65535.0,
            Scalar::U32 | Scalar::F32 => 1.0,
        }
    }
}

/// Maximum number of elements read from one file: about two gigabytes.
const MAX_ELEMENTS: u64 = 1 << 26;

/// Number of elements that may still be read. Accessors may share their bytes, so a small file could request many: the number is
/// also bounded by the available bytes.
#[derive(Default)]
pub(super) struct Budget(u64);

impl Budget {
    fn take(&mut self, count: usize, buffers: &Buffers<'_>, item: &Item<'_>) -> Result<()> {
        let limit = (buffers.size().saturating_mul(16) + (1 << 20)).min(MAX_ELEMENTS);
        self.0 = self.0.saturating_add(count as u64);
        if self.0 <= limit {
            return Ok(());
        }
        Err(IoError::TooLarge { at: item.place(), what: format!("{}: too many vertices and indices", item.trail()), limit })
    }
}

/// Elements of `N` numbers each.
struct Elements<'a, const N: usize> {
    view: View<'a>,
    from: usize,
    stride: usize,
    scalar: Scalar,
}

impl<'a, const N: usize> Elements<'a, N> {
    /// Returns `count` elements that start at the `byteOffset` of an item in the `bufferView` it names; all must exist.
    fn new(item: &Item<'_>, buffers: &Buffers<'a>, scalar: Scalar, count: usize) -> Result<Self> {
        let index = item.need("bufferView").and_then(|_| whole(item, "bufferView"))?.unwrap_or(0);
        let (view, from) = (buffers.view(index, item)?, whole(item, "byteOffset")?.unwrap_or(0));
        let size = N * scalar.size();
        let stride = view.stride.unwrap_or(size);
        // Elements do not overlap, so their number is bounded by the available bytes.
        if stride < size {
            return Err(item.bad(format!("has elements of {size} bytes, {stride} apart"), "export the file again"));
        }
        let end = count.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size)?.checked_add(from));
        if end.is_none_or(|end| end > view.bytes().len()) {
            let what =
                format!("{}: {count} elements are announced, but the buffer view has {} bytes", item.trail(), view.bytes().len());
            return Err(IoError::Truncated { at: item.place(), what });
        }
        Ok(Elements { view, from, stride, scalar })
    }

    fn at(&self, i: usize) -> [f64; N] {
        let bytes = &self.view.bytes()[self.from + i * self.stride..];
        std::array::from_fn(|k| self.scalar.read(&bytes[k * self.scalar.size()..]))
    }
}

/// Returns the vertices of an accessor.
pub(super) fn positions(item: &Item<'_>, buffers: &Buffers<'_>, budget: &mut Budget) -> Result<Vec<Vec3>> {
    let (normalized, scalar) = (item.get("normalized").is_some_and(|n| n.value() == true), scalar(item)?);
    let divide = |x: f64| if normalized { (x / scalar.most()).max(-1.0) } else { x };
    let mut vertices = Vec::new();
    for (i, v) in elements::<3>(item, buffers, "VEC3", scalar, budget)?.into_iter().enumerate() {
        if v.iter().any(|c| !c.is_finite()) {
            let (what, text) = (format!("{}: vertex {i}", item.trail()), format!("{} {} {}", v[0], v[1], v[2]));
            return Err(IoError::NonFinite { at: item.place(), what, text });
        }
        vertices.push(Vec3::from(v.map(divide)));
    }
    Ok(vertices)
}

/// Returns the indices of an accessor, each below `count`.
pub(super) fn indices(item: &Item<'_>, buffers: &Buffers<'_>, count: usize, budget: &mut Budget) -> Result<Vec<u32>> {
    let scalar = scalar(item)?;
    check_unsigned(item, scalar)?;
    let all = elements::<1>(item, buffers, "SCALAR", scalar, budget)?;
    all.into_iter().map(|[index]| checked(index, count, item)).collect()
}

/// Returns all elements; a sparse accessor replaces some of them. Their number is charged to the budget before any is read.
fn elements<const N: usize>(
    item: &Item<'_>,
    buffers: &Buffers<'_>,
    kind: &str,
    scalar: Scalar,
    budget: &mut Budget,
) -> Result<Vec<[f64; N]>> {
    if item.need("type")?.text()? != kind {
        return Err(item.bad(format!("is not of type {kind}"), "export the file again"));
    }
    let count = item.need("count").and_then(|_| whole(item, "count"))?.unwrap_or(0);
    let sparse = item.get("sparse");
    let mut all = match (item.get("bufferView"), &sparse) {
        (Some(_), _) => {
            let dense = Elements::<N>::new(item, buffers, scalar, count)?;
            budget.take(count, buffers, item)?;
            (0..count).map(|i| dense.at(i)).collect()
        }
        (None, Some(_)) if count as u64 <= buffers.size() => {
            budget.take(count, buffers, item)?;
            vec![[0.0; N]; count]
        }
        (None, _) => {
            let remedy = "export it without compression, or with its data";
            return Err(unsupported(&item.place(), format!("{} without a bufferView", item.trail()), remedy));
        }
    };
    if let Some(sparse) = sparse {
        let replaced = sparse.need("count").and_then(|_| whole(&sparse, "count"))?.unwrap_or(0);
        let (places, values) = (sparse.need("indices")?, sparse.need("values")?);
        let kind = self::scalar(&places)?;
        check_unsigned(&places, kind)?;
        let (places_at, values) =
            (Elements::<1>::new(&places, buffers, kind, replaced)?, Elements::<N>::new(&values, buffers, scalar, replaced)?);
        for i in 0..replaced {
            let at = checked(places_at.at(i)[0], count, &places)?;
            all[at as usize] = values.at(i);
        }
    }
    Ok(all)
}

fn scalar(item: &Item<'_>) -> Result<Scalar> {
    let code = item.need("componentType").and_then(|_| whole(item, "componentType"))?.unwrap_or(0);
    Scalar::of(code).ok_or_else(|| item.bad(format!("has the component type {code}"), "export the file again"))
}

fn check_unsigned(item: &Item<'_>, scalar: Scalar) -> Result<()> {
    match scalar {
        Scalar::U8 | Scalar::U16 | Scalar::U32 => Ok(()),
        _ => Err(item.bad("has indices that are not unsigned", "export the file again")),
    }
}

/// Returns an index below `count`.
fn checked(index: f64, count: usize, item: &Item<'_>) -> Result<u32> {
    let index = index as u32;
    if (index as usize) < count {
        return Ok(index);
    }
    Err(IoError::BadIndex { at: item.place(), what: item.trail().into(), index: i64::from(index), count })
}
