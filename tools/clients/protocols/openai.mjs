import { sendEvents } from './event-stream.mjs';

export const isMine = ({ url }) => url.includes('/responses');

export function read({ tools = [], input }) {
  const items = Array.isArray(input) ? input : [];
  return {
    tools: tools.flatMap(({ name, type, tools: inner = [] }) =>
      type === 'namespace' ? inner.map((each) => `${name}\n${each.name}`) : (name ?? []),
    ),
    results: items.filter(({ type }) => type === 'function_call_output'),
  };
}

export function write(response, call) {
  const [namespace, inner] = call?.name.includes('\n') ? call.name.split('\n') : [undefined, call?.name];
  const item = call
    ? {
        type: 'function_call',
        id: `fc_${call.id}`,
        call_id: call.id,
        name: inner,
        ...(namespace && { namespace }),
        arguments: JSON.stringify(call.args),
      }
    : {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
      };
  const usage = {
    input_tokens: 1,
    output_tokens: 1,
    total_tokens: 2,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  sendEvents(response, [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', output: [item], usage } },
  ]);
}
