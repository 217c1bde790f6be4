"""Live: lines, panel, commands, webhook, the report in a file."""
