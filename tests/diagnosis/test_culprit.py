"""Whom a report names as the rank at fault, where the line that shows the failure bears no rank."""

import pytest

from logrules.engine.run import replay
from logrules.model.event import LONGEST_RANGE, ranks_listed
from logrules.ruleset.pack import Pack
from tests.conftest import MemorySource

WATCHDOG = (
    "[rank{0}]:[E ProcessGroupNCCL.cpp:523] [Rank {0}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=70, OpType=ALLREDUCE, NumelIn=8, NumelOut=8, Timeout(ms)=600000) "
    "ran for 600033 milliseconds before timing out.\n"
)
RAISED = 'Traceback (most recent call last):\n  File "/job/a.py", line 3, in step\n    run()\n'
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
SUMMARY = (
    "Root Cause (first observed failure):\n[0]:\n  time      : 2025-01-02_03:04:05\n  host      : gpu-4\n"
    "  rank      : {} (local_rank: 1)\n  exitcode  : {} (pid: 4242)\n"
)
DIED = (
    "A worker died or was killed while executing a task by an unexpected system error. RayTask ID: 00aa Worker ID: 11bb "
    "Node ID: 22cc Worker IP address: {} Worker port: 10021 Worker PID: 400 Worker exit type: SYSTEM_ERROR\n"
)
JOINED = "gpu-9:{0}:{0} [{1}] NCCL INFO ncclCommInitRank comm 0x5 rank {1} nranks 3 cudaDev {1} busId 56000 - Init COMPLETE\n"
PROCESSES = JOINED.format(390, 0) + JOINED.format(400, 1) + JOINED.format(410, 2)
LOST = (
    "[rank{0}]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:537] Read error [10.0.0.9]:4242: "
    "Connection reset by peer\n"
)
PASSED_ON = (
    RAISED + "torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys([3])\n"
    "Traceback (most recent call last): (RANK 3)\n"
    '  File "/env/torch/distributed/checkpoint/filesystem.py", line 600, in write_data\n    raise e\n'
    "OSError: [Errno 28] No space left on device: 'out/__3_0.distcp'\n"
)
MISSING = (
    "[1,0]<stderr>:[2025-01-02 03:04:05.403710: W horovod/common/stall_inspector.cc:105] One or more tensors were "
    "submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more "
    "than 60 seconds.\n[1,0]<stderr>:Missing ranks:\n"
)
STORIES = {
    "who died by the number that its launcher gave it with its rank": (
        "(TorchTrainer pid=2) - (node_id=0a, ip=10.0.0.7, pid=400) world_rank=0, local_rank=0, node_rank=0\n"
        "(TorchTrainer pid=2) - (node_id=0b, ip=10.0.0.8, pid=400) world_rank=1, local_rank=0, node_rank=1\n"
        "(raylet, ip=10.0.0.8) " + DIED.format("10.0.0.8"), 1,
    ),
    "by the number with which it wrote": (
        "(Worker pid=390, ip=10.0.0.8) [rank4]: ready\n(Worker pid=400, ip=10.0.0.8) [rank5]: ready\n"
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"
        "\tclass_name: Worker\n\tpid: 400\n\tip: 10.0.0.8\n", 5,
    ),
    "verl's name of an actor says its place on its node, which is its rank on the first node alone": (
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"
        "\tclass_name: create_colocated_worker_cls.<locals>.WorkerDict\n\tname: Qw34ErWorkerDict_1:3\n", None,
    ),
    "and goes before the number of a process": (
        "(WorkerDict pid=400, ip=10.0.0.8) [rank5]: ready\n"
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n"
        "\tclass_name: create_colocated_worker_cls.<locals>.WorkerDict\n\tpid: 400\n\tname: Qw34ErWorkerDict_0:0\n"
        "\tip: 10.0.0.8\n", 0,
    ),
    "of the same number on two hosts nobody can tell": (
        "(Worker pid=400, ip=10.0.0.7) [rank4]: ready\n(Worker pid=400, ip=10.0.0.8) [rank5]: ready\n"
        "[12345.678901] Out of memory: Killed process 400 (python3) total-vm:412345678kB, anon-rss:251234567kB\n", None,
    ),
    "a number that nobody bore names nobody": (
        PROCESSES + "[12345.678901] Out of memory: Killed process 999 (cc1plus) total-vm:412345678kB, anon-rss:2kB\n",
        None,
    ),
    "who wrote for several is none of them": (
        "(main pid=400) [rank4]: ready\n(main pid=400) [rank5]: ready\n"
        "[12345.678901] Out of memory: Killed process 400 (python3) total-vm:412345678kB, anon-rss:251234567kB\n", None,
    ),
    "the process that the kernel killed": (
        PROCESSES + "[12345.678901] Out of memory: Killed process 410 (python3) total-vm:412345678kB, anon-rss:2kB\n", 2,
    ),
    "the process that the card's fault hit": (
        PROCESSES + "NVRM: Xid (PCI:0000:9a:00): 79, pid=410, name=python3, GPU has fallen off the bus.\n", 2,
    ),
    "the child of whose end a server tells by its number": (
        PROCESSES + "[2025-03-04 05:06:09] Child process unexpectedly failed with exitcode=9. pid=410\n", 2,
    ),
    "the first line of a message of several lines names its writer": (
        "[2025-01-02 03:04:05 TP6] Scheduler hit an exception: " + RAISED + OOM, 6,
    ),
    "behind another's native stack too": (
        "Exception raised from recvBytes at /pytorch/torch/csrc/distributed/c10d/Utils.hpp:682 (most recent call "
        "first):\nframe #0: c10::Error::Error(c10::SourceLocation, std::string) + 0xb0 (0xfffe21 in /usr/lib/libc10.so)"
        "\nframe #1: c10d::TCPStore::doWait() + 0x168 (0xfffe27 in /usr/lib/libtorch_cpu.so)\n\n"
        "[2025-01-02 03:04:05 TP6] Scheduler hit an exception: " + RAISED + OOM, 6,
    ),
    "in a container too": (
        "".join(
            f"engine-1  | {line}\n"
            for line in ("[2025-01-02 03:04:05 TP6] Scheduler hit an exception: " + RAISED + OOM).splitlines()
        ), 6,
    ),
    "the line above a bare traceback too, where it tells of an exception": (
        "[2025-01-02 03:04:05 TP5] Load weight end.\n[2025-01-02 03:04:05 TP6] Exception in the scheduler:\n"
        + RAISED + OOM, 6,
    ),
    "or is an error by its level, as logging prints one": (
        "[rank5]: 2025-01-02 03:04:05,000 INFO step 3\n[rank6]: 2025-01-02 03:04:05,000 ERROR step 3 went wrong\n"
        + RAISED + OOM, 6,
    ),
    "also where the log ends in the midst of it": (
        "[2025-01-02 03:04:05 TP5] Load weight end.\n[2025-01-02 03:04:05 TP6] Exception in the scheduler:\n"
        + RAISED.rstrip("\n"), 6,
    ),
    "what a rank says above the traceback of another is not its own": (
        "[2025-01-02 03:04:05 TP5] Load weight end.\n[2025-01-02 03:04:05 TP6] Load weight end.\n" + RAISED + OOM, None,
    ),
    "of those who fail alike the one that did so well before the others, whoever came to write first": (
        "[rank2]: 2025-01-02 03:04:07,500 ERROR " + OOM + "[rank3]: 2025-01-02 03:04:05,500 ERROR " + OOM, 3,
    ),
    "within the same half second the one that wrote first": (
        "[rank2]: 2025-01-02 03:04:07,500 ERROR " + OOM + "[rank3]: 2025-01-02 03:04:07,300 ERROR " + OOM, 2,
    ),
    "where all fail alike none is at fault, whoever wrote first and whichever the launcher saw end first": (
        "".join(f"[rank{rank}]: {line}\n" for rank in (2, 0, 3, 1) for line in (RAISED + OOM).splitlines())
        + SUMMARY.format(2, 1), None,
    ),
    "that a survivor ended with an error too names nobody": (
        "[rank4]: step 3 loss 0.1\n" + LOST.format(2) + SUMMARY.format(2, 1), None,
    ),
    "who alone ended and reports no loss is the one that the others lost": (
        "".join(f"[rank{rank}]: step 3 loss 0.1\n" for rank in range(4)) + LOST.format(0) + LOST.format(3)
        + SUMMARY.format(1, 1), 1,
    ),
    "but not behind time-outs, where everybody may have waited": (
        WATCHDOG.format(0) + WATCHDOG.format(3) + SUMMARY.format(1, -6), None,
    ),
    "whom one of two lost is the other": ("[rank0]: step 3 loss 0.1\n[rank1]: step 3 loss 0.1\n" + LOST.format(0), 1),
    "of more than two nobody knows which": (
        "".join(f"[rank{rank}]: step 3 loss 0.1\n" for rank in range(3)) + LOST.format(0), None,
    ),
    "the launcher's summary names who failed first": (RAISED + OOM + SUMMARY.format(5, 1), 5),
    "the task of Slurm that was its launcher is no rank": (
        SUMMARY.format(10, -6) + "  error_file: <N/A>\n  traceback : Signal 6 (SIGABRT) received by PID 4242\n"
        "srun: error: gpu-4: task 0: Exited with exit code 1\n", 10,
    ),
    "who was only told to stop did not fail": (RAISED + OOM + SUMMARY.format(5, -15), None),
    "those who wait do not report what the other died of": (
        RAISED + OOM + "".join(WATCHDOG.format(rank) for rank in (0, 1, 3)), 2,
    ),
    "who was killed says nothing, and the others wait for him": (
        WATCHDOG.format(0) + SUMMARY.format(1, -9), 1,
    ),
    "who had ended before the others ran out of time": (
        SUMMARY.format(4, 1) + WATCHDOG.format(0) + WATCHDOG.format(1), 4,
    ),
    "who ends behind the time-out of another may have waited too": (WATCHDOG.format(0) + SUMMARY.format(4, 1), None),
    "who aborts behind his time-out has waited": (WATCHDOG.format(0) + SUMMARY.format(0, -6), None),
    "one of eight waits: that says nothing of the others": (RAISED + OOM + WATCHDOG.format(7), None),
    "a process says its rank once, and later only its number": (
        "gpu-2:77:90 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 9 nranks 16 cudaDev 1 busId 2000 - Init COMPLETE\n"
        "gpu-2:77:95 [0] transport/net_ib.cc:90 NCCL WARN NET/IB : Got completion from peer 10.0.0.4<7> "
        "with error 12, opcode 0, len 0, vendor err 129\n", 9,
    ),
    "the rank in the largest communicator is that of the job": (
        "gpu-2:77:90 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 9 nranks 16 cudaDev 1 busId 2000 - Init COMPLETE\n"
        "gpu-2:77:90 [0] NCCL INFO ncclCommInitRank comm 0x6 rank 1 nranks 2 cudaDev 1 busId 2000 - Init COMPLETE\n"
        "gpu-2:77:95 [0] misc/ibvwrap.cc:262 NCCL WARN Call to ibv_modify_qp failed with error Connection timed out\n",
        9,
    ),
    "who opens a link says its own rank first": (
        "gpu-2:77:90 [1] NCCL INFO Channel 00/0 : 9[1] -> 10[2] via P2P/IPC\n"
        "gpu-2:77:90 [1] enqueue.cc:90 NCCL WARN Cuda failure 'out of memory'\n", 9,
    ),
    "who is sent to says its own rank last": (
        "gpu-2:77:90 [1] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [receive] via NET/IB/0\n"
        "gpu-2:77:90 [1] enqueue.cc:90 NCCL WARN Cuda failure 'out of memory'\n", 8,
    ),
    "whoever joins a tree is its middle": (
        "gpu-2:77:90 [1] NCCL INFO Trees [0] 6/-1/-1->5->4 [1] 6/-1/-1->5->4\n"
        "gpu-2:77:90 [1] enqueue.cc:90 NCCL WARN Cuda failure 'out of memory'\n", 5,
    ),
    "whose call to its own proxy failed": (
        "gpu-2:77:90 [1] proxy.cc:1040 NCCL WARN Proxy Call to rank 9 failed (Setup)\n"
        "gpu-2:77:90 [1] enqueue.cc:90 NCCL WARN Cuda failure 'out of memory'\n", 9,
    ),
    "a process that drives several GPUs is no rank": (
        "gpu-2:77:90 [1] NCCL INFO Channel 00/0 : 1[1] -> 2[2] via P2P/IPC\n"
        "gpu-2:77:91 [2] NCCL INFO Channel 00/0 : 2[2] -> 3[3] via P2P/IPC\n"
        "gpu-2:77:90 [1] enqueue.cc:90 NCCL WARN Cuda failure 'out of memory'\n", None,
    ),
    "a process of several GPUs says so of its communicators": (
        "gpu-2:77:90 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 2 cudaDev 0 busId 2000 - Init COMPLETE\n"
        "gpu-2:77:91 [1] NCCL INFO ncclCommInitRank comm 0x6 rank 1 nranks 2 cudaDev 1 busId 3000 - Init COMPLETE\n"
        "gpu-2:77:90 [0] enqueue.cc:90 NCCL WARN Cuda failure 'out of memory'\n", None,
    ),
    "the only rank that gives its name wrote what bears none": (
        "[rank6]:[E ProcessGroupNCCL.cpp:1743] [PG 0 Rank 6] ProcessGroupNCCL'\n"
        "s watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives.\n", 6,
    ),
    "rank 0 alone gives its name where it alone logs": (
        "[rank0]: loaded the model\nCUDA error: an illegal memory access was encountered\n", None,
    ),
    "who differs from several ranks is the odd one": (
        "[rank1]: RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: "
        "CollectiveFingerPrint(SequenceNumber=7, OpType=ALLGATHER, TensorShape=[1]), but Rank 5 is running collective: "
        "CollectiveFingerPrint(SequenceNumber=0, OpType=REDUCE).\n", 5,
    ),
    "of two that differ from each other nobody is the odd one": (
        "[rank0]: step 3 loss 0.1\n[rank1]: step 3 loss 0.1\n"
        "[rank1]: RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: "
        "CollectiveFingerPrint(SequenceNumber=7, OpType=ALLREDUCE, TensorShape=[8]), but Rank 0 is running collective: "
        "CollectiveFingerPrint(SequenceNumber=7, OpType=ALLREDUCE, TensorShape=[4]).\n", None,
    ),
    "who asked in vain for the socket of another is not to blame": (
        "[rank5]: EI0006: [PID: 91] 2025-01-02-03:04:05.100.200 Getting socket times out.\n", None,
    ),
    "of two it is the one that was asked": (
        "world size: 2\n[rank1]: EI0006: [PID: 91] 2025-01-02-03:04:05.100.200 Getting socket times out.\n", 0,
    ),
    "of several that all wait alike the last to write is not to blame": (
        "[rank0]: > initializing torch distributed ...\n[rank1]: > initializing torch distributed ...\n", None,
    ),
    "who left the others of its node first": (
        "".join(
            f"gpu-2:8{n}:9{n} [{n}] proxy.cc:1611 NCCL WARN [Service thread] Could not receive type from localRank {gone}, "
            "res=6, closed=0\n"
            for n, gone in ((0, 3), (1, 3), (0, 1))
        ), 3,
    ),
    "of several nodes the number on one of them is no rank": (
        "".join(
            f"gpu-{n}:8{n}:9{n} [{n}] proxy.cc:1611 NCCL WARN [Service thread] Could not receive type from localRank 3, "
            "res=6, closed=0\n"
            for n in (0, 1)
        ), None,
    ),
    "another process's number is another rank": (
        "gpu-2:77:90 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 9 nranks 16 cudaDev 1 busId 2000 - Init COMPLETE\n"
        "gpu-3:77:95 [0] misc/ibvwrap.cc:262 NCCL WARN Call to ibv_modify_qp failed with error Connection timed out\n",
        None,
    ),
    "who is not in the list of those that came, whoever wrote it": (
        "[1,0]<stderr>:Stalled ops: HorovodAllreduce_grad_7 [ready ranks: 3, 0, 1]\n", 2,
    ),
    "a list of less than half of the ranks says little of the rest": (
        "[1,0]<stderr>:Stalled ops: HorovodAllreduce_grad_7 [ready ranks: 3, 5]\n", None,
    ),
    "whoever is said to miss tensors that the others have": (
        MISSING + "[1,0]<stderr>:1: [allreduce.grad.3, allreduce.grad.4]\n", 1,
    ),
    "where that is said of all, they take different paths and none is at fault": (
        MISSING + "[1,0]<stderr>:0: [allreduce.grad.7]\n[1,0]<stderr>:1: [allreduce.grad.3, allreduce.grad.4]\n", None,
    ),
    "the process that was spawned raised": (
        "torch.multiprocessing.spawn.ProcessRaisedException: \n\n-- Process 1 terminated with the following error:\n"
        + RAISED + OOM, 1,
    ),
    "a message says on which rank it happened": ("Rank 7: CUDA error: uncorrectable ECC error encountered\n", 7),
    "a message may name the rank within its node alone": (
        "local_rank: 2 | CUDA error: an illegal memory access was encountered\n", 2,
    ),
    "whom it waited for is not where it happened": (
        "CUDA error: an illegal memory access was encountered while it received from rank 3\n", None,
    ),
    "of several ranks in a message none is at fault": (
        "CUDA error: an illegal memory access was encountered between rank 3 and rank 5\n", None,
    ),
    "who never put its id into the store": (
        "[rank1]: torch.distributed.DistBackendError: [1] is setting up NCCL communicator and retrieving ncclUniqueId "
        "from [0] via c10d key-value store by store->get('0'), but store->get('0') got error: wait timeout after "
        "600000ms, keys: /default_pg/0//cuda//0\n", 0,
    ),
    "a script's own prefix, before both ends of the traceback": (
        "".join(f"[3/8] {line}\n" for line in (RAISED + OOM).splitlines()), 3,
    ),
    "numbers that count the lines name nobody": (
        "".join(f"[{n}] {line}\n" for n, line in enumerate((RAISED + OOM).splitlines())), None,
    ),
    "who had done its work before the others lost it": (
        "[rank0]: epoch 0 step 10 loss 2.31\n[rank1]: epoch 0 step 10 loss 2.31\n[rank1]: Training finished\n"
        + "".join(
            f"[rank0]: {line}\n"
            for line in (
                RAISED + "RuntimeError: [gloo/transport/tcp/pair.cc:547] Connection closed by peer [10.0.0.2]:28048"
            ).splitlines()
        ),
        1,
    ),
    "who came to an orderly end while the others waited": (
        "[rank2]:[W1120 22:33:20.376804016 ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was "
        "not called before program exit, which can leak resources.\n" + WATCHDOG.format(0) + WATCHDOG.format(4),
        2,
    ),
    "whose work is done first is no matter where all end well": (
        "[rank1]: Training finished\n[rank0]: Training finished\n" + RAISED + OOM, None,
    ),
    "the only rank of the host whose connection was lost": (
        "".join(
            f"gpu-{n}:7{n}:7{n} [0] NCCL INFO Bootstrap : Using eth0:10.0.0.{n}<0>\n"
            f"gpu-{n}:7{n}:9{n} [0] NCCL INFO ncclCommInitRank comm 0x5 rank {n} nranks 3 cudaDev 0 busId 1 - Init COMPLETE\n"
            for n in (0, 1, 2)
        )
        + "gpu-0:70:90 [0] misc/socket.cc:538 NCCL WARN socketProgress: Connection closed by remote peer 10.0.0.2<4321>\n"
        + "gpu-1:71:91 [0] misc/socket.cc:538 NCCL WARN socketProgress: Connection closed by remote peer gpu-0.lan<4321>\n",
        2,
    ),
    "of several ranks on that host none is named": (
        "".join(
            f"gpu-{n // 2}:7{n}:9{n} [0] NCCL INFO ncclCommInitRank comm 0x5 rank {n} nranks 4 cudaDev 0 busId 1 - Init COMPLETE\n"
            for n in (0, 1, 2, 3)
        )
        + "gpu-0:70:90 [0] misc/socket.cc:538 NCCL WARN socketProgress: Connection closed by remote peer gpu-1<4321>\n",
        None,
    ),
    "a job of one process": ("INFO:root:Initialized (rank/world-size) 0/1\n" + RAISED + OOM, 0),
    "a script's letter and number, or a number in angles, before each line": (
        "".join(f"R3 | {line}\n" for line in (RAISED + OOM).splitlines()), 3,
    ),
    "a host and a local number in brackets": (
        "".join(f"[node12:1] {line}\n" for line in (RAISED + OOM).splitlines()), 1,
    ),
    "Ray Train's driver says which process is which rank": (
        "(TorchTrainer pid=2) - (node_id=0b, ip=10.0.0.8, pid=40) world_rank=2, local_rank=0, node_rank=1\n"
        + "".join(f"(RayTrainWorker pid=40, ip=10.0.0.8) {line}\n" for line in (RAISED + OOM).splitlines()), 2,
    ),
    "a list of the tensors that a rank did not submit is no line of that rank": (
        "WARNING: One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are "
        "waiting for remainder of ranks for more than 60 seconds.\nMissing ranks:\n5: [allreduce.a, allreduce.b ...]\n", 5,
    ),
    "the number of the device where the ranks of one host are told apart": (
        "world size: 8\n" + RAISED + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
        "GPU 7 has a total capacity of 79.15 GiB\n", 7,
    ),
    "the only rank whose lines show an error of that cause": (
        "/b/Indexing.cu:1284: indexSelectLargeIndex: block: [3,0,0], thread: [9,0,0] Assertion `srcIndex < srcSelectDimSize` "
        "failed.\n" + "".join(
            f"[rank6]: {line}\n"
            for line in (RAISED + "RuntimeError: CUDA error: device-side assert triggered").splitlines()
        ), 6,
    ),
    "a watchdog's line that was cut off is a report too": (
        "".join(WATCHDOG.format(rank) for rank in (0, 1, 2)) + WATCHDOG.format(3)[:130], None,
    ),
    "a rank that waits in several groups is behind nobody": (
        WATCHDOG.format(0).replace("=70", "=900") + WATCHDOG.format(0) + WATCHDOG.format(1).replace("=70", "=500"), None,
    ),
    "the lines that follow tell in which group a rank waits": (
        "".join(
            WATCHDOG.format(rank).replace("=70", f"={seq}")
            + f"[rank{rank}]:[E ProcessGroupNCCL.cpp:1785] [PG ID 2 PG GUID {group} Rank {rank}] Exception (either an "
            f"error or timeout) detected by watchdog at work: {seq}, last enqueued NCCL work: {seq}, "
            f"last completed NCCL work: {seq - 1}.\n"
            for rank, seq, group in ((0, 900, 5), (1, 900, 5), (2, 40, 6), (3, 40, 6), (4, 900, 5))
        ), None,
    ),
    "who says its rank in a later line of NCCL alone": (
        "gpu-2:77:95 [3] include/alloc.h:178 NCCL WARN Cuda failure 'out of memory'\n"
        "gpu-2:77:95 [3] proxy.cc:1519 NCCL WARN [Proxy Service 11] Failed to execute operation Setup from rank 11, "
        "retcode 1\n", 11,
    ),
    "DeepSpeed's launcher prints the command that it started last, whoever failed": (
        "[2025-01-02 03:04:05,678] [ERROR] [launch.py:325:sigkill_handler] "
        "['/usr/bin/python3', '-u', 'train.py', '--local_rank=7'] exits with return code = 1\n", None,
    ),
    "of two, the one that the other lost": (
        "world size: 2\n"
        + "".join(
            f"[rank0]: {line}\n"
            for line in (
                RAISED + "RuntimeError: [gloo/transport/tcp/pair.cc:537] Read error [10.0.0.2]:55: Connection reset by peer"
            ).splitlines()
        )
        + "[2025-01-02 03:04:05,678] [ERROR] [launch.py:325:sigkill_handler] "
        "['/usr/bin/python3', '-u', 'train.py', '--local_rank=1'] exits with return code = -9\n", 1,
    ),
    "the rank that is missing at the barrier, where those who wait there name themselves": (
        "".join(
            "INFO:root:Waiting in store based barrier to initialize process group for rank: "
            f"{rank}, key: store_based_barrier_key:1 (world_size=4, worker_count=3, timeout=0:30:00)\n"
            for rank in (0, 2, 1)
        ), 3,
    ),
    "the one rank of the job that wrote nothing": (
        "world size: 4\n" + "".join(WATCHDOG.format(rank) for rank in (0, 1, 2)), 3,
    ),
    "the rank that was killed, where a script of the user's own ended the others": (
        "".join(f"rank {rank} exited with {code}\n" for rank, code in ((0, -15), (2, -9), (1, -15))), 2,
    ),
    "whose writing of its shard failed, as every rank passes it on": (
        "".join(f"[rank{rank}]: {line}\n" for rank in (0, 1) for line in PASSED_ON.splitlines()), 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "culprit"), STORIES.values(), ids=STORIES)
def test_who_is_named(shipped: Pack, text: str, culprit: int | None):
    first = replay([MemorySource("train.log", text)], shipped).diagnoses[0]
    assert first.ranks[:1] == (() if culprit is None else (culprit,))


HOSTS = {
    "the launcher's summary": (RAISED + OOM + SUMMARY.format(5, 1), "gpu-4"),
    "srun's word on its task": (
        "".join(f"9: {line}\n" for line in (RAISED + OOM).splitlines())
        + "srun: error: n02: task 9: Exited with exit code 1\n", "n02",
    ),
    "where the process ran that Hydra saw end": (
        "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 4242 RUNNING AT n03\n=   EXIT CODE: 9\n"
        "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n", "n03",
    ),
    "the only one on which its lines were written, though the first was cut": (
        "n04:4711:0:4711] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81)\n"
        "[n04:4712:0:4712] ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81)\n",
        "n04",
    ),
    "the only one that was lost": (
        "[0] misc/socket.cc:71 NCCL WARN socketProgress: Connection closed by remote peer 10.0.0.3<36138>\n", "10.0.0.3",
    ),
    "the only one that was lost by what another process ended with": (
        "command terminated with exit code 137\nORTE has lost communication with a remote daemon.\n\n"
        "  HNP daemon   : [[4711,0],0] on node job-launcher\n  Remote daemon: [[4711,0],3] on node job-worker-2\n", "job-worker-2",
    ),
    "whose connection Gloo lost": ("RuntimeError: [gloo/transport/tcp/pair.cc:553] Read error [10.0.0.9]:4242: Connection reset by peer\n", "10.0.0.9"),
    "the task of Ray that failed": (
        '(Runner pid=9) Traceback (most recent call last):\n(Runner pid=9)   File "/job/a.py", line 5, in run\n'
        "(Runner pid=9)     ray.get(refs)\n(Runner pid=9) ray.exceptions.RayTaskError(OutOfMemoryError): ray::W.step() "
        '(pid=23, ip=10.0.0.7, actor_id=ab12, repr=<W object at 0x7f>)\n(Runner pid=9)   File "/job/w.py", line 12, in step\n'
        f"(Runner pid=9)     run()\n(Runner pid=9) {OOM}", "10.0.0.7",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "host"), HOSTS.values(), ids=HOSTS)
def test_whose_host_is_named(shipped: Pack, text: str, host: str) -> None:
    assert replay([MemorySource("train.log", text)], shipped).diagnoses[0].hosts[:1] == (host,)


ANY_ADDRESS = "0.0.0.0"  # noqa: S104 (it is read, and nothing binds to it)
WORKERS = {
    "the process that Ray says died": (DIED.format(ANY_ADDRESS), ("pid 400",)),
    "the processes that never registered": (
        "".join(
            f"I0807 17:00:41.812641 71814 71814 worker_pool.cc:265] Some workers of the worker process({pid}) have not "
            "registered to raylet within timeout.\n"
            for pid in (410, 420)
        ),
        ("pid 410", "pid 420"),
    ),
    "the process that raised": (
        "(WorkerDict pid=77) Traceback (most recent call last):\n"
        '(WorkerDict pid=77)   File "/work/reward.py", line 8, in score\n(WorkerDict pid=77)     return table[key]\n'
        "(WorkerDict pid=77) KeyError: 'answer'\n",
        ("WorkerDict pid=77",),
    ),
    "no rank a second time": (RAISED + "KeyError: 'answer'\n", ()),
    "nobody of those who only wait": (
        "(TaskRunner pid=8) Waiting for register center actor a1_register_center to be ready. Elapsed time: 290 seconds "
        "out of 300 seconds.\n",
        (),
    ),
}


@pytest.mark.parametrize(("text", "workers"), WORKERS.values(), ids=WORKERS)
def test_which_processes_are_at_fault(shipped: Pack, text: str, workers: tuple[str, ...]):
    first = replay([MemorySource("train.log", text)], shipped).diagnoses[0]
    assert first.workers == workers
    assert ANY_ADDRESS not in first.hosts


def test_a_fallback_of_another_rank_that_came_later_explains_nothing_known(shipped: Pack) -> None:
    library = RAISED.replace("/job/a.py", "/opt/venv/lib/python3.12/site-packages/transformers/trainer.py")
    later = library + "ValueError: the state of the trainer does not allow that here\n"
    fault = RAISED + "RuntimeError: CUDA error: an illegal memory access was encountered\n"
    text = "".join(f"[rank{rank}]: {line}\n" for rank, part in ((0, fault), (3, later)) for line in part.splitlines())
    first = replay([MemorySource("train.log", text)], shipped).diagnoses[0]
    assert (first.cause, first.ranks[:1]) == ("cuda-illegal-access", (0,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0, 1, 3", {0, 1, 3}),
        ("0-2,5", {0, 1, 2, 5}),
        ("7", {7}),
        ("5-2", set()),
        ("a, 4, 9-b", {4}),
        ("0-1000000", set(range(LONGEST_RANGE + 1))),
    ],
)
def test_a_printed_list_of_ranks_may_hold_ranges(text: str, expected: set[int]):
    assert ranks_listed(text) == expected


def test_however_many_ranges_are_printed_few_ranks_are_taken() -> None:
    ranges = ",".join(f"{first}-{first + LONGEST_RANGE}" for first in range(0, 900_000, 30_000))
    assert LONGEST_RANGE < len(ranks_listed(ranges)) <= 2 * (LONGEST_RANGE + 1)
