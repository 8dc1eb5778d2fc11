package main

// requests are the edits for internal/httptool: sections 6 to 8.
var requests = []switchOff{
	{
		Rule: "6.1 a source that refuses", File: "internal/httptool/bindings.go",
		Old: "if err != nil {\n\t\t\treturn nil, &failure{OutcomeSecret, textSecretRefused", New: "if err != nil && false {\n\t\t\treturn nil, &failure{OutcomeSecret, textSecretRefused",
		Test: "./internal/httptool TestRule6_1_Unavailable",
	},
	{
		Rule: "6.1 a missing secret", File: "internal/httptool/bindings.go",
		Old: `if value == "" {`, New: `if false {`,
		Test: "./internal/httptool TestRule6_1_MissingNamesHost",
	},
	{
		Rule: "6.2 unusable values", File: "internal/httptool/bindings.go",
		Old: `err := secret.Check(value); err != nil {`, New: `err := secret.Check(value); err != nil && false {`,
		Test: "./internal/httptool TestRule6_1_Unavailable",
	},
	{
		Rule: "6.3 secrets are known before they are sent", File: "internal/httptool/bindings.go",
		Old: `c.rt.Vault.Add(name, value)`, New: ``,
		Test: "./internal/httptool TestRule6_3_AddedBeforeSending",
	},
	{
		Rule: "6.3 rendered values", File: "internal/httptool/request.go",
		Old: `c.rt.Vault.AddRendered(value)`, New: `_ = value`,
		Test: "./internal/httptool TestRule6_3_RenderedValues",
	},
	{
		Rule: "6.3 before select", File: "internal/httptool/output.go",
		Old: "document, err := c.redactJSON(document)\n", New: "var err error\n",
		Test: "./internal/httptool TestRule6_3_SelectNeverSeesASecret",
	},
	{
		Rule: "6.3 after select", File: "internal/httptool/output.go",
		Old: `return c.redactJSON(selected)`, New: `return selected, nil`,
		Test: "./internal/httptool TestRule6_3_JoinedBySelect",
	},
	{
		Rule: "6.3 raw text, before the cut", File: "internal/httptool/output.go",
		Old: `c.textOutput(c.redactText(string(b.text)))`, New: `c.textOutput(string(b.text))`,
		Test: "./internal/httptool TestRule6_3_BeforeTheCut",
	},
	{
		Rule: "6.3 layers in raw JSON", File: "internal/httptool/output.go",
		Old: `if err == nil && n > 0 {`, New: `if err == nil && n > 0 && false {`,
		Test: "./internal/httptool TestRule6_3_LayersInRawJSON",
	},
	{
		Rule: "6.3 structured, on the way out", File: "internal/httptool/output.go",
		Old: `if object, err = c.redactJSON(object); err != nil {`, New: `if err != nil {`,
		Test: "./internal/httptool TestRule6_3_OnTheWayOut",
	},
	{
		Rule: "6.3 messages", File: "internal/httptool/failures.go",
		Old: `message, _ := c.redactor().Text(f.message)`, New: `message := f.message`,
		Test: "./internal/httptool TestRule6_3_Errors",
	},
	{
		Rule: "6.3 causes", File: "internal/httptool/failures.go",
		Old: `e.Cause = c.redactor().Error(f.cause)`, New: `e.Cause = f.cause`,
		Test: "./internal/httptool TestRule6_3_Errors",
	},
	{
		Rule: "6.3 panics", File: "internal/httptool/failures.go",
		Old: `return c.redactor().Error(fmt.Errorf("httptool: panic in tool %q: %v\n%s", c.tool.Name, v, debug.Stack()))`, New: `return fmt.Errorf("httptool: panic in tool %q: %v\n%s", c.tool.Name, v, debug.Stack())`,
		Test: "./internal/httptool TestRule6_3_Errors",
	},
	{
		Rule: "6.3 a redirect's host", File: "internal/httptool/failures.go",
		Old: `return &failure{OutcomeBlocked, textFailed(from.Host, reasonRedirectHost), nil}`, New: `return &failure{OutcomeBlocked, textFailed(from.Host, err.Error()), err}`,
		Test: "./internal/httptool TestRule6_3_Errors",
	},
	{
		Rule: "6.3 the target of a redirect", File: "internal/httptool/bindings.go",
		Old: `textRedirectSecret(name), nil}`, New: `textNotBound(name, target), nil}`,
		Test: "./internal/httptool TestRule6_4_RedirectsAreChecked",
	},
	{
		Rule: "6.4 own host by default", File: "internal/httptool/bindings.go",
		Old: `return target == t.ownHost()`, New: `return true`,
		Test: "./internal/httptool TestRule6_4_RedirectsWithoutAnEntry",
	},
	{
		Rule: "6.4 bound hosts", File: "internal/httptool/bindings.go",
		Old: `return slices.Contains(hosts, target)`, New: `return slices.Contains(hosts, target) || true`,
		Test: "./internal/httptool TestRule6_4_Bound",
	},
	{
		Rule: "6.4 all before any is asked", File: "internal/httptool/bindings.go",
		Old: "if !c.tool.mayReceive(name, target) {\n\t\t\treturn nil, &failure", New: "if false {\n\t\t\treturn nil, &failure",
		Test: "./internal/httptool TestRule6_4_AllSecretsMustBeBound",
	},
	{
		Rule: "6.4 each redirect", File: "internal/httptool/send.go",
		Old: `err := c.allowRedirect(ctx, hop.URL.Scheme, target, hop.SameOrigin); err != nil`, New: `err := c.allowRedirect(ctx, hop.URL.Scheme, target, hop.SameOrigin); err != nil && false`,
		Test: "./internal/httptool TestRule6_4_RedirectsAreChecked",
	},
	{
		Rule: "6.4 the source at a redirect", File: "internal/httptool/bindings.go",
		Old: "_, err := c.ask(ctx, target)\n\treturn err", New: `return nil`,
		Test: "./internal/httptool TestRule6_4_TheSourceMustAgreeToRedirects",
	},
	{
		Rule: "6.4 ports", File: "internal/httptool/bindings.go",
		Old: `err != nil || n == 0 || strconv.FormatUint(n, 10) != port`, New: `err != nil || n > 1<<16`,
		Test: "./internal/httptool TestRule6_4_HostPort",
	},
	{
		Rule: "6.5 plain http", File: "internal/httptool/bindings.go",
		Old: `return scheme != "https" && !c.tool.AllowInsecureSecrets`, New: `return false`,
		Test: "./internal/httptool TestRule6_5_NeverOverPlainHTTP",
	},
	{
		Rule: "7.4 headers to another origin", File: "internal/httptool/request.go",
		Old: `if !hop.SameOrigin {`, New: `if false {`,
		Test: "./internal/httptool TestRule7_4_AnotherOriginLearnsNothing",
	},
	{
		Rule: "7.4 number of redirects", File: "internal/httptool/send.go",
		Old: `if hops >= limit {`, New: `if false {`,
		Test: "./internal/httptool TestRule7_4_Count",
	},
	{
		Rule: "7.4 redirects are judged", File: "internal/httptool/send.go",
		Old: "if err != nil {\n\t\treturn nil, redirectFailure(r.url, a.StatusCode, err)\n\t}\n\ttarget", New: "if hop == nil {\n\t\thop = &guard.Hop{URL: r.url.JoinPath(\"next\"), Method: r.method, SameOrigin: true}\n\t}\n\ttarget",
		Test: "./internal/httptool TestRule7_4_Refused",
	},
	{
		Rule: "7.4a headers with a secret", File: "internal/httptool/request.go",
		Old: `strings.EqualFold(h.Name, name) && usesSecret(h.Value)`, New: `strings.EqualFold(h.Name, name) && false`,
		Test: "./internal/httptool TestRule7_4a_NoSecretLeavesTheOrigin",
	},
	{
		Rule: "8.1 bytes as they come", File: "internal/httptool/decode.go",
		Old: `if int64(n) > s.left {`, New: `if false {`,
		Test: "./internal/httptool TestRule8_1_CompressedBytesCount",
	},
	{
		Rule: "8.1 decoded bytes", File: "internal/httptool/decode.go",
		Old: "out.ReadFrom(io.LimitReader(r, limit+1))\n\tif n > limit {", New: "out.ReadFrom(r)\n\tif n < 0 {",
		Test: "./internal/httptool TestRule8_1_Bombs",
	},
	{
		Rule: "8.1 one layer", File: "internal/httptool/decode.go",
		Old: `case coding != "":`, New: `case false:`,
		Test: "./internal/httptool TestRule8_1_ContentEncoding",
	},
	{
		Rule: "8.1 budget", File: "internal/httptool/response.go",
		Old: `c.rt.Budget.reserve(ctx, room)`, New: `c.rt.Budget.reserve(ctx, room-room)`,
		Test: "./internal/httptool TestRule8_1_BudgetOfAProcess",
	},
	{
		Rule: "8.2 status text", File: "internal/httptool/texts.go",
		Old: `http.StatusText(status)))`, New: `http.StatusText(status/100*100)))`,
		Test: "./internal/httptool TestRule8_2_ErrorStatus",
	},
	{
		Rule: "8.3 names that are shown", File: "internal/httptool/media.go",
		Old: `name = strings.TrimSpace(name); looksLikeMediaType(name)`, New: `name = strings.TrimSpace(name); name != ""`,
		Test: "./internal/httptool TestRule8_3_JunkHasNoName",
	},
	{
		Rule: "8.3 bytes that are no UTF-8", File: "internal/httptool/media.go",
		Old: `if !utf8.Valid(text) {`, New: `if !utf8.Valid(text) && false {`,
		Test: "./internal/httptool TestRule8_3_CharsetsRefused",
	},
	{
		Rule: "8.5 slots", File: "internal/httptool/call.go",
		Old: "defer release()\n", New: "_ = release\n",
		Test: "./internal/httptool TestRule8_5_SlotIsFreed",
	},
	{
		Rule: "8.5 refusals", File: "internal/httptool/call.go",
		Old: `case retryAfter > 0:`, New: `case false:`,
		Test: "./internal/httptool TestRule8_5_RefusalSaysHowLong",
	},
	{
		Rule: "8.5 a limiter that fails", File: "internal/httptool/call.go",
		Old: `case err != nil:`, New: `case false:`,
		Test: "./internal/httptool TestRule8_5_LimiterFails",
	},
	{
		Rule: "8.6 valid cuts", File: "internal/httptool/cut.go",
		Old: `return err == nil && c.fits(tree)`, New: `return err == nil && (true || c.fits(tree))`,
		Test: "./internal/httptool TestRule8_6_CutStructured",
	},
}
