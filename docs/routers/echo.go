package routers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/kervan-mcp/kervan/transport"
)

func echoRouter(mcp *transport.Handler) http.Handler {
	e := echo.New()
	e.Any("/s/:tenant/mcp", func(c echo.Context) error {
		c.Request().SetPathValue("tenant", c.Param("tenant"))
		mcp.ServeHTTP(c.Response(), c.Request())
		return nil
	})
	return e
}
