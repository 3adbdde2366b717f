"""The words of a command line as the parser of options takes them."""

from robust_lib.errors import InputError

SEVERAL = (
    "--corruptions",
    "--severities",
    "--models",
    "--read",
    "--roles",
    "--boxes",
    "--benchmarks",
)  # options that take several words


def joined(arguments: list[str]) -> list[str]:
    """Return the arguments as the parser takes them.

    `-p NAME VALUE` becomes one, as papermill lets people write it; `--severities 1 2` becomes an
    option a word.
    """
    joined: list[str] = []
    option = None
    rest = iter(arguments)
    for argument in rest:
        if argument == "-p":
            name, value = next(rest, None), next(rest, None)
            if name is None or value is None or "=" in name or value.startswith("--"):
                given = " ".join(word for word in ("-p", name, value) if word is not None)
                raise InputError(
                    f"Expected -p NAME VALUE, with a blank between name and value, but got {given}."
                )
            joined += ["-p", f"{name}={value}"]
        elif argument.startswith("-"):
            joined.append(argument)
            option = next((name for name in SEVERAL if name == argument.split("=")[0]), None)
        elif option and joined[-1] != option:
            joined += [option, argument]
        else:
            joined.append(argument)
    return joined
