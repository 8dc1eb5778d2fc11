package main

import "slices"

// rules holds, for every security rule, at least one edit that removes it. A
// new security rule adds its own to one of these.
var rules = slices.Concat(core, templates, network, expressions, walls, redaction, requests, files, runner)
