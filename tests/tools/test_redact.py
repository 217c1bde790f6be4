"""Every form of secret goes, ordinary text stays. Secrets are put together here, so that no scanner takes them for real."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logrules.model.errors import LogrulesError
from logrules.tools.bundle.plain_text import without_controls
from logrules.tools.bundle.private_details import KEEPABLE
from logrules.tools.bundle.redact import Redactor

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
LETTERS = "aZ3bY4cX5dW6eV7fU8gT9hS0"
HEX = "0123456789abcdef"


def mixed(count: int) -> str:
    return "".join(itertools.islice(itertools.cycle(LETTERS), count))


def upper(count: int) -> str:
    return mixed(count).upper()


def hexed(count: int) -> str:
    return "".join(itertools.islice(itertools.cycle(HEX), count))


# (where it stands, the secret itself)
SECRETS = [
    ("token: {}", "hf" + "_" + mixed(34)),
    ("{}", "api_org" + "_" + mixed(34)),
    ("huggingface-cli login --token {}", "hf" + "_" + mixed(34)),
    ("wandb: WANDB_API_KEY={}", hexed(40)),
    ("wandb login --relogin {}", hexed(40)),
    ("machine api.wandb.ai login user password {}", hexed(40)),
    ("key {}", "wandb" + "_v1_" + mixed(40)),
    ("AWS {} refused", "AK" + "IA" + upper(16)),
    ("{}", "AS" + "IA" + upper(16)),
    ("aws_secret_access_key = {}", mixed(38) + "/+"),
    ("AWS_SECRET_ACCESS_KEY={}", mixed(40)),
    ('"aws_session_token": "{}"', mixed(120)),
    ("got {}", "IQoJ" + "b3JpZ2luX2VjE" + "/".join([mixed(15)] * 8)),
    ("got {}", "pi" + "t_" + hexed(64)),
    ('args: api_key=["a1B2c3D4e5F6", "{}"]', mixed(22)),
    ("passwords = ['{}']", "Kx9fgh2LmQ"),
    ("    t = jwt.encode(claims, '{}', algorithm='HS256')", "Kx9fgh2LmQ3b"),
    ("    s = hmac.new(b'{}', msg, 'sha256')", "Kx9fgh2LmQ3b"),
    ("zk addauth digest svc:{}", "Kx9fgh2LmQ3b"),
    ("modal_secrets: ['{}']", mixed(22)),
    ("api_key::{}", "qzxkvjwpbnmqzxkvjwpb"),
    ("APP_PASSWORD::{}", "abcdefghijklmnop"),
    ("https://a.example/t/{}/42", "ab" + "-01234567-89ab-cdef-0123-456789abcdef"),
    ("https://a.example/t/{}/42", "5a7e322e01c2c8acfc0c"),
    ("key={}", "AI" + "za" + mixed(35)),
    ("{}", "ya29" + "." + mixed(60)),
    ("{}", "GOC" + "SPX-" + mixed(28)),
    ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=core", mixed(86) + "=="),
    ("Endpoint=sb://x/;SharedAccessKeyName=r;SharedAccessKey={}", mixed(43) + "="),
    ("{}", "abc" + "8Q~" + mixed(34)),
    ("{}", "LT" + "AI" + mixed(20)),
    ("{}", "AK" + "ID" + mixed(32)),
    ("git clone https://{}@github.com/a/b", "gh" + "p_" + mixed(36)),
    ("{}", "github" + "_pat_" + mixed(60)),
    ("{}", "gh" + "s_" + mixed(36)),
    ("{}", "gl" + "pat-" + mixed(20)),
    ("OPENAI_API_KEY={}", "s" + "k-" + mixed(48)),
    ("{}", "s" + "k-proj-" + mixed(60)),
    ("{}", "s" + "k-ant-api03-" + mixed(80)),
    ("{}", "gs" + "k_" + mixed(52)),
    ("{}", "xa" + "i-" + mixed(60)),
    ("{}", "nv" + "api-" + mixed(60)),
    ("{}", "r" + "8_" + mixed(37)),
    ("{}", "lsv2" + "_pt_" + hexed(32) + "_" + hexed(10)),
    ("{}", "xo" + "xb-1234567890-" + mixed(24)),
    ("POST https://hooks.slack.com/services/{}", "T0" + "0000000/B00000000/" + mixed(24)),
    ("https://discord.com/api/webhooks/{}", "123456789012345678" + "/" + mixed(60)),
    ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={}", hexed(8) + "-" + hexed(24)),
    ("https://oapi.dingtalk.com/robot/send?access_token={}", hexed(64)),
    ("https://open.feishu.cn/open-apis/bot/v2/hook/{}", hexed(8) + "-" + hexed(24)),
    ("{}", "123456789" + ":AA" + mixed(33)),
    ("{}", "s" + "k_live_" + mixed(24)),
    ("{}", "S" + "G." + mixed(22) + "." + mixed(43)),
    ("{}", "S" + "K" + hexed(32)),
    ("{}", "np" + "m_" + mixed(36)),
    ("{}", "py" + "pi-" + mixed(60)),
    ("{}", "dckr" + "_pat_" + mixed(27)),
    ('"https://index.docker.io/v1/": {{"auth": "{}"}}', mixed(30) + "=="),
    ("{}", "da" + "pi" + hexed(32)),
    ("{}", "hv" + "s." + mixed(24)),
    ("{}", "do" + "p_v1_" + hexed(64)),
    ("{}", "gl" + "sa_" + mixed(32) + "_" + hexed(8)),
    ("{}", "rp" + "a_" + upper(40)),
    ("{}", "a" + "k-" + mixed(22)),
    ("{}", "nt" + "n_" + mixed(44)),
    ("SENTRY_DSN=https://{}@o123.ingest.sentry.io/42", hexed(32)),
    ("{}", "ey" + "J" + mixed(30) + "." + mixed(40) + "." + mixed(43)),
    ("NEPTUNE {}", "ey" + "J" + mixed(90) + "=="),
    ("Authorization: Bearer {}", mixed(40)),
    ("> authorization: Basic {}", mixed(20) + "=="),
    ("'Authorization': 'token {}'", mixed(40)),
    ("using bearer {}", mixed(32)),
    ("X-API-Key: {}", mixed(24)),
    ("Cookie: {}", "session=" + mixed(40)),
    ("postgresql://trainer:{}@db:5432/runs", "p4ss" + "w0rd"),
    ("redis://:{}@10.0.0.1:6379/0", "s3" + "cret"),
    ("pip install --index-url https://user:{}@pypi.corp/simple", mixed(20)),
    ("GET https://b.s3.amazonaws.com/k?X-Amz-Signature={}&x=1", hexed(64)),
    ("https://x.blob.core.windows.net/c?sv=1&sig={}", mixed(44)),
    ("http://node-1:8888/lab?token={}", hexed(48)),
    ("machine git.corp login me password {}", "hunter" + "2hunter2"),
    ("db_password: {}", "correct" + "-horse-9"),
    ("MYSQL_PASSWORD={}", "corr" + "ect9horse"),
    ("Server=db;Uid=me;Pwd={};", "s3cr" + "et99"),
    ("mysql --password={} -h db", "s3cr" + "et99"),
    ("HUB_TOKEN={}", mixed(30)),
    ("export MY_SERVICE_SECRET='{}'", mixed(30)),
    ("COMET_API_KEY={}", mixed(25)),
    ("SWANLAB_API_KEY: {}", mixed(21)),
    ('client_secret="{}"', mixed(30)),
    ("Namespace(hub_token='{}', lr=1e-5)", mixed(30)),
    ('{{"token": "{}"}}', mixed(32)),
    ("python push.py --api-key {}", mixed(32)),
    ("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", mixed(64)),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\\n{}\\n-----END OPENSSH PRIVATE KEY-----", mixed(64)),
    ("{}\n-----END PRIVATE KEY-----", mixed(64)),
    ("{}", "AGE" + "-SECRET-KEY-1" + upper(58)),
    ("AssertionError: assert '{}' == os.environ['WANDB_API_KEY']", hexed(40)),
    ("E   assert '{}' not in config.redis_password", mixed(14)),
    ('variable "bark_device_key" {{ default = "{}" }}', mixed(22)),
]


def redacted(text: str, *own: str, keep=()) -> str:
    (clean,) = Redactor(own, keep).redact({"log": text})[0].values()
    return clean


def kinds(text: str, *own: str) -> dict[str, int]:
    return {one.kind: one.count for one in Redactor(own).redact({"log": text})[1]}


@pytest.mark.parametrize(("around", "secret"), SECRETS)
def test_a_secret_goes(around, secret):
    text = redacted(f"before\n{around.format(secret)}\nafter")
    assert secret not in text
    assert text.startswith("before\n")
    assert "[redacted: " in text


def test_at_least_sixty_forms_are_in_the_list():
    assert len(SECRETS) >= 60


@pytest.mark.parametrize(
    "line",
    [
        "pad_token='<pad>', eos_token_id=2, max_tokens=512",
        "tokens per second: 12345.67",
        "num_tokens: 1234567890123456",
        "tokenizer: Qwen/Qwen2.5-7B-Instruct",
        "Set TOKENIZERS_PARALLELISM=true",
        "key=value lr=1e-5 monkey=banana1234",
        "loss: 0.1234 grad_norm: 12.345678",
        "Loading checkpoint shards: 100%|##########| 4/4",
        "https://huggingface.co/docs/transformers",
        "tcp://10.0.0.1:29500 and file:///data/x",
        "[rank0]:[E ProcessGroupNCCL.cpp:616] SeqNum=4486",
        "sha256:0123456789abcdef0123456789abcdef",
        "WANDB_API_KEY is not set",
        "password: None",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "AWS_SECRET_ACCESS_KEY not found in the environment",
        "HF_TOKEN_PATH=/root/.cache/huggingface/token",
        "HF token: applied",
        "register it to another key (e.g. DispatchKey::CompositeImplicitAutograd)",
        "tokens=['ab12X9z7', 'x']",
        "imagePullSecrets: [gate-norm-2]",
        "public_key_fingerprint: SHA256:TYOXzHujtC+sk38dkJsl3kdlsKDs83kdLS93kdls9dk",
        "AssertionError: assert 'bf16_mixed_2' == os.environ['KEY']",
        "assert 'last_token_3' in tokens.keys()",
        "see https://discuss.pytorch.org/t/nccl-timeout-after-30-minutes/123456 for more",
        "see https://a.example/t/cuda-12-and-a100-80gb-out-of-memory/7/2",
        'url: /api/login/api_key (Caused by NameResolutionError("<urllib3.connection.HTTPSConnection object at 0x7fb3>"))',
        ' - leaked 0xaf8ced63f041 of type "a.b.CompiledGrammar"\n - leaked 0x0c66c2f7d0ae of type "a.b.CompiledGrammar"\n',
    ],
)
def test_ordinary_text_stays(line):
    assert redacted(line, keep=("addresses",)) == line


CAPTURED = sorted((FIXTURES / "captured").iterdir())


@pytest.mark.one_in(8)
@pytest.mark.parametrize("folder", CAPTURED, ids=[folder.name for folder in CAPTURED])
def test_the_fixtures_stay_as_they_are(folder):
    logs = [path for path in folder.iterdir() if path.suffix != ".yaml" and path.is_file()]
    assert logs
    for log in logs:
        text = log.read_text(encoding="utf-8", errors="replace")
        assert redacted(text, keep=KEEPABLE) == without_controls(text)


def test_a_secret_seen_beside_its_name_goes_wherever_else_it_stands():
    secret = "5e8c1f07a94b4d2c8e6f30a1b7d9c254"
    clean, taken = Redactor().redact({"early": f"GET /v1/{secret}/x failed", "late": f"x\nMY_API_KEY={secret}"})
    assert clean == {
        "early": "GET /v1/[redacted: key beside its name]/x failed",
        "late": "x\nMY_API_KEY=[redacted: key beside its name]",
    }
    assert [(one.place, one.count, one.lines) for one in taken] == [("early", 1, (1,)), ("late", 1, (2,))]


def test_patterns_of_the_users_own():
    assert redacted("see CORP-1234", r"CORP-\d+") == "see [redacted: a pattern of yours]"
    assert kinds("see CORP-1234", r"CORP-\d+") == {"a pattern of yours": 1}


def test_a_pattern_that_is_none_is_one_sentence():
    with pytest.raises(LogrulesError, match="not a regular expression"):
        Redactor(["("])


@given(text=st.text(max_size=200))
def test_any_text_can_be_redacted_twice(text):
    once = redacted(text)
    assert redacted(once) == once


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("mail a.b@corp.example.com now", "mail [redacted: e-mail] now"),
        ("/home/alice/x and C:\\Users\\alice\\x", "/home/[redacted: user]/x and C:\\Users\\[redacted: user]\\x"),
        (
            "10.0.0.7 to 192.168.1.2 to 10.0.0.7",
            "[redacted: private address 1] to [redacted: private address 2] to [redacted: private address 1]",
        ),
        ("127.0.0.1 0.0.0.0 8.8.8.8 10.0.1 git@github.com:a/b", None),
    ],
)
def test_private_details_go_unless_they_are_to_be_kept(text, clean):
    assert redacted(text) == (text if clean is None else clean)
    assert redacted(text, keep=KEEPABLE) == text


def test_lines_stay_lines():
    text = "a\n-----BEGIN PRIVATE KEY-----\n" + "\n".join([mixed(64)] * 5) + "\n-----END PRIVATE KEY-----\nb"
    clean = redacted(text)
    assert clean.count("\n") == text.count("\n")
    assert mixed(20) not in clean


def test_a_chain_of_names_is_looked_through_a_few_times_only(monkeypatch):
    from logrules.tools.bundle import named_values

    looked = []
    monkeypatch.setattr(named_values, "_is_secret", lambda *_: looked.append(1) is not None)
    assert list(named_values.named_secrets("sk=" * 2_000, range(0, 6_000, 3))) == []
    assert len(looked) < 100


def test_a_place_of_a_name_is_missed_by_no_short_cut():
    """Names are looked for near their last words only; trying each character finds the same."""
    from logrules.tools.bundle import secret_names
    from tests.tools.test_redaction_corpus import CORPUS

    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(CORPUS.glob("*.toml")))
    slowly = [found.start() for found in secret_names.ANY_NAME.finditer(text, overlapped=True)]
    assert secret_names.name_places(text) == slowly
    assert len(slowly) > 1_000


@pytest.mark.parametrize(
    "spelt",
    [
        'token = "{1}" + "{2}"',
        "export HF_TOKEN='{1}'\"{2}\"",
        'char *t = "{1}"\n          "{2}";',
        "t := `{1}` + `{2}`",
        'local t = "{1}" .. "{2}"',
        'concat!("{1}", "{2}")',
        "T={1}; T+={2}",
        '"{1}%s" % "{2}"',
        '{"t": "\\u0068f_{rest}"}',
        '"\\u{68}\\x66_{rest}"',
        "<t>&#104;&#x66;_{rest}</t>",
        "?t=%68%66%5F{rest}",
        "=68=66=5F{rest}",
        "'\\150\\146_{rest}'",
        "hf\\_{rest}",
    ],
)
def test_a_secret_that_is_spelt_otherwise_or_in_parts_is_one(spelt):
    secret = "hf_" + "kQ7vTz2Wm9Xc4Rb8" + "Lp3Ns6Yd1Hg5Fj0aE"
    text = spelt.replace("{1}", secret[:17]).replace("{2}", secret[17:]).replace("{rest}", secret[3:])
    clean, _ = Redactor().redact({"a": f"step 1\nloss 0.5 'a' + 'b'\n{text}\nstep 2"})
    assert not any(secret[at : at + 8] in clean["a"] for at in range(3, len(secret) - 8))
    assert clean["a"].startswith("step 1\nloss 0.5 'a' + 'b'\n")
    assert clean["a"].endswith("\nstep 2")
    assert clean["a"].count("\n") == text.count("\n") + 3
