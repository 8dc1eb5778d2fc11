package main

// core are the edits for sections 1 to 4: calls, the registry and transports.
var core = []switchOff{
	{
		Rule: "1.6 duplicate keys in arguments", File: "internal/jsonx/parse.go",
		Old: "if _, ok := object[name]; ok {", New: "if _, ok := object[name]; ok && false {",
		Test: "./internal/jsonx TestRule1_6_ParseRefuses",
	},
	{
		Rule: "1.6 duplicate keys in messages", File: "internal/jsonx/append.go",
		Old:  "jsontext.AllowDuplicateNames(false),\n\tjsontext.AllowInvalidUTF8(false),\n\tjsontext.EscapeForHTML(false),",
		New:  "jsontext.AllowDuplicateNames(true),\n\tjsontext.AllowInvalidUTF8(false),\n\tjsontext.EscapeForHTML(false),",
		Test: "./internal/wire TestRule1_6_Refused",
	},
	{
		Rule: "1.6 case-folded keys of the envelope", File: "internal/wire/decode.go",
		Old: "case e.folded != nil:", New: "case false:",
		Test: "./internal/wire TestRule1_6_Refused",
	},
	{
		Rule: "1.6 case-folded keys of params", File: "internal/wire/params.go",
		Old: `if foldsTo(m.key, "name", "arguments", "_meta") {`, New: `if false {`,
		Test: "./internal/wire TestRule1_6_Refused",
	},
	{
		Rule: "1.6 case-folded keys in arguments", File: "internal/schema/validate.go",
		Old: "if !v.output {", New: "if false {",
		Test: "./internal/schema TestRule1_6_CaseFold",
	},
	{
		Rule: "1.6 invalid UTF-8 in messages", File: "internal/jsonx/append.go",
		Old: "jsontext.AllowInvalidUTF8(false),", New: "jsontext.AllowInvalidUTF8(true),",
		Test: "./internal/wire TestRule1_6_Refused",
	},
	{
		Rule: "1.6 invalid UTF-8 in arguments", File: "internal/jsonx/parse.go",
		Old: "jsontext.AllowInvalidUTF8(false)}", New: "jsontext.AllowInvalidUTF8(true)}",
		Test: "./internal/jsonx TestRule1_6_ParseRefuses",
	},
	{
		Rule: "1.6 trailing data", File: "internal/jsonx/parse.go",
		Old: "case errors.Is(err, io.EOF):", New: "case errors.Is(err, io.EOF), true:",
		Test: "./internal/jsonx TestRule1_6_ParseRefuses",
	},
	{
		Rule: "1.6 depth of arguments", File: "pipeline.go",
		Old: "const maxArgumentDepth = 64", New: "const maxArgumentDepth = 900",
		Test: ". TestRule1_6_StrictArguments",
	},
	{
		Rule: "1.6 depth of messages", File: "internal/jsonx/append.go",
		Old: "if depth++; depth > DefaultDepth {", New: "if depth++; false {",
		Test: "./internal/jsonx TestRule1_6_CanonicalRefuses",
	},
	{
		Rule: "1.6 number of elements", File: "internal/jsonx/parse.go",
		Old: "if p.elements == 0 {", New: "if false {",
		Test: ". TestRule1_6_ElementLimit",
	},
	{
		Rule: "1.6 number tokens in arguments", File: "internal/jsonx/parse.go",
		Old: `if detail := checkNumber(s); detail != "" {`, New: `if detail := checkNumber(s); false {`,
		Test: "./internal/jsonx TestRule1_6_ParseRefuses",
	},
	{
		Rule: "1.6 number tokens elsewhere", File: "internal/jsonx/numbers.go",
		Old: `if detail := checkNumber(data[i:end]); detail != "" {`, New: `if detail := checkNumber(data[i:end]); false {`,
		Test: "./internal/wire TestRule1_6_Refused",
	},
	{
		Rule: "1.6 the SDK reads an encoding of what was decoded", File: "internal/jsonx/append.go",
		Old: "jsontext.PreserveRawStrings(false),", New: "jsontext.PreserveRawStrings(true),",
		Test: "./internal/jsonx TestRule1_6_Canonical",
	},
	{
		Rule: "1.6 integers that a float cannot hold", File: "internal/jsonx/decode_values.go",
		Old: "if exact.sign+exact.digits == want && exact.exponent == n.exponent {", New: "if exact.digits != want || true {",
		Test: "./internal/jsonx TestRule1_6_DecodeRefuses",
	},
	{
		Rule: "1.6a turns of a recursive schema", File: "internal/schema/turns.go",
		Old: "if v.count > maxVisits {\n\t\t\t\treturn &Error", New: "if false {\n\t\t\t\treturn &Error",
		Test: "./internal/schema TestRule1_6a_SamePlaceTooOften",
	},
	{
		Rule: "1.6a visits of one place", File: "internal/schema/validate.go",
		Old: "if v.turns != nil {", New: "if false {",
		Test: "./internal/schema TestRule1_6a_Turns",
	},
	{
		Rule: "1.6a validation runs under recover", File: "internal/schema/validate.go",
		Old: "if recover() != nil {\n\t\t\tviolations", New: "if false {\n\t\t\tviolations",
		Test: "./internal/schema TestValidatePanicIsAViolation",
	},
	{
		Rule: "1.6a validation runs inside the deadline", File: "pipeline.go",
		Old: "case <-ctx.Done():\n\t\tt.abandoned.Add(1)", New: "case <-context.Background().Done():\n\t\tt.abandoned.Add(1)",
		Test: ". TestRule1_11_Deadline",
	},
	{
		Rule: "1.12 errors are masked", File: "pipeline.go",
		Old: "ans := textAnswer(OutcomeMasked, textMasked(tool, ref))", New: "ans := textAnswer(OutcomeMasked, textMasked(tool, ref)+errorText(err))",
		Test: ". TestRule1_12_Masking",
	},
	{
		Rule: "1.12 panics are answered", File: "middleware.go",
		Old: "if v := recover(); v != nil {\n\t\t*err", New: "if v := any(nil); v != nil {\n\t\t*err",
		Test: ". TestRule1_12_Masking",
	},
	{
		Rule: "1.12 Goexit is answered", File: "pipeline.go",
		Old: "err := error(errGoexit)", New: "err := error(nil)",
		Test: ". TestRule1_12_Masking",
	},
	{
		Rule: "1.12 references are random", File: "mask.go",
		Old: "_, _ = rand.Read(b[:])", New: "_, _ = rand.Read(b[:0])",
		Test: ". TestRule1_12_Masking",
	},
	{
		Rule: "1.12a error arguments of a ToolError", File: "errors.go",
		Old: "case error:\n\t\te.hidden = append(e.hidden, arg)\n\t\treturn textInternal", New: "case error:\n\t\te.hidden = append(e.hidden, arg)\n\t\treturn arg",
		Test: ". TestRule1_12a_ToolErrors",
	},
	{
		Rule: "1.12a errors inside arguments of a ToolError", File: "errors.go",
		Old: "if holdsError(reflect.ValueOf(arg), 0) {", New: "if false {",
		Test: ". TestRule1_12a_ToolErrors",
	},
	{
		Rule: "1.12a a ToolError shows its own message only", File: "pipeline.go",
		Old: "return textAnswer(OutcomeToolError, te.message)", New: "return textAnswer(OutcomeToolError, errorText(err))",
		Test: ". TestRule1_12a_ToolErrors",
	},
	{
		Rule: "1.12a a nil ToolError is masked", File: "pipeline.go",
		Old: "if te := find[*ToolError](err); te != nil {", New: "if te := new(ToolError); errors.As(err, &te) {\n\t\tif te == nil {\n\t\t\tte = &ToolError{}\n\t\t}",
		Test: ". TestRule1_12_Masking",
	},
	{
		Rule: "1.16 request state is verified", File: "interim.go",
		Old: `if err != nil || base64.RawURLEncoding.EncodeToString(data) != sealed {`, New: `if err != nil {`,
		Test: ". TestRule1_16_TamperedState",
	},
	{
		Rule: "1.16 request state is bound to its call", File: "interim.go",
		Old: "[]byte(req.tool.tool.info.Name), []byte(req.principal), []byte(req.registry), args}", New: "nil}",
		Test: ". TestRule1_16_StateIsBound",
	},
	{
		Rule: "1.16 request state expires", File: "interim.go",
		Old: "if now.Unix() > int64(binary.BigEndian.Uint64(plain)) {", New: "if false {",
		Test: ". TestRule1_16_StateExpires",
	},
	{
		Rule: "2.2 text is made after middleware", File: "result.go",
		Old: "return &Result{StructuredContent: out}, nil", New: "data, _ := jsonx.Encode(out)\n\treturn &Result{StructuredContent: out, Content: []mcp.Content{Text(string(data))}}, nil",
		Test: ". TestRule2_2_RedactingMiddlewareDoesNotLeakThroughText",
	},
	{
		Rule: "3.1 repeated headers", File: "transport/hosts.go",
		Old: "if len(values) > 1 && isSingle(name) {", New: "if len(values) > 1 && isSingle(name) && false {",
		Test: "./transport TestRule3_1_RepeatedHeaders",
	},
	{
		Rule: "3.1 bodies are read after authentication", File: "transport/http.go",
		Old: "(*request).authenticate,\n\t(*request).enter,\n\t(*request).readBody,", New: "(*request).enter,\n\t(*request).readBody,\n\t(*request).authenticate,",
		Test: "./transport TestRule3_1_BodyUnreadBeforeAuthentication",
	},
	{
		Rule: "3.2 allowed hosts", File: "transport/hosts.go",
		Old: "if ok && q.h.o.hosts.allows(host) {", New: "if ok || host != \"\" || true {",
		Test: "./transport TestRule3_2_Host",
	},
	{
		Rule: "3.3 allowed origins", File: "transport/origins.go",
		Old: "if !q.h.o.allowsOrigin(origin[0]) {", New: "if false {",
		Test: "./transport TestRule3_3_Origin",
	},
	{
		Rule: "3.4 a session has an owner", File: "transport/sessions.go",
		Old: "if s == nil || s.owner != owner || s.server != server {", New: "if s == nil {",
		Test: "./transport TestRule3_4_SessionsHaveOwners",
	},
	{
		Rule: "3.6 bounded keys", File: "internal/limit/limit.go",
		Old: "if len(w.keys) >= w.maxKeys {", New: "if false {",
		Test: "./internal/limit TestRule3_6_KeysAreBounded",
	},
	{
		Rule: "3.8 tenants see their own tools", File: "transport/tenants.go",
		Old: "return q.serverOf(registry, view.Name)", New: "return q.serverOf(q.h.app.Registry(), view.Name)",
		Test: "./transport TestRule3_8_TenantsSeeTheirOwn",
	},
	{
		Rule: "3.15 calls in flight", File: "transport/gate.go",
		Old: "case g.calls >= g.maxCalls:", New: "case false:",
		Test: "./transport TestRule3_15_InFlight",
	},
	{
		Rule: "3.15 streams of a client", File: "transport/gate.go",
		Old: "case g.open >= maxStreams, g.streams[key] >= maxStreamsPerKey:", New: "case false:",
		Test: "./transport TestRule3_15_StreamBounds",
	},
	{
		Rule: "3.16 answers are not stored", File: "transport/http.go",
		Old: "header[\"Cache-Control\"] = noStore", New: "",
		Test: "./transport TestRule3_16_Headers",
	},
	{
		Rule: "3.16 public lists do not depend on the caller", File: "transport/http.go",
		Old: "case o.authenticate != nil:", New: "case false:",
		Test: "./transport TestRule3_16_PublicListsRefused",
	},
	{
		Rule: "3.16 lists are private", File: "project.go",
		Old: "return 0, \"private\"", New: "return 0, \"public\"",
		Test: "./transport TestRule3_16_WhatIsAdvertised",
	},
	{
		Rule: "3.2 no start off loopback without hosts", File: "transport/server.go",
		Old: "if !o.hosts.given() && !isLoopback(host) {", New: "if host == \"\" && false {",
		Test: "./transport TestRule3_2_NoStartOffLoopbackWithoutHosts",
	},
	{
		Rule: "3.15 a body must arrive in time", File: "transport/body.go",
		Old: "_ = control.SetReadDeadline(time.Now().Add(q.h.times.body))", New: "_ = control",
		Test: "./transport TestRule3_15_SlowBody",
	},
	{
		Rule: "3.6 X-Forwarded-For counts from proxies only", File: "transport/proxies.go",
		Old: "if !p.trust(addr) {", New: "if false {",
		Test: "./transport TestRule3_6_ClientKey",
	},
	{
		Rule: "3.6 not everybody is a proxy", File: "transport/proxies.go",
		Old: "if p.Bits() == 0 {", New: "if false {",
		Test: "./transport TestRule3_6_TrustedProxiesOption",
	},
	{
		Rule: "3.6 failed authentication counts by address", File: "transport/ratelimit.go",
		Old: "return r.byAddress.Allow(r.clientKey(req))", New: "return 0, true",
		Test: "./transport TestRule3_6_FailedAuthenticationCountsByAddress",
	},
	{
		Rule: "3.7 audience", File: "transport/bearer.go",
		Old: "case !accepted:", New: "case !accepted && false:",
		Test: "./transport TestRule3_7_Challenges",
	},
	{
		Rule: "3.7 expiration", File: "transport/bearer.go",
		Old: "!time.Now().Before(info.Expiration.Add(b.ClockSkew))", New: "time.Now().IsZero()",
		Test: "./transport TestRule3_7_Challenges",
	},
	{
		Rule: "3.7 missing expiration", File: "transport/bearer.go",
		Old: "info.Expiration.IsZero() && !b.AllowMissingExpiration", New: "false",
		Test: "./transport TestRule3_7_Challenges",
	},
	{
		Rule: "3.7 scopes of every request", File: "transport/bearer.go",
		Old: "if !holdsAll(info.Scopes, b.Scopes) {", New: "if false {",
		Test: "./transport TestRule3_7_Challenges",
	},
	{
		Rule: "3.7 verifier errors are masked", File: "transport/bearer.go",
		Old: "return nil, err\n\tcase info == nil:", New: "return nil, &Refusal{Status: 500, Message: err.Error()}\n\tcase info == nil:",
		Test: "./transport TestRule3_7_VerifierErrorsAreMasked",
	},
	{
		Rule: "3.7 challenges are quoted", File: "transport/bearer_header.go",
		Old: "q.WriteByte('\\\\')", New: "",
		Test: "./transport TestRule3_7_QuotedString",
	},
	{
		Rule: "3.7 API keys that can be guessed", File: "transport/apikey.go",
		Old: "case len(key) < minKeyLen:", New: "case false:",
		Test: "./transport TestRule3_7_APIKeyOptions",
	},
	{
		Rule: "3.7 API keys have users", File: "transport/apikey.go",
		Old: "case info.UserID == \"\":", New: "case false:",
		Test: "./transport TestRule3_7_APIKeyFunc",
	},
	{
		Rule: "3.2 a host function that panics", File: "transport/hosts.go",
		Old: "\t\t\tok = false\n", New: "\t\t\tok = true\n",
		Test: "./transport TestRule3_2_Host",
	},
	{
		Rule: "3.3 origins need https", File: "transport/origins.go",
		Old: "(scheme == \"https\" || scheme == \"http\" && isLoopbackName(host))", New: "(scheme != \"\")",
		Test: "./transport TestRule3_3_Origin",
	},
	{
		Rule: "3.8 errors of the resolver are masked", File: "transport/tenants.go",
		Old: "return q.masked(logResolve, err)", New: "return &refusal{status: 500, message: err.Error()}",
		Test: "./transport TestRule3_8_Refusals",
	},
	{
		Rule: "3.8 a nil pointer is no registry", File: "transport/tenants.go",
		Old: "errors.Is(err, ErrNotFound), err == nil && isNil(registry):", New: "errors.Is(err, ErrNotFound), err == nil && registry == nil:",
		Test: "./transport TestRule3_8_Refusals",
	},
	{
		Rule: "3.15 streams in all", File: "transport/gate.go",
		Old: "case g.open >= maxStreams, g.streams[key]", New: "case g.streams[key]",
		Test: "./transport TestRule3_15_StreamsInAll",
	},
	{
		Rule: "3.15 streams end with their credentials", File: "transport/listen.go",
		Old: "if q.info != nil && !q.info.Expiration.IsZero() {", New: "if false {",
		Test: "./transport TestRule3_15_StreamsEnd",
	},
	{
		Rule: "3.15 number of sessions", File: "transport/sessions.go",
		Old: "if t.over || len(t.byID) >= t.bounds.Max && !t.evict() {", New: "if t.over {",
		Test: "./transport TestRule3_4_SessionBounds",
	},
}
