"""600 ordinary prompts of twelve kinds, fifty each: what people really paste into a question."""

NAMES = (
    "invoice export", "nightly backup", "search index", "login page", "payment webhook",
    "wing flutter", "user import", "report builder", "cache warmup", "mail queue",
)  # fmt: skip
TOOLS = ("git", "docker", "kubectl", "psql", "pytest")

KINDS = {
    "question": "how do I fix the {name} when {tool} fails?",
    "flags": "{tool} --verbose --dry-run -x --output={tool}.log fails for the {name}",
    "sql": "why is SELECT count(*) FROM {tool}_runs; -- {name}\nso slow",
    "python": "def run():  # {name}\n    return {tool}['a'] or None; print('x')\nwhat is wrong",
    "c comment": "/* {name} */ int {tool} = 0; // does this compile?",
    "path": "where is /etc/{tool}/conf.d/{tool}.yml for the {name}; C:\\Users\\me\\{tool}.ini",
    "url": "https://example.test/{tool}?q=1&r=2#top returns 404 -- {name}",
    "table": "| {name} | {tool} |\n|------|------|\n| a | 1 |\n| b; c | 2 |\nsum these",
    "log": "2026-01-02T03:04:05Z ERROR [{tool}] {name} failed: exit=1; retry--in 5s",
    "mail": "Hi all,\n\n> on Monday the {name} broke;\n> see {tool}\n\n-- \nBob (he/him)",
    "markdown": "# {name}\n---\n* **{tool}**; see `x--y`\n```\n{tool} run\n```",
    "names": '{tool}\'s "{name}" \u2014 O\u2019Brien & S\u00f8n; caf\u00e9 \u58f2\u4e0a \U0001f600',
}


def ordinary() -> list[tuple[str, str]]:
    """(kind, prompt), each prompt once."""
    return [
        (kind, form.format(name=name, tool=tool))
        for kind, form in KINDS.items()
        for name in NAMES
        for tool in TOOLS
    ]
