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
COMPLETED_BY = Text("shown by", "依据")
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
    Restart.RETRY: Text("restart as it is", "直接重启即可"),
    Restart.AFTER_FIX: Text("restart after the fix", "修复后再重启"),
    Restart.REPLACE_NODE: Text("replace the node, then restart", "更换节点后再重启"),
    Restart.NO: Text("do not restart", "不要重启"),
}
IN_PHASE = Text("in phase {phase}", "阶段：{phase}")
RANK = Text("rank", "rank")
HOST = Text("host", "主机")
WHY = Text("Why", "原因")
EVIDENCE = Text("Evidence", "证据")
FIXES = Text("What to try, in this order", "建议（按顺序尝试）")
CONSEQUENCES = Text("Consequences of it", "由此引起的后果")
SIDES = Text("The ranks compared", "各 rank 对比")
PATH = Text("Phases seen", "经过的阶段")
EARLIER = Text("Earlier runs in this log", "该日志中更早的运行")
UNUSUAL = Text(
    "No rule knows this log's trouble, if it has any. Lines that stand out",
    "没有规则认识该日志的问题（如果有）。较为特别的行",
)
PARTIAL = Text("partial: {unread} of {all} logs could not be read", "不完整：{all} 份日志中有 {unread} 份无法读取")
STACKS = Text("Where the processes stand", "各进程所处位置")
NOTES = Text("Notes", "备注")
MORE = Text("Further diagnoses: {count} (--all)", "另有 {count} 条诊断；用 --all 查看")
MORE_LINES = Text("+{count} more (--all)", "另有 {count} 处（--all）")
MORE_STEPS = Text("Further steps: {count} (--all)", "另有 {count} 步（--all）")
MORE_SAID = Text("… (--all)", "……（--all）")
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
PAGE_SKIP = Text("to the diagnoses", "跳到诊断")
PAGE_TIMELINE = Text("Timeline", "时间线")
PAGE_BY_TIME = Text("drawn by time", "按时间绘制")
PAGE_BY_LINE = Text("drawn by line: the log has no times", "按行号绘制：日志没有时间")
PAGE_TABLE = Text("the timeline as a table", "以表格显示时间线")
PAGE_METRICS = Text("Metrics", "指标")
PAGE_DIAGNOSES = Text("Diagnoses", "诊断")
PAGE_NOTHING = Text("Nothing wrong was found.", "未发现异常。")
PAGE_PHASE = Text("phase", "阶段")
PAGE_FROM = Text("from", "开始")
PAGE_TO = Text("to", "结束")
PAGE_COPY = Text("copy", "复制")
PAGE_REFERENCES = Text("References", "参考资料")
PAGE_ERROR = Text("evidence of an error", "错误证据")
PAGE_WARNING = Text("of a stall or a warning", "卡住或警告")
PAGE_INFO = Text("a hint", "提示")
PAGE_WAITS = Text("the waits", "等待列表")
PAGE_WAIT = Text("a wait", "等待")
PAGE_OPEN = Text("not ended", "未结束")
PAGE_LOG = Text("The log", "日志")
PAGE_LOG_SHOWN = Text("{shown} of {total} lines", "共 {total} 行，此处 {shown} 行")
PAGE_LOG_CUT = Text(
    "The beginning, the end and what lies round the evidence; --page-lines shows more.",
    "仅含开头、结尾和证据附近的行；--page-lines 可显示更多。",
)
PAGE_LOG_SECRETS = Text(
    "This page holds the log as it was written, secrets too: to hand something on, take `logrules bundle`.",
    "本页包含日志原文，机密也在其中：要转交他人，请用 `logrules bundle`。",
)
PAGE_LOG_NEEDS = Text("The log needs JavaScript, which is off.", "显示日志需要 JavaScript，当前已关闭。")
PAGE_ALL_WORKERS = Text("all workers", "全部 worker")
PAGE_WORKER = Text("worker", "worker")
PAGE_FIND = Text("find", "查找")
PAGE_ONLY_ERRORS = Text("only warnings and errors", "仅警告和错误")
PAGE_ONLY_SHOWN = Text("only what the timeline shows", "仅时间线所示范围")
PAGE_FOLD = Text("fold all", "全部折叠")
PAGE_UNFOLD = Text("unfold all", "全部展开")
PAGE_NEXT_EVIDENCE = Text("next evidence", "下一处证据")
PAGE_IN_LOG = Text("in the log", "在日志中查看")
PAGE_KEYS = Text(
    "Keys: arrows, Page Up, Page Down, Home, End; Enter folds; e: next evidence.",
    "按键：方向键、Page Up、Page Down、Home、End；Enter 折叠；e：下一处证据。",
)
PAGE_ZOOM = Text("zoom", "缩放")
PAGE_ZOOM_HOW = Text(
    "Drag to zoom; keys +, -, arrows and 0; a click on a bar shows its line in the log.",
    "拖动可放大；按键 +、-、方向键和 0；点击色条可在日志中查看该行。",
)
PAGE_ZOOM_WHOLE = Text("whole", "全部")
PAGE_RANKS = Text("Ranks where the log ends", "日志结束时的各 rank")
PAGE_RANKS_HOW = Text(
    "colour: last phase; dark: silent before the end; ✕: error; red frame: the rank named; dashed: never seen",
    "颜色：最后阶段；变暗：结束前沉默；✕：错误；红框：被指出的 rank；虚线：从未出现",
)
