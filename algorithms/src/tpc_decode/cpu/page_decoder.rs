//! Decodes one page after the other.

use generators::tpc::Digit;

use super::kernel::PadList;
use super::levels::DecodePage;
use super::walk::Job;
use crate::tpc_decode::damage::Damage;
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::payload::Payload;
use crate::tpc_decode::reference;

/// A thread's decoder with its buffers.
pub(super) struct PageDecoder<'a> {
    frame: &'a TimeFrame,
    decode: DecodePage,
    payload: Box<Payload>,
    pads: Box<PadList>,
}

impl<'a> PageDecoder<'a> {
    pub(super) fn new(frame: &'a TimeFrame, decode: DecodePage) -> Self {
        PageDecoder { frame, decode, payload: Payload::new(), pads: PadList::new() }
    }

    /// Writes the digits of a page to a slice whose length is the number that its header states.
    ///
    /// # Errors
    /// Returns the damage; there are no digits then.
    pub(super) fn decode(
        &mut self,
        index: usize,
        page: &OpenPage,
        digits: &mut [Digit],
    ) -> Result<(), Damage> {
        let pages = self.frame.pages.pages();
        self.payload.fill(page, &pages[index], pages.get(index + 1));
        let job =
            Job { page, payload: &self.payload, tables: &self.frame.tables, pads: &mut self.pads };
        match (self.decode)(job, digits) {
            Some(()) => Ok(()),
            None => self.judge(page, digits),
        }
    }

    /// Asks the reference about a page that the decoder rejected.
    #[cold]
    fn judge(&self, page: &OpenPage, digits: &mut [Digit]) -> Result<(), Damage> {
        let mapping = &self.frame.tables.mapping;
        let judged = reference::decode_page(page, &self.payload, mapping)?;
        digits.copy_from_slice(&judged);
        Ok(())
    }
}
