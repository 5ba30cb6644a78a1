"""The clients of PyPI that were written for the same API, driven by a test: `mailsocket-client.py sdk|mcp URL KEY`.

Prints a line of JSON after each step; a mail must be sent to `code_to` with a code, and to `link_to` with a link.
"""
import json
import os
import sys

import anyio
from mailsocket import AuthError, Client as Mailsocket, NotFound, WaitTimeout
from mcp import Client, StdioServerParameters, stdio_client


def tell(**step):
    print(json.dumps(step), flush=True)


def use_sdk(url, key):
    client = Mailsocket(key, base_url=url)
    inbox = client.create_inbox(label="mailsocket")
    detail = client.get_inbox(inbox["id"])
    tell(detail=[detail["address"] == inbox["address"], detail["message_count_month"], detail["webhook_configured"]])
    tell(listed=[one["id"] == inbox["id"] for one in client.list_inboxes(limit=1)])
    tell(code_to=inbox["address"])
    waited = client.wait_for_otp(inbox["id"], timeout=30, since=0)
    tell(code=waited.otp, is_sure=waited.confidence > 0.9)
    tell(link_to=inbox["address"])
    waited = client.wait_for_link(inbox["id"], timeout=30, since=waited.message["id"])
    tell(link=waited.link, either=str(client.wait(inbox["id"], since=0)))
    page = client.list_messages(inbox["id"], limit=1)
    older = client.list_messages(inbox["id"], limit=1, cursor=page.next_cursor)
    tell(pages=[page[0]["subject"], page.has_more, older[0]["subject"], older.has_more])
    filtered = client.list_messages(inbox["id"], has_otp=True, subject_contains="CODE", sender="shop")
    tell(filtered=len(filtered), latest=client.get_latest(inbox["id"])["subject"])
    tell(text=client.get_message(page[0]["id"])["text"].strip()[:7])
    try:
        client.wait_for_otp(inbox["id"], timeout=1)
    except WaitTimeout:
        tell(timed_out=True)
    try:
        client.send_test_code(inbox["id"])
    except NotFound as fault:
        tell(test_code=fault.code)
    client.delete_inbox(inbox["id"])
    try:
        client.get_inbox(inbox["id"])
    except NotFound as fault:
        tell(deleted=fault.code)
    try:
        Mailsocket(key + "x", base_url=url).list_inboxes()
    except AuthError as fault:
        tell(wrong_key=fault.code)


async def use_mcp(url, key):
    command = [sys.executable, "-c", "from mailsocket_mcp.server import main; main()"]
    env = dict(os.environ, MAILSOCKET_API_KEY=key, MAILSOCKET_BASE_URL=url)
    server = StdioServerParameters(command=command[0], args=command[1:], env=env)
    async with Client(stdio_client(server)) as client:

        async def call(name, **args):
            result = await client.call_tool(name, args)
            text = result.content[0].text
            if result.is_error:
                raise RuntimeError(f"{name}: {text}")
            return json.loads(text)

        tell(tools=sorted(tool.name for tool in (await client.list_tools()).tools))
        inbox = await call("create_inbox", label="mailsocket-mcp")
        tell(code_to=inbox["address"])
        waited = await call("wait_for_otp", inbox_id=inbox["id"], timeout=30, since=0)
        tell(code=waited["otp"], is_sure=waited["confidence"] > 0.9)
        tell(link_to=inbox["address"])
        tell(link=(await call("wait_for_link", inbox_id=inbox["id"], timeout=30, since=waited["id"]))["magic_link"])
        tell(listed=len((await call("list_inboxes"))["inboxes"]))
        tell(messages=len((await call("list_messages", inbox_id=inbox["id"]))["messages"]))
        tell(latest=(await call("get_latest", inbox_id=inbox["id"]))["subject"])
        await call("delete_inbox", inbox_id=inbox["id"])
        gone = await client.call_tool("get_latest", {"inbox_id": inbox["id"]})
        tell(deleted=gone.is_error)


if sys.argv[1] == "sdk":
    use_sdk(*sys.argv[2:])
else:
    anyio.run(use_mcp, *sys.argv[2:])
