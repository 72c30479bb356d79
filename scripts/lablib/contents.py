# SPDX-License-Identifier: Apache-2.0
"""The files as JupyterLab sees them in a student's view: the published notebooks can be read and run, and not saved."""

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError


class ReaderContents(AsyncLargeFileManager):
    """Without it the first autosave would rewrite a published notebook, and git would see a change that the user did not make."""

    async def get(self, path, *words, **options):
        model = await super().get(path, *words, **options)
        return model | {"writable": False} if is_published(path) else model

    async def save(self, model, path=""):
        if is_published(path):
            raise HTTPError(403, "the published notebooks stay as they are; your copies are in work")
        return await super().save(model, path)


def is_published(path: str) -> bool:
    return path.strip("/").startswith("notebooks/") and path.endswith(".ipynb")
