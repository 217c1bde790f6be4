"""The help in Chinese: of every verb a line, of every option one by its English line; a test says which is missing."""

import argparse

DESCRIPTION = "说明机器学习训练卡在哪里、为什么、在哪个 rank，以及先试什么。"
EPILOG = "从 `logrules diagnose train.log` 开始；每个子命令都有 --help 和示例。"
VERBS = {
    "diagnose": "说明一份已保存的日志卡在哪里、为什么失败",
    "watch": "跟踪运行中的任务，一卡住就告知",
    "rules": "列出 logrules 所知道的",
    "explain": "显示一条规则、一个原因或一个阶段的完整说明",
    "test": "运行规则自带的示例",
    "new": "由日志中的一行起草规则",
    "try": "说明一条规则在某份日志上为何触发或不触发",
    "check": "检查规则文件中的错误",
    "fmt": "以统一格式书写规则文件",
    "schema": "打印报告与规则文件的 JSON Schema",
    "doctor": "检查本机是否适合运行训练",
    "bundle": "收集问题报告所需内容，并去除机密",
    "completion": "打印 shell 命令行补全脚本",
    "inspect": "说明运行中任务的各进程停在哪里、为什么挂起",
    "history": "说明扫描过的任务失败的频率、位置与起始时间",
    "scan": "说明许多任务的结果",
    "learn": "把没有规则认识的失败归类，并为每一类起草规则",
    "mcp": "向智能体提供诊断（Model Context Protocol）",
}
HEADINGS = {
    "positional arguments": "位置参数",
    "options": "选项",
    "telling others": "通知他人",
    "looking closer": "进一步检查",
}
_EPILOG_HEADINGS = {"examples:": "示例：", "exit status:": "退出状态："}
OPTIONS = {
    "show this help message and exit": "显示本帮助并退出",
    "print the version": "打印版本",
    "show where an error came from, for a bug report": "显示错误出自何处，用于报告问题",
    "logs, folders of logs, or - for standard input": "日志、日志目录，或用 - 表示标准输入",
    "form (default: text)": "输出格式（默认 text）",
    "further rules; may be repeated": "附加的规则；可重复给出",
    "configuration (default: the nearest logrules.toml or pyproject.toml with [tool.logrules]); or `none`": (
        "配置文件（默认：最近的 logrules.toml 或含 [tool.logrules] 的 pyproject.toml）；或写 `none`"
    ),
    "language of the report (default: from the locale)": "报告的语言（默认取自 locale）",
    "shell of suggested commands": "建议命令所用的 shell",
    "show everything: all diagnoses, evidence and steps": "全部显示：所有诊断、证据和步骤",
    "write the report to FILE": "把报告写入 FILE",
    "lines of the log in an HTML page; 0 leaves the log out (default: 50,000)": (
        "HTML 页面中日志的行数；0 表示不含日志（默认 50,000）"
    ),
    "compile the rules anew": "重新编译规则",
    "who reads: this machine, or an existing Ray cluster (default: local)": (
        "由谁读取：本机，或已有的 Ray 集群（默认 local）"
    ),
    "with --engine ray (default: auto)": "与 --engine ray 同用（默认 auto）",
    "with --engine ray: the logs lie on the nodes' own disks; each node reads what it finds there": (
        "与 --engine ray 同用：日志在各节点自己的磁盘上，由各节点读取自己找到的日志"
    ),
    "processes for many logs (default: one a core)": "读取多份日志的进程数（默认每核一个）",
    "scanning threads (default: 2)": "扫描线程数（默认 2）",
    "size of a read": "每次读取的字节数",
    "a log or a folder of a good run, to say what is new, missing or slower; may be repeated": (
        "正常运行的日志或目录，用来说明哪些是新增、缺失或变慢的；可重复给出"
    ),
    "run the checks of this machine that confirm a diagnosis": "在本机执行能证实诊断的检查",
    "a recipe to hold the log against: a file or a shipped name": "用来对照日志的流程：文件或自带的名称",
    "files, patterns, folders, or - for standard input": "文件、通配模式、目录，或用 - 表示标准输入",
    "pass the log on to standard output (default: all but files)": "把日志原样输出到标准输出（默认：文件除外）",
    "the same as --no-echo": "等同于 --no-echo",
    "give the command after `--` a terminal": "为 `--` 之后的命令提供终端",
    "replay saved logs: 60x, or max to sleep never": "重放已保存的日志：60x，或 max 表示不等待",
    "with --replay: let so much time pass after the last line, such as 15m": (
        "与 --replay 同用：最后一行之后再经过多少时间，如 15m"
    ),
    "wait so many times as long as the rules say before silence is a stall: 0.5, 2 (default: 1)": (
        "静默多久算卡住：规则所定时间的倍数，如 0.5、2（默认 1）"
    ),
    "form of the final report; jsonl: events as they come, on standard output": (
        "最终报告的格式；jsonl：事件发生时逐条写到标准输出"
    ),
    "language (default: from the locale)": "语言（默认取自 locale）",
    "show every diagnosis in the final report": "最终报告中显示所有诊断",
    "a live panel under the log, or instead of it (default: under the log, on a terminal)": (
        "在日志下方显示实时面板，或以面板代替日志（默认：终端上显示在日志下方）"
    ),
    "run CMD when a stall is suspected, and when it lasts": "怀疑卡住时以及卡住持续时运行 CMD",
    "run CMD when a diagnosis is made": "得出诊断时运行 CMD",
    "post news to URL as JSON (with `text`, as Slack reads it)": "以 JSON 把消息发到 URL（含 Slack 能读的 `text`）",
    "keep a report up to date in FILE: JSON, or a page (FILE.html)": "在 FILE 中保持最新报告：JSON 或网页（FILE.html）",
    "serve metrics for Prometheus on PORT": "在 PORT 上提供 Prometheus 指标",
    "with --metrics-port: listen on ADDRESS, such as 0.0.0.0 for every one (default: this machine alone)": (
        "与 --metrics-port 一起使用：监听 ADDRESS，如 0.0.0.0 表示所有地址（默认只限本机）"
    ),
    "keep metrics in FILE (.prom) for node_exporter": "把指标写入 FILE（.prom），供 node_exporter 读取",
    "the job's name in messages, events and metrics (default: $LOGRULES_JOB, the scheduler's id)": (
        "消息、事件和指标中的任务名（默认 $LOGRULES_JOB 或调度器的编号）"
    ),
    "at a stall: py-spy dump, nvidia-smi, ray status": "卡住时执行 py-spy dump、nvidia-smi、ray status",
    "with --inspect: the job's other hosts (a,b,c), asked by ssh; ray: its Ray cluster": (
        "与 --inspect 同用：任务的其他主机（a,b,c），经 ssh 询问；ray：所在的 Ray 集群"
    ),
    "with --inspect: the job's process (default: that behind `--`)": (
        "与 --inspect 同用：任务的进程（默认 `--` 之后的那个）"
    ),
    "only rules that contain this text": "只列出含有此文字的规则",
    "only rules of this framework": "只列出此框架的规则",
    "only rules that belong to this phase": "只列出属于此阶段的规则",
    "only rules that name this cause": "只列出指向此原因的规则",
    "say where each rule came from": "说明每条规则的来源",
    "form of the list": "列表的格式",
    "a rule, a cause, a phase, or a code of `logrules check`": "规则、原因、阶段，或 `logrules check` 的代码",
    "list every cause": "列出所有原因",
    "list every phase": "列出所有阶段",
    "rule files, cases, or folders of them": "规则文件、用例，或其目录",
    "only tests whose name contains WORD": "只运行名称含 WORD 的测试",
    "form of the results (default: text)": "结果的格式（默认 text）",
    "only tests that uncommitted changes can affect": "只运行未提交的改动可能影响的测试",
    "with --changed: changes since this commit": "与 --changed 同用：自此提交以来的改动",
    "list what no example exercises": "列出没有示例覆盖的部分",
    "make rules wrong and list what no example notices": "故意改错规则，列出示例没有发现的改动",
    "list what each rule costs on the cases, dearest first": "列出各规则在用例上的开销，最大的在前",
    "the least share of signals covered, or of mutants noticed": "信号覆盖率或变异发现率的下限",
    "processes (default: one a core)": "进程数（默认每核一个）",
    "a log and the number of the line that tells; further ones show what of it varies": (
        "日志，以及说明问题的那一行的行号；再给几行，可看出其中哪些会变化"
    ),
    "id of the rule, as acme/lost (default: team/ and words of the line)": (
        "规则的 id，如 acme/lost（默认 team/ 加该行中的词）"
    ),
    "what it means (see `logrules explain --causes`)": "它意味着什么（见 `logrules explain --causes`）",
    "write the file below this folder, by its id": "按其 id 把文件写到此目录下",
    "open the file in $VISUAL or $EDITOR": "用 $VISUAL 或 $EDITOR 打开文件",
    "the id of a rule, or its file": "规则的 id 或文件",
    "logs or folders of logs of one job; - for standard input": "同一任务的日志或日志目录；- 表示标准输入",
    "take out what is superfluous; the files are formatted too": "去掉多余的部分；同时统一格式",
    "form of the findings (default: text)": "检查结果的格式（默认 text）",
    "ask the web whether references still exist": "联网检查参考链接是否仍然存在",
    "change nothing, only say which files would be changed": "不作改动，只说明哪些文件会被改动",
    "change nothing, show what would be changed": "不作改动，显示会改动什么",
    "which contract": "哪一份约定",
    "logs, or folders of logs": "日志或日志目录",
    "a configuration file to add": "要加入的配置文件",
    "private details that may stay: emails, paths, addresses (several with commas)": (
        "可以保留的私密信息：emails、paths、addresses（多项用逗号分隔）"
    ),
    "a further form of secret": "另一种机密的形式",
    "the run's Python (default: python on PATH)": "训练所用的 Python（默认 PATH 中的 python）",
    "show everything, write nothing": "全部显示，不写文件",
    "the archive (default: beside you, named after the log)": "压缩包（默认在当前目录，以日志命名）",
    "the shell that is to complete": "需要补全的 shell",
    "GPUs that the run needs on this node": "训练在本节点需要的 GPU 数",
    "GPUs for the actors (training)": "用于 actor（训练）的 GPU 数",
    "GPUs for the rollout (generation)": "用于 rollout（生成）的 GPU 数",
    "GPUs that there should be in all": "总共应有的 GPU 数",
    "data that the run reads": "训练读取的数据",
    "where the run writes (default: here)": "训练写入的位置（默认当前目录）",
    "only these checks, separated by commas": "只做这些检查，用逗号分隔",
    "list the checks": "列出各项检查",
    "for machines": "供程序读取",
    "only jobs that went on after this: 24h, 7d, a date": "只看此后仍在运行的任务：24h、7d 或日期",
    "only jobs with this cause": "只看此原因的任务",
    "only jobs with this culprit": "只看由此 rank 或主机引起的任务",
    "only jobs that failed in this way; its beginning will do": "只看以此方式失败的任务；写开头即可",
    "only jobs whose path fits": "只看路径匹配的任务",
    "forget a job, or all below a folder": "忘记一个任务，或某目录下的所有任务",
    "keep a note on a group; '' takes it back": "为一组任务记下备注；'' 表示撤销",
    "leave a group out until then: 7d, a date": "在此之前不显示某组：7d 或日期",
    "list what jobs have in common": "列出各任务的共同之处",
    "with --group: also groups that are snoozed": "与 --group 同用：也显示被搁置的组",
    "write the list to FILE": "把列表写入 FILE",
    "where results are kept (default: the user's state folder)": "结果保存的位置（默认用户的状态目录）",
    "the job's first process": "任务的第一个进程",
    "the folder in which the job works or writes its logs": "任务工作或写日志的目录",
    "look for who lags behind, not for what hangs": "查找谁落后，而不是什么挂起",
    "the job's other hosts (a,b,c), asked by ssh; ray: its Ray cluster": (
        "任务的其他主机（a,b,c），经 ssh 询问；ray：所在的 Ray 集群"
    ),
    "show every diagnosis": "显示所有诊断",
    "logs, or folders of jobs (default: the history)": "日志或任务目录（默认：历史记录）",
    "what is a job, below a folder (default: *)": "目录下什么算一个任务（默认 *）",
    "only jobs of the history after this: 24h, 7d, a date": "只看历史记录中此后的任务：24h、7d 或日期",
    "logs of runs known to be well; may be repeated": "已知正常的运行日志；可重复给出",
    "kinds of failures to draft for (default: 20)": "为多少类失败起草规则（默认 20）",
    "write the drafts below this folder of rules": "把草稿写到此规则目录下",
    "form of the list (default: text)": "列表的格式（默认 text）",
    "logs below this folder may be read (default: here)": "允许读取此目录下的日志（默认当前目录）",
    "the folder below which jobs are": "任务所在的上级目录",
    "what is a job, below ROOT (default: *)": "ROOT 下什么算一个任务（默认 *）",
    "read jobs again that have not changed": "没有变化的任务也重新读取",
    "keep nothing, and look at nothing that was kept": "不保存结果，也不看已保存的结果",
}


def speak_chinese(parser: argparse.ArgumentParser) -> None:
    """Put what is known in Chinese in the place of the English lines; what packages add keeps their words."""
    for action in parser._actions:  # noqa: SLF001 (argparse has no other way to its actions)
        if action.help:
            action.help = OPTIONS.get(action.help, action.help)
    for group in parser._action_groups:  # noqa: SLF001
        group.title = HEADINGS.get(group.title or "", group.title)
    for english, chinese in _EPILOG_HEADINGS.items():
        parser.epilog = parser.epilog.replace(english, chinese) if parser.epilog else None


def usage_in_chinese(text: str) -> str:
    """The usage that argparse wrote, under a Chinese heading."""
    return text.replace("usage: ", "用法：", 1)
