//! How a connection is set up, whatever it leads to.

use std::time::Duration;

use redis::RedisResult;
use redis::io::tcp::TcpSettings;
use redis::io::tcp::socket2::TcpKeepalive;
use redis::{Client, ConnectionInfo, IntoConnectionInfo, ProtocolVersion, RedisConnectionInfo};

use crate::Servers;
use crate::servers::Login;

/// How long sent bytes may stay unacknowledged before the kernel gives the connection up. Without
/// it a peer that vanished is noticed after a quarter of an hour.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(5);

/// After so long without traffic the kernel asks whether the peer is still there. A client that
/// waits for a lease sends nothing, and would never hear that Redis' machine is gone.
const IDLE: Duration = Duration::from_secs(5);

pub(super) fn tcp(settings: TcpSettings) -> TcpSettings {
    let keepalive = TcpKeepalive::new().with_time(IDLE).with_interval(IDLE);
    let settings = settings.set_nodelay(true).set_keepalive(keepalive);
    #[cfg(target_os = "linux")]
    let settings = settings.set_user_timeout(UNACKNOWLEDGED);
    settings
}

/// RESP3, because there the client hears of a lost connection at once and not by its next command.
fn session(settings: RedisConnectionInfo, login: Option<&Login>) -> RedisConnectionInfo {
    let settings = settings.set_protocol(ProtocolVersion::RESP3);
    match login {
        Some(login) => settings
            .set_username(login.user.as_str())
            .set_password(login.password.as_str()),
        None => settings,
    }
}

/// Where a URL leads, with the settings of every connection.
pub(super) fn info(url: &str, login: Option<&Login>) -> RedisResult<ConnectionInfo> {
    let info = url.into_connection_info()?;
    let tcp = tcp(info.tcp_settings().clone());
    let session = session(info.redis_settings().clone(), login);
    Ok(info.set_tcp_settings(tcp).set_redis_settings(session))
}

/// A client of one URL.
pub(super) fn client(url: &str, servers: &Servers) -> RedisResult<Client> {
    let info = info(url, servers.login.as_ref())?;
    #[cfg(feature = "tls")]
    if super::tls::is_wanted(&info) {
        return Client::build_with_tls(info, super::tls::certificates(servers));
    }
    Client::open(info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_sends_at_once_and_speaks_resp3_as_the_user_of_its_url_or_of_its_login() {
        let mut servers = Servers::one("redis://me:s3cret@host:7000/3");
        let info = info("redis://me:s3cret@host:7000/3", None).unwrap();
        assert!(info.tcp_settings().nodelay());
        assert_eq!(info.redis_settings().protocol(), ProtocolVersion::RESP3);
        assert_eq!(info.redis_settings().password(), Some("s3cret"));

        servers = servers.with_login("app", "other");
        let client = client("redis://me:s3cret@host:7000/3", &servers).unwrap();
        let session = client.get_connection_info().redis_settings();
        assert_eq!(session.username(), Some("app"));
        assert_eq!(session.password(), Some("other"));
    }
}
