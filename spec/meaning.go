package spec

// checkMeaning reads a tree whose structure is right, and reports what cannot
// be meant. What it returns is complete only if it reported no error.
func checkMeaning(n *node, o Options, s *issues) *document {
	d := &document{
		name:        textOf(n.get("name")),
		version:     textOf(n.get("version")),
		description: textOf(n.get("description")),
	}
	m := &meaning{issues: s, options: o, defaults: n.get("defaults")}
	m.declareVars(n.get("vars"))
	m.declareSecrets(n.get("secrets"))
	for _, t := range n.get("tools").items {
		d.tools = append(d.tools, m.tool(t))
	}
	m.toolNames(n.get("tools"))
	m.reportUnused("vars", m.vars)
	m.reportUnused("secrets", m.secrets)
	d.vars = m.vars
	return d
}

// A document is what a file says.
type document struct {
	name, version, description string
	vars                       []*declaration
	tools                      []*tool
}

// A declaration is an entry of vars or secrets.
type declaration struct {
	node   *node
	name   string
	hosts  []string // of a secret; nil: that of the tool that uses it
	isUsed bool
}

// meaning is the state of checkMeaning.
type meaning struct {
	*issues
	options       Options
	defaults      *node
	vars, secrets []*declaration
}

func find(list []*declaration, name string) *declaration {
	for _, d := range list {
		if d.name == name {
			return d
		}
	}
	return nil
}

func namesOf(list []*declaration) []string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.name
	}
	return names
}

func (m *meaning) declareVars(list *node) {
	if list == nil {
		return
	}
	for _, n := range list.items {
		if first := find(m.vars, n.text); first != nil {
			m.add(n, textDeclaredTwice(n.text, first.node.line))
			continue
		}
		m.vars = append(m.vars, &declaration{node: n, name: n.text})
	}
}

func (m *meaning) declareSecrets(list *node) {
	if list == nil {
		return
	}
	for _, n := range list.items {
		name := n
		if n.kind == objectNode {
			name = n.get("name")
		}
		d := &declaration{node: name, name: name.text, hosts: m.hosts(n.get("hosts"))}
		if first := find(m.secrets, d.name); first != nil {
			m.add(name, textDeclaredTwice(d.name, first.node.line))
			continue
		}
		if v := find(m.vars, d.name); v != nil {
			m.add(v.node, textVarAndSecret(d.name))
		}
		m.secrets = append(m.secrets, d)
	}
}

// hosts returns where a secret may go; nil if it reported a problem, so that
// none follows from it.
func (m *meaning) hosts(list *node) []string {
	if list == nil {
		return nil
	}
	before := m.errors
	hosts := make([]string, 0, len(list.items))
	for _, n := range list.items {
		origin, fault := parseHost(n.text)
		if fault != "" {
			m.add(n, fault)
		}
		hosts = append(hosts, origin)
	}
	if m.errors > before {
		return nil
	}
	return hosts
}

// toolNames reports names that are taken, at the later tool.
func (m *meaning) toolNames(tools *node) {
	lines := map[string]int{}
	for _, t := range tools.items {
		name := t.get("name")
		if first, taken := lines[name.text]; taken {
			m.add(name, textToolTwice(name.text, first))
			continue
		}
		lines[name.text] = name.line
	}
}

func (m *meaning) reportUnused(list string, declared []*declaration) {
	for _, d := range declared {
		if !d.isUsed {
			m.warn(d.node, textUnused(list, d.name))
		}
	}
}

// limit is the value of a limit for a tool: its own, that of defaults, or the
// table's.
func (m *meaning) limit(own *node, section string, f *field) (value int64, at *node) {
	for _, object := range []*node{own, m.defaults.get(section)} {
		if n := object.get(f.name); n != nil {
			value, _ = integerOf(n.text)
			return value, n
		}
	}
	return f.integer(), own
}

// flag is limit for a field that is true or false.
func (m *meaning) flag(own *node, f *field) bool {
	for _, object := range []*node{own, m.defaults.get("http")} {
		if n := object.get(f.name); n != nil {
			return isTrue(n)
		}
	}
	return f.def.(bool)
}

// textOf is the text of a scalar that may be missing.
func textOf(n *node) string {
	if n == nil {
		return ""
	}
	return n.text
}

// isTrue reports whether a field that is true or false is there and true.
func isTrue(n *node) bool { return textOf(n) == "true" }
