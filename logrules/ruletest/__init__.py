"""What rules are tested with: examples, cases, mutation, lint, format."""
