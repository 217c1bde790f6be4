"""Live: lines, panel, commands, webhook, metrics, probes."""
