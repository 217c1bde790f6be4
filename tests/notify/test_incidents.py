"""One incident for all who are told; events as JSON lines; the body that each chat and pager wants."""

import io
import json
from dataclasses import replace

import pytest

from logrules.model.change import PhaseEntered, QuietEnded, QuietNoticed, Raised, StallProlonged, Withdrawn
from logrules.model.event import Worker
from logrules.model.report import Severity
from logrules.notify.event_lines import EventStream, Lines
from logrules.notify.notifications import Kind, NotificationPolicy, facts, sentence
from logrules.tools.notification.delivery import post
from logrules.tools.notification.senders import Webhook, body_for, signed
from tests.notify.test_listeners import REPORT, STALL, STALLED, receive, update

assert receive  # a fixture

WHY = replace(STALL, rule="stacks/thread-lock", cause="deadlock-user-code")
ERROR = replace(STALL, rule="nccl/timeout", cause="nccl-timeout", severity=Severity.ERROR)
ALL = replace(REPORT, diagnoses=(STALL, WHY, ERROR))


def test_an_incident_goes_on_until_nothing_of_it_stands():
    policy = NotificationPolicy("llama")
    story = [
        (Raised(STALL.rule, 1.0, 65.0), Kind.STALL),
        (Raised(WHY.rule, 2.0), Kind.DIAGNOSIS),
        (StallProlonged(STALL.rule, 3.0, 130.0), Kind.STALL_LASTS),
        (Raised(ERROR.rule, 4.0), Kind.MOVED_ON),
        (Withdrawn(STALL.rule, 5.0), None),
        (Withdrawn(WHY.rule, 6.0), None),
        (Withdrawn(ERROR.rule, 7.0), Kind.OVER),
        (Raised(STALL.rule, 8.0, 65.0), Kind.STALL),
    ]
    told = [policy.news(update(float(n), change), lambda: ALL) for n, (change, _) in enumerate(story)]
    assert [news[0].kind if news else None for news in told] == [kind for _, kind in story]
    ids = [news[0].incident for news in told if news]
    assert len(set(ids[:-1])) == 1
    assert ids[-1] != ids[0]


def test_a_stall_after_an_error_is_part_of_its_incident():
    policy = NotificationPolicy()
    policy.news(update(1.0, Raised(ERROR.rule, 1.0)), lambda: ALL)
    (news,) = policy.news(update(2.0, STALLED), lambda: ALL)
    assert news.kind is Kind.MOVED_ON


def test_all_who_ask_are_told_the_same():
    policy, one = NotificationPolicy(), update(1.0, STALLED)
    assert policy.news(one, lambda: REPORT) is policy.news(one, lambda: REPORT)


def test_the_name_of_the_job_is_in_everything():
    (news,) = NotificationPolicy("llama 70B").news(update(1.0, STALLED), lambda: REPORT)
    assert facts(news)["job"] == "llama 70B"
    assert sentence(news).startswith("llama 70B: stalled in rendezvous")


def test_events_are_json_lines():
    out = io.StringIO()
    stream = EventStream(out, "en", NotificationPolicy("llama"), "llama")
    for now, changes in [
        (1.0, [PhaseEntered(Worker("log"), "train_step", 1.0), PhaseEntered(Worker("log"), "train_step", 1.0)]),
        (2.0, [QuietNoticed(2.0, 60.0, 4.0)]),
        (3.0, [STALLED]),
        (4.0, [QuietEnded(4.0, 90.0), Withdrawn(STALL.rule, 4.0)]),
    ]:
        stream.on_update(update(now, *changes), lambda: REPORT)
    stream.on_update(update(5.0, ended=True), lambda: REPORT)
    stream.close(1.0)
    events = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(one["event"], one["at"], one["job"]) for one in events] == [
        ("phase", 1.0, "llama"), ("quiet", 2.0, "llama"), ("stall", 3.0, "llama"),
        ("writes-again", 4.0, "llama"), ("over", 4.0, "llama"), ("end", 5.0, "llama"),
    ]  # fmt: skip
    assert (events[2]["quiet_seconds"], events[2]["cause"]) == (65, "rendezvous-timeout")
    assert events[-1]["report"]["status"] == "stalled"


def test_an_unusual_silence_is_a_gentle_line():
    out = io.StringIO()
    lines = Lines(out, "en")
    lines.on_update(update(0.0, QuietNoticed(0.0, 120.0, 4.0)), lambda: REPORT)
    lines.on_update(update(1.0, QuietEnded(1.0, 125.0)), lambda: REPORT)
    assert out.getvalue() == (
        "00:00:00 quiet for 2m; it was never quiet for more than 4s\n00:00:01 it writes again, after 2m 5s\n"
    )


def test_a_stall_with_which_the_job_ends_is_not_said_to_be_over():
    out = io.StringIO()
    lines = Lines(out, "en", job="llama")
    lines.on_update(update(0.0, STALLED), lambda: REPORT)
    lines.on_update(replace(update(1.0, Withdrawn(STALL.rule, 1.0)), ended=True), lambda: REPORT)
    assert "00:00:00 [llama] " in out.getvalue()
    assert "no longer" not in out.getvalue()


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("https://hooks.slack.com/services/T/B/x", {"text": "said"}),
        ("https://open.feishu.cn/open-apis/bot/v2/hook/x", {"msg_type": "text", "content": {"text": "said"}}),
        ("https://open.larksuite.com/open-apis/bot/v2/hook/x", {"msg_type": "text", "content": {"text": "said"}}),
        ("https://oapi.dingtalk.com/robot/send?access_token=x", {"msgtype": "text", "text": {"content": "said"}}),
        ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x", {"msgtype": "text", "text": {"content": "said"}}),
        ("https://example.com/hooks.slack.com", {"text": "said", "rule": "r"}),
        (
            "https://events.pagerduty.com/v2/enqueue",
            {"routing_key": "key", "event_action": "trigger", "dedup_key": "logrules/i",
             "payload": {"summary": "said", "source": "gpu-7", "severity": "warning"}},
        ),
    ],
)  # fmt: skip
def test_each_chat_gets_the_body_that_it_documents(url, body):
    (news,) = NotificationPolicy().news(update(1.0, STALLED), lambda: REPORT)
    assert body_for(url, replace(news, incident="i"), "said", {"rule": "r"}, "key") == body


HOSTILE = "<!channel> & <at user_id='all'> @All"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("https://hooks.slack.com/services/x", "&lt;!channel&gt; &amp; &lt;at user_id='all'&gt; @All"),
        ("https://open.feishu.cn/open-apis/bot/v2/hook/x", "<!channel> & < at user_id='all'> @All"),
        ("https://oapi.dingtalk.com/robot/send", HOSTILE),
        ("https://chat.example.com/hooks/x", "<\u200b!channel> & <at user_id='all'> @\u200bAll"),
    ],
)
def test_words_of_a_log_call_nobody(url, text):
    (news,) = NotificationPolicy().news(update(1.0, STALLED), lambda: REPORT)
    assert json.dumps(text) in json.dumps(body_for(url, news, HOSTILE, {}, ""))


@pytest.mark.parametrize(
    ("url", "most"),
    [
        ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x", 2_048),
        ("https://oapi.dingtalk.com/robot/send", 20_000),
        ("https://open.feishu.cn/open-apis/bot/v2/hook/x", 20_000),
    ],
)
def test_no_message_is_longer_than_its_chat_takes(url, most):
    (news,) = NotificationPolicy().news(update(1.0, STALLED), lambda: REPORT)
    body = body_for(url, news, "慢" * 50_000, {}, "")
    told = body.get("text") or body["content"]
    assert isinstance(told, dict)
    (text,) = told.values()
    assert most / 2 < len(text.encode()) <= most
    assert set(text) == {"慢"}


# Worked out with `openssl dgst -sha256 -mac HMAC`, by what each documents: DingTalk signs the time and the key with the
# key, Feishu signs nothing with the time and the key.
FEISHU_SIGN = "ELsm/ulP0X3BYGNJ0QmqPe/fUF0jrO14DvmooJHv6ys="
DINGTALK_SIGN = "tGWkA5eQOQNCNPDgphtxIoNLO%2B%2FgD8Lcb705KQoRzeY%3D"


@pytest.mark.parametrize("url", ["https://open.feishu.cn/open-apis/bot/v2/hook/x", "https://open.larksuite.com/x"])
def test_a_message_to_feishu_bears_its_time_and_signature(url):
    assert signed(url, {"msg_type": "text"}, "demo key", 1599360473.9) == (
        url,
        {"timestamp": "1599360473", "sign": FEISHU_SIGN, "msg_type": "text"},
    )


def test_an_address_of_dingtalk_bears_the_time_and_signature():
    url = "https://oapi.dingtalk.com/robot/send?access_token=x"
    body = {"msgtype": "text"}
    assert signed(url, body, "SECdemo", 1599360473.0) == (f"{url}&timestamp=1599360473000&sign={DINGTALK_SIGN}", body)


@pytest.mark.parametrize(
    ("url", "key"), [("https://oapi.dingtalk.com/robot/send?access_token=x", ""), ("https://example.com/hook", "key")]
)
def test_who_asks_for_no_signature_gets_none(url, key):
    assert signed(url, {"text": "hi"}, key, 1.0) == (url, {"text": "hi"})


def test_the_key_comes_from_the_environment_and_is_told_to_nobody(monkeypatch):
    monkeypatch.setenv("LOGRULES_NOTIFY_SECRET", "SECdemo")
    sent = []
    hook = Webhook("https://oapi.dingtalk.com/robot/send?access_token=x", sent.append, "en", NotificationPolicy())
    monkeypatch.setattr(hook._deliveries, "do", sent.append)
    hook.on_update(update(1.0, STALLED), lambda: REPORT)
    (delivery,) = sent
    assert b"&sign=" in delivery
    assert b"SECdemo" not in delivery


def test_a_pager_gets_one_alert_an_incident_and_its_end():
    policy = NotificationPolicy()
    url = "https://events.pagerduty.com/v2/enqueue"
    (begun,) = policy.news(update(1.0, STALLED), lambda: REPORT)
    (over,) = policy.news(update(2.0, Withdrawn(STALL.rule, 2.0)), lambda: REPORT)
    first, last = (body_for(url, news, "x" * 2_000, {}, "key") for news in (begun, over))
    assert (first["event_action"], last["event_action"]) == ("trigger", "resolve")
    assert first["dedup_key"] == last["dedup_key"]
    assert len(str(first["dedup_key"])) <= 255
    assert first["payload"] == {"summary": "x" * 1_024, "source": "gpu-7", "severity": "warning"}
    assert "payload" not in last


@pytest.mark.parametrize(
    ("answer", "refused"),
    [
        (b"ok", None),
        (b'{"errcode": 0, "errmsg": "ok"}', None),
        (b'{"errcode": 310000, "errmsg": "keywords not in content"}', "310000: keywords"),
        (b'{"code": 19021, "msg": "sign match fail"}', "19021: sign"),
        (b'{"code": "x"}', None),
        (b"[1]", None),
    ],
)
def test_a_chat_that_takes_nothing_and_says_so_in_its_answer(monkeypatch, answer, refused):
    monkeypatch.setattr("urllib.request.OpenerDirector.open", lambda *_, **__: io.BytesIO(answer))
    if refused is None:
        post("http://example.com", b"{}")
    else:
        with pytest.raises(Exception, match=refused):
            post("http://example.com", b"{}")
