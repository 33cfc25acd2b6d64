import { MessageBuffer, type SharedMemory } from '@code-executor/contracts';

import { maxMessageCost, maxUnfinishedBytes, unfinishedShareBytes } from './message-limits.js';

/** Of all servers: the memory is this process's. */
let bytesOfAll = 0;

/** The buffer for the messages of one stream of a server; who is done with the stream drops it. */
export function messageBuffer(): MessageBuffer {
  return new MessageBuffer(maxMessageCost, new Share());
}

class Share implements SharedMemory {
  #bytes = 0;

  resize(bytes: number): boolean {
    const more = bytes - this.#bytes;
    if (more > 0 && bytes > unfinishedShareBytes && bytesOfAll + more > maxUnfinishedBytes) return false;
    this.#bytes = bytes;
    bytesOfAll += more;
    return true;
  }
}
