// Package bench measures what a server built with Kervan costs, against servers
// built with its peers. It holds benchmarks and tests only; cmd/httpbench measures
// whole HTTP servers, and cmd/startbench their start. README.md tells how to run
// them and how to read what they print.
package bench
