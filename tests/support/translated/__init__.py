"""What tests share: engines as subprocesses, referees, bots and records made up for them."""
