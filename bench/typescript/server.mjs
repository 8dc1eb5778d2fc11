// The TypeScript SDK's server for the benchmarks: the tools of internal/work over
// stateless HTTP, or those of internal/forecast. Usage: node server.mjs SET, where
// SET is what httpserver takes as -tools. It prints the URL that it serves and ends with its standard input.
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

// structured is a result with its JSON as text, as all the peers send it.
const structured = out => ({ content: [{ type: 'text', text: JSON.stringify(out) }], structuredContent: out });

const add = {
    description: 'Adds two numbers.',
    inputSchema: z.strictObject({ a: z.number(), b: z.number() }),
    outputSchema: z.strictObject({ sum: z.number() })
};
const addNumbers = ({ a, b }) => structured({ sum: a + b });

const address = z.strictObject({ street: z.string(), city: z.string(), zip: z.string(), country: z.string() });
const order = {
    description: 'Places an order and says what it costs and where it ships from.',
    inputSchema: z.strictObject({
        customer: z.string(),
        email: z.string(),
        currency: z.string(),
        express: z.boolean(),
        discount: z.number(),
        note: z.string().optional(),
        ship_to: address,
        items: z.array(z.strictObject({ sku: z.string(), quantity: z.int() }))
    }),
    outputSchema: z.strictObject({
        order: z.string(),
        status: z.string(),
        customer: z.string(),
        currency: z.string(),
        subtotal: z.number(),
        discount: z.number(),
        shipping: z.number(),
        total: z.number(),
        ship_to: address,
        lines: z.array(
            z.strictObject({
                sku: z.string(),
                quantity: z.int(),
                price: z.number(),
                total: z.number(),
                warehouse: z.string(),
                in_stock: z.boolean()
            })
        )
    })
};
const warehouses = ['NORTH', 'SOUTH', 'EAST'];
const placeOrder = input => {
    const lines = input.items.map((item, i) => {
        const price = 2.25 + i / 4;
        return {
            sku: item.sku,
            quantity: item.quantity,
            price,
            total: price * item.quantity,
            warehouse: warehouses[i % warehouses.length],
            in_stock: item.quantity < 9
        };
    });
    const subtotal = lines.reduce((sum, line) => sum + line.total, 0);
    const discount = subtotal * input.discount;
    const shipping = input.express ? 12.75 : 4.5;
    return structured({
        order: 'ORD-2026-000123',
        status: 'accepted',
        customer: input.customer,
        currency: input.currency,
        subtotal,
        discount,
        shipping,
        total: subtotal - discount + shipping,
        ship_to: input.ship_to,
        lines
    });
};

const place = z.strictObject({ city: z.string(), days: z.int() });
const forecast = {
    description: 'Tells the weather of a city now and on the coming days.',
    inputSchema: place,
    outputSchema: z.strictObject({
        city: z.string(),
        temperature: z.number(),
        wind: z.number(),
        days: z.array(z.strictObject({ date: z.string(), max: z.number(), min: z.number(), rain: z.number() }))
    })
};
const forecastRaw = { description: 'Tells all that is known of the weather of a city.', inputSchema: place };

const { FORECAST_URL: api, FORECAST_KEY: key } = process.env;
const fetchReport = async ({ city, days }) => {
    const response = await fetch(`${api}/v1/cities/${encodeURIComponent(city)}/forecast?days=${days}`, {
        headers: { accept: 'application/json', authorization: `Bearer ${key}` },
        signal: AbortSignal.timeout(60_000)
    });
    if (!response.ok) {
        throw new Error(`The API answered ${response.status}.`);
    }
    return response;
};
const tellForecast = async input => {
    const report = await (await fetchReport(input)).json();
    return structured({
        city: report.location.name,
        temperature: report.current.temperature,
        wind: report.current.wind.speed,
        days: report.daily.map(({ date, max, min, rain }) => ({ date, max, min, rain }))
    });
};
const tellReport = async input => ({ content: [{ type: 'text', text: await (await fetchReport(input)).text() }] });

// toolsOf returns [name, definition, handler] of each tool of a set.
const toolsOf = set => {
    if (set === 'call') {
        return [['add', add, addNumbers], ['order', order, placeOrder]];
    }
    if (set === 'forecast') {
        return [['forecast', forecast, tellForecast], ['forecast_raw', forecastRaw, tellReport]];
    }
    if (set === 'add') {
        return [['add', add, addNumbers]];
    }
    const called = set.startsWith('add-of-');
    const count = Number(called ? set.slice('add-of-'.length) : set);
    const tools = Array.from({ length: called ? count - 1 : count }, (_, i) => [
        `add_${String(i).padStart(4, '0')}`,
        { ...add, description: `Adds two numbers for account ${i}.` },
        addNumbers
    ]);
    return called ? [...tools, ['add', add, addNumbers]] : tools;
};

const tools = toolsOf(process.argv[2]);

// The SDK wants a server for each request, so the tools are registered each time.
const handler = toNodeHandler(
    createMcpHandler(() => {
        const server = new McpServer({ name: 'bench', version: '1.0.0' });
        for (const [name, definition, call] of tools) {
            server.registerTool(name, definition, call);
        }
        return server;
    })
);
const validateHost = localhostHostValidation();
const validateOrigin = localhostOriginValidation();

const http = createServer((req, res) => {
    if (validateHost(req, res) && validateOrigin(req, res)) {
        void handler(req, res);
    }
});
http.keepAliveTimeout = 120_000;
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
process.stdin.on('end', () => process.exit(0)).resume();
