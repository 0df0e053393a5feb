//! A slow reader of pages that follows the specification of the formats literally: an independent
//! check of the encoders. It shares no code with them, uses literal numbers as the formats do, and
//! fails the test on any deviation.

use generators::tpc::page::Page;
use generators::tpc::pages::RawPages;
use generators::tpc::{Digit, Endpoint, LinkChannel, PadId, PadMapping};

/// All digits, sorted.
pub fn read(raw: &RawPages, mapping: &PadMapping) -> Vec<Digit> {
    let mut digits = Vec::new();
    for stream in raw.streams() {
        let mut reader = Reader {
            sector: stream.id.sector,
            endpoint: stream.id.endpoint,
            first_orbit: raw.first_orbit(),
            mapping,
            digits: Vec::new(),
        };
        for (i, page) in stream.pages.iter().enumerate() {
            reader.page(page, stream.pages.get(i + 1));
        }
        digits.append(&mut reader.digits);
    }
    digits.sort_unstable();
    let unique = digits.windows(2).all(|pair| pair[0].cell_bits() < pair[1].cell_bits());
    assert!(unique, "a pad has two values in a time bin");
    digits
}

struct Reader<'a> {
    sector: u8,
    endpoint: Endpoint,
    first_orbit: u32,
    mapping: &'a PadMapping,
    digits: Vec<Digit>,
}

impl Reader<'_> {
    fn page(&mut self, page: &Page, next: Option<&Page>) {
        assert_eq!((page[0], page[1]), (7, 64));
        let cru = 10 * u16::from(self.sector) + self.endpoint.number() as u16 / 2;
        let fee = u16_at(page, 2);
        assert_eq!(fee >> 6, cru * 2 + self.endpoint.number() as u16 % 2);
        assert_eq!(page[12], fee as u8 & 0x3f);
        assert_eq!(page[48], 2);
        let size = usize::from(u16_at(page, 10));
        if size == 64 {
            assert!(page[64..].iter().all(|byte| *byte == 0));
            return;
        }
        let header = if fee & 0x3f == 22 { size - 16 } else { 64 };
        assert_eq!(u16_at(page, header + 2), cru);
        assert!(u16_at(page, header + 4) < 3564);
        let before = self.digits.len();
        match page[header] {
            1 | 2 => self.row(page, if page[header] == 1 { 10 } else { 12 }),
            3 => self.link(page),
            version @ (4 | 5) => self.dense(page, next, header, version == 5),
            version => panic!("version {version}"),
        }
        let samples = usize::from(u16_at(page, header + 6));
        assert_eq!(self.digits.len() - before, samples, "samples of the page");
    }

    fn row(&mut self, page: &Page, bits: usize) {
        let time = self.time_bin(page, u16_at(page, 68).into());
        let first_row = self.endpoint.rows().start;
        let mut at = 72;
        for record in 0..u64::from(page[65]) {
            at += at % 2;
            let mask = u16_at(page, at);
            let rows: Vec<_> = (0..15).filter(|bit| mask >> bit & 1 == 1).collect();
            let half = self.endpoint.number() % 2;
            let expected = if rows.is_empty() { 0 } else { half };
            assert_eq!(usize::from(mask >> 15), expected);
            let mut data = at + 2 * rows.len().max(1);
            for (number, row) in rows.iter().enumerate() {
                if number > 0 {
                    assert_eq!(usize::from(u16_at(page, at + 2 * number)), data);
                }
                data = self.row_data(page, data, first_row + row, time + record, bits);
            }
            at = data;
        }
        self.end(page, at);
    }

    /// Reads one row and returns the offset of the next one.
    fn row_data(&mut self, page: &Page, at: usize, row: usize, time: u64, bits: usize) -> usize {
        let sequences = usize::from(page[at]);
        let samples = at + 1 + 2 * sequences;
        let mut done = 0;
        for sequence in 0..sequences {
            let first = usize::from(page[at + 1 + 2 * sequence]);
            let end = usize::from(page[at + 2 + 2 * sequence]);
            assert!(end > done);
            for i in done..end {
                let pad = PadId::new(row as u8, (first + i - done) as u8);
                self.push(pad, time, bits_at(&page[samples..], i * bits, bits));
            }
            done = end;
        }
        samples + (done * bits).div_ceil(8)
    }

    fn link(&mut self, page: &Page) {
        assert_eq!((page[79], u16_at(page, 72)), (0xfd, 0));
        let offset = u64::from(u16_at(page, 68));
        let mut at = 80;
        let mut last = 0;
        for _ in 0..u16_at(page, 74) {
            let word = u16_at(page, at + 10);
            assert_eq!(page[at + 15], 0xfc);
            let time = self.time_bin(page, offset + u64::from(word & 0xfff));
            let channels: Vec<_> =
                (0..80).filter(|bit| page[at + bit / 8] >> (bit % 8) & 1 == 1).collect();
            assert_eq!(usize::from(word >> 12), channels.len().div_ceil(10));
            for (i, channel) in channels.iter().enumerate() {
                let bit = 64 * (i / 5) + 12 * (i % 5);
                let adc = bits_at(&page[at + 16..], bit, 12);
                self.push_channel(page[at + 13], *channel, time, adc);
            }
            at += 16 + 16 * usize::from(word >> 12);
            last = time;
        }
        assert_eq!(last, self.time_bin(page, offset) + u64::from(page[65]));
        self.end(page, at);
    }

    fn dense(&mut self, page: &Page, next: Option<&Page>, header: usize, short: bool) {
        let flags = page[header + 12];
        let size = usize::from(u16_at(page, 10));
        assert_eq!((page[header + 15], size % 32), (0xfd, 0));
        let end = header - if flags & 1 == 1 { 16 } else { 0 };
        let mut payload = page[usize::from(u16_at(page, header + 8))..end].to_vec();
        let continued = flags & 4 != 0;
        let rest = if continued {
            assert_eq!(size, 8192);
            continuation(page, next.expect("a page that it continues in"))
        } else {
            &[]
        };
        payload.extend(rest);
        let mut times = Vec::new();
        let mut at = 0;
        for _ in 0..u16_at(page, header + 10) {
            assert!(at < payload.len() - rest.len(), "a block begins in its page");
            let (time, length) = self.block(page, &payload[at..], short);
            times.push(time);
            at += length;
        }
        assert!(payload.len() - at < 32);
        assert!(!continued || at == payload.len());
        assert!(payload[at..].iter().all(|byte| *byte == 0));
        assert!(page[size..].iter().all(|byte| *byte == 0));
        if let (Some(first), Some(last)) = (times.first(), times.last()) {
            let span = u64::from(page[header + 1]) + 256 * u64::from(flags >> 1 & 1);
            assert_eq!(last - first, span);
            assert_eq!(*first, self.time_bin(page, u16_at(page, header + 4).into()));
        }
    }

    /// Reads one block and returns its time bin and its bytes.
    fn block(&mut self, page: &Page, block: &[u8], short: bool) -> (u64, usize) {
        let links = block[0] & 15;
        let word = (u16::from(block[1]) << 8 | u16::from(block[0])) >> 4;
        let (crossing, bits) = match (short, word & 1) {
            (true, 1) => (word & 0xffc, 10),
            _ => (word, 12),
        };
        let time = self.time_bin(page, crossing.into());
        let mut at = 2;
        let mut channels = Vec::new();
        for _ in 0..links {
            let x = block[at];
            at += 1;
            let second_level = if x & 0x20 != 0 {
                0x3ff
            } else {
                at += 1;
                u16::from(x >> 6) << 8 | u16::from(block[at - 1])
            };
            for group in (0..10).filter(|group| second_level >> group & 1 == 1) {
                let set = (0..8).filter(|bit| block[at] >> bit & 1 == 1);
                channels.extend(set.map(|bit| (x & 0x1f, 8 * group + bit)));
                at += 1;
            }
        }
        for (i, (fec, channel)) in channels.iter().enumerate() {
            let adc = bits_at(&block[at..], i * bits, bits);
            self.push_channel(*fec, *channel, time, adc);
        }
        (time, at + (channels.len() * bits).div_ceil(8))
    }

    /// Behind the data of row and link pages there are zeros, and the stated size
    /// is that of the data or of the slot.
    fn end(&self, page: &Page, at: usize) {
        let size = usize::from(u16_at(page, 10));
        assert!(size == 8192 || size == at.next_multiple_of(16));
        assert!(page[at..].iter().all(|byte| *byte == 0));
    }

    fn time_bin(&self, page: &Page, crossing: u64) -> u64 {
        let orbit = u32::from_le_bytes([page[20], page[21], page[22], page[23]]);
        let orbits = u64::from(orbit.wrapping_sub(self.first_orbit));
        (orbits * 3564 + crossing) / 8
    }

    fn push_channel(&mut self, fec: u8, channel: usize, time: u64, adc: u16) {
        let region = self.endpoint.region();
        let channel = LinkChannel { region, fec, channel: channel as u8 };
        assert_eq!(channel.endpoint(), self.endpoint);
        let pad = self.mapping.pad(channel).expect("a channel of the region");
        self.push(pad, time, adc);
    }

    fn push(&mut self, pad: PadId, time: u64, adc: u16) {
        self.digits.push(Digit::new(self.sector, pad, time as u32, adc));
    }
}

/// The bytes of a page that belong to the last block of the page before.
fn continuation<'a>(page: &Page, next: &'a Page) -> &'a [u8] {
    let counter = u16_at(page, 36);
    let following = u16_at(next, 36);
    assert_eq!(following, counter.wrapping_add(1));
    let header = usize::from(u16_at(next, 10)) - 16;
    &next[64..usize::from(u16_at(next, header + 8))]
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from(bytes[at]) | u16::from(bytes[at + 1]) << 8
}

/// A number of `bits` bits, read bit by bit.
fn bits_at(bytes: &[u8], first: usize, bits: usize) -> u16 {
    (first..first + bits)
        .enumerate()
        .map(|(i, bit)| u16::from(bytes[bit / 8] >> (bit % 8) & 1) << i)
        .sum()
}
