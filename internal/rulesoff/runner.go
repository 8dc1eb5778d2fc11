package main

// runner are the edits for cmd/kervan, section 10 and rule 7.5.
var runner = []switchOff{
	{
		Rule: "10.2 no start off loopback without a token", File: "cmd/kervan/auth.go",
		Old: "case !c.NoAuth && !e.onLoopback():", New: "case false:",
		Test: "./cmd/kervan TestRule10_2_OffLoopback",
	},
	{
		Rule: "10.2 a name counts as off loopback", File: "cmd/kervan/endpoint.go",
		Old: "return err == nil && addr.IsLoopback()", New: "return err != nil || addr.IsLoopback()",
		Test: "./cmd/kervan TestRule10_2_OffLoopback",
	},
	{
		Rule: "10.2 short tokens", File: "cmd/kervan/auth.go",
		Old: "case len(token) < minToken:", New: "case false:",
		Test: "./cmd/kervan TestRule10_2_Token",
	},
	{
		Rule: "10.2 a token in the place of its name is not shown", File: "cmd/kervan/auth.go",
		Old: "if !isName(name) {", New: "if false {",
		Test: "./cmd/kervan TestRule10_2_Token",
	},
	{
		Rule: "10.2 the token is compared", File: "cmd/kervan/auth.go",
		Old:  "if subtle.ConstantTimeCompare(digest[:], g.digest.Load()[:]) != 1 {",
		New:  "if subtle.ConstantTimeCompare(digest[:], g.digest.Load()[:]) > 1 {",
		Test: "./cmd/kervan TestRule10_2_TokenGate",
	},
	{
		Rule: "10.2 the token is asked for", File: "cmd/kervan/server.go",
		Old: "options = append(options, s.gate.option())", New: "_ = s.gate.option()",
		Test: "./cmd/kervan TestRule10_2_TokenIsAsked",
	},
	{
		Rule: "10.2 development options in production", File: "cmd/kervan/preflight.go",
		Old: "if !isProduction(env) {", New: "if true {",
		Test: "./cmd/kervan TestRule10_2_Production",
	},
	{
		Rule: "10.7 escaping", File: "cmd/kervan/internal/terminal/terminal.go",
		Old: "Escape(MaskURLs(p.redact(line)))", New: "MaskURLs(p.redact(line))",
		Test: "./cmd/kervan/internal/terminal TestRule10_7_Printer",
	},
	{
		Rule: "10.7 passwords in URLs", File: "cmd/kervan/internal/terminal/terminal.go",
		Old: "Escape(MaskURLs(p.redact(line)))", New: "Escape(p.redact(line))",
		Test: "./cmd/kervan/internal/terminal TestRule10_7_Printer",
	},
	{
		Rule: "10.7 secrets in messages", File: "cmd/kervan/internal/terminal/terminal.go",
		Old: "Escape(MaskURLs(p.redact(line)))", New: "Escape(MaskURLs(line))",
		Test: "./cmd/kervan/internal/terminal TestRule10_7_Printer",
	},
	{
		Rule: "10.7 invisible letters", File: "cmd/kervan/internal/terminal/escape.go",
		Old: "return !unicode.IsPrint(r) || schema.LooksBlank(r)", New: "return !unicode.IsPrint(r) || schema.LooksBlank(r) && false",
		Test: "./cmd/kervan/internal/terminal TestRule10_7_Escape",
	},
	{
		Rule: "10.7 the token is hidden", File: "cmd/kervan/auth.go",
		Old: "s.process.hide(*s.command.AuthTokenEnv, token)", New: "_ = token",
		Test: "./cmd/kervan TestRule10_2_TokenIsAsked",
	},
	{
		Rule: "7.5 private networks need the option", File: "cmd/kervan/load.go",
		Old: "AllowPrivate: s.command.AllowPrivateNetwork,", New: "AllowPrivate: true,",
		Test: "./cmd/kervan TestRule7_5_Networks",
	},
	{
		Rule: "7.5 denied networks", File: "cmd/kervan/load.go",
		Old: "s.command.DenyNetworks,", New: "nil,",
		Test: "./cmd/kervan TestRule7_5_Networks",
	},
	{
		Rule: "10.7 the log of net/http", File: "cmd/kervan/main.go",
		Old: "log.SetOutput(io.Discard)", New: "_ = io.Discard\n_ = log.Default",
		Test: "./cmd/kervan TestRule6_3_NothingOnTheWire",
	},
	{
		Rule: "10.7 secrets in the wrong place", File: "cmd/kervan/load.go",
		Old: "s.process.hideNamed(in.text, env)", New: "",
		Test: "./cmd/kervan TestRule10_7_SecretsInBadSpecs",
	},
}
