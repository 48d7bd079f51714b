"""Engines as the lab uses them: a process and its protocol behind one interface (`base.Engine`), clocks and faults.

`factory.make_engine` creates one from an `EngineSpec`. `worker_search` runs Kogoma's search in a worker process.
"""
