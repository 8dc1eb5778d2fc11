package main

import "context"

// A runCommand serves the tools of a spec.
type runCommand struct {
	Spec string `arg:"" name:"spec" help:"${help_spec}"`

	HTTP           bool     `name:"http" group:"http" help:"${help_http}"`
	Host           *string  `group:"http" placeholder:"ADDRESS" help:"${help_host}"`
	Port           *port    `group:"http" placeholder:"PORT" help:"${help_port}"`
	Path           *string  `group:"http" placeholder:"PATH" help:"${help_path}"`
	AllowedHosts   []string `name:"allowed-host" group:"http" placeholder:"HOST" sep:"none" help:"${help_allowed_host}"`
	AllowedOrigins []string `name:"allowed-origin" group:"http" placeholder:"ORIGIN" sep:"none" help:"${help_allowed_origin}"`
	AuthTokenEnv   *string  `group:"http" placeholder:"NAME" help:"${help_auth_token_env}"`
	NoAuth         bool     `group:"http" help:"${help_no_auth}"`

	EnvFiles []string `name:"env-file" placeholder:"FILE" sep:"none" help:"${help_env_file}"`
	Watch    bool     `help:"${help_watch}"`

	AllowPrivateNetwork  bool     `group:"network" help:"${help_allow_private_network}"`
	AllowInsecureSecrets bool     `group:"network" help:"${help_allow_insecure_secrets}"`
	DenyNetworks         []string `name:"deny-network" group:"network" placeholder:"CIDR" sep:"none" help:"${help_deny_network}"`
}

// Run serves until the client is gone or ctx ends. What the end of ctx
// interrupts is no error.
func (c *runCommand) Run(ctx context.Context, p *process) error {
	s, err := c.prepare(ctx, p)
	if err == nil {
		defer s.close()
		err = s.serve(ctx)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
