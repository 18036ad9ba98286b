//! What the promise tests share.
