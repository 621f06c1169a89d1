//! An exact oracle for vertex/face and edge/edge queries: fractions, Sturm chains, greatest common divisors. Slow, and independent of
//! the library.

use impinge::features::{FeaturePair, Kind};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

type Q = BigRational;
/// Coefficients, lowest first; the last one is not zero.
type Poly = Vec<Q>;
type PolyVec = [Poly; 3];

/// Returns a bracket of the first contact, rounded outward by less than 1e-15, or `None`.
pub fn first_contact(pair: &FeaturePair) -> Option<(f64, f64)> {
    // One factor makes all coordinates integers.
    let numbers = pair.start.iter().chain(&pair.end).flat_map(|p| p.to_array());
    let numbers = primitive(numbers.map(|x| Q::from_float(x).expect("finite")).collect());
    let corner = |i: usize| -> PolyVec {
        std::array::from_fn(|k| {
            let (a, b) = (&numbers[3 * i + k], &numbers[12 + 3 * i + k]);
            trim(vec![a.clone(), b - a])
        })
    };
    let [a, b, c, d] = [0, 1, 2, 3].map(corner);
    let borders = match pair.kind {
        Kind::VertexFace => vec![(&a, &b, &c), (&a, &c, &d), (&a, &d, &b)],
        Kind::EdgeEdge => vec![(&a, &c, &d), (&b, &c, &d), (&c, &a, &b), (&d, &a, &b)],
    };
    let (u, v, w) = match pair.kind {
        Kind::VertexFace => (apart(&c, &b), apart(&d, &b), apart(&a, &b)),
        Kind::EdgeEdge => (apart(&b, &a), apart(&d, &c), apart(&c, &a)),
    };
    let n = cross(&u, &v);
    let at = |r: &mut Root| {
        if n.iter().all(|k| r.sign(k) == 0) {
            return borders.iter().any(|(p, x, y)| on_segment(r, p, x, y));
        }
        // Signs of the coordinates along both edges, times |n|^2.
        let nn = dot(&n, &n);
        let first = dot(&cross(&w, &v), &n);
        match pair.kind {
            Kind::VertexFace => {
                let second = dot(&cross(&u, &w), &n);
                let rest = sub(&sub(&nn, &first), &second);
                r.sign(&first) >= 0 && r.sign(&second) >= 0 && r.sign(&rest) >= 0
            }
            Kind::EdgeEdge => {
                let second = dot(&cross(&w, &u), &n);
                [&first, &second].iter().all(|q| r.sign(q) >= 0 && r.sign(&sub(&nn, q)) >= 0)
            }
        }
    };
    let f = primitive(dot(&n, &w));
    let mut touching = Vec::new();
    if f.is_empty() {
        let mut start = Root::rational(Q::zero());
        if at(&mut start) {
            touching.push(start);
        }
        for (p, x, y) in &borders {
            touching.extend(meetings(p, x, y).into_iter().filter_map(|mut r| on_segment(&mut r, p, x, y).then_some(r)));
        }
    } else {
        touching.extend(roots(&f).into_iter().filter_map(|mut r| at(&mut r).then_some(r)));
    }
    let width = Q::new(BigInt::one(), BigInt::one() << 52);
    for r in &mut touching {
        while &r.hi - &r.lo > width {
            r.refine();
        }
    }
    let lo = touching.iter().map(|r| &r.lo).min()?.to_f64()?;
    let hi = touching.iter().map(|r| &r.hi).min()?.to_f64()?;
    Some((lo.next_down(), hi.next_up()))
}

fn trim(mut p: Poly) -> Poly {
    while p.last().is_some_and(Zero::is_zero) {
        p.pop();
    }
    p
}

fn sub(a: &Poly, b: &Poly) -> Poly {
    let at = |p: &Poly, i: usize| p.get(i).cloned().unwrap_or_else(Q::zero);
    trim((0..a.len().max(b.len())).map(|i| at(a, i) - at(b, i)).collect())
}

fn mul(a: &Poly, b: &Poly) -> Poly {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut product = vec![Q::zero(); a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    trim(product)
}

fn apart(a: &PolyVec, b: &PolyVec) -> PolyVec {
    std::array::from_fn(|k| sub(&a[k], &b[k]))
}

fn cross(a: &PolyVec, b: &PolyVec) -> PolyVec {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        sub(&mul(&a[i], &b[j]), &mul(&a[j], &b[i]))
    })
}

fn dot(a: &PolyVec, b: &PolyVec) -> Poly {
    let minus = |p: Poly| p.into_iter().map(|c| -c).collect::<Poly>();
    let [x, y, z] = std::array::from_fn(|k| mul(&a[k], &b[k]));
    sub(&sub(&x, &minus(y)), &minus(z))
}

/// Returns quotient and remainder.
fn divide(a: &Poly, b: &Poly) -> (Poly, Poly) {
    let (mut rest, mut quotient) = (a.clone(), vec![Q::zero(); (a.len() + 1).saturating_sub(b.len())]);
    while rest.len() >= b.len() {
        let factor = rest[rest.len() - 1].clone() / &b[b.len() - 1];
        let shift = rest.len() - b.len();
        for (i, c) in b.iter().enumerate() {
            rest[shift + i] -= &factor * c;
        }
        rest = trim(rest);
        quotient[shift] = factor;
    }
    (trim(quotient), rest)
}

/// Scales to integer coefficients without a common factor: the signs stay the same, and fractions stay small.
fn primitive(p: Poly) -> Poly {
    let denominators = p.iter().fold(BigInt::one(), |l, c| l.lcm(c.denom()));
    let whole: Vec<BigInt> = p.iter().map(|c| c.numer() * (&denominators / c.denom())).collect();
    let content = whole.iter().fold(BigInt::zero(), |g, c| g.gcd(c));
    whole.into_iter().map(|c| Q::from_integer(if content.is_zero() { c } else { c / &content })).collect()
}

fn gcd(a: &Poly, b: &Poly) -> Poly {
    let (mut a, mut b) = (primitive(a.clone()), primitive(b.clone()));
    while !b.is_empty() {
        let rest = divide(&a, &b).1;
        (a, b) = (b, primitive(rest));
    }
    a
}

fn value(p: &Poly, t: &Q) -> Q {
    p.iter().rev().fold(Q::zero(), |sum, c| sum * t + c)
}

fn slope(p: &Poly) -> Poly {
    p.iter().enumerate().skip(1).map(|(i, c)| c * Q::from_integer(BigInt::from(i))).collect()
}

fn square_free(p: &Poly) -> Poly {
    let d = slope(p);
    if d.is_empty() { p.clone() } else { divide(p, &gcd(p, &d)).0 }
}

fn chain(p: &Poly) -> Vec<Poly> {
    let mut chain = vec![p.clone(), slope(p)];
    while chain.len() >= 2 && !chain[chain.len() - 1].is_empty() {
        let rest = divide(&chain[chain.len() - 2], &chain[chain.len() - 1]).1;
        chain.push(primitive(rest.into_iter().map(|c| -c).collect()));
    }
    chain.retain(|p| !p.is_empty());
    chain
}

fn changes(chain: &[Poly], t: &Q) -> usize {
    let signs: Vec<bool> = chain.iter().map(|p| value(p, t)).filter(|v| !v.is_zero()).map(|v| v.is_positive()).collect();
    signs.windows(2).filter(|w| w[0] != w[1]).count()
}

/// Returns the roots of a square-free polynomial in (lo, hi].
fn count(chain: &[Poly], lo: &Q, hi: &Q) -> usize {
    changes(chain, lo) - changes(chain, hi)
}

/// A real root: exactly `lo` if `lo == hi`, else the only one in (lo, hi].
#[derive(Clone)]
struct Root {
    p: Poly,
    lo: Q,
    hi: Q,
}

impl Root {
    fn rational(t: Q) -> Root {
        Root { p: Vec::new(), lo: t.clone(), hi: t }
    }

    fn refine(&mut self) {
        if self.lo == self.hi {
            return;
        }
        if value(&self.p, &self.hi).is_zero() {
            self.lo = self.hi.clone();
            return;
        }
        let middle = (&self.lo + &self.hi) / Q::from_integer(BigInt::from(2));
        if value(&self.p, &middle).is_zero() {
            (self.lo, self.hi) = (middle.clone(), middle);
        } else if value(&self.p, &middle).is_positive() == value(&self.p, &self.hi).is_positive() {
            // A simple root, and the only one: beyond it the sign is that at the end.
            self.hi = middle;
        } else {
            self.lo = middle;
        }
    }

    fn sign(&mut self, g: &Poly) -> i32 {
        if g.is_empty() {
            return 0;
        }
        // Clearly not zero: farther from it than the slope allows within the bracket.
        let steepest: Q = g.iter().enumerate().map(|(i, c)| c.abs() * Q::from_integer(BigInt::from(i))).sum();
        let fine = Q::new(BigInt::one(), BigInt::one() << 60);
        while self.lo != self.hi && &self.hi - &self.lo > fine {
            let v = value(g, &self.hi);
            if v.abs() > &steepest * (&self.hi - &self.lo) {
                return if v.is_positive() { 1 } else { -1 };
            }
            (0..12).for_each(|_| self.refine());
        }
        if self.lo != self.hi {
            let shared = gcd(&self.p, g);
            if shared.len() > 1 && count(&chain(&square_free(&shared)), &self.lo, &self.hi) > 0 {
                return 0;
            }
            let free = primitive(square_free(g));
            let own = chain(&free);
            while free.len() > 1
                && self.lo != self.hi
                && (count(&own, &self.lo, &self.hi) > 0 || value(&free, &self.lo).is_zero())
            {
                self.refine();
            }
        }
        let v = value(g, &self.hi);
        i32::from(v.is_positive()) - i32::from(v.is_negative())
    }
}

/// Returns all roots in [0, 1] of a polynomial that is not zero.
fn roots(p: &Poly) -> Vec<Root> {
    let p = primitive(square_free(&primitive(p.clone())));
    let mut found = Vec::new();
    if p.len() < 2 {
        return found;
    }
    if value(&p, &Q::zero()).is_zero() {
        found.push(Root::rational(Q::zero()));
    }
    let chain = chain(&p);
    let mut open = vec![(Q::zero(), Q::one())];
    while let Some((lo, hi)) = open.pop() {
        match count(&chain, &lo, &hi) {
            0 => {}
            1 => found.push(Root { p: p.clone(), lo, hi }),
            _ => {
                let middle = (&lo + &hi) / Q::from_integer(BigInt::from(2));
                open.push((middle.clone(), hi));
                open.push((lo, middle));
            }
        }
    }
    found
}

fn on_segment(r: &mut Root, p: &PolyVec, x: &PolyVec, y: &PolyVec) -> bool {
    let (d, w) = (apart(y, x), apart(p, x));
    if cross(&w, &d).iter().any(|c| r.sign(c) != 0) {
        return false;
    }
    let (l, s) = (dot(&d, &d), dot(&w, &d));
    if r.sign(&l) == 0 {
        return w.iter().all(|c| r.sign(c) == 0);
    }
    r.sign(&s) >= 0 && r.sign(&sub(&l, &s)) >= 0
}

/// Returns the times at which a point can lie on a segment in its plane.
fn meetings(p: &PolyVec, x: &PolyVec, y: &PolyVec) -> Vec<Root> {
    let common = |v: &PolyVec| v.iter().filter(|c| !c.is_empty()).fold(Vec::new(), |g: Poly, c| gcd(&g, c));
    let mut found = vec![Root::rational(Q::zero())];
    let in_line = common(&cross(&apart(p, x), &apart(y, x)));
    if in_line.is_empty() {
        for end in [x, y] {
            found.extend(roots(&common(&apart(p, end))));
        }
    } else {
        found.extend(roots(&in_line));
    }
    found
}
