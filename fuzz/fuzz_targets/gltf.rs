#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| impinge_testkit::fuzzing::feed("gltf", data));
