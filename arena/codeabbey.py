def parse_command(w):
    raise ValueError


class InputError(Exception):
    pass
