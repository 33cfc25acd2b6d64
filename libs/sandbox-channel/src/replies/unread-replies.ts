const mebibyte = 1024 * 1024;
/** How many bytes all programs together may leave unread, and how many each may, whatever the others do. */
const maxOfAll = 64 * mebibyte;
const maxOfOne = 4 * mebibyte;

/** Counted over all programs, because unread replies take the server's memory. */
let bytesOfAll = 0;

/** Counts the replies that one program has not read yet. */
export class UnreadReplies {
  #bytes = 0;

  /** Counts a reply; false if there is no room for it. */
  add(bytes: number): boolean {
    if (bytesOfAll + bytes > maxOfAll && this.#bytes + bytes > maxOfOne) return false;
    this.#bytes += bytes;
    bytesOfAll += bytes;
    return true;
  }

  /** Call this when a reply was read, or never will be. */
  remove(bytes: number): void {
    this.#bytes -= bytes;
    bytesOfAll -= bytes;
  }
}
