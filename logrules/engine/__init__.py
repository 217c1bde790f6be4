"""One driver of sources, clocks and a session; processes, Ray, clock synchronisation."""
