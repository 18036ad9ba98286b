//! CSV by RFC 4180, but for the line ends, which are LF.

use std::io;

use super::Row;

/// Rows as records; the first one names the fields.
pub(super) fn text<R: Row>(rows: &[R], with_head: bool) -> io::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    if let Some(first) = rows.first().filter(|_| with_head) {
        writer.write_record(first.fields().into_iter().map(|(name, _)| name))?;
    }
    for row in rows {
        let fields = row.fields().into_iter();
        writer.write_record(fields.map(|(_, field)| field.into_csv()))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    String::from_utf8(bytes).map_err(io::Error::other)
}
