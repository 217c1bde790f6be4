"""Bytes and time: files, archives, pipes, processes, folders, URLs."""
