"""Take out the live-code scripts that jupyter-book puts on every page.

They declare one constant twice, which is an error in every reader's console, and name a remote
address. The site needs no kernel.
"""

from sphinx.application import Sphinx


def remove(app: Sphinx) -> None:
    """Undo what sphinx_thebe has set up; it is always set up before this extension."""
    for listeners in app.events.listeners.values():
        listeners[:] = [
            one for one in listeners if not one.handler.__module__.startswith("sphinx_thebe")
        ]
    for files in (app.registry.css_files, app.registry.js_files):
        files[:] = [one for one in files if "thebe" not in str(one[0])]
