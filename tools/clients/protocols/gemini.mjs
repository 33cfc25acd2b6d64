import { sendEvents } from './event-stream.mjs';

export const isMine = ({ url }) => url.includes('enerateContent');

export function read({ tools = [], contents = [] }) {
  const parts = contents.flatMap((content) => content.parts ?? []);
  return {
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    results: parts.filter(({ functionResponse }) => functionResponse),
  };
}

export function write(response, call) {
  const part = call ? { functionCall: { name: call.name, args: call.args } } : { text: 'Done.' };
  const candidates = [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }];
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  sendEvents(response, [{ candidates, usageMetadata }]);
}
