"""What `logrules check` can find: every code with its name, how bad it is, why it matters and what helps."""

from collections.abc import Mapping
from dataclasses import dataclass

from logrules.model.report import Severity, Text


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding. ``repaired`` says whether ``--fix`` can mend it."""

    id: str
    name: str
    severity: Severity
    title: Text
    why: Text
    help: Text
    repaired: bool = False


_ERROR, _WARNING = Severity.ERROR, Severity.WARNING

_ALL = (
    Code(
        "LR001",
        "unreadable",
        _ERROR,
        Text("The file cannot be read", "文件无法读取"),
        Text(
            "It is not UTF-8, not YAML or TOML, too large, nested too deeply, or it uses aliases.",
            "不是 UTF-8、不是合法的 YAML 或 TOML、过大、嵌套过深，或使用了别名。",
        ),
        Text("Mend the syntax at the place that is named.", "修正所示位置的语法。"),
    ),
    Code(
        "LR002",
        "schema",
        _ERROR,
        Text("A key or a value does not fit the schema", "键或值不符合 schema"),
        Text(
            "An unknown key is mostly a slip of the pen, and what it was meant to say would be lost in silence.",
            "未知的键多半是笔误，其本意会被悄悄丢掉。",
        ),
        Text("`logrules schema rule` prints what may be said.", "`logrules schema rule` 给出可用的写法。"),
    ),
    Code(
        "LR003",
        "duplicate",
        _ERROR,
        Text("Two files of one pack define the same", "同一规则包里两个文件定义了同一项"),
        Text("Which of them counted would depend on their names.", "哪个生效取决于文件名。"),
        Text(
            "Give one of them another id; only a later pack may replace what an earlier one defines.",
            "给其中一个换 id；只有后面的包才能替换前面的定义。",
        ),
    ),
    Code(
        "LR004",
        "cause",
        _ERROR,
        Text("A cause that nobody defined", "未定义的原因"),
        Text("Causes are a fixed vocabulary that others rely on.", "原因是别人所依赖的固定词表。"),
        Text(
            "`logrules explain --causes` lists them; `[[causes]]` in logrules.toml or a causes.yaml adds your own.",
            "`logrules explain --causes` 列出全部；可在 logrules.toml 的 `[[causes]]` 或 causes.yaml 中添加。",
        ),
    ),
    Code(
        "LR005",
        "phase",
        _ERROR,
        Text("A phase that nobody defined", "未定义的阶段"),
        Text("A report could not say where in the pipeline the run is.", "报告无法说明运行处于流水线何处。"),
        Text(
            "`logrules explain --phases` lists them; `[[phases]]` in logrules.toml or a pipeline.yaml adds your own.",
            "`logrules explain --phases` 列出全部；可在 logrules.toml 的 `[[phases]]` 或 pipeline.yaml 中添加。",
        ),
    ),
    Code(
        "LR006",
        "wait",
        _ERROR,
        Text("A wait that nobody defined", "未定义的等待"),
        Text(
            "A marker would open, or a condition ask for, something that does not exist.",
            "标记或条件引用了不存在的等待。",
        ),
        Text(
            "Define it under `waits` of a phase file, or correct its name.", "在阶段文件的 `waits` 中定义，或改正名字。"
        ),
    ),
    Code(
        "LR007",
        "condition",
        _ERROR,
        Text("A condition that cannot be understood", "无法理解的条件"),
        Text("The rule could never hold.", "该规则永远不会成立。"),
        Text(
            "docs/writing-rules.md shows every operator with an example.",
            "docs/writing-rules.md 给出每个运算符的例子。",
        ),
    ),
    Code(
        "LR101",
        "dead-signal",
        _WARNING,
        Text(
            "A signal that the condition does not ask for, or a wait that nothing opens",
            "条件未用到的信号，或无人打开的等待",
        ),
        Text("It is scanned for in every log and changes nothing.", "每份日志都会为它扫描，却毫无作用。"),
        Text("Name it in `when`, or take it out.", "在 `when` 中使用它，或删除。"),
        repaired=True,
    ),
    Code(
        "LR102",
        "short-literal",
        _WARNING,
        Text("A literal too short to scan for", "过短的字面量"),
        Text(
            "A few bytes occur everywhere by chance: each hit costs time, and many are false.",
            "几个字节到处都会偶然出现：每次命中都费时，且多为误报。",
        ),
        Text("Take the longest text that the program prints unchanged.", "取程序原样打印的最长文本。"),
    ),
    Code(
        "LR103",
        "common-literal",
        _WARNING,
        Text("A literal that ordinary logs are full of", "普通日志里随处可见的字面量"),
        Text(
            "Every line that has it is decoded and tried in Python. Measured on the captured logs of logrules.",
            "含有它的每一行都要在 Python 里解码和匹配。依据是 logrules 自带的真实日志。",
        ),
        Text(
            "Choose a text of the line that is rarer; a `pattern` does not help, since it runs later.",
            "换成该行中更少见的文本；`pattern` 在其后才运行，无济于事。",
        ),
    ),
    Code(
        "LR104",
        "backtracking",
        _ERROR,
        Text("A pattern that can backtrack catastrophically", "可能灾难性回溯的正则"),
        Text(
            "A repetition matches some text in more than one way, so that a line that almost fits takes exponential "
            "time. logrules stops it after two seconds and drops the signal.",
            "重复部分能以多种方式匹配同一文本，差一点就匹配的行会耗费指数时间。logrules 两秒后会中止并弃用该信号。",
        ),
        Text(
            "Let what is repeated begin or end with something that the rest cannot match, or make it atomic: (?>...).",
            "让被重复的部分以其余部分无法匹配的内容开头或结尾，或用原子组 (?>...)。",
        ),
    ),
    Code(
        "LR105",
        "unreachable",
        _WARNING,
        Text(
            "A pattern, or an alternative of it, that its own literals keep from being tried",
            "被自己的字面量挡住的正则或分支",
        ),
        Text(
            "A pattern is tried only on lines with one of the texts in `contains` and without what `unless` matches.",
            "只有含 `contains` 之一且不匹配 `unless` 的行才会尝试 `pattern`。",
        ),
        Text(
            "Add a literal that such lines have and an example of one, or take the alternative out.",
            "补上这类行含有的字面量及一个例子，或删除该分支。",
        ),
    ),
    Code(
        "LR106",
        "redundant-literal",
        _WARNING,
        Text("A literal that another one of the signal makes superfluous", "被同一信号的另一字面量涵盖的字面量"),
        Text("Every line that has the longer text has the shorter one too.", "含有较长文本的行必然含有较短的。"),
        Text(
            "Keep the one that you mean: the longer is quicker, the shorter finds more.",
            "保留所需的一个：长的更快，短的更广。",
        ),
        repaired=True,
    ),
    Code(
        "LR107",
        "twin",
        _WARNING,
        Text("Two rules that always fire together", "总是同时触发的两条规则"),
        Text("One of them tells its reader nothing new.", "其中一条没有提供新信息。"),
        Text(
            "Make one of them, or give one a condition that the other has not; `yields_to` hides one behind the other.",
            "合并，或让条件有所区别；`yields_to` 可让一条让位于另一条。",
        ),
    ),
    Code(
        "LR109",
        "translation",
        _ERROR,
        Text("A sentence without its translation", "缺少译文"),
        Text("Reports are read in English and in Chinese.", "报告有英文和中文读者。"),
        Text(
            "Add it to translations/<language>.yaml of the pack; a pack without that folder needs none.",
            "补到规则包的 translations/<语言>.yaml；没有该目录的包无需译文。",
        ),
    ),
    Code(
        "LR110",
        "examples",
        _ERROR,
        Text("Examples are missing", "缺少例子"),
        Text(
            "A rule needs an example that fires and a near miss that does not: the one shows that it works, the other "
            "that it stays silent.",
            "规则需要一个触发的例子和一个不触发的近似例子：前者证明有效，后者证明安静。",
        ),
        Text("Add them; `logrules new` drafts both from a log.", "补上；`logrules new` 可从日志起草两者。"),
    ),
    Code(
        "LR111",
        "reference",
        _WARNING,
        Text("A broken reference", "失效的引用"),
        Text("A source that cannot be looked up supports nothing.", "查不到的出处不能支持任何东西。"),
        Text(
            "Give the address of a page, beginning with https://; `--online` asks each for itself.",
            "给出以 https:// 开头的网页地址；`--online` 会逐个访问。",
        ),
    ),
    Code(
        "LR112",
        "path",
        _WARNING,
        Text("A rule that is not where its id says", "文件位置与 id 不符"),
        Text("The id of a rule is its path in the pack: so it is found.", "规则的 id 就是它在包内的路径，便于查找。"),
        Text("Move the file or change the id.", "移动文件或修改 id。"),
    ),
    Code(
        "LR113",
        "capture",
        _ERROR,
        Text("A capture that no pattern fills", "没有任何正则填充的捕获"),
        Text(
            "`{name}` in a fix would stay empty, and an example that asks for it could not hold.",
            "修复里的 `{name}` 会是空的，要求它的例子无法成立。",
        ),
        Text("Name a group of a `pattern` so: (?P<name>...).", "在 `pattern` 中用 (?P<name>...) 命名该组。"),
    ),
    Code(
        "LR114",
        "placeholder",
        _WARNING,
        Text("A sentence of a draft that nobody has written yet", "草稿中尚未填写的句子"),
        Text(
            "A report would tell its reader to write what went wrong, instead of saying it.",
            "报告会让读者“写出出了什么问题”，而不是告诉他。",
        ),
        Text("Answer the draft's question, and write the sentence.", "回答草稿提出的问题，并写出这句话。"),
    ),
    Code(
        "LR901",
        "ignored-without-reason",
        _WARNING,
        Text("A finding is ignored without a reason", "忽略却未说明理由"),
        Text("Who comes next cannot tell whether it still has to be.", "后来者无法判断是否仍有必要。"),
        Text(
            "Write it behind the code: # logrules: ignore=LR103 the only text of the line",
            "写在代码之后：# logrules: ignore=LR103 这一行只有这段文本",
        ),
    ),
    Code(
        "LR902",
        "ignored-in-vain",
        _WARNING,
        Text("Nothing is found where something is ignored", "忽略注释处并无发现"),
        Text(
            "The comment has outlived what it was for, and would hide the next fault there.",
            "注释已过时，还会掩盖下一个问题。",
        ),
        Text("Take the comment out.", "删除该注释。"),
    ),
)

CODES: Mapping[str, Code] = {code.id: code for code in _ALL}
# What a pack that cannot be compiled says of a problem, as a code.
OF_PROBLEM: Mapping[str, str] = {code.name: code.id for code in _ALL}
