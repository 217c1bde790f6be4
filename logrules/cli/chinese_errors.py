"""What the verbs complain of, in Chinese: a sentence of ours with `{}` where it names something, and the same again.

The first that fits the whole complaint is taken, so longer ones stand before shorter ones that are like them.
"""

import re
from functools import cache

SENTENCES = (
    (
        "either follow logs or start a command behind `--`, not both",
        "要么跟踪日志，要么启动 `--` 之后的命令，不能两者都要",
    ),
    (
        "not enough memory: more is needed than the machine or a limit (`ulimit -v`) gives",
        "内存不足：所需内存超过了本机或限制（`ulimit -v`）允许的大小",
    ),
    (
        "no further thread can be started: more are needed than the machine or a limit (`ulimit -u`, `-v`) gives",
        "无法再启动线程：所需数量超过了本机或限制（`ulimit -u`、`-v`）允许的数目",
    ),
    ("--pty is for a command: {}", "--pty 用于命令：{}"),
    ("--then-quiet is for a saved log: {}", "--then-quiet 用于已保存的日志：{}"),
    ("{} is a program and no log; to start it: {}", "{} 是程序而不是日志；要启动它：{}"),
    ("standard input (-) cannot be followed together with files", "标准输入（-）不能与文件一起跟踪"),
    (
        "nothing to watch: name a log, pipe one in, or start the job behind `--` (see --help)",
        "没有可跟踪的内容：请写日志、通过管道传入，或在 `--` 之后启动任务（见 --help）",
    ),
    (
        "neither hyperscan nor ahocorasick-rs is installed in this Python: install one of them",
        "此 Python 中既没有安装 hyperscan，也没有安装 ahocorasick-rs：请安装其中之一",
    ),
    (
        "--engine ray reads files: standard input cannot be handed to a cluster",
        "--engine ray 读取文件：标准输入无法交给集群",
    ),
    ("the node is gone ({})", "该节点已失联（{}）"),
    ("py-spy is not installed", "没有安装 py-spy"),
    ("the cluster has no node", "集群中没有节点"),
    ("--on-node is for a cluster: add --engine ray", "--on-node 用于集群：请加上 --engine ray"),
    (
        "--on-node reads files of the nodes: leave it out for standard input and URLs",
        "--on-node 读取各节点上的文件：对标准输入和 URL 请不要使用",
    ),
    ("--format jsonl and --echo both want standard output", "--format jsonl 与 --echo 都要使用标准输出"),
    ("--patience: a number above 0, such as 0.5", "--patience：需要大于 0 的数，如 0.5"),
    ("there is no {} `{}`{}", "没有名为 `{1}` 的 {0}{2}"),
    (
        "{}: holds {} rules: name one by its id, and its folder with --rules",
        "{}：含 {} 条规则：请写其中一条的 id，并用 --rules 给出目录",
    ),
    ("no rule is called `{}`{}", "没有名为 `{}` 的规则{}"),
    (
        "explain what? Name a rule, a cause or a phase, or use --causes or --phases",
        "要说明什么？请写规则、原因或阶段，或用 --causes、--phases",
    ),
    ("no rule, cause, phase or code is called `{}`{}", "没有名为 `{}` 的规则、原因、阶段或代码{}"),
    ("`{}` of an installed package cannot be loaded ({})", "已安装的包中的 `{}` 无法加载（{}）"),
    ("--floor needs --coverage or --mutate", "--floor 需要 --coverage 或 --mutate"),
    (
        "--coverage, --mutate and --cost are told as text or json, not as {}",
        "--coverage、--mutate 和 --cost 只能以 text 或 json 输出，不能用 {}",
    ),
    (
        "--changed says which tests to run; --coverage, --mutate and --cost run none: name files",
        "--changed 决定运行哪些测试；--coverage、--mutate 和 --cost 不运行测试：请写文件",
    ),
    ("unknown cause `{}`: see `logrules explain --causes`", "未知的原因 `{}`：见 `logrules explain --causes`"),
    ("{}: name a log and a line, as train.log:1042", "{}：请写日志和行号，如 train.log:1042"),
    (
        "`{}` is no id: small letters, digits and hyphens, in two parts or more, as acme/lost",
        "`{}` 不是 id：用小写字母、数字和连字符，至少两段，如 acme/lost",
    ),
    (
        "--edit needs a place for the file: -o DIR, or `packs` in logrules.toml",
        "--edit 需要存放文件的位置：-o DIR，或 logrules.toml 中的 `packs`",
    ),
    ("{}: is there already; choose another --id", "{}：已经存在；请另选 --id"),
    ("{} is for --inspect", "{} 要与 --inspect 同用"),
    ("--report {}: there is no folder {}", "--report {}：没有目录 {}"),
    (
        "--inspect needs the job's process: start the job behind `--`, or name it with --pid",
        "--inspect 需要任务的进程：在 `--` 之后启动任务，或用 --pid 指明",
    ),
    ("{}: cannot be started ({})", "{}：无法启动（{}）"),
    ("--pty: there are no pseudo-terminals on this system", "--pty：此系统没有伪终端"),
    ("--pty: no pseudo-terminal to be had ({})", "--pty：无法取得伪终端（{}）"),
    ("{}: is {}, not a log", "{}：是 {}，不是日志"),
    ("{}: cannot be looked at ({})", "{}：无法查看（{}）"),
    ("{}: no log there", "{}：那里没有日志"),
    ("{}: remote logs need fsspec: {}", "{}：读取远程日志需要 fsspec：{}"),
    ("no check is called `{}`; there are {}", "没有名为 `{}` 的检查；可用的有 {}"),
    (
        "standard input cannot be read twice: save the log to a file first",
        "标准输入不能读两遍：请先把日志存成文件",
    ),
    ("the pattern {} takes too long; nothing was written", "正则表达式 {} 耗时过长；没有写入任何内容"),
    ("--redact {}: not a regular expression ({})", "--redact {}：不是正则表达式（{}）"),
    (
        "--baseline reads logs twice: name files, not standard input",
        "--baseline 要读两遍日志：请写文件，不能用标准输入",
    ),
    ("{}: no such file or folder", "{}：没有这个文件或目录"),
    (
        "the history is empty: run `logrules scan` first, or name logs or a folder of jobs",
        "历史记录为空：请先运行 `logrules scan`，或写日志或任务目录",
    ),
    ("--most must be at least 1", "--most 至少为 1"),
    (
        "--since chooses among the jobs of the history: name no logs with it",
        "--since 在历史记录中选择任务：不要同时写日志",
    ),
    (
        "no home folder to keep a history in: set LOGRULES_STATE_DIR",
        "没有可保存历史记录的主目录：请设置 LOGRULES_STATE_DIR",
    ),
    (
        "{}: was written by another version of logrules (its form is {})",
        "{}：由另一版本的 logrules 写入（格式为 {}）",
    ),
    ("{}: is another program's database", "{}：是其他程序的数据库"),
    ("{}: cannot be used as history ({})", "{}：不能用作历史记录（{}）"),
    ("{}: no such folder", "{}：没有这个目录"),
    ("{}: nothing matches {}", "{}：没有与 {} 匹配的内容"),
    ("{} {}: say 24h, 7d or a date such as 2025-06-01", "{} {}：请写 24h、7d 或日期，如 2025-06-01"),
    ("{} needs {}: pip install {}", "{} 需要 {}：pip install {}"),
    ("no Ray cluster at `{}`: {}", "`{}` 处没有 Ray 集群：{}"),
    ("--notify {}: only http and https URLs can be notified", "--notify {}：只能通知 http 和 https 的 URL"),
    ("not delivered ({})", "未能送达（{}）"),
    ("--inspect-hosts: {} is no name of a host", "--inspect-hosts：{} 不是主机名"),
    ("--metrics-port {} on {}: cannot be taken ({})", "--metrics-port {}（地址 {}）：无法占用（{}）"),
    ("--metrics-address is for --metrics-port", "--metrics-address 需与 --metrics-port 一起使用"),
    (
        "--metrics-textfile {}: node_exporter reads only files that end in .prom",
        "--metrics-textfile {}：node_exporter 只读取以 .prom 结尾的文件",
    ),
    ("--metrics-textfile {}: there is no folder {}", "--metrics-textfile {}：没有目录 {}"),
    ("{}: cannot be split into words ({})", "{}：无法拆分为单词（{}）"),
    ("{}: names no command", "{}：没有写命令"),
    ("cannot be started ({})", "无法启动（{}）"),
    ("took longer than {} s and was ended", "超过 {} 秒，已被终止"),
    ("ended with status {}", "以状态 {} 结束"),
    (
        "{}: its lines bear no times that logrules can read, so it cannot be replayed by them",
        "{}：各行没有 logrules 能识别的时间，无法按时间重放",
    ),
    (
        "--actor-gpus and --rollout-gpus come to {}, more than --total-gpus {}",
        "--actor-gpus 与 --rollout-gpus 合计 {}，超过 --total-gpus {}",
    ),
    ("--jobs {}: {}", "--jobs {}：无法使用（{}）"),
    ("{}: is empty; nothing to diagnose", "{}：是空的；没有可诊断的内容"),
    ("{}: is a zip archive; unpack it first", "{}：是 zip 压缩包；请先解压"),
    ("{}: is a tar archive; unpack it first", "{}：是 tar 归档；请先解包"),
    ("{}: is a picture", "{}：是图片"),
    ("{}: is a program", "{}：是可执行程序"),
    ("{}: is a database", "{}：是数据库文件"),
    ("{}: is not text", "{}：不是文本"),
    ("{}: holds nothing but NUL bytes", "{}：只有 NUL 字节"),
    ("{}: reading failed ({})", "{}：读取失败（{}）"),
    ("not a line came; nothing to diagnose", "没有收到任何一行；没有可诊断的内容"),
    (
        "{}: options stand behind the verb, as in `logrules diagnose train.log --all`",
        "{}：选项写在子命令之后，如 `logrules diagnose train.log --all`",
    ),
    ("{}: no such file or directory", "{}：没有这个文件或目录"),
    ("{}: permission denied", "{}：没有权限"),
    ("{}: is a directory", "{}：是一个目录"),
    ("{}: cannot be read ({})", "{}：无法读取（{}）"),
    ("{}: no log in this folder ({})", "{}：此目录中没有日志（{}）"),
    ("{} is not text and was passed over{}", "{} 不是文本，已跳过{}"),
    (
        "no log given: name a file, a folder, or - for standard input",
        "没有给出日志：请写文件、目录，或用 - 表示标准输入",
    ),
    ("standard input is closed; name a log file or pipe one in", "标准输入已关闭：请写日志文件，或通过管道传入"),
    ("{}: too slow, one was left out", "{}：太慢，跳过了一次"),
    ("{}: not done when the job had ended, and left", "{}：任务结束时仍未完成，不再等待"),
    ("{}: cannot be told ({})", "{}：无法通知（{}）"),
    ("{} failed and is told no more ({})", "{} 出错，此后不再通知它（{}）"),
    ("{} failed at the end ({})", "{} 在结束时出错（{}）"),
    (
        "the analysis broke down and is off ({}); the log is passed on as before",
        "分析出错，已关闭（{}）；日志照常传递",
    ),
    ("{}: has no table [tool.logrules]", "{}：没有 [tool.logrules] 表"),
    ("{}: is nested too deep", "{}：嵌套过深"),
    ("{}: `{}` must be a list of folders", "{}：`{}` 必须是目录的列表"),
    ("{}: `{}` names a folder that there cannot be", "{}：`{}` 中有不可能存在的目录"),
    ("{}: is not UTF-8 text", "{}：不是 UTF-8 文本"),
    ("{}: is not valid TOML: {}", "{}：不是有效的 TOML：{}"),
    ("the following arguments are required: {}", "缺少参数：{}"),
    ("unrecognized arguments: {}", "不认识的参数：{}"),
    ("argument {}: invalid choice: {} (choose from {}){}", "参数 {}：没有 {} 这个选项（可选：{}）{}"),
    ("argument {}: expected one argument", "参数 {}：需要一个值"),
    ("argument {}: expected at least one argument", "参数 {}：至少需要一个值"),
    ("argument {}: invalid {} value: {}", "参数 {0}：{2} 不是有效的 {1}"),
    ("argument {}: not allowed with argument {}", "参数 {} 不能与 {} 同用"),
)
# What stands within or behind a sentence.
_PARTS = (
    (re.compile(r"looked for names such as "), "找过的文件名："),
    (re.compile(r"; did you mean (\S+) or (\S+) or (\S+)\?$"), r"；是不是想写 \1、\2 或 \3？"),
    (re.compile(r"; did you mean (\S+) or (\S+)\?$"), r"；是不是想写 \1 或 \2？"),
    (re.compile(r"; did you mean (.*)\?$", re.DOTALL), r"；是不是想写 \1？"),
)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile("(.*?)".join(map(re.escape, english.split("{}"))), re.DOTALL), chinese)
        for english, chinese in SENTENCES
    )


def in_chinese(complaint: str) -> str:
    """The complaint in Chinese, as far as it is known here; what it names is kept as it is."""
    complaint = _whole(complaint) or _behind_a_name(complaint) or complaint
    for part, chinese in _PARTS:
        complaint = part.sub(chinese, complaint, count=1)
    return complaint


def _whole(complaint: str) -> str | None:
    for pattern, chinese in _patterns():
        found = pattern.fullmatch(complaint)
        if found:
            return chinese.format(*found.groups())
    return None


def _behind_a_name(complaint: str) -> str | None:
    """What an option or a command that is named first complains of."""
    name, colon, reason = complaint.partition(": ")
    said = _whole(reason) if colon else None
    return f"{name}：{said}" if said else None
