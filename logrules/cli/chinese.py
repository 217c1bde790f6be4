"""What the command line says in Chinese: the list of verbs, and the complaints that users meet most."""

import re

from logrules.cli.chinese_errors import sentence_in_chinese

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
# Complaints of ours and of argparse; what a complaint names is kept as it is.
_COMPLAINTS = [
    (re.compile(pattern, re.DOTALL), chinese)
    for pattern, chinese in (
        (r"^(.*): no such file or directory$", r"\1：没有这个文件或目录"),
        (r"^(.*): permission denied$", r"\1：没有权限"),
        (r"^(.*): is a directory$", r"\1：是一个目录"),
        (r"^(.*): cannot be read \((.*)\)$", r"\1：无法读取（\2）"),
        (r"^(.*): no log in this folder \((.*)\)$", r"\1：此目录中没有日志（\2）"),
        (r"looked for names such as (.*)\)|looked for names such as (.*)）", r"找过的文件名：\1\2）"),
        (r"^(.*) is not text and was passed over", r"\1 不是文本，已跳过"),
        (
            r"^no log given: name a file, a folder, or - for standard input$",
            "没有给出日志：请写文件、目录，或用 - 表示标准输入",
        ),
        (r"^standard input is closed; name a log file or pipe one in$", "标准输入已关闭：请写日志文件，或通过管道传入"),
        (r"^the following arguments are required: (.*)$", r"缺少参数：\1"),
        (r"^unrecognized arguments: (.*?)(; did you mean .*)?$", r"不认识的参数：\1\2"),
        (r"^argument (.*): invalid choice: (\S+) \(choose from (.*?)\)", r"参数 \1：没有 \2 这个选项（可选：\3）"),
        (r"^argument (.*): expected one argument$", r"参数 \1：需要一个值"),
        (r"^argument (.*): expected at least one argument$", r"参数 \1：至少需要一个值"),
        (r"^argument (.*): invalid (\w+) value: (.*)$", r"参数 \1：\3 不是有效的 \2"),
        (r"^argument (.*): not allowed with argument (.*)$", r"参数 \1 不能与 \2 同用"),
        (r"; did you mean (.*)\?$", r"；是不是想写 \1？"),
    )
]


def in_chinese(complaint: str) -> str:
    """The complaint in Chinese, as far as it is one of those known here."""
    complaint = sentence_in_chinese(complaint) or complaint
    for pattern, chinese in _COMPLAINTS:
        complaint = pattern.sub(chinese, complaint, count=1)
    return complaint
