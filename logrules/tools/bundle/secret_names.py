"""Names beside which secrets stand, as patterns of `regex` in its verbose form."""

import regex

# What follows these is a secret whatever it looks like.
PASSWORDS = (
    r"pass(?:word|wd|phrase|code)|(?:bind|root)[_\-]?pw|passwort|kennwort|mot\ de\ passe|contrase[ñn]a|senha|пароль|パスワード|비밀번호|密\ ?码|密\ ?碼|口\ ?令|通行码"
    r"|(?:rabbitmq[_-]default|smtp|imap|mail|db|database|mysql|postgres|pg|mongo|redis|rabbitmq|amqp|mqtt|kafka|elastic|ldap|s?ftp|ssh|vnc|proxy|http"
    r"|user|admin|root|become|sudo|keystore|truststore|storage|store|key|auth|config|login|account|guest|master|service|server|system|email|sender"
    r"|mailbox|cert|pfx|p12|jks|tls|ssl|wifi|wlan|rdp|telnet|snmp|ipmi|bmc|idrac|ilo|nas|nfs|smb|cifs|webdav|rclone|krb5?|kerberos|nexus|jenkins"
    r"|gitlab|harbor|docker|registry|neo4j|influx|clickhouse|cassandra|oracle|hive|presto|trino|spark|hdfs|zookeeper|nacos|consul|etcd|minio|milvus"
    r"|airflow|superset|grafana|jupyter|notebook|gradio|streamlit|webui|mlflow|det|queue|broker|celery|tomcat)[_.\-]?(?:pass|pwd|psk)"
)
KEYS = (
    r"api[_\-. ]?(?:keys?|secret)|secret[_\-. ]?(?:access[_\-. ]?)?key|access[_\-. ]?key[_\-. ]?secret|access[_\-. ]?(?:key|secret)"
    r"|(?:client|app|consumer|shared|webhook|hmac|jwt|cookie|session|oauth)[_\-. ]?secret"
    r"|(?:auth|access|refresh|bearer|session|security|identity|hf|hub|bot|private|personal[_\-. ]?access|deploy|api|user"
    r"|app|login|service|push|pull|read|write|admin|root|registry|oauth)[_\-. ]?token"
    r"|(?:private|auth|signing|encryption|decryption|aes|hmac|fernet|storage|account|app|application|master|shared|service|license|subscription|host"
    r"|ingest|team|project|registration|sas|admin|login|deploy|consumer|functions?)[_\-. ]?key"
    r"|(?:csrf|xsrf)(?:middleware)?[_\-. ]?token|jfrog-art-api|pagerduty[_\-. ]?(?:routing|integration)[_\-. ]?key|client-key-data|dockerconfigjson|dockercfg|erlang[_-]?cookie"
    r"|secret(?:[_\-. ]?id)?|credentials?|connection[_\-. ]?string|secret[_\-. ]?value"
    r"|密\ ?钥|秘\ ?钥|令\ ?牌|私\ ?钥|凭\ ?证|凭\ ?据|授权码|访问码"
)
# What follows these is a secret only where it looks like one.
HINTS = r"token|auth(?:[_\-. ]?code)?|access[_\-. ]?code|pwd|pass|pat|sas|sig|signature|dsn|cookie|jwt|webhook|creds?|key|requirepass|pin|psk|sk|ak|pw|pgpass|sign|ticket|licen[sc]e"
# Where one of these may begin: at a word, or at one in `camelCase`.
HINT_START = r"(?:(?<![a-z])|(?-i:(?<=[a-z])(?=[A-Z][a-z])))"
# A name is no part of a longer word, but Chinese has no blanks.
NAME_END = r"(?: (?<=[\u4e00-\u9fff]) | (?![a-z]) )"
# Tokens and keys behind these are no secrets.
HARMLESS_BEFORE_TOKEN = regex.compile(
    r"(?:^|[_.\-])(?:pad|padding|eos|bos|unk|sep|cls|mask|sos|eot|eod|image|img|video|audio|start|end|stop|think|next|prev"
    r"|last|first|special|additional|per|num|max|min|n|new|begin|beginning|decoder|forced|fim|prefix|suffix|middle|time"
    r"|begin_of_text|vision|box|patch|speech|draft|mtp|bonus|s|ms|us|sec)[_.\- ]?$",
    regex.IGNORECASE,
)
HARMLESS_BEFORE_KEY = regex.compile(
    r"(?:^|[_.\-\s])(?:cache|compile|compilation|graph|kernel|autotune|sort|primary|foreign|partition|state|hash|dict|hot|group|index|row|object|lookup|routing|idempotency"
    r"|store|kv|batch|label|text|data|image|input|output|target|public|pub|metric|config|param|module|layer|weight|tensor"
    r"|gpg|prng|rng|random|jax|map|reduce|shuffle|dedup|dataset|sample|prompt|response|answer|column|field|query|value|attn|host)[_.\- ]?$",
    regex.IGNORECASE,
)
# A `key` or `token` behind one of these is an issuer's.
VENDORS = regex.compile(
    r"(?:snyk|vault|kaggle|datadog|dd|azure|aws|gcp|aliyun|tencent|volc|qiniu|baidu|huawei|openai|anthropic|deepseek|moonshot|zhipu"
    r"|dashscope|wandb|comet|neptune|mlflow|swanlab|clearml|hf|github|gitlab|gitee|slack|stripe|twilio|sentry|ngc|redis|mysql|pg"
    r"|postgres|mongo|s3|oss|cos|obs|minio|ssh|tls|ssl|db|client|(?<![a-z])(?:id|fal|ark|bark|glm|tos|bos|exa|ovh|aws|bing)|apim|paperspace|lambda|runpod"
    r"|modal|vast|coreweave|nebius|crusoe|linode|vultr|ngrok|tailscale|cohere|mistral|groq|together|fireworks|replicate|jina|voyage|pinecone|weaviate"
    r"|qdrant|milvus|zilliz|serper|serpapi|tavily|gemini|claude|kimi|doubao|hunyuan|qianfan|ernie|minimax|stepfun|siliconflow|volcengine|langfuse"
    r"|langsmith|litellm|baseten|roboflow|elevenlabs|assemblyai|deepgram|stability|grafana|influx|elastic|algolia|appid|safety|cognitive|speech|translator"
    r"|guild|munge|crypt|amap|humanloop|cloud|polyaxon|gpustack|oneapi)[_.\- ]?$",
    regex.IGNORECASE,
)
