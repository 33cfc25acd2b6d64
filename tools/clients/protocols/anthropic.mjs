import { sendEvents } from './event-stream.mjs';

export const isMine = ({ url }) => url.startsWith('/v1/messages') && !url.includes('count_tokens');

export function read({ tools = [], messages }) {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return {
    tools: tools.map(({ name }) => name),
    results: blocks.filter(({ type }) => type === 'tool_result'),
  };
}

export function write(response, call, { model, stream }) {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const block = call
    ? { type: 'tool_use', id: `toolu_${call.id}`, name: call.name, input: call.args }
    : { type: 'text', text: 'Done.' };
  const stop_reason = call ? 'tool_use' : 'end_turn';
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...message, content: [block], stop_reason, usage }));
    return;
  }
  const delta = call
    ? { type: 'input_json_delta', partial_json: JSON.stringify(call.args) }
    : { type: 'text_delta', text: 'Done.' };
  const begun = call ? { ...block, input: {} } : { type: 'text', text: '' };
  sendEvents(response, [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
    { type: 'content_block_start', index: 0, content_block: begun },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]);
}
