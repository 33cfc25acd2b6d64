const mebibyte = 1024 * 1024;

/**
 * What one message of a server may cost, as `JsonMeter` measures it: 32 MB of text in a few strings, 7 MB of a usual
 * table, 1 MB of nothing but `{}`. Parsing the worst of it takes about a fifth of a second.
 */
export const maxMessageCost = 32 * mebibyte;
/** A message that is too expensive is read to its end to see which request it answers, but only up to this size. */
export const maxMessageBytes = 64 * mebibyte;

/** The limit as errors word it. */
export const costLimit = '32 MB with 64 bytes for each array, object and member in it';

/** How much memory unfinished messages take: of all servers together, of one server, and of one message in any case. */
export const maxUnfinishedBytes = 128 * mebibyte;
export const maxUnfinishedBytesOfServer = 96 * mebibyte;
export const unfinishedShareBytes = mebibyte;
