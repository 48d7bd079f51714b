"""Engines as the lab sees them: a process and its protocol behind one interface (`base.Engine`), clocks and faults.

`factory.make_engine` makes one from an `EngineSpec`. `searches` asks the search in a worker's own process.
"""
