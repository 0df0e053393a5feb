//! Pages of a column, whose claims are checked before anything is allocated by them.

use std::sync::Arc;

use bytes::{Buf, Bytes};
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::thrift::PageSizes;

/// Detector data shrink by less than 10: pages that expand to more than this many times their size
/// are refused.
const MAX_RATIO: u64 = 1000;
/// Decompressed bytes of a page that are allowed whatever its size.
const ALLOWANCE: u64 = 16 << 20;

/// A file whose page headers are checked.
#[derive(Clone)]
pub(super) struct CheckedFile(Arc<PagesOf>);

/// The content of a file.
struct PagesOf(Bytes);

impl CheckedFile {
    pub(super) fn new(bytes: Bytes) -> Self {
        CheckedFile(Arc::new(PagesOf(bytes)))
    }
}

impl Length for PagesOf {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
}

/// Page readers get a reader at the header of each page, and bytes of its content.
impl ChunkReader for PagesOf {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let rest =
            self.0.get(usize::try_from(start)?..).ok_or_else(|| damaged("a page's offset"))?;
        check_sizes(rest)?;
        Ok(self.0.slice_ref(rest).reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let start = usize::try_from(start)?;
        let end = start.checked_add(length).filter(|&end| end <= self.0.len());
        let end = end.ok_or_else(|| damaged("the end of a page"))?;
        Ok(self.0.slice(start..end))
    }
}

fn check_sizes(header: &[u8]) -> Result<()> {
    let sizes = PageSizes::read(header).ok_or_else(|| damaged("a page header"))?;
    let allowed = sizes.compressed.saturating_mul(MAX_RATIO).saturating_add(ALLOWANCE);
    if sizes.decompressed <= allowed {
        return Ok(());
    }
    Err(damaged("a page that expands to more than 1000 times its size, as no data do"))
}

fn damaged(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// Pages of a column.
pub(super) struct CheckedPages {
    pages: SerializedPageReader<PagesOf>,
    has_dictionary: bool,
}

impl CheckedPages {
    /// Opens the pages of a column in a row group.
    pub(super) fn open(
        file: &CheckedFile,
        group: &RowGroupMetaData,
        column: usize,
    ) -> Result<Self> {
        let chunk = group.column(column);
        let offsets = [chunk.dictionary_page_offset(), Some(chunk.data_page_offset())];
        let is_negative = |offset: Option<i64>| offset.is_some_and(|offset| offset < 0);
        if offsets.into_iter().any(is_negative) || chunk.compressed_size() < 0 {
            return Err(damaged("a negative offset"));
        }
        let rows = usize::try_from(group.num_rows())?;
        let pages = SerializedPageReader::new(Arc::clone(&file.0), chunk, rows, None)?;
        Ok(CheckedPages { pages, has_dictionary: false })
    }

    /// Refuses encodings whose content claims sizes, dictionaries with more values than bytes, and
    /// values of a dictionary that is missing.
    fn check(&mut self, page: &Page) -> Result<()> {
        if let Page::DictionaryPage { buf, num_values, .. } = page {
            self.has_dictionary = true;
            if *num_values as usize > buf.len() {
                return Err(damaged("a dictionary with more values than bytes"));
            }
            return Ok(());
        }
        match page.encoding() {
            Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY if !self.has_dictionary => {
                Err(damaged("a page without its dictionary"))
            }
            Encoding::PLAIN
            | Encoding::PLAIN_DICTIONARY
            | Encoding::RLE_DICTIONARY
            | Encoding::RLE
            | Encoding::DELTA_BINARY_PACKED => Ok(()),
            encoding => {
                let problem = format!("the encoding {encoding} is not read; write plain values");
                Err(ParquetError::General(problem))
            }
        }
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.as_ref().map_or(Ok(()), |page| self.check(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}
