package main

// clients holds what to type or paste so that a client starts this server.
// Editors start a server in a folder of their choice, so their lines name the
// folder of the module.
var clients = []struct{ heading, text string }{
	{"Claude Code: type", `claude mcp add worldclock -- go run ./examples/quickstart --stdio`},
	{"Cursor: put into .cursor/mcp.json", `{
  "mcpServers": {
    "worldclock": {
      "command": "go",
      "args": ["-C", "${workspaceFolder}", "run", "./examples/quickstart", "--stdio"]
    }
  }
}`},
	{"VS Code: put into .vscode/mcp.json", `{
  "servers": {
    "worldclock": {
      "type": "stdio",
      "command": "go",
      "args": ["-C", "${workspaceFolder}", "run", "./examples/quickstart", "--stdio"]
    }
  }
}`},
}
