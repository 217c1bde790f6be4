"""Secrets that the end of a line parts from their names, that a traceback or a frame shows, and in calls by their place."""

import pickle
import random

import pytest

from logrules.tools.bundle.redact import Redactor
from tests.tools.test_redaction_corpus import drawn, leaks

pytestmark = pytest.mark.unmeasured

HEX = drawn("{h40}", random.Random(36))
WORD = "Ku7" + drawn("{a8}", random.Random(37)) + "4"
LETTERS = "QpLvzKtmW"
FILL = "settings of the node " + "x" * 80


PADDED = drawn("{l15}7q{l20}", random.Random(38)) + "x"


def cut_at(width: int, text: str) -> str:
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


def clean(text: str) -> str:
    return Redactor().redact({"log": f"INFO it 4\n{text}\nINFO it 5"})[0]["log"]


def at_80(lead: str, text: str) -> str:
    return f"{FILL[: 80 - len(lead) - 1]} {lead}\n{text} and so on"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (at_80("WANDB_API_KEY=", HEX), HEX),
        (at_80("WANDB_AP", f"I_KEY={HEX}"), HEX),
        (at_80("SMB_PA", f"SSWORD={WORD}"), WORD),
        (at_80(f"DB_PASSWORD={WORD[:1]}", WORD[1:]), WORD[1:]),
        (
            f"(Worker pid=7) the trainer of this node has RANK=3 SENTRY_AUTH_TOKEN={HEX[:1]}\n(Worker pid=7) {HEX[1:]} on",
            HEX[1:],
        ),
        (
            f'[07:08:09] {{"rank": 0, "tracker": {{"api_key": "{HEX[:36]}\n[07:08:09] {HEX[36:]}", "mode": 1}}}}',
            HEX[36:],
        ),
        (f"│ │ wandb_api_key = '{HEX[:20]} │ │\n│ │ {HEX[20:]}'                  │ │", HEX[20:]),
        (f"│ trying shpss_{HEX[:25]} │\n│ {HEX[25:32] + ' next':<38} │", HEX[25:32]),
        (f"[07:08:09] INFO     using hub_token={HEX[:35]} cli.py:31\n                    {HEX[35:]} now", HEX[35:]),
        (f"    c = Client(cfg.mail_password)\n        │      └ {WORD!r}\n        └ <class 'a.Client'>", WORD),
        (f"    login(url, hub_token)\n          │    └ {HEX!r}\n          └ 'https://a.example'", HEX),
        (f"[tracker]\nzip_password =\n    {WORD}\nmode = online", WORD),
        (f"args:\n  - --db-password\n  - {WORD!r}\n  - --port", WORD),
        (f'redis_auth:\n    value: "{HEX}"\nlr:\n    value: 0.1', HEX),
        (f'variable "queue_pass" {{\n  type    = string\n  default = "{LETTERS}"\n}}', LETTERS),
        (f"$ echo $HUB_TOKEN\n{HEX}", HEX),
        (f"changed: queue_pass: None -> {LETTERS}", LETTERS),
        (f"| backup_passphrase | to {LETTERS} 27 |", LETTERS),
        (f"gradio_auth_pass: {WORD}", WORD),
        (f"Corp-Cloud-Key: {HEX}", HEX),
        (f'sh -c "mysql -u root -p\\"{WORD}\\" -e \\"show tables\\""', WORD),
        (f'{{"cmd": "sshpass -p \\"{LETTERS}\\" ssh h \\"ls\\""}}', LETTERS),
        (f"get(u, auth=('ml', '{LETTERS}'))", LETTERS),
        (f"demo.launch(auth=[('ml', '{LETTERS}')])", LETTERS),
        (f"ssh.connect('h', 22, 'root', '{LETTERS}')", LETTERS),
        (f"child.expect('[Pp]assword:')\nchild.sendline('{LETTERS}')", LETTERS),
        (f"passwd train <<EOF\n{LETTERS}\n{LETTERS}\nEOF", LETTERS),
        (f"echo {WORD} | vncpasswd -f", WORD),
        (cut_at(36, f"Starting with {{'model': 'qwen', 'hub_token': '{HEX}', 'lr': 1e-05, 'n': 3}}"), HEX),
        (cut_at(36, f"now env NCCL_DEBUG=INFO DB_PASSWORD={WORD} MASTER_PORT=29500 python train.py"), WORD),
        (cut_at(40, f"the launcher runs env DEBUG=1 API_TOKEN=ghp_{PADDED} RANK=3 python train.py"), PADDED),
        (f"db.lab:5432:runs:svc:{LETTERS}", LETTERS),
        (f"state={pickle.dumps({'lr': 0.1, 'hub_token': HEX})!r}", HEX),
        ("run,db_password\n1,rabbit-hole-blue", "rabbit-hole-blue"),
        ("loaded click_password: p&xk=1Qz", "p&xk=1Qz"),
        (f"acme_key={PADDED}", PADDED),
        (
            f"got {'a1b2c3d4e5f6g7h8j9k0m1n2p3'}:{HEX[:8]}-{HEX[8:12]}-{HEX[12:16]}-{HEX[16:20]}-{HEX[20:32]}",
            HEX[20:32],
        ),
        (f"git clone https://{WORD}:x-oauth-basic@git.example/a.git", WORD),
    ],
)
def test_it_goes(text, secret):
    left = clean(text)
    assert secret not in left
    assert not leaks(left, secret)


@pytest.mark.parametrize(
    "text",
    [
        "GET /a?password=hidden&page=2 and\nx&y=1",
        f"ncclUniqueId {HEX[:32]}\nNodeID({HEX})\nkey_padding_mask_for_attention_42\n{HEX}\ngsk_layer_norm_fused_v1",
        "app-deployment-16225984-fgdyo\nsl.184\nrf_estimator_max_depth_55_n_855",
        "HF_TOKEN=\nHOME=/root\nRANK=3",
        "API_KEY=ab\nCUDA_HOME=/usr/local/cuda12",
        f"HF_TOKEN=\n{HEX[:12]} is the commit",
        "pass=077\nbuild-22f828767eff\npass@1",
        at_80("api_key=None", "then it goes on with the rest of it"),
        at_80("n_token=", "MODEL=a1b2c3d4e5f6a7b8"),
        "    loss = step(batch, cache_key)\n           │    │      └ 'layers.12.mlp'\n           │    └ {'x': 1}",
        "Passphrase is not needed for this key",
        "HF_TOKEN: not set",
        "echo $PASSWORD | docker login --password-stdin",
        "auth=('none', 'disabled')",
        "fuse_pass: None -> reorder",
        f"experiment_key = {HEX}",
        "GPG_KEY=A035C8C19219BA821ECEA86B64E628F8D684696D",
    ],
)
def test_ordinary_text_stays(text):
    assert clean(text) == f"INFO it 4\n{text}\nINFO it 5"
