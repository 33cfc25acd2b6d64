/** A logger that keeps the messages of all levels but debug. */
export function recordingLogger() {
  const messages: string[] = [];
  const record = (_fields: object, message: string) => void messages.push(message);
  return { messages, debug() {}, info: record, warn: record, error: record };
}
