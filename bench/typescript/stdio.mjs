// The least that a server over stdio takes with the TypeScript SDK: one tool. It is
// what `kervan run` is compared with when it starts.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const { FORECAST_URL: api, FORECAST_KEY: key } = process.env;

serveStdio(() => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    server.registerTool(
        'forecast_000',
        {
            description: 'Tells the weather of a city now and on the coming days.',
            inputSchema: z.strictObject({ city: z.string(), days: z.int() })
        },
        async ({ city, days }) => {
            const response = await fetch(`${api}/v1/cities/${encodeURIComponent(city)}/forecast?days=${days}`, {
                headers: { authorization: `Bearer ${key}` }
            });
            return { content: [{ type: 'text', text: await response.text() }] };
        }
    );
    return server;
});
