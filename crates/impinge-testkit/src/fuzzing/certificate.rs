//! Altered certificates: the checksum only detects accidents, so it is recomputed.

use impinge_verify::Verifier;

use super::Target;

pub const CERTIFICATE: Target = Target { name: "certificate", feed, tokens: TOKENS, smoke: 1000 };

const TOKENS: &[&str] = &[
    "{\"impinge\":\"scene\",",
    "{\"impinge\":\"motion\",",
    "\"revolute\":[0,0,1]",
    "\"free\"",
    "\"solids\":true,",
    "\"mimic\":{\"frame\":1,\"multiplier\":2,\"offset\":0,\"radius\":[0,0]}",
    "\"planar\":[[0,0,1],0]",
    "\"sphere\":{\"radius\":1}",
    "\"steps\":\"",
    "[0,0,0]",
    "[1,0,0,0,1,0,0,0,1]",
    "\n",
    "5e-324",
    "1.7976931348623157e308",
];

fn feed(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (mut verifier, mut scene) = (Verifier::default(), String::new());
    for line in text.lines() {
        let line = sealed(line, &scene);
        if let Err(problem) = verifier.line(&line) {
            assert!(!problem.to_string().is_empty(), "refused without a word");
        }
        if let Some(known) = &verifier.scene {
            scene.clone_from(&known.checksum);
        }
    }
}

/// Returns the line with a recomputed checksum, referring to this scene.
fn sealed(line: &str, scene: &str) -> String {
    let Some((body, _)) = line.rsplit_once(",\"checksum\"") else { return line.to_owned() };
    let body = match body.split_once("\"scene\":\"").and_then(|(before, after)| Some((before, after.split_once('"')?.1))) {
        Some((before, after)) => format!("{before}\"scene\":\"{scene}\"{after}"),
        None => body.to_owned(),
    };
    let sum = body.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{body},\"checksum\":\"{sum:016x}\"}}")
}
