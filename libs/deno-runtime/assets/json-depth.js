/** How deep JSON text nests. */
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
