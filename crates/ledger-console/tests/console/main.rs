//! The command as its user has it: the program is run, on real servers, and its output and exit status are looked at.

mod support;

mod formats;
mod lists;
mod whole;

mod audit;
mod doctor;
mod doctor_faults;
mod doctor_redis;
mod stats;

mod read_only;
mod unanswered;

mod transcript;
mod watch;
mod watch_restart;
