package spec

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
)

// A fingerprint tells whether a tool is still the same when its file is loaded
// again (rule 5.12): its own text, the defaults that count for it, and where
// its secrets may go. Comments and layout do not count.
type fingerprint [sha256.Size]byte

func fingerprintOf(t *tool) fingerprint {
	h := sha256.New()
	addNode(h, t.node)
	fmt.Fprintf(h, "%d %d %d %d %d %d\n", t.http.Timeout, t.http.MaxResponseBytes, t.http.MaxOutputChars,
		t.http.FollowRedirects, t.http.PerMinute, t.http.Concurrency)
	for _, d := range t.secrets {
		fmt.Fprintf(h, "%q %q\n", d.name, d.hosts)
	}
	return fingerprint(h.Sum(nil))
}

// addNode writes a value so that no other value is written the same.
func addNode(h hash.Hash, n *node) {
	addText := func(s string) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(s)))
		h.Write(size[:])
		h.Write([]byte(s))
	}
	switch n.kind {
	case scalarNode:
		kind := byte('q')
		if n.plain {
			kind = 'p'
		}
		h.Write([]byte{kind})
		addText(n.text)
	case listNode:
		h.Write([]byte{'['})
		for _, item := range n.items {
			addNode(h, item)
		}
		h.Write([]byte{']'})
	case objectNode:
		h.Write([]byte{'{'})
		for _, m := range n.members {
			addText(m.name)
			addNode(h, m.value)
		}
		h.Write([]byte{'}'})
	}
}
