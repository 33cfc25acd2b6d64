const mebibyte = 1024 * 1024;
/** What all programs together may leave unread, and what each may whatever the others do. */
const maxOfAll = 64 * mebibyte;
const maxOfOne = 4 * mebibyte;

/** Of all programs: the memory that they take is the server's. */
let bytesOfAll = 0;

/** Counts the replies that one program has not read yet. */
export class UnreadReplies {
  #bytes = 0;

  /** Counts a reply; false when there is no room for it. */
  add(bytes: number): boolean {
    if (bytesOfAll + bytes > maxOfAll && this.#bytes + bytes > maxOfOne) return false;
    this.#bytes += bytes;
    bytesOfAll += bytes;
    return true;
  }

  /** A reply was read, or nobody will. */
  remove(bytes: number): void {
    this.#bytes -= bytes;
    bytesOfAll -= bytes;
  }
}
