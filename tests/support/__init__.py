"""Code that several test files share: engines as subprocesses, referees, bots, and invented game records."""
