"""logrules for agents: tools that only look, on paths below one folder, with bounded answers."""
