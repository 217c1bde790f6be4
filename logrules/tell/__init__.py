"""Who is told what happens to a live job: lines, a panel, commands, addresses, files."""
