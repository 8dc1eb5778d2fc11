package routers

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/kervan-mcp/kervan/transport"
)

func ginRouter(mcp *transport.Handler) http.Handler {
	r := gin.New()
	r.Any("/s/:tenant/mcp", func(c *gin.Context) {
		c.Request.SetPathValue("tenant", c.Param("tenant"))
		mcp.ServeHTTP(c.Writer, c.Request)
	})
	return r
}
