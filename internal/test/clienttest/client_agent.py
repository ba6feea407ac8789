"""Tests the MCP server of OpenSearch against indexerd, as the configuration of an agent in
docs/agents.md starts it."""

import asyncio
import json
import os
import re
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "../../../docs/agents.md")) as f:
    text = re.search("```json\n(.*?)```", f.read(), re.S)[1]
text = text.replace("http://127.0.0.1:9200", os.environ["OPENSEARCH_URL"]).replace("read-only-secret", os.environ["TOKEN"])
described = json.loads(text)["mcpServers"]["films"]
assert described["command"] == "uvx", described  # it installs and starts the program of this name
program = os.path.join(os.path.dirname(sys.executable), described["args"][0])
server = StdioServerParameters(command=program, args=described["args"][1:], env={"PATH": os.environ["PATH"], **described["env"]})
failed = False


def check(name, got, want):
    global failed
    if got == want:
        print("ok", name)
    else:
        failed = True
        print("not ok %s: got %r, want %r" % (name, got, want))


async def main():
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()

        async def call(tool, **arguments):
            answer = await session.call_tool(tool, arguments)
            text = answer.content[0].text
            return ("error: " if answer.is_error or text.startswith("Error") else "") + text

        async def found(tool, **arguments):
            text = await call(tool, **arguments)
            try:
                return json.loads(text[text.index("\n") + 1 :])
            except ValueError:
                return text

        tools = {t.name for t in (await session.list_tools()).tools}
        check("tools", tools, {"ListIndexTool", "IndexMappingTool", "SearchIndexTool", "GetShardsTool", "GenericOpenSearchApiTool"})
        check("indices", [(i["index"], i["docs.count"]) for i in await found("ListIndexTool")], [("film", "125")])
        check("an index", list((await found("ListIndexTool", index="film", include_detail=True))), ["film"])
        fields = (await found("IndexMappingTool", index="film"))["film"]["mappings"]["properties"]
        check("fields", [fields["title"]["type"], fields["year"]["type"], "grp" in fields], ["text", "double", False])
        check("shards", (await call("GetShardsTool", index="film")).splitlines()[1].split(" | ")[:5], ["film", "0", "p", "STARTED", "125"])
        query = {"query": {"match": {"title": {"query": "shrak", "fuzziness": "AUTO"}}}, "aggs": {"ratings": {"terms": {"field": "rating"}}}}
        answer = await found("SearchIndexTool", index="film", query_dsl=query, size=3)
        check("search", [answer["hits"]["total"]["value"], len(answer["hits"]["hits"])], [25, 3])
        check("facets", {b["key"]: b["doc_count"] for b in answer["aggregations"]["ratings"]["buckets"]}, {"PG": 9, "G": 8, "R": 8})
        lines = await call("SearchIndexTool", index="film", query_dsl={"query": {"match_all": {}}}, format="csv", size=5)
        check("lines", lines.startswith("error"), False)
        check("count", (await found("GenericOpenSearchApiTool", path="/film/_count"))["count"], 125)
        refused = await call("GenericOpenSearchApiTool", path="/film/_doc/1", method="PUT", body={"title": "x"})
        check("a write", "405" in refused or "read-only" in refused or "disabled" in refused, True)
        hidden = await found("SearchIndexTool", index="film", query_dsl={"query": {"match": {"title": "secret"}}})
        check("hidden", hidden["hits"]["total"]["value"], 0)


asyncio.run(main())
sys.exit(failed)
