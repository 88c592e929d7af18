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
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use raceproof::remote::{Answer, CHILDREN, OPTION, Order, REPLIES, REQUESTS, SERVING};
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
    /// The numbers of the children. Reading it never waits.
    children: PipeReader,
    /// Whether an execution is under way.
    is_asked: bool,
}

impl Running {
    fn start(program: &NativeProgram, wait: &Wait<'_>) -> Result<Self, Trouble> {
        let channel = Channel::new(None).map_err(|wrong| Trouble::Failed(Failed::Wrong(wrong)))?;
        let (from, requests) = io::pipe()?;
        let (replies, to) = io::pipe()?;
        let (children, numbers) = io::pipe()?;
        fcntl(&children, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(io::Error::from)?;
        let word = |name: &str, file: &dyn AsRawFd| {
            format!("{name}=/proc/{}/fd/{}", process::id(), file.as_raw_fd()).into_bytes()
        };
        let words =
            [channel.word(OPTION), word(REQUESTS, &from), word(REPLIES, &to), word(CHILDREN, &numbers)];
        let mut command = program.command(words, Streams::Hidden);
        command.stdin(input());
        same_addresses();
        let child = command.spawn()?;
        let _ends = EndsWithUs::new(&child, Signal::SIGKILL);
        let process = RunningProcess { child, group: true };
        let mut running = Running { process, _ends, channel, requests, replies, children, is_asked: false };
        match running.reply(wait)? {
            // It has opened its ends of the pipes by now.
            SERVING => Ok(running),
            _ => Err(Trouble::Broken),
        }
    }

    fn execute(&mut self, request: &[u8], wait: &Wait<'_>) -> Result<Ended, Trouble> {
        self.channel.renew(request)?;
        self.requests.write_all(&[0])?;
        self.is_asked = true;
        let status = self.reply(wait)?;
        self.is_asked = false;
        // It was written before.
        match self.next_child() {
            Some(_) => Ok(ExitStatus::from_raw(status).into()),
            None => Err(Trouble::Broken),
        }
    }

    /// The next child that the server has told of: there is none if it could not fork, or has not
    /// yet.
    fn next_child(&mut self) -> Option<Pid> {
        let mut number = [0; 4];
        self.children.read_exact(&mut number).ok()?;
        let number = i32::from_le_bytes(number);
        (number > 0).then(|| Pid::from_raw(number))
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
        // Without the server, nobody says any more that the child has ended, and its number is its
        // own until then. It ends with the server by itself; what it has started does not.
        if self.is_asked
            && let Some(child) = self.next_child()
        {
            let _ = killpg(child, Signal::SIGKILL);
        }
        let _ = self.process.end();
    }
}
