"""What travels between the rooms: events, reports, findings. Plain data, no behaviour."""
