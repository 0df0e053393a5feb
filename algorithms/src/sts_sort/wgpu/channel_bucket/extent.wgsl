// The first and the last time of some digis.
var<private> first_seen: u32 = ~0u;
var<private> last_seen: u32;

fn see(digi: vec2u) {
    first_seen = min(first_seen, digi_time(digi));
    last_seen = max(last_seen, digi_time(digi));
}
