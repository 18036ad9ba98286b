//! Commands to a Redis, a Valkey or a Sentinel over a blocking connection, for administration.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::Error;
use crate::error::Doing;

/// A running server answers these commands at once or, frozen, not at all.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
/// No administrative answer is longer, and no length that a server claims is trusted beyond it.
const ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// What a server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    Text(String),
    Nothing,
    Items(Vec<Reply>),
    /// An error of the server's own, such as `ERR unknown command`.
    Refused(String),
}

impl Reply {
    /// The texts of a list; a list in it is one text of several lines.
    pub(crate) fn texts(&self) -> Vec<String> {
        match self {
            Reply::Items(items) => items.iter().map(Reply::to_string).collect(),
            Reply::Nothing => Vec::new(),
            other => vec![other.to_string()],
        }
    }

    /// The value of a field, where the list is one of names and values by turns.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let texts = self.texts();
        let mut pairs = texts.chunks_exact(2);
        pairs.find(|pair| pair[0] == name).map(|p| p[1].clone())
    }
}

/// As `redis-cli` writes it where nobody looks: the items of a list one a line.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reply::Text(text) | Reply::Refused(text) => f.write_str(text),
            Reply::Nothing => Ok(()),
            Reply::Items(_) => f.write_str(&self.texts().join("\n")),
        }
    }
}

/// Sends one command to the server on a loopback port.
///
/// # Errors
/// [`Error::Refused`] when the server answers with an error, [`Error::Io`] when it does not answer.
pub(crate) fn ask(port: u16, words: &[&str]) -> Result<Reply, Error> {
    let reply = Connection::open(port)
        .and_then(|mut connection| connection.call(words))
        .doing(|| format!("ask the redis on 127.0.0.1:{port} for {}", title(words)))?;
    match reply {
        Reply::Refused(answer) => Err(Error::Refused {
            port,
            command: title(words),
            answer,
        }),
        reply => Ok(reply),
    }
}

/// What messages show of a command: no more than two words, for a later one may be a password.
fn title(words: &[&str]) -> String {
    words[..words.len().min(2)].join(" ")
}

/// A connection for one command after the other.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn open(port: u16) -> io::Result<Connection> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        stream.set_write_timeout(Some(ANSWER_WITHIN))?;
        Ok(Connection {
            stream: BufReader::new(stream),
        })
    }

    pub(crate) fn call(&mut self, words: &[&str]) -> io::Result<Reply> {
        let mut request = format!("*{}\r\n", words.len());
        for word in words {
            request += &format!("${}\r\n{word}\r\n", word.len());
        }
        self.stream.get_mut().write_all(request.as_bytes())?;
        self.reply()
    }

    fn reply(&mut self) -> io::Result<Reply> {
        let line = self.line()?;
        let (kind, rest) = line
            .split_at_checked(1)
            .ok_or_else(|| nonsense("an empty line"))?;
        match kind {
            "+" | ":" => Ok(Reply::Text(rest.to_owned())),
            "-" => Ok(Reply::Refused(rest.to_owned())),
            "$" => match length(rest)? {
                Some(bytes) => self.text(bytes).map(Reply::Text),
                None => Ok(Reply::Nothing),
            },
            "*" => match length(rest)? {
                Some(items) => (0..items)
                    .map(|_| self.reply())
                    .collect::<io::Result<_>>()
                    .map(Reply::Items),
                None => Ok(Reply::Nothing),
            },
            _ => Err(nonsense(&line)),
        }
    }

    /// A line without its end.
    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        let mut bounded = (&mut self.stream).take(ANSWER_BYTES as u64);
        bounded.read_line(&mut line)?;
        match line.strip_suffix("\r\n") {
            Some(line) => Ok(line.to_owned()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// So many bytes, and the end of the line after them.
    fn text(&mut self, bytes: usize) -> io::Result<String> {
        let mut text = vec![0; bytes + 2];
        self.stream.read_exact(&mut text)?;
        text.truncate(bytes);
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// A length as the protocol writes it, where -1 says that there is nothing.
fn length(text: &str) -> io::Result<Option<usize>> {
    match text.parse() {
        Ok(length) if length <= ANSWER_BYTES => Ok(Some(length)),
        _ if text == "-1" => Ok(None),
        _ => Err(nonsense(text)),
    }
}

fn nonsense(text: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("`{text}` is no answer of a redis"),
    )
}
