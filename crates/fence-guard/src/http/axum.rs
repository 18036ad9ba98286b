//! One permit, and several, as extractors; problems as responses.

use axum_core::body::Body;
use axum_core::extract::{FromRequestParts, OptionalFromRequestParts};
use axum_core::response::{IntoResponse, Response};
use http::request::Parts;

use super::field_error::FieldError;
use super::permit::FencePermit;
use super::permits::FencePermits;
use super::problem::Problem;
use crate::error::Error;

impl<S: Sync> FromRequestParts<S> for FencePermit {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<FencePermit, Problem> {
        Ok(FencePermit::from_headers(&parts.headers)?)
    }
}

/// For an endpoint that also serves requests that write nothing. A header that cannot be read is a problem all the
/// same: its sender meant to be fenced.
impl<S: Sync> OptionalFromRequestParts<S> for FencePermit {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        _state: &S,
    ) -> Result<Option<FencePermit>, Problem> {
        match FencePermit::from_headers(&parts.headers) {
            Ok(permit) => Ok(Some(permit)),
            Err(FieldError::Missing) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for FencePermits {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<FencePermits, Problem> {
        Ok(FencePermits::from_headers(&parts.headers)?)
    }
}

/// As for one permit.
impl<S: Sync> OptionalFromRequestParts<S> for FencePermits {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        _state: &S,
    ) -> Result<Option<FencePermits>, Problem> {
        match FencePermits::from_headers(&parts.headers) {
            Ok(permits) => Ok(Some(permits)),
            Err(FieldError::Missing) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.into_http().map(Body::from)
    }
}

/// As the [`Problem`] that it is.
impl IntoResponse for Error {
    fn into_response(self) -> Response {
        Problem::from(self).into_response()
    }
}
