"""The MCP client of PyPI (mcp), driven by a test: `mcp-client.py MODE URL KEY` over HTTP, or `MODE -- COMMAND…`.

MODE is "legacy" (the handshake of 2025) or "auto" (2026 first). Prints a line of JSON after each step; `address` is the
one that a mail with a code must be sent to.
"""
import json
import os
import sys

import anyio
import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client


def tell(**step):
    print(json.dumps(step), flush=True)


def open_transport(where):
    if where[0] == "--":
        return stdio_client(StdioServerParameters(command=where[1], args=where[2:], env=dict(os.environ)))
    url, key = where
    headers = {"Authorization": f"Bearer {key}"}
    return streamable_http_client(url, http_client=httpx2.AsyncClient(headers=headers, timeout=60))


async def main(mode, where):
    async with Client(open_transport(where), mode=mode) as client:
        tell(tools=sorted(tool.name for tool in (await client.list_tools()).tools))
        created = await client.call_tool("create_inbox", {"label": "python"})
        inbox = created.structured_content["inbox"]
        seen = []

        async def on_progress(progress, total, message):
            seen.append(progress)

        tell(address=inbox["address"])
        waited = await client.call_tool(
            "wait_for_code", {"inbox": inbox["id"], "timeout": 30}, progress_callback=on_progress
        )
        tell(code=waited.structured_content["code"], progress=len(seen))
        # A client that gives up.
        with anyio.move_on_after(1):
            await client.call_tool("wait_for_code", {"inbox": inbox["id"], "timeout": 60})
        tell(gave_up=True)
        wrong = await client.call_tool("get_message", {"message_id": "msg_0"})
        tell(is_error=wrong.is_error, error=json.loads(wrong.content[0].text)["error"]["code"])


anyio.run(main, sys.argv[1], sys.argv[2:])
