/**
 * Requests of one server whose answers it has not taken yet. The client offers servers nothing that they could ask
 * for, so none has a reason to send more than a few.
 */
const maxUntaken = 100;

interface Sender<Message extends object, Options> {
  send: (message: Message, options?: Options) => Promise<void>;
}

/**
 * Limits how many answers a transport is sending at once, because each takes memory, and over HTTP a connection.
 *
 * @param onTooMany - The server sends more requests than it takes answers to; they are not answered.
 */
export function limitAnswers<Message extends object, Options>(
  transport: Sender<Message, Options>,
  onTooMany: () => void,
): void {
  const send = transport.send.bind(transport);
  let untaken = 0;
  transport.send = async (message, options) => {
    const isAnswer = !('method' in message);
    if (!isAnswer) return send(message, options);
    if (untaken >= maxUntaken) {
      onTooMany();
      return;
    }
    untaken++;
    try {
      await send(message, options);
    } finally {
      untaken--;
    }
  };
}
