"""What the report says of its own accord, in both languages."""

from collections.abc import Mapping

from logrules.model.report import Restart, Risk, Severity, Status, Text

STATUS: Mapping[Status, Text] = {
    Status.FAILED: Text("FAILED", "失败"),
    Status.STALLED: Text("STALLED", "卡住"),
    Status.UNEXPLAINED: Text("NO DIAGNOSIS", "无法诊断"),
    Status.RUNNING: Text("RUNNING", "运行中"),
    Status.COMPLETED: Text("COMPLETED", "已完成"),
    Status.HEALTHY: Text("NOTHING WRONG FOUND", "未发现异常"),
}
# What is said instead where a diagnosis tells of trouble in a job that neither failed nor stands.
TROUBLE = Text("NOT WELL", "存在问题")
# What stands beside the status where no diagnosis explains it.
OUTCOME: Mapping[Status, Text] = {
    Status.RUNNING: Text("the log ends in mid-run; nothing wrong was seen", "日志在训练途中结束；未见异常"),
    Status.HEALTHY: Text("the log does not say how the run ended", "日志没有说明训练如何结束"),
}
CALM = Text("nothing wrong was seen", "未见异常")
UNEXPLAINED = Text(
    "error lines that no rule knows: {count}; the last: {last}", "{count} 行错误没有规则认识；最后一行：{last}"
)
UNEXPLAINED_LINES = Text("Error lines that no rule knows", "没有规则认识的错误行")
NEXT = Text("What you can do", "接下来可以")
COMPARE = Text("compare it with a run that went well", "与一次正常的运行对比")
DRAFT = Text("draft a rule from a line, such as the last of these", "由其中一行（例如最后一行）起草规则")
COMPLETED_BY = Text("the end is shown by {line}", "结束的依据是 {line}")
SEVERITY: Mapping[Severity, Text] = {
    Severity.ERROR: Text("error", "错误"),
    Severity.WARNING: Text("warning", "警告"),
    Severity.INFO: Text("info", "提示"),
}
RISK: Mapping[Risk, Text] = {
    Risk.LOOK: Text("only looks", "只读检查"),
    Risk.SAFE: Text("safe", "安全"),
    Risk.CHANGES_RUN: Text("changes the run", "会改变训练"),
    Risk.DESTRUCTIVE: Text("DESTRUCTIVE", "有破坏性"),
}
RESTART: Mapping[Restart, Text] = {
    Restart.RETRY: Text("as it is", "直接重启即可"),
    Restart.AFTER_FIX: Text("after the fix", "修复后再重启"),
    Restart.REPLACE_NODE: Text("on another node", "更换节点后再重启"),
    Restart.NO: Text("no", "不要重启"),
}
IN_PHASE = Text("in phase {phase}", "阶段：{phase}")
PROBABLY_IN_PHASE = Text("probably in phase {phase}", "阶段（推测）：{phase}")
RANK = Text("rank", "rank")
HOST = Text("host", "主机")
WHY = Text("Why", "原因")
EVIDENCE = Text("Evidence", "证据")
FIXES = Text("What to try, in this order", "建议（按顺序尝试）")
CONSEQUENCES = Text("Consequences of it", "由此引起的后果")
SEEN_BEFORE = Text("Also seen, above it", "此前还出现")
SIDES = Text("The ranks compared", "各 rank 对比")
EARLIER = Text("Earlier runs in this log", "该日志中更早的运行")
UNUSUAL = Text("Lines that stand out, should something be wrong", "若有问题，可先看这些较为特别的行")
PARTIAL = Text("partial: {unread} of {all} logs could not be read", "不完整：{all} 份日志中有 {unread} 份无法读取")
STACKS = Text("Where the processes stand", "各进程所处位置")
NOTES = Text("Notes", "备注")
MORE = Text("Further diagnoses: {count} (--all)", "另有 {count} 条诊断；用 --all 查看")
MORE_LINES = Text("+{count} more (--all)", "另有 {count} 处（--all）")
MORE_STEPS = Text("Further steps: {count} (--all)", "另有 {count} 步（--all）")
MORE_SAID = Text("… (--all)", "……（--all）")
JOINED = Text("; ", "；")
LABELLED = Text("{label}: ", "{label}：")
ALSO = Text("Also", "另有")
LOGS = Text("{count} logs", "{count} 份日志")
TRY = Text("Try, in this order", "建议（按顺序尝试）")
IF_UNWELL = Text("If it does no more", "若它已不再运行")
LINE, LINES = Text("line", "行"), Text("lines", "行")
RESTART_WORD = Text("Restart", "重启建议")
CONFIRM = Text("check this machine: logrules doctor --only", "检查本机：logrules doctor --only")
EXPLAIN = Text("rule", "规则")
MARK_OF_RISK: Mapping[Risk, str] = {Risk.LOOK: "", Risk.SAFE: "", Risk.CHANGES_RUN: "△ ", Risk.DESTRUCTIVE: "⚠ "}
