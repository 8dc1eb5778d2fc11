module github.com/kervan-mcp/kervan/guard/compare

go 1.26.0

require (
	code.dny.dev/ssrf v0.3.0
	github.com/kervan-mcp/kervan v0.0.0
)

require (
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/kervan-mcp/kervan => ../..
