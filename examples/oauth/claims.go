package main

import "encoding/json"

// claims are those of an access token (RFC 9068) that matter here.
type claims struct {
	Issuer   string   `json:"iss"`
	Subject  string   `json:"sub"`
	Audience audience `json:"aud"`
	Scope    string   `json:"scope"`
	Expires  int64    `json:"exp"`
}

// An audience is one string or a list of them.
type audience []string

// UnmarshalJSON takes both forms.
func (a *audience) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		*a = make(audience, 1)
		return json.Unmarshal(data, &(*a)[0])
	}
	return json.Unmarshal(data, (*[]string)(a))
}
