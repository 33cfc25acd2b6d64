/** How deep arrays and objects of JSON text nest. */
export function depthOf(json) {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (isString) {
      if (character === '\\') index++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

/** The cost of parsing JSON text, in bytes of memory. The server computes the same with `JsonMeter`. */
export function costOf(bytes) {
  let cost = bytes.length;
  let isString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (isString) {
      if (byte === 0x5c) index++;
      else if (byte === 0x22) isString = false;
    } else if (byte === 0x22) isString = true;
    else if (byte === 0x3a || byte === 0x5b || byte === 0x7b) cost += 64;
    else if (byte === 0x2c) cost += 8;
  }
  return cost;
}
