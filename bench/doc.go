// Package bench measures what a server built with Kervan costs, against servers
// built with its peers. It holds benchmarks and tests only; cmd/httpbench measures
// whole HTTP servers. README.md tells how to run both and how to read what they
// print.
package bench
