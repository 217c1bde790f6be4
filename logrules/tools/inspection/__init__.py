"""`logrules inspect` and `watch --inspect`: where the processes of a job are, and why they hang."""
