// Package compare holds package guard's tables against those of
// code.dny.dev/ssrf, which others keep. It is a module of its own, so that the
// product does not depend on what it is compared with.
package compare
