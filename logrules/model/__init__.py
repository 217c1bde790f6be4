"""What the packages pass to each other: events, reports, findings. Plain data, no behaviour."""
