"""What travels between the stages: frozen data, no behaviour beyond derived properties."""
