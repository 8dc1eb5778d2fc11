package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kervan-mcp/kervan"
	"github.com/kervan-mcp/kervan/transport"
)

// status is what a handler answers to a request with these Authorization
// headers.
func status(handler http.Handler, authorization ...string) int {
	body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
	request := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", body)
	request.Header.Set("Content-Type", "application/json")
	request.Header["Authorization"] = authorization
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder.Code
}

// TestRule10_2_TokenGate: [S] only the token lets in, and only the one of now.
func TestRule10_2_TokenGate(t *testing.T) {
	gate := newTokenGate()
	gate.replace(token)
	handler, err := transport.NewHandler(kervan.NewApp("test", "1"), gate.option())
	require.NoError(t, err)
	for authorization, want := range map[string]int{
		"":                                 401,
		"Bearer":                           401,
		"Bearer ":                          401,
		token:                              401,
		"Basic " + token:                   401,
		"Bearer " + token[:15]:             401,
		"Bearer " + token + "x":            401,
		"Bearer " + strings.ToUpper(token): 401,
		"Bearer 0123456789abcdeg":          401,
		"Bearer ${KERVAN_TOKEN}":           401,
		"Bearer " + token:                  200,
		"bearer " + token:                  200,
	} {
		assert.Equal(t, want, status(handler, authorization), authorization)
	}
	assert.Equal(t, 401, status(handler))
	assert.Equal(t, 400, status(handler, "Bearer "+token, "Bearer "+token))

	gate.replace("another-" + token)
	assert.Equal(t, 401, status(handler, "Bearer "+token), "it was replaced")
	assert.Equal(t, 200, status(handler, "Bearer another-"+token))
	gate.replace("")
	assert.Equal(t, 401, status(handler, "Bearer "+token))
	assert.Equal(t, 401, status(handler, "Bearer "))
}

// TestRule10_2_TokenIsAsked: [S] the gate is among the options of serving.
func TestRule10_2_TokenIsAsked(t *testing.T) {
	t.Setenv("KERVAN_TOKEN", token)
	s, messages := prepareOnly(t, goodSpec(t), "--http", "--port", "0", "--auth-token-env", "KERVAN_TOKEN")
	options := s.transport()
	handler, err := transport.NewHandler(kervan.NewApp("test", "1"), options...)
	require.NoError(t, err)
	assert.Equal(t, 401, status(handler))
	assert.Equal(t, 200, status(handler, "Bearer "+token))

	s.process.messages.Printf("the token is %s", token)
	assert.Equal(t, "the token is [redacted]\n", messages.String())
}
