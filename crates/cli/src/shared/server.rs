//! Executions of a native program without starting it for each: the program is started once, and
//! forks for each execution. `crates/native/src/search/server.rs` is the other end, and says what
//! goes through the pipes.
//!
//! A server that does not come up, or ends, is no error: the program is then started for each
//! execution, and says itself what is wrong with it.

use crate::shared::channel::Channel;
use crate::shared::process::{
    ASK, Ended, ExecutionLimits, Failed, GRACE, NativeProgram, RunningProcess, Streams, input, request,
    same_addresses,
};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use raceproof::remote::{Answer, OPTION, Order, REPLIES, REQUESTS, SERVING};
use raceproof_host::interrupt::EndsWithUs;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{self, ExitStatus};
use std::time::Instant;

/// Runs executions of a program, one after the other.
pub(crate) struct Server<'a> {
    program: &'a NativeProgram,
    running: Option<Running>,
    /// It does not come up.
    unable: bool,
}

/// How an execution has no result.
enum Trouble {
    Failed(Failed),
    /// The server is gone, or says what nobody understands.
    Broken,
}

impl From<io::Error> for Trouble {
    fn from(_: io::Error) -> Self {
        Trouble::Broken
    }
}

impl<'a> Server<'a> {
    pub(crate) fn new(program: &'a NativeProgram) -> Self {
        Server { program, running: None, unable: false }
    }

    /// As [`NativeProgram::execute`].
    pub(crate) fn execute(
        &mut self,
        order: &Order,
        limits: ExecutionLimits,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Ended, Option<Answer>), Failed> {
        let text = request(order, limits)?;
        let wait = Wait { start: Instant::now(), seconds: limits.seconds, stop };
        if self.running.is_none() && !self.unable {
            match Running::start(self.program, &wait) {
                Ok(running) => self.running = Some(running),
                Err(Trouble::Failed(failed)) => return Err(failed),
                Err(Trouble::Broken) => self.unable = true,
            }
        }
        let Some(running) = &mut self.running else {
            return self.program.execute(order, limits, Streams::Hidden, stop);
        };
        match running.execute(&text, &wait) {
            Ok(ended) => Ok((ended, self.program.read(&running.channel, limits)?)),
            Err(trouble) => {
                self.running = None;
                match trouble {
                    Trouble::Failed(failed) => Err(failed),
                    Trouble::Broken => self.program.execute(order, limits, Streams::Hidden, stop),
                }
            }
        }
    }
}

/// How long to wait for an execution.
struct Wait<'a> {
    start: Instant,
    seconds: f64,
    stop: &'a dyn Fn() -> bool,
}

/// A server that is up.
struct Running {
    process: RunningProcess,
    _ends: EndsWithUs,
    channel: Channel,
    requests: PipeWriter,
    replies: PipeReader,
    /// The execution under way.
    child: Option<Pid>,
}

impl Running {
    fn start(program: &NativeProgram, wait: &Wait<'_>) -> Result<Self, Trouble> {
        let channel = Channel::new(None).map_err(|wrong| Trouble::Failed(Failed::Wrong(wrong)))?;
        let (from, requests) = io::pipe()?;
        let (replies, to) = io::pipe()?;
        let word = |name: &str, file: &dyn AsRawFd| {
            format!("{name}=/proc/{}/fd/{}", process::id(), file.as_raw_fd()).into_bytes()
        };
        let words = [channel.word(OPTION), word(REQUESTS, &from), word(REPLIES, &to)];
        let mut command = program.command(words, Streams::Hidden);
        command.stdin(input());
        same_addresses();
        let child = command.spawn()?;
        let _ends = EndsWithUs::new(&child, Signal::SIGKILL);
        let process = RunningProcess { child, group: true };
        let mut running = Running { process, _ends, channel, requests, replies, child: None };
        match running.reply(wait)? {
            // It has opened its ends of the pipes by now.
            SERVING => Ok(running),
            _ => Err(Trouble::Broken),
        }
    }

    fn execute(&mut self, request: &[u8], wait: &Wait<'_>) -> Result<Ended, Trouble> {
        self.channel.renew(request)?;
        self.requests.write_all(&[0])?;
        let child = self.reply(wait)?;
        if child <= 0 {
            return Err(Trouble::Broken);
        }
        self.child = Some(Pid::from_raw(child));
        let status = self.reply(wait)?;
        self.child = None;
        Ok(ExitStatus::from_raw(status).into())
    }

    /// The next number that the server sends.
    fn reply(&mut self, wait: &Wait<'_>) -> Result<i32, Trouble> {
        let most = PollTimeout::try_from(ASK).map_err(io::Error::other)?;
        loop {
            let ready = poll(&mut [PollFd::new(self.replies.as_fd(), PollFlags::POLLIN)], most);
            if ready.is_ok_and(|ready| ready > 0) {
                let mut number = [0; 4];
                self.replies.read_exact(&mut number)?;
                return Ok(i32::from_le_bytes(number));
            }
            if (wait.stop)() {
                return Err(Trouble::Failed(Failed::Stopped));
            }
            if wait.start.elapsed().as_secs_f64() > wait.seconds + GRACE {
                return Err(Trouble::Failed(Failed::Late));
            }
            if self.process.has_ended() {
                return Err(Trouble::Broken);
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Its number is its own as long as the server has not said that it has ended.
        if let Some(child) = self.child {
            let _ = killpg(child, Signal::SIGKILL);
        }
        let _ = self.process.end();
    }
}
