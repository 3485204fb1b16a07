"""A real Slurm on one machine: four nodes, three partitions, fake GPUs, memory limits that kill.

Needs root and Debian's slurmctld, slurmd, slurm-client, slurm-wlm-basic-plugins and munge; no systemd, no
slurmdbd. Everything lies in one folder; only links to its configuration are put under /etc/slurm, because
Snakemake's plugin drops SLURM_CONF from the environment.
"""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "munged")
NODES = ("n1", "n2", "n3", "n4")
WITH_GPUS = ("n3", "n4")
ETC = Path("/etc/slurm")
FILES = ("slurm.conf", "cgroup.conf", "gres.conf")

SLURM_CONF = """\
ClusterName=semblance
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ProctrackType={proctrack}
TaskPlugin={task}
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=10
MinJobAge=1800
SlurmdTimeout=20
InactiveLimit=0
ReturnToService=2
SchedulerParameters=batch_sched_delay=1,sched_interval=5
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
GresTypes=gpu
MpiDefault=none
SwitchType=switch/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
{nodes}
PartitionName=cpu Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=gpu Nodes=n3,n4 MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=urgent Nodes=n1,n2,n3,n4 MaxTime=INFINITE State=UP PriorityTier=10
"""
NODE = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=16 Boards=1 SocketsPerBoard=1 "
    "CoresPerSocket=16 ThreadsPerCore=1 RealMemory=200000 State=UNKNOWN{gres}"
)
CGROUP_CONF = (
    "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nConstrainRAMSpace=yes\nConstrainDevices=no\n"
)


def missing() -> str:
    """Return why no Slurm can be started here, or nothing."""
    if os.geteuid():
        return "needs root"
    lacking = [name for name in PROGRAMS if not shutil.which(name)]
    if lacking:
        packages = "slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge"
        return f"not installed: {', '.join(lacking)} (Debian: {packages})"
    if any((ETC / name).exists() and not (ETC / name).is_symlink() for name in FILES):
        return f"{ETC} holds a real configuration, which is left alone"
    return ""


def free_ports(count: int) -> list[int]:
    """Return ports nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    """The daemons of one cluster and what its user can ask of it."""

    def __init__(self, folder: Path):
        self.folder, self.daemons = folder, {}
        self.host = socket.gethostname().split(".")[0]
        self.cgroups = os.access("/sys/fs/cgroup/memory", os.W_OK)

    def start(self) -> None:
        """Start munge, the controller and the nodes; return when all nodes are idle."""
        self._write_configuration()
        self._start_munge()
        self._start("slurmctld", "slurmctld", "-D", "-c")
        for node in NODES:
            self.start_node(node)
        states = lambda: self.ask("sinfo", "-h", "-N", "-p", "urgent", "-o", "%T").split()
        self.wait(lambda: states() == ["idle"] * len(NODES), 60, "nodes are idle")

    def stop(self) -> None:
        """Cancel every job and stop every daemon."""
        subprocess.run(["scancel", "-u", "root"], capture_output=True, timeout=30)
        with contextlib.suppress(TimeoutError):
            self.wait(lambda: not self.ask("squeue", "-h"), 30, "no jobs are left")
        for process in reversed(list(self.daemons.values())):
            process.terminate()
        for process in self.daemons.values():
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
        for name in FILES:
            if (ETC / name).is_symlink() and (ETC / name).readlink() == self.folder / name:
                (ETC / name).unlink()

    def start_node(self, node: str) -> None:
        """Start one node's daemon."""
        self._start(node, "slurmd", "-D", "-c", "-N", node)

    def kill_node(self, node: str) -> None:
        """Let a node die: its daemon and every process of its jobs, at once and without a word."""
        self.daemons[node].kill()
        self.daemons.pop(node).wait()
        for pid in self.pids(node):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    @staticmethod
    def pids(node: str) -> list[int]:
        """Return the processes of a node's jobs, the daemons of their steps included."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if _is_of(process, node) or _serves(process, node):
                    found.append(int(process.name))
        return found

    def ask(self, *command: str) -> str:
        """Return what a client program prints."""
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()

    def jobs(self, *states: str) -> dict[str, dict[str, str]]:
        """Return the known jobs: {id: {state, node, name, workdir, comment}}."""
        wanted = ("-t", ",".join(states) or "all", "-o", "%i|%T|%N|%j|%Z|%k")
        keys = ("state", "node", "name", "workdir", "comment")
        found = {}
        for row in self.ask("squeue", "-h", *wanted).splitlines():
            number, *facts = row.split("|")
            found[number] = dict(zip(keys, facts, strict=True))
        return found

    @staticmethod
    def wait(until, seconds: float, what: str) -> None:
        """Wait until something holds; raise TimeoutError that says what did not come about."""
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end:
                raise TimeoutError(f"after {seconds} s: not yet that {what}")
            time.sleep(0.2)

    def _write_configuration(self) -> None:
        for name in ("munge", "state", *(f"spool-{n}" for n in NODES)):
            (self.folder / name).mkdir(parents=True, mode=0o700)
        controller_port, *ports = free_ports(1 + len(NODES))
        gpus = []
        for node in WITH_GPUS:
            for i in range(4):
                device = self.folder / f"{node}-gpu{i}"
                subprocess.run(["mknod", str(device), "c", "1", "3"], check=True)
            gpus.append(f"NodeName={node} Name=gpu File={self.folder}/{node}-gpu[0-3]")
        nodes = []
        for name, port in zip(NODES, ports, strict=True):
            gres = " Gres=gpu:4" if name in WITH_GPUS else ""
            nodes.append(NODE.format(name=name, host=self.host, port=port, gres=gres))
        kind = "cgroup" if self.cgroups else "linuxproc"
        texts = {
            "slurm.conf": SLURM_CONF.format(
                host=self.host,
                controller_port=controller_port,
                folder=self.folder,
                nodes="\n".join(nodes),
                proctrack=f"proctrack/{kind}",
                task="task/cgroup" if self.cgroups else "task/none",
            ),
            "cgroup.conf": CGROUP_CONF,
            "gres.conf": "AutoDetect=off\n" + "\n".join(gpus) + "\n",
        }
        ETC.mkdir(exist_ok=True)
        for name, text in texts.items():
            (self.folder / name).write_text(text)
            (ETC / name).unlink(missing_ok=True)
            (ETC / name).symlink_to(self.folder / name)

    def _start_munge(self) -> None:
        folder = self.folder / "munge"
        (folder / "key").write_bytes(secrets.token_bytes(128))
        (folder / "key").chmod(0o400)
        files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log"}
        files |= {"seed-file": "seed"}
        options = [f"--{option}={folder / name}" for option, name in files.items()]
        self._start("munge", "munged", "--foreground", "--force", *options)
        self.wait((folder / "socket").exists, 20, "munge answers")

    def _start(self, name: str, *command: str) -> None:
        with open(self.folder / f"{name}.out", "ab") as log:
            self.daemons[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")},
            )


def _is_of(process: Path, node: str) -> bool:
    """Tell whether a process belongs to a job of the node."""
    return f"SLURMD_NODENAME={node}".encode() in (process / "environ").read_bytes().split(b"\0")


def _serves(process: Path, node: str) -> bool:
    """Tell whether a process is the daemon of a step: its children are the node's jobs."""
    if not (process / "cmdline").read_bytes().startswith(b"slurmstepd"):
        return False
    children = (process / f"task/{process.name}/children").read_text().split()
    return any(_is_of(Path("/proc", child), node) for child in children)


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """Run a cluster whose files lie in an empty folder."""
    cluster = Cluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
