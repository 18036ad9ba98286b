//! `lua/renew.lua` from the client's side.

use fence::Permit;
use redis::{Cmd, RedisWrite};

use crate::error::RenewError;
use crate::reply::Reply;
use crate::script::RENEW;
use crate::{Prefix, Ttl};

pub(crate) fn command(prefix: &Prefix, permit: &Permit, ttl: Ttl) -> Cmd {
    let keys = prefix.keys(permit.resource());
    let mut cmd = RENEW.evalsha(1, 2, keys.capacity() + 96);
    cmd.write_arg_fmt(keys.lease());
    cmd.write_arg_fmt(format_args!("{}:{}", permit.fence(), permit.holder()));
    cmd.arg(ttl.as_millis());
    cmd
}

pub(crate) fn read(prefix: &Prefix, permit: &Permit, reply: Reply) -> Result<(), RenewError> {
    let resource = permit.resource().clone();
    match (reply.word(), reply.fence(1)) {
        ("renewed", _) => Ok(()),
        ("expired", _) => Err(RenewError::Expired { resource }),
        ("taken", Some(by)) => Err(RenewError::TakenOver { resource, by }),
        ("taken" | "foreign", _) => Err(RenewError::ForeignLease {
            key: prefix.lease_key(&resource),
            resource,
        }),
        _ => Err(RenewError::Unknown(reply.unreadable())),
    }
}
