package forecast

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kervan-mcp/kervan"
)

// Limits of the tools written by hand, as kervan.yaml has them. The time is long,
// since the machine may be busy.
const (
	requestTimeout = time.Minute
	maxBody        = 1 << 20
)

// ByHand returns the tools as someone writes them who has Kervan's typed tools and
// net/http.
func (a API) ByHand() []*kervan.ToolDef {
	c := a.client()
	return []*kervan.ToolDef{
		kervan.Tool(selectName, selectDescription, c.outlook).ReadOnly(),
		kervan.Tool(rawName, rawDescription, c.raw).ReadOnly(),
	}
}

type client struct {
	api  API
	http *http.Client
}

func (a API) client() *client {
	return &client{api: a, http: &http.Client{Transport: a.Transport(), Timeout: requestTimeout}}
}

// Transport returns one of net/http that trusts the API. It keeps as many idle
// connections as package guard does, so that comparing the two is not about how
// often they connect.
func (a API) Transport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 32
	transport.TLSClientConfig = &tls.Config{RootCAs: a.Trust}
	return transport
}

// Request returns the request for a report.
func (a API) Request(ctx context.Context, city string, days int) (*http.Request, error) {
	address := a.URL + "/v1/cities/" + url.PathEscape(city) + "/forecast?days=" + strconv.Itoa(days)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	return req, nil
}

func (c *client) outlook(ctx context.Context, in input) (outlook, error) {
	body, err := c.get(ctx, in)
	if err != nil {
		return outlook{}, err
	}
	var r report
	if err := json.Unmarshal(body, &r); err != nil {
		return outlook{}, fmt.Errorf("the API's answer: %w", err)
	}
	return r.outlook(), nil
}

func (c *client) raw(ctx context.Context, in input) (string, error) {
	body, err := c.get(ctx, in)
	return string(body), err
}

func (c *client) get(ctx context.Context, in input) ([]byte, error) {
	req, err := c.api.Request(ctx, in.City, in.Days)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, kervan.ToolErrorf("The API answered %s.", resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxBody))
}
