import { MessageBuffer, type SharedMemory } from '@code-executor/pipes';

import {
  maxMessageCost,
  maxUnfinishedBytes,
  maxUnfinishedBytesOfServer,
  unfinishedShareBytes,
} from './message-limits.js';

/** The messages of all servers, because they share the memory of this process. */
let bytesOfAll = 0;

/** The messages of one server, which can take much of the memory, but not all. */
export class ServerMessages {
  bytes = 0;

  /** For the messages of one stream; drop it when the stream is over. */
  buffer(): MessageBuffer {
    return new MessageBuffer(maxMessageCost, new Share(this));
  }
}

class Share implements SharedMemory {
  readonly #server: ServerMessages;
  #bytes = 0;

  constructor(server: ServerMessages) {
    this.#server = server;
  }

  resize(bytes: number): boolean {
    const more = bytes - this.#bytes;
    const isFull =
      bytesOfAll + more > maxUnfinishedBytes || this.#server.bytes + more > maxUnfinishedBytesOfServer;
    if (more > 0 && bytes > unfinishedShareBytes && isFull) return false;
    this.#bytes = bytes;
    this.#server.bytes += more;
    bytesOfAll += more;
    return true;
  }
}
