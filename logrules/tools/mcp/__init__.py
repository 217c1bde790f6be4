"""`logrules mcp`: diagnoses for agents."""
