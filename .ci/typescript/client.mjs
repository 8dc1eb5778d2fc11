// Drives the conformance fixture with the official TypeScript client:
// lists, calls, progress, changes of the list, input, and refusals.
//
//   node client.mjs URL modern|legacy|sessions
//
// Modern is protocol 2026-07-28; legacy is 2025-11-25; sessions is the same
// with a server that keeps sessions. It prints a line for each check and ends
// with 1 at the first that fails.
import assert from 'node:assert/strict';
import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, kind] = process.argv.slice(2);
const modern = kind === 'modern';
assert(modern || kind === 'legacy' || kind === 'sessions', 'usage: client.mjs URL modern|legacy|sessions');
const canBeTold = kind !== 'legacy'; // there is a stream that lasts

let changes = 0;
let heardChange = () => {};
const client = new Client(
    { name: 'kervan-ci', version: '1.0.0' },
    {
        capabilities: { elicitation: {} },
        versionNegotiation: { mode: modern ? { pin: '2026-07-28' } : 'legacy' },
        listChanged: {
            tools: {
                autoRefresh: false,
                debounceMs: 0,
                onChanged: error => {
                    assert.ifError(error);
                    changes++;
                    heardChange();
                }
            }
        }
    }
);
client.setRequestHandler('elicitation/create', async request => {
    const [name] = request.params.requestedSchema.required;
    return { action: 'accept', content: { [name]: 'Alice' } };
});

const call = (name, args = {}, options) => client.callTool({ name, arguments: args }, options);
const textOf = result => result.content[0].text;

// refusal calls a tool that must answer with an error result, and returns its
// text.
async function refusal(name, args) {
    const result = await call(name, args);
    assert.equal(result.isError, true, `${name} should say isError`);
    return textOf(result);
}

// inTime waits for p, for at most ms, and returns whether it came.
function inTime(p, ms) {
    let timer;
    const late = new Promise(resolve => (timer = setTimeout(resolve, ms, false)));
    return Promise.race([p.then(() => true), late]).finally(() => clearTimeout(timer));
}

const checks = {
    async 'speaks the era'() {
        assert.equal(client.getNegotiatedProtocolVersion(), modern ? '2026-07-28' : '2025-11-25');
        assert.equal(client.getServerVersion().name, 'kervan-conformance');
    },

    async 'lists tools, prompts and resources'() {
        const { tools } = await client.listTools();
        assert.equal(tools[0].name, 'test_simple_text', 'the first that was registered');
        assert(tools.some(tool => tool.name === 'json_schema_2020_12_tool' && tool.inputSchema.allOf));
        assert.equal((await client.listPrompts()).prompts.length, 6);
        assert.equal((await client.listResources()).resources.length, 3);
    },

    async 'calls'() {
        const result = await call('test_multiple_content_types');
        assert.deepEqual(result.content.map(block => block.type), ['text', 'image', 'resource']);
        const mirrored = await call('test_x_mcp_header', { region: 'côte d’azur', level: 3 });
        assert.match(textOf(mirrored), /"level":3/);
    },

    async 'hears progress'() {
        const heard = [];
        await call('test_tool_with_progress', {}, { onprogress: p => heard.push(p.progress) });
        assert.deepEqual(heard, [0, 50, 100]);
    },

    async 'hears of changes'() {
        const advertised = Boolean(client.getServerCapabilities().tools.listChanged);
        assert.equal(advertised, canBeTold, 'advertised where it can be delivered');
        for (let tries = 30; canBeTold && changes === 0; tries--) {
            assert(tries > 0, 'no list_changed came');
            const heard = new Promise(resolve => (heardChange = resolve));
            await call('test_trigger_tool_change');
            await inTime(heard, 1000); // a stream may have opened too late for the first
        }
    },

    async 'is asked for input'() {
        const asked = call('test_input_required_result_multi_round');
        if (!canBeTold) {
            await assert.rejects(asked, ProtocolError);
            return;
        }
        assert.equal(textOf(await asked), 'Alice likes Alice.');
    },

    async 'is refused bad arguments'() {
        const text = await refusal('test_elicitation', { mesage: 1 });
        assert.match(text, /^Input validation error/);
        assert.match(text, /did you mean "message"\?/);
    },

    async 'sees a masked error'() {
        assert.match(await refusal('test_masked_error'), /^Internal error in tool "test_masked_error" \(ref: [0-9a-f]{8}\)$/);
    },

    async 'sees an error that is meant for it'() {
        assert.equal(await refusal('test_error_handling'), 'This tool intentionally returns an error for testing');
    },

    async 'is told of an unknown tool'() {
        await assert.rejects(call('test_simple_txt'), error => {
            assert(error instanceof ProtocolError, `${error}`);
            assert.equal(error.code, -32602);
            assert.match(error.message, /test_simple_text/);
            return true;
        });
    }
};

await client.connect(new StreamableHTTPClientTransport(new URL(url)));
for (const [name, check] of Object.entries(checks)) {
    try {
        await check();
    } catch (error) {
        console.error(`${kind}: ${name}: failed\n`, error);
        process.exit(1);
    }
    console.log(`${kind}: ${name}`);
}
await client.close();
