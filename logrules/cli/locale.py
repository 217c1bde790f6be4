"""Which language to speak, when nobody said."""

import os
from collections.abc import Mapping


def preferred_language(environment: Mapping[str, str] = os.environ) -> str:
    """Chinese (zh) or English (en), by the locale; the first variable that is set decides, as in gettext."""
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(name, "")
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
