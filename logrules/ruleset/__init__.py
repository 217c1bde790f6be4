"""Rule and table files to a frozen pack: models, the `when` language, settings, cache."""
